import { decode, encode } from '../bson/bson.ts';
import type { Document } from '../bson/values.ts';
import { failedToParse, notSupported } from '../errors.ts';
import { compileUpdate } from '../update/update.ts';
import { projectionOf } from './find.ts';
import { findMatches, modify } from './modify.ts';
import { OK } from './ok.ts';
import { type Command, documentField, flagField, namespaceOf, type Request } from './request.ts';

export const findAndModify: Command = {
  fields: ['query', 'remove', 'update', 'new', 'fields', 'upsert'],
  writes: true,
  retryable: true,
  inTransactions: 'statement',
  run(request) {
    const { body } = request;
    const remove = flagField(body, 'remove') ?? false;
    if (remove === (body.update !== undefined))
      throw failedToParse(
        remove ? 'Cannot specify both an update and remove=true' : 'Either an update or remove=true must be specified',
      );
    if (flagField(body, 'upsert')) throw notSupported('findAndModify with upsert');
    const project = projectionOf(documentField(body, 'fields'));
    const found = perform(request, remove);
    const value = found && project ? decode(project(encode(found))) : found;
    const lastErrorObject = { n: found ? 1 : 0, ...(remove ? {} : { updatedExisting: found !== null }) };
    return { lastErrorObject, value, ok: OK };
  },
};

/**
 * Removes or updates the first match. Returns the document as it was before, or after if the command asks for it; null
 * if there is no match.
 */
function perform(request: Request, remove: boolean): Document | null {
  const { body, view } = request;
  const update = remove ? undefined : compileUpdate(body.update);
  const collection = view.catalog.find(namespaceOf(request));
  const { filter, matches } = findMatches(request, collection, documentField(body, 'query') ?? {}, 1);
  const [match] = matches;
  if (!collection || !match) return null;
  if (update) {
    const { before, after } = modify(collection, match, update, filter);
    return flagField(body, 'new') ? after : before;
  }
  const document = decode(match.bytes);
  collection.remove(match.record, document);
  return document;
}
