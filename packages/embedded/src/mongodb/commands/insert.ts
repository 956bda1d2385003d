import { BSONRegExp } from 'bson';
import { decode, encode } from '../bson/bson.ts';
import type { Document } from '../bson/values.ts';
import { CommandError } from '../errors.ts';
import type { Collection } from '../storage/collection.ts';
import { withId } from '../update/update.ts';
import { OK } from './ok.ts';
import { type Command, namespaceOf } from './request.ts';
import { isOrdered, runStatements, statementsOf, withErrors } from './write-errors.ts';

export const insert: Command = {
  fields: ['documents', 'ordered'],
  writes: true,
  retryable: true,
  inTransactions: 'statement',
  run(request) {
    const namespace = namespaceOf(request);
    const documents = statementsOf<Buffer>(request.body.documents, 'insert', 'documents');
    const ordered = isOrdered(request);
    const collection = request.view.catalog.getOrCreate(namespace);
    const errors = runStatements(documents, ordered, (bytes) => insertOne(collection, decode(bytes), bytes));
    const attempted = ordered && errors.length > 0 ? (errors[0]?.index as number) + 1 : documents.length;
    return { n: attempted - errors.length, ...withErrors(errors), ok: OK };
  },
};

/** Stores a document and adds an `_id` if it has none. */
export function insertOne(collection: Collection, document: Document, bytes: Buffer): void {
  checkId(document._id);
  if (Object.keys(document)[0] === '_id') {
    collection.insert(bytes, document);
    return;
  }
  const complete = withId(document);
  collection.insert(encode(complete), complete);
}

/** Throws InvalidIdField (53) for a type that an `_id` must not have. */
export function checkId(id: unknown): void {
  const kind = Array.isArray(id) ? 'array' : id instanceof BSONRegExp ? 'regex' : undefined;
  if (kind) throw new CommandError(53, `The '_id' value cannot be of type ${kind}`);
}
