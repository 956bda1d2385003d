import { decodeDocument } from '../bson/decode.ts';
import { encodeDocument } from '../bson/encode.ts';
import type { Document } from '../bson/values.ts';
import { failedToParse } from '../errors.ts';
import { Execution, type Find, type Match, PAUSE } from '../query/execution.ts';
import type { Collection } from '../storage/collection.ts';
import type { Store } from '../storage/store.ts';
import { type Update, upsertBase, withId } from '../update/update.ts';
import { checkId } from './insert.ts';

/** Finds the records to write before any is written, so that no write brings a document before the scan again. */
export function findMatches(store: Store, collection: Collection, find: Find): Match[] {
  const matches: Match[] = [];
  for (const match of new Execution(store, collection, find).matches()) if (match !== PAUSE) matches.push(match);
  return matches;
}

/** What became of one document. */
export interface Modified {
  before: Document;
  after: Document;
  changed: boolean;
}

/** Applies an update to a document that was found; nothing is written when it comes out the same. */
export function modify(collection: Collection, match: Match, update: Update, find: Find): Modified {
  const before = decodeDocument(match.bytes);
  const position = update.positional ? find.filter.positionIn(before) : undefined;
  const after = update.apply(decodeDocument(match.bytes), position, false);
  const bytes = encodeDocument(after);
  if (bytes.equals(match.bytes)) return { before, after, changed: false };
  collection.replace(match.record, before, bytes, after);
  return { before, after, changed: true };
}

/** Inserts what an upsert makes of its filter and update; gives the document. */
export function upsert(collection: Collection, query: Document, update: Update): Document {
  const base = upsertBase(query);
  const start: Document = update.kind === 'replacement' ? (base._id === undefined ? {} : { _id: base._id }) : base;
  const document = withId(update.apply(start, undefined, true));
  checkId(document._id);
  collection.insert(encodeDocument(document), document);
  return document;
}

/** A replacement may not be applied to many documents. */
export function checkMulti(update: Update, multi: boolean): void {
  if (multi && update.kind === 'replacement')
    throw failedToParse('multi update is not supported for replacement-style update');
}
