import { decodeDocument } from '../bson/decode.ts';
import type { Document } from '../bson/values.ts';
import { failedToParse } from '../errors.ts';
import type { Find } from '../query/execution.ts';
import { compileFilter } from '../query/filter.ts';
import { compileProjection } from '../query/projection.ts';
import { parseSort } from '../query/sort.ts';
import { compileUpdate, type Update } from '../update/update.ts';
import { hintOf } from './find.ts';
import { findMatches, modify, upsert } from './modify.ts';
import { OK } from './ok.ts';
import {
  arrayField,
  type Command,
  documentField,
  flagField,
  namespaceOf,
  type Request,
  refuseCollation,
} from './request.ts';

interface Outcome {
  value: Document | null;
  lastErrorObject: Document;
}

export const findAndModify: Command = {
  fields: [
    'query',
    'sort',
    'remove',
    'update',
    'new',
    'fields',
    'upsert',
    'arrayFilters',
    'hint',
    'collation',
    'let',
    'bypassDocumentValidation',
  ],
  writes: true,
  retryable: true,
  run(request) {
    const { body } = request;
    refuseCollation(body);
    const remove = flagField(body, 'remove') ?? false;
    if (remove === (body.update !== undefined)) {
      throw failedToParse(
        remove ? 'Cannot specify both an update and remove=true' : 'Either an update or remove=true must be specified',
      );
    }
    if (remove && flagField(body, 'upsert')) throw failedToParse('Cannot specify both upsert=true and remove=true');
    if (remove && flagField(body, 'new'))
      throw failedToParse("Cannot specify both new=true and remove=true; 'remove' always returns the deleted document");
    const variables = documentField(body, 'let') ?? {};
    const update = remove ? undefined : compileUpdate(body.update, arrayField(body, 'arrayFilters'), variables);
    const find: Find = {
      filter: compileFilter(documentField(body, 'query') ?? {}, variables),
      sort: parseSort(documentField(body, 'sort') ?? {}),
      skip: 0,
      limit: 1,
      hint: hintOf(body),
      deadline: request.deadline,
    };
    const fields = documentField(body, 'fields');
    const projection =
      fields && Object.keys(fields).length > 0 ? compileProjection(fields, true, variables) : undefined;
    const { value, lastErrorObject } = perform(request, find, update);
    const position = value && projection?.positional ? find.filter.positionIn(value) : undefined;
    return { lastErrorObject, value: value && projection ? projection.apply(value, position) : value, ok: OK };
  },
};

function perform(request: Request, find: Find, update: Update | undefined): Outcome {
  const { store } = request.state;
  const namespace = namespaceOf(request);
  const collection = store.catalog.find(namespace);
  const [match] = collection ? findMatches(store, collection, find) : [];
  const wantsNew = flagField(request.body, 'new') ?? false;
  if (!collection || !match) {
    if (!update || !flagField(request.body, 'upsert')) {
      return { value: null, lastErrorObject: { n: 0, ...(update ? { updatedExisting: false } : {}) } };
    }
    const document = upsert(store.catalog.getOrCreate(namespace), documentField(request.body, 'query') ?? {}, update);
    return {
      value: wantsNew ? document : null,
      lastErrorObject: { n: 1, updatedExisting: false, upserted: document._id },
    };
  }
  if (!update) {
    const document = decodeDocument(match.bytes);
    collection.remove(match.record, document);
    return { value: document, lastErrorObject: { n: 1 } };
  }
  const { before, after } = modify(collection, match, update, find);
  return { value: wantsNew ? after : before, lastErrorObject: { n: 1, updatedExisting: true } };
}
