import { type Document, isDocument, isNumeric } from './bson/values.ts';
import { aggregate } from './commands/aggregate.ts';
import { deleteCommand } from './commands/delete.ts';
import { dropDatabase } from './commands/drop-database.ts';
import { find, getMore, killCursors } from './commands/find.ts';
import { findAndModify } from './commands/find-and-modify.ts';
import { buildInfo, endSessions, hello, ping } from './commands/greeting.ts';
import { createIndexes, dropIndexes, listIndexes } from './commands/indexes.ts';
import { insert } from './commands/insert.ts';
import { saslContinue, saslStart } from './commands/login.ts';
import {
  COMMON_FIELDS,
  type Command,
  type ConnectionState,
  type Request,
  type ServerState,
  sessionOf,
  type TransactionId,
  transactionOf,
} from './commands/request.ts';
import { abortTransaction, commitTransaction } from './commands/transactions.ts';
import { update } from './commands/update.ts';
import { CommandError, notSupported } from './errors.ts';
import { toNumber } from './numbers.ts';
import { replyOnce } from './retries.ts';
import { timeLimitOf } from './wire.ts';

/** The supported commands. Other commands are refused with code 59. */
const COMMANDS: Record<string, Command> = {
  hello,
  ismaster: hello,
  saslStart,
  saslContinue,
  ping,
  buildInfo,
  endSessions,
  killSessions: endSessions,
  dropDatabase,
  createIndexes,
  dropIndexes,
  listIndexes,
  insert,
  update,
  delete: deleteCommand,
  findAndModify,
  find,
  getMore,
  killCursors,
  aggregate,
  commitTransaction,
  abortTransaction,
};

/** Commands that may arrive in the old message format. */
const GREETINGS = new Set(['hello', 'ismaster']);

/**
 * Runs a command and returns its reply, or an error reply if it fails; never rejects. Commands that write run one at a
 * time in a transaction, and their replies wait for its commit.
 */
export function dispatch(
  body: Document,
  legacy: boolean,
  connection: ConnectionState,
  state: ServerState,
): Document | Promise<Document> {
  try {
    const reply = start(body, legacy, connection, state);
    return reply instanceof Promise ? reply.catch(errorReply) : reply;
  } catch (error) {
    return errorReply(error);
  }
}

function start(
  body: Document,
  legacy: boolean,
  connection: ConnectionState,
  state: ServerState,
): Document | Promise<Document> {
  const name = Object.keys(body)[0] ?? '';
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (legacy && !GREETINGS.has(name))
    throw new CommandError(352, `Unsupported OP_QUERY command: ${name}. The client driver may require an upgrade.`);
  if (!command) throw new CommandError(59, `no such command: '${name}'`);
  if (!command.beforeLogin && !connection.login.done)
    throw new CommandError(13, `Command ${name} requires authentication`);
  const database = body.$db;
  if (typeof database !== 'string' || database === '')
    throw new CommandError(40414, "BSON field '$db' is missing but a required field");
  for (const field of Object.keys(body).slice(1)) {
    if (!command.lenient && !COMMON_FIELDS.has(field) && !command.fields.includes(field))
      throw new CommandError(40415, `BSON field '${name}.${field}' is an unknown field.`);
  }
  checkWriteConcern(body);
  const transaction = transactionOf(body);
  checkReadConcern(body, transaction);
  const limit = timeLimitOf(body);
  const request: Request = {
    name,
    database,
    body,
    state,
    connection,
    deadline: limit === undefined ? undefined : performance.now() + limit,
    session: sessionOf(body),
    transaction,
    view: transaction || command.writes ? state.store.working : state.store.committed,
  };
  if (transaction && command.inTransactions !== 'end') {
    checkStatement(request, command);
    return state.transactions.run(request, transaction, command);
  }
  if (!command.writes) return command.run(request);
  return state.store.write(() => {
    const { deadline } = request;
    if (deadline !== undefined && performance.now() > deadline)
      throw new CommandError(50, 'operation exceeded time limit'); // it waited for a transaction
    const run = () => command.run(request) as Document;
    return command.retryable ? replyOnce(request, run) : run();
  });
}

/** Refuses what a transaction must not contain. */
function checkStatement({ name, body }: Request, { inTransactions }: Command): void {
  if (!inTransactions) throw new CommandError(263, `Cannot run '${name}' in a multi-document transaction.`);
  if (body.writeConcern !== undefined)
    throw new CommandError(72, 'writeConcern is not allowed within a multi-statement transaction');
}

/** Refuses a write concern that a single member cannot satisfy. */
function checkWriteConcern({ writeConcern }: Document): void {
  if (!isDocument(writeConcern) || !isNumeric(writeConcern.w) || toNumber(writeConcern.w) <= 1) return;
  throw new CommandError(100, 'Not enough data-bearing nodes');
}

/** Refuses a read concern other than local and majority, which are the same here; a transaction is also a snapshot. */
function checkReadConcern({ readConcern }: Document, transaction: TransactionId | undefined): void {
  if (readConcern === undefined) return;
  if (transaction && !transaction.starts)
    throw new CommandError(72, 'Only the first command in a transaction may specify a readConcern');
  const level = isDocument(readConcern) ? (readConcern.level ?? 'local') : undefined;
  if (level === 'local' || level === 'majority' || (level === 'snapshot' && transaction)) return;
  throw notSupported('a read concern other than local and majority');
}

/** Returns the reply for an error. Any error but a CommandError is a defect and is logged with its stack. */
export function errorReply(error: unknown): Document {
  if (error instanceof CommandError) {
    return { ok: 0, errmsg: error.message, code: error.code, codeName: error.codeName, ...error.details };
  }
  console.error('embedded mongodb: internal error', error);
  return {
    ok: 0,
    errmsg: `internal error: ${error instanceof Error ? error.message : String(error)}`,
    code: 1,
    codeName: 'InternalError',
  };
}
