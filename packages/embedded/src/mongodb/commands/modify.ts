import { decode, encode } from '../bson/bson.ts';
import type { Document } from '../bson/values.ts';
import { Execution, type Match, PAUSE } from '../query/execution.ts';
import { compileFilter, type Filter } from '../query/filter.ts';
import type { Collection } from '../storage/collection.ts';
import { type Update, upsertBase, withId } from '../update/update.ts';
import { checkId } from './insert.ts';
import type { Request } from './request.ts';

/** What a write found. */
export interface Found {
  filter: Filter;
  matches: Match[];
}

/**
 * Finds the records to write before any is written, so that no write brings a document before the scan again. A `limit`
 * of 0 is none; without a collection there are no matches.
 */
export function findMatches(
  request: Request,
  collection: Collection | undefined,
  query: Document,
  limit: number,
): Found {
  const found: Found = { filter: compileFilter(query), matches: [] };
  if (!collection) return found;
  const find = { filter: found.filter, sort: [], skip: 0, limit, deadline: request.deadline };
  for (const match of new Execution(request.state.store, collection, find).matches())
    if (match !== PAUSE) found.matches.push(match);
  return found;
}

/** What became of one document. */
export interface Modified {
  before: Document;
  after: Document;
  changed: boolean;
}

/** Applies an update to a document that was found; nothing is written when it comes out the same. */
export function modify(collection: Collection, match: Match, update: Update, filter: Filter): Modified {
  const before = decode(match.bytes);
  const position = update.positional ? filter.positionIn(before) : undefined;
  const after = update.apply(before, position, false);
  const bytes = encode(after);
  if (bytes.equals(match.bytes)) return { before, after, changed: false };
  collection.replace(match.record, before, bytes, after);
  return { before, after, changed: true };
}

/** Inserts what an upsert makes of its filter and update; gives the document. */
export function upsert(collection: Collection, query: Document, update: Update): Document {
  const document = withId(update.apply(upsertBase(query), undefined, true));
  checkId(document._id);
  collection.insert(encode(document), document);
  return document;
}
