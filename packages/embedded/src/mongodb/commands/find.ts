import { Long } from 'bson';
import { CursorBatch } from '../bson/bson.ts';
import { type Document, isNumeric } from '../bson/values.ts';
import { CommandError } from '../errors.ts';
import { toNumber } from '../numbers.ts';
import { Execution } from '../query/execution.ts';
import { compileFilter } from '../query/filter.ts';
import { compileProjection, type Projection } from '../query/projection.ts';
import { parseSort } from '../query/sort.ts';
import { OK } from './ok.ts';
import { type Command, countField, documentField, flagField, hintOf, namespaceOf } from './request.ts';
import { documentsOf, firstReply, resultsOf } from './results.ts';

/** Compiles the projection of a command; undefined if it is empty. */
export function projectionOf(specification: Document | undefined): Projection | undefined {
  return specification && Object.keys(specification).length > 0 ? compileProjection(specification) : undefined;
}

export const find: Command = {
  fields: ['filter', 'sort', 'projection', 'skip', 'limit', 'batchSize', 'singleBatch', 'hint'],
  inTransactions: 'statement',
  run(request) {
    const { body, deadline, view } = request;
    const namespace = namespaceOf(request);
    const projection = projectionOf(documentField(body, 'projection'));
    const wanted = {
      filter: compileFilter(documentField(body, 'filter') ?? {}),
      sort: parseSort(documentField(body, 'sort') ?? {}),
      skip: countField(body, 'skip') ?? 0,
      limit: countField(body, 'limit') ?? 0,
      hint: hintOf(body),
      deadline,
    };
    const collection = view.catalog.find(namespace);
    const execution = collection && new Execution(collection, wanted);
    const results = resultsOf(execution ? documentsOf(execution, projection) : [].values(), () => execution?.suspend());
    return firstReply(request, namespace, results, countField(body, 'batchSize'), flagField(body, 'singleBatch'));
  },
};

export const getMore: Command = {
  fields: ['collection', 'batchSize'],
  inTransactions: 'statement',
  async run(request) {
    const { collection } = request.body;
    if (typeof collection !== 'string')
      throw new CommandError(14, "BSON field 'getMore.collection' is the wrong type, expected type 'string'");
    const id = cursorId(request.body.getMore);
    const namespace = `${request.database}.${collection}`;
    const size = countField(request.body, 'batchSize');
    const { documents, done } = await request.state.cursors.more(
      id,
      namespace,
      size || Number.POSITIVE_INFINITY,
      request.transaction !== undefined,
    );
    return { cursor: new CursorBatch('nextBatch', documents, done ? 0n : id, namespace), ok: OK };
  },
};

export const killCursors: Command = {
  fields: ['cursors'],
  inTransactions: 'statement',
  run(request) {
    const ids = request.body.cursors;
    if (!Array.isArray(ids))
      throw new CommandError(14, "BSON field 'killCursors.cursors' is the wrong type, expected type 'array'");
    const cursorsKilled: bigint[] = [];
    const cursorsNotFound: bigint[] = [];
    for (const id of ids.map(cursorId)) (request.state.cursors.kill(id) ? cursorsKilled : cursorsNotFound).push(id);
    return { cursorsKilled, cursorsNotFound, cursorsAlive: [], cursorsUnknown: [], ok: OK };
  },
};

function cursorId(value: unknown): bigint {
  if (value instanceof Long) return value.toBigInt();
  if (isNumeric(value)) return BigInt(Math.trunc(toNumber(value)));
  throw new CommandError(14, 'cursor ids must be numbers');
}
