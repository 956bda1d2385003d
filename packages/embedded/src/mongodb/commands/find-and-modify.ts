import { decode } from '../bson/bson.ts';
import { notSupported } from '../errors.ts';
import { compileUpdate } from '../update/update.ts';
import { findMatches, modify } from './modify.ts';
import { OK } from './ok.ts';
import { type Command, documentField, flagField, namespaceOf } from './request.ts';

/** Removes or updates the first match and returns it as it was before, or null if there is none. */
export const findAndModify: Command = {
  fields: ['query', 'remove', 'update', 'new', 'upsert'],
  writes: true,
  retryable: true,
  inTransactions: 'statement',
  run(request) {
    const { body, view } = request;
    const update = body.update === undefined ? null : compileUpdate(body.update);
    if (
      (flagField(body, 'remove') === true) === (update !== null) ||
      flagField(body, 'new') ||
      flagField(body, 'upsert')
    )
      throw notSupported('findAndModify that neither removes nor updates, or that inserts or returns what is new');
    const collection = view.catalog.find(namespaceOf(request));
    const { filter, matches } = findMatches(request, collection, documentField(body, 'query') ?? {}, 1);
    const [match] = matches;
    if (!collection || !match) return { lastErrorObject: { n: 0 }, value: null, ok: OK };
    const value = decode(match.bytes);
    if (update === null) collection.remove(match.record, value);
    else modify(collection, match, update, filter);
    return { lastErrorObject: { n: 1 }, value, ok: OK };
  },
};
