import { Binary, Long } from 'bson';
import { type Document, getField, isDocument, isNumeric, typeName } from '../bson/values.ts';
import type { ConnectionState, TransactionId } from '../connection-state.ts';
import type { Cursors } from '../cursors.ts';
import { CommandError, notSupported, typeMismatch } from '../errors.ts';
import { toNumber } from '../numbers.ts';
import type { Snapshot, Snapshots } from '../snapshots.ts';
import type { Store } from '../storage/store.ts';
import type { View } from '../storage/view.ts';
import type { Transactions } from '../transactions.ts';

/** The state of the server that commands use. */
export interface ServerState {
  store: Store;
  cursors: Cursors;
  transactions: Transactions;
  snapshots: Snapshots;
  /** The address as clients reach it, for `hello`: the path of the socket, or `host:port`. */
  address: string;
}

/** A command as it arrived. */
export interface Request {
  name: string;
  database: string;
  body: Document;
  state: ServerState;
  connection: ConnectionState;
  /** Deadline on the clock of `performance.now()`, from maxTimeMS. */
  deadline: number | undefined;
  /** The session's id in hexadecimal, or undefined. */
  session: string | undefined;
  transaction: TransactionId | undefined;
  /** The snapshot that the command reads. */
  snapshot: Snapshot | undefined;
  /** The data that the command works on. */
  view: View;
}

/** A supported command. */
export interface Command {
  /** The fields it accepts in addition to its name and the common fields; any other is refused. */
  fields: readonly string[];
  /** Whether other fields are ignored: new driver versions add fields to the greeting, which MongoDB allows. */
  lenient?: boolean;
  /** Whether it runs in a write transaction, with no other command at the same time. */
  writes?: boolean;
  /** Whether the driver may retry it with the same `txnNumber`. */
  retryable?: boolean;
  /** Whether a transaction may contain it, or ends with it. Other commands are refused with code 263. */
  inTransactions?: 'statement' | 'end';
  run(request: Request): Document | Promise<Document>;
}

/** Fields that any command may have. */
export const COMMON_FIELDS: ReadonlySet<string> = new Set([
  '$db',
  'lsid',
  'txnNumber',
  'autocommit',
  'startTransaction',
  '$readPreference',
  'readConcern',
  'writeConcern',
  'maxTimeMS',
]);

/** Throws 40415 for a field that is not in the list; `where` is the prefix of its name in the message. */
export function refuseUnknownFields(document: Document, known: readonly string[], where: string): void {
  for (const name of Object.keys(document)) {
    if (!known.includes(name)) throw new CommandError(40415, `BSON field '${where}.${name}' is an unknown field.`);
  }
}

/** Returns the namespace `db.collection` that the command names in its first field. */
export function namespaceOf(request: Request): string {
  const name = request.body[request.name];
  if (typeof name !== 'string') throw new CommandError(73, `collection name has invalid type ${typeName(name)}`);
  if (name === '') throw new CommandError(73, `Invalid namespace specified '${request.database}.'`);
  return `${request.database}.${name}`;
}

/** Returns the optional name of the index that the command must use. */
export function hintOf(body: Document): string | undefined {
  const { hint } = body;
  if (hint !== undefined && typeof hint !== 'string') throw notSupported('a hint that is not the name of an index');
  return hint;
}

/** Returns an optional field that must be a document. */
export function documentField(body: Document, name: string): Document | undefined {
  const value = getField(body, name);
  if (value === undefined || value === null) return undefined;
  if (!isDocument(value)) throw wrongType(name, value, 'object');
  return value;
}

/** Returns an optional field that must be an array. */
export function arrayField(body: Document, name: string): unknown[] | undefined {
  const value = getField(body, name);
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw wrongType(name, value, 'array');
  return value;
}

/** Returns an optional field that must be a non-negative whole number. */
export function countField(body: Document, name: string): number | undefined {
  const value = getField(body, name);
  if (value === undefined || value === null) return undefined;
  if (!isNumeric(value)) throw wrongType(name, value, 'long');
  const number = toNumber(value);
  if (!Number.isSafeInteger(number))
    throw new CommandError(2, `Field '${name}' must be a whole number, but was ${number}`);
  if (number < 0) throw new CommandError(51024, `BSON field '${name}' value must be >= 0, actual value '${number}'`);
  return number;
}

/** Returns an optional field that must be a boolean, or a number that stands for one. */
export function flagField(body: Document, name: string): boolean | undefined {
  const value = getField(body, name);
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'boolean') return value;
  if (isNumeric(value)) return toNumber(value) !== 0;
  throw wrongType(name, value, 'bool');
}

/** Returns a required field of a statement that must be a document. */
export function requiredDocument(statement: Document, name: string, where: string): Document {
  const value = documentField(statement, name);
  if (value) return value;
  throw new CommandError(40414, `BSON field '${where}.${name}' is missing but a required field`);
}

/** Returns the hexadecimal id of the session that a command belongs to. */
export function sessionOf(body: Document): string | undefined {
  const id = isDocument(body.lsid) ? body.lsid.id : undefined;
  return id instanceof Binary ? id.toString('hex') : undefined;
}

/** Returns the transaction that a command belongs to. Throws InvalidOptions (72) for fields that do not fit together. */
export function transactionOf(body: Document): TransactionId | undefined {
  const { autocommit, startTransaction, txnNumber } = body;
  if (autocommit === undefined && startTransaction === undefined) return undefined;
  const session = sessionOf(body);
  if (session === undefined || !(txnNumber instanceof Long))
    throw new CommandError(72, 'A transaction needs a session id and a transaction number');
  if (autocommit !== false) throw new CommandError(72, 'A transaction needs autocommit: false');
  if (startTransaction !== undefined && startTransaction !== true)
    throw new CommandError(72, 'startTransaction may only be true');
  return { session, number: txnNumber.toBigInt(), starts: startTransaction === true };
}

const wrongType = (name: string, value: unknown, expected: string): CommandError =>
  typeMismatch(`BSON field '${name}' is the wrong type '${typeName(value)}', expected type '${expected}'`);
