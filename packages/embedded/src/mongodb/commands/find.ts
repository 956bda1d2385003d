import { RawDocument } from '../bson/encode.ts';
import { type Document, isNumeric } from '../bson/values.ts';
import { CommandError } from '../errors.ts';
import { toNumber } from '../numbers.ts';
import { Execution, type Find } from '../query/execution.ts';
import { compileFilter } from '../query/filter.ts';
import { compileProjection, type Projection } from '../query/projection.ts';
import { parseSort } from '../query/sort.ts';
import { OK } from './ok.ts';
import {
  type Command,
  countField,
  documentField,
  flagField,
  namespaceOf,
  type Request,
  refuseCollation,
} from './request.ts';
import { findResults, firstReply, noResults } from './results.ts';

/** The fields of `find` that are supported. */
export const FIND_FIELDS = [
  'filter',
  'sort',
  'projection',
  'hint',
  'skip',
  'limit',
  'batchSize',
  'singleBatch',
  'collation',
  'let',
  'allowDiskUse',
  'tailable',
  'awaitData',
  'returnKey',
  'showRecordId',
  'min',
  'max',
] as const;

/** A parsed find. */
export interface ParsedFind {
  find: Find;
  projection: Projection | undefined;
}

/** Reads a `find` command (also one inside `explain`). */
export function parseFind(request: Request): ParsedFind {
  const { body } = request;
  refuseCollation(body);
  for (const name of ['tailable', 'awaitData', 'returnKey', 'showRecordId'] as const) {
    if (flagField(body, name)) throw new CommandError(238, `find with '${name}' is not supported by this server`);
  }
  for (const name of ['min', 'max'] as const) {
    if (documentField(body, name)) throw new CommandError(238, `find with '${name}' is not supported by this server`);
  }
  const variables = documentField(body, 'let') ?? {};
  const projection = documentField(body, 'projection');
  const find: Find = {
    filter: compileFilter(documentField(body, 'filter') ?? {}, variables),
    sort: parseSort(documentField(body, 'sort') ?? {}),
    skip: countField(body, 'skip') ?? 0,
    limit: countField(body, 'limit') ?? 0,
    hint: hintOf(body),
    deadline: request.deadline,
  };
  // `{$natural: ±1}` as a sort is a direction of the scan.
  if (find.sort.length === 1 && find.sort[0]?.path === '$natural')
    throw new CommandError(238, 'sort by $natural is not supported by this server; use hint');
  return {
    find,
    projection:
      projection && Object.keys(projection).length > 0 ? compileProjection(projection, true, variables) : undefined,
  };
}

/** The hint of a command: an index name, a key pattern, or undefined where it is empty. */
export function hintOf(body: Document): unknown {
  const { hint } = body;
  if (hint === undefined || hint === null) return undefined;
  if (typeof hint === 'string') return hint;
  const pattern = documentField(body, 'hint');
  return pattern && Object.keys(pattern).length > 0 ? pattern : undefined;
}

export const find: Command = {
  fields: FIND_FIELDS,
  run(request) {
    const namespace = namespaceOf(request);
    const { find, projection } = parseFind(request);
    const batchSize = countField(request.body, 'batchSize');
    const single = flagField(request.body, 'singleBatch') ?? false;
    const { store } = request.state;
    const collection = store.catalog.find(namespace);
    if (!collection) return firstReply(request, namespace, noResults, batchSize, single);
    const results = findResults(new Execution(store, collection, find), projection, find.filter);
    return firstReply(request, namespace, results, batchSize, single);
  },
};

export const getMore: Command = {
  fields: ['collection', 'batchSize'],
  async run(request) {
    const { getMore: id, collection } = request.body;
    if (typeof id !== 'bigint')
      throw new CommandError(14, "BSON field 'getMore.getMore' is the wrong type, expected type 'long'");
    if (typeof collection !== 'string')
      throw new CommandError(14, "BSON field 'getMore.collection' is the wrong type, expected type 'string'");
    const namespace = `${request.database}.${collection}`;
    const size = countField(request.body, 'batchSize');
    const batch = await request.state.cursors.more(id, namespace, size || Number.POSITIVE_INFINITY);
    const nextBatch = batch.documents.map((bytes) => new RawDocument(bytes));
    return { cursor: { nextBatch, id: batch.done ? 0n : id, ns: namespace }, ok: OK };
  },
};

export const killCursors: Command = {
  fields: ['cursors'],
  run(request) {
    const ids = request.body.cursors;
    if (!Array.isArray(ids))
      throw new CommandError(14, "BSON field 'killCursors.cursors' is the wrong type, expected type 'array'");
    const cursorsKilled: bigint[] = [];
    const cursorsNotFound: bigint[] = [];
    for (const value of ids) {
      if (!isNumeric(value)) throw new CommandError(14, 'cursor ids must be numbers');
      const id = typeof value === 'bigint' ? value : BigInt(toNumber(value));
      (request.state.cursors.kill(id) ? cursorsKilled : cursorsNotFound).push(id);
    }
    return { cursorsKilled, cursorsNotFound, cursorsAlive: [], cursorsUnknown: [], ok: OK };
  },
};
