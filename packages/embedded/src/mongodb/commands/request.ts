import { Binary } from 'bson';
import { type Document, getField, isDocument, isNumeric, typeName } from '../bson/values.ts';
import type { Cursors } from '../cursors.ts';
import { CommandError, typeMismatch } from '../errors.ts';
import { toNumber } from '../numbers.ts';
import type { ScramLogin, ScramUser } from '../scram.ts';
import type { Store } from '../storage/store.ts';

/** What commands work with. */
export interface ServerState {
  store: Store;
  cursors: Cursors;
  /** `host:port` as clients reach it, for `hello`. */
  address: string;
  /** The one user that may log in. */
  user: ScramUser;
}

/** The connection that a command came on. */
export interface ConnectionState {
  id: number;
  login: ScramLogin;
}

/** A command as it came in. */
export interface Request {
  name: string;
  database: string;
  body: Document;
  state: ServerState;
  connection: ConnectionState;
  /** `performance.now()` by which it has to be done, from maxTimeMS. */
  deadline: number | undefined;
  /** The session's id in hexadecimal, or undefined. */
  session: string | undefined;
}

/** A command of the allow-list. */
export interface Command {
  /** The fields it takes besides its name and the ones common to all commands; any other is refused. */
  fields: readonly string[];
  /** Whether other fields are let through: drivers add to the greeting with every version, as MongoDB allows. */
  lenient?: boolean;
  /** Whether a client may send it before it has logged in. */
  beforeLogin?: boolean;
  /** Whether it runs inside a write, alone and in one transaction. */
  writes?: boolean;
  /** Whether the driver may retry it under a `txnNumber`. */
  retryable?: boolean;
  run(request: Request): Document | Promise<Document>;
}

/** Fields that any command may carry. */
export const COMMON_FIELDS: ReadonlySet<string> = new Set([
  '$db',
  'lsid',
  'txnNumber',
  '$readPreference',
  'writeConcern',
  'maxTimeMS',
]);

/** Refuses fields that are not in the list (40415), naming where they stood. */
export function refuseUnknownFields(document: Document, known: readonly string[], where: string): void {
  for (const name of Object.keys(document)) {
    if (!known.includes(name)) throw new CommandError(40415, `BSON field '${where}.${name}' is an unknown field.`);
  }
}

/** The collection that the command names as its first field, with the database: `db.collection`. */
export function namespaceOf(request: Request): string {
  const name = request.body[request.name];
  if (typeof name !== 'string') throw new CommandError(73, `collection name has invalid type ${typeName(name)}`);
  if (name === '') throw new CommandError(73, `Invalid namespace specified '${request.database}.'`);
  return `${request.database}.${name}`;
}

/** A field that must be a document where it is present. */
export function documentField(body: Document, name: string): Document | undefined {
  const value = getField(body, name);
  if (value === undefined || value === null) return undefined;
  if (!isDocument(value)) throw wrongType(name, value, 'object');
  return value;
}

/** A field that must be an array where it is present. */
export function arrayField(body: Document, name: string): unknown[] | undefined {
  const value = getField(body, name);
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw wrongType(name, value, 'array');
  return value;
}

/** A field that must be a whole number, not negative, where it is present. */
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

/** A field that must be a boolean (or a number for one) where it is present. */
export function flagField(body: Document, name: string): boolean | undefined {
  const value = getField(body, name);
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'boolean') return value;
  if (isNumeric(value)) return toNumber(value) !== 0;
  throw wrongType(name, value, 'bool');
}

/** A field of a statement that must be a document. */
export function requiredDocument(statement: Document, name: string, where: string): Document {
  const value = documentField(statement, name);
  if (value) return value;
  throw new CommandError(40414, `BSON field '${where}.${name}' is missing but a required field`);
}

/** The hexadecimal id of the session that a command belongs to. */
export function sessionOf(body: Document): string | undefined {
  const id = isDocument(body.lsid) ? body.lsid.id : undefined;
  return id instanceof Binary ? id.toString('hex') : undefined;
}

const wrongType = (name: string, value: unknown, expected: string): CommandError =>
  typeMismatch(`BSON field '${name}' is the wrong type '${typeName(value)}', expected type '${expected}'`);
