import { Timestamp } from 'bson';
import { type Document, isDocument, isNumeric } from './bson/values.ts';
import { aggregate } from './commands/aggregate.ts';
import { bulkWrite } from './commands/bulk-write.ts';
import { deleteCommand } from './commands/delete.ts';
import { dropDatabase } from './commands/drop-database.ts';
import { find, getMore, killCursors } from './commands/find.ts';
import { findAndModify } from './commands/find-and-modify.ts';
import { buildInfo, hello, ping } from './commands/greeting.ts';
import { createIndexes, dropIndexes, listIndexes } from './commands/indexes.ts';
import { insert } from './commands/insert.ts';
import {
  COMMON_FIELDS,
  type Command,
  type Request,
  type ServerState,
  sessionOf,
  transactionOf,
} from './commands/request.ts';
import { endSessions, killSessions } from './commands/sessions.ts';
import { abortTransaction, commitTransaction } from './commands/transactions.ts';
import { update } from './commands/update.ts';
import type { ConnectionState, TransactionId } from './connection-state.ts';
import { CommandError, notSupported } from './errors.ts';
import { toNumber } from './numbers.ts';
import { replyOnce } from './retries.ts';
import type { Snapshot } from './snapshots.ts';
import { timeLimitOf } from './wire.ts';

/** The supported commands. Other commands are refused with code 59. */
const COMMANDS: Record<string, Command> = {
  hello,
  ismaster: hello,
  ping,
  buildInfo,
  endSessions,
  killSessions,
  dropDatabase,
  createIndexes,
  dropIndexes,
  listIndexes,
  insert,
  update,
  delete: deleteCommand,
  bulkWrite,
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
/** Commands that may read a snapshot. */
const READS_SNAPSHOTS = new Set(['find', 'aggregate']);
/** Commands about a cursor, which keeps the snapshot that it was opened in. */
const CONTINUES_CURSOR = new Set(['getMore', 'killCursors']);

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
  const database = body.$db;
  if (typeof database !== 'string' || database === '')
    throw new CommandError(40414, "BSON field '$db' is missing but a required field");
  for (const field of Object.keys(body).slice(1)) {
    if (!command.lenient && !COMMON_FIELDS.has(field) && !command.fields.includes(field))
      throw new CommandError(40415, `BSON field '${name}.${field}' is an unknown field.`);
  }
  checkWriteConcern(body);
  const transaction = transactionOf(body);
  const session = sessionOf(body);
  const snapshot = snapshotOf(name, body, session, transaction, connection, state);
  const limit = timeLimitOf(body);
  const request: Request = {
    name,
    database,
    body,
    state,
    connection,
    deadline: limit === undefined ? undefined : performance.now() + limit,
    session,
    transaction,
    snapshot,
    view: snapshot?.view ?? (transaction || command.writes ? state.store.working : state.store.committed),
  };
  if (transaction && command.inTransactions !== 'end') {
    checkStatement(request, command);
    return state.transactions.run(connection, transaction, () => command.run(request));
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

/**
 * Returns the snapshot that a command reads; ends that of a session that goes on to something else. Refuses a read
 * concern other than local and majority, which are the same here, and snapshot, which a transaction always is.
 */
function snapshotOf(
  name: string,
  { readConcern }: Document,
  session: string | undefined,
  transaction: TransactionId | undefined,
  connection: ConnectionState,
  { snapshots }: ServerState,
): Snapshot | undefined {
  if (transaction && !transaction.starts && readConcern !== undefined)
    throw new CommandError(72, 'Only the first command in a transaction may specify a readConcern');
  const { level = 'local', atClusterTime } = isDocument(readConcern) ? readConcern : {};
  if (level === 'snapshot' && !transaction) {
    const continues = CONTINUES_CURSOR.has(name);
    if (!continues && !READS_SNAPSHOTS.has(name))
      throw new CommandError(72, `Command ${name} does not support { readConcern: { level: "snapshot" } }`);
    if (session === undefined) throw notSupported('the read concern snapshot without a session');
    if (atClusterTime instanceof Timestamp) return snapshots.get(session, atClusterTime, connection);
    return continues ? undefined : snapshots.take(session, connection);
  }
  if (session !== undefined && !CONTINUES_CURSOR.has(name)) snapshots.end(session);
  if (level === 'local' || level === 'majority' || level === 'snapshot') return undefined;
  throw notSupported(`the read concern ${String(level)}`);
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
