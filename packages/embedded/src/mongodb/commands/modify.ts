import { decode, encode } from '../bson/bson.ts';
import type { Document } from '../bson/values.ts';
import { Execution, type Match, PAUSE } from '../query/execution.ts';
import { compileFilter, type Filter } from '../query/filter.ts';
import type { Collection } from '../storage/collection.ts';
import { type Update, upsertBase, withId } from '../update/update.ts';
import { checkId } from './insert.ts';
import type { Request } from './request.ts';

/** The filter and the matches of a write. */
export interface Found {
  filter: Filter;
  matches: Match[];
}

/**
 * Finds all records to write before the first is written, so that no write makes the scan return a document again. A
 * `limit` of 0 means no limit; without a collection there are no matches.
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
  for (const match of new Execution(collection, find).matches()) if (match !== PAUSE) found.matches.push(match);
  return found;
}

/** Applies an update to a matched document. Writes nothing and returns false if the document stays the same. */
export function modify(collection: Collection, match: Match, update: Update, filter: Filter): boolean {
  const before = decode(match.bytes);
  const position = update.positional ? filter.positionIn(before) : undefined;
  const after = update.apply(before, position, false);
  const bytes = encode(after);
  if (bytes.equals(match.bytes)) return false;
  collection.replace(match.record, before, bytes, after);
  return true;
}

/** Inserts the document that an upsert builds from its filter and update, and returns it. */
export function upsert(collection: Collection, query: Document, update: Update): Document {
  const document = withId(update.apply(upsertBase(query), undefined, true));
  checkId(document._id);
  collection.insert(encode(document), document);
  return document;
}
