import { decodeDocument } from '../bson/decode.ts';
import { isNumeric } from '../bson/values.ts';
import { CommandError } from '../errors.ts';
import { fromInteger, toNumber } from '../numbers.ts';
import { Execution, type Find, PAUSE, runWithPauses } from '../query/execution.ts';
import { compileFilter } from '../query/filter.ts';
import { sortValues } from '../query/path.ts';
import { encodeValue } from '../storage/key-encoding.ts';
import { hintOf } from './find.ts';
import { OK } from './ok.ts';
import { type Command, countField, documentField, namespaceOf, type Request, refuseCollation } from './request.ts';

export const COUNT_FIELDS = ['query', 'limit', 'skip', 'hint', 'collation', 'fields'] as const;

/** Reads a `count` command (also one inside `explain`). */
export function parseCount(request: Request): Find {
  const { body } = request;
  refuseCollation(body);
  // A negative limit means its absolute value here, unlike in find.
  const limit = isNumeric(body.limit) ? Math.abs(toNumber(body.limit)) : 0;
  return {
    filter: compileFilter(documentField(body, 'query') ?? {}),
    sort: [],
    skip: countField(body, 'skip') ?? 0,
    limit,
    hint: hintOf(body),
    deadline: request.deadline,
  };
}

export const count: Command = {
  fields: COUNT_FIELDS,
  run(request) {
    const namespace = namespaceOf(request);
    const find = parseCount(request);
    const { store } = request.state;
    const collection = store.catalog.find(namespace);
    if (!collection) return { n: 0, ok: OK };
    const isAll =
      find.filter.conditionsAreAll && find.filter.conditions.length === 0 && find.skip === 0 && find.limit === 0;
    if (isAll) return { n: fromInteger(collection.count), ok: OK };
    const counted = runWithPauses(new Execution(store, collection, find).count());
    const reply = (n: number) => ({ n: fromInteger(n), ok: OK });
    return counted instanceof Promise ? counted.then(reply) : reply(counted);
  },
};

export const distinct: Command = {
  fields: ['key', 'query', 'collation', 'hint'],
  run(request) {
    const namespace = namespaceOf(request);
    const { key } = request.body;
    if (typeof key !== 'string')
      throw new CommandError(40414, "BSON field 'distinct.key' is missing but a required field");
    refuseCollation(request.body);
    const filter = compileFilter(documentField(request.body, 'query') ?? {});
    const { store } = request.state;
    const collection = store.catalog.find(namespace);
    if (!collection) return { values: [], ok: OK };
    const find: Find = { filter, sort: [], skip: 0, limit: 0, hint: hintOf(request.body), deadline: request.deadline };
    const values = runWithPauses(distinctValues(new Execution(store, collection, find), key));
    const reply = (list: unknown[]) => ({ values: list, ok: OK });
    return values instanceof Promise ? values.then(reply) : reply(values);
  },
};

function* distinctValues(execution: Execution, key: string): Generator<typeof PAUSE, unknown[]> {
  const path = key.split('.');
  const fields = new Set([path[0] as string]);
  const values = new Map<string, unknown>();
  const missing = Symbol('missing');
  for (const match of execution.matches()) {
    if (match === PAUSE) {
      yield PAUSE;
      continue;
    }
    const document = decodeDocument(match.bytes, fields);
    for (const value of sortValues(document, path, missing)) {
      if (value !== undefined && value !== missing) values.set(encodeValue(value).bytes.toString('latin1'), value);
    }
  }
  return [...values.values()];
}
