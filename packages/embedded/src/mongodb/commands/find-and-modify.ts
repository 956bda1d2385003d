import { decode } from '../bson/bson.ts';
import { notSupported } from '../errors.ts';
import { findMatches } from './modify.ts';
import { OK } from './ok.ts';
import { type Command, documentField, flagField, namespaceOf } from './request.ts';

/** Removes the first match and returns it, or null if there is none. */
export const findAndModify: Command = {
  fields: ['query', 'remove', 'new', 'upsert'],
  writes: true,
  retryable: true,
  inTransactions: 'statement',
  run(request) {
    const { body, view } = request;
    if (!flagField(body, 'remove') || flagField(body, 'new') || flagField(body, 'upsert'))
      throw notSupported('findAndModify that does not remove');
    const collection = view.catalog.find(namespaceOf(request));
    const { matches } = findMatches(request, collection, documentField(body, 'query') ?? {}, 1);
    const [match] = matches;
    if (!collection || !match) return { lastErrorObject: { n: 0 }, value: null, ok: OK };
    const value = decode(match.bytes);
    collection.remove(match.record, value);
    return { lastErrorObject: { n: 1 }, value, ok: OK };
  },
};
