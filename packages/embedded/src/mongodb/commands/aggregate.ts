import { encode } from '../bson/bson.ts';
import { type Document, isDocument, isNumeric } from '../bson/values.ts';
import { CommandError, failedToParse, notSupported } from '../errors.ts';
import { toNumber } from '../numbers.ts';
import { Execution, PAUSE } from '../query/execution.ts';
import { compileFilter } from '../query/filter.ts';
import { type Grouping, groupsOf } from '../query/groups.ts';
import { parseSort } from '../query/sort.ts';
import {
  arrayField,
  type Command,
  countField,
  documentField,
  hintOf,
  namespaceOf,
  refuseUnknownFields,
} from './request.ts';
import { firstReply, resultsOf } from './results.ts';

/** The stages of the two supported pipelines, each in the only order in which they may appear. */
const COUNT = ['$match', '$limit', '$group'];
const GROUPS = ['$match', '$unwind', '$group', '$sort', '$limit'];

export const aggregate: Command = {
  fields: ['pipeline', 'cursor', 'hint'],
  inTransactions: 'statement',
  run(request) {
    const { body, deadline, view } = request;
    const namespace = namespaceOf(request);
    const cursor = documentField(body, 'cursor');
    if (!cursor) throw failedToParse("The 'cursor' option is required, except for aggregate with the explain argument");
    refuseUnknownFields(cursor, ['batchSize'], 'cursor');
    const stages = parsePipeline(arrayField(body, 'pipeline'));
    const grouping = stages.has('$unwind') ? groupingOf(stages) : undefined;
    const find = {
      filter: compileFilter(matchOf(stages.get('$match') ?? {})),
      sort: [],
      skip: 0,
      limit: grouping ? 0 : limitOf(stages),
      hint: hintOf(body),
      deadline,
    };
    const countAs = grouping ? undefined : countOf(stages.get('$group'));
    const collection = view.catalog.find(namespace);
    const execution = collection && new Execution(collection, find);
    const results = resultsOf(execution ? documents(execution, grouping, countAs) : [].values(), () =>
      execution?.suspend(),
    );
    return firstReply(request, namespace, results, countField(cursor, 'batchSize'));
  },
};

/** Yields the groups, or the only document with the count, which is missing if nothing matches. */
function* documents(
  execution: Execution,
  grouping: Grouping | undefined,
  countAs: ((count: number) => Document) | undefined,
): Generator<Buffer | typeof PAUSE> {
  if (grouping) for (const group of groupsOf(execution, grouping)) yield group === PAUSE ? PAUSE : encode(group);
  if (!countAs) return;
  const count = yield* execution.count();
  if (count > 0) yield encode(countAs(count));
}

/** Returns the stages by name. Throws 40324 for an unknown one, and 238 for a pipeline of another form. */
function parsePipeline(stages: unknown[] | undefined): Map<string, unknown> {
  if (!stages) throw new CommandError(40414, "BSON field 'aggregate.pipeline' is missing but a required field");
  const names = stages.map((stage) => {
    if (!isDocument(stage)) throw new CommandError(14, "Each element of the 'pipeline' array must be an object");
    const [name = '', more] = Object.keys(stage);
    if (name === '' || more !== undefined)
      throw new CommandError(40323, 'A pipeline stage specification object must contain exactly one field.');
    if (!GROUPS.includes(name)) throw new CommandError(40324, `Unrecognized pipeline stage name: '${name}'`);
    return name;
  });
  const form = names.includes('$unwind') ? GROUPS : COUNT;
  const isInOrder = names.every((name, at) => form.indexOf(name) > (at === 0 ? -1 : form.indexOf(names[at - 1]!)));
  if (!isInOrder || !names.includes('$group')) throw notSupported(`the pipeline [${names.join(', ')}]`);
  return new Map(stages.map((stage, at) => [names[at]!, (stage as Document)[names[at]!]]));
}

function matchOf(operand: unknown): Document {
  if (!isDocument(operand)) throw new CommandError(15959, 'the match filter must be an expression in an object');
  return operand;
}

/** Returns the operand of `$limit`, or 0 for no limit. */
function limitOf(stages: Map<string, unknown>): number {
  if (!stages.has('$limit')) return 0;
  const operand = stages.get('$limit');
  const limit = isNumeric(operand) ? toNumber(operand) : Number.NaN;
  if (!Number.isSafeInteger(limit) || limit < 0)
    throw failedToParse('invalid argument to $limit stage: Expected a non-negative number in: $limit');
  if (limit === 0) throw new CommandError(15958, 'the limit must be positive');
  return limit;
}

/** Returns the field of a path such as `$hashtags`, or undefined for anything else. */
function fieldOfPath(operand: unknown): string | undefined {
  return typeof operand === 'string' && /^\$[^$.]+$/.test(operand) ? operand.slice(1) : undefined;
}

/**
 * Parses `$unwind: '$<array>'`, `$group: {_id: '$<array>', <field>: {$sum: 1}, <field>: {$sum: '$<field>'}}`, and the
 * order of the groups.
 */
function groupingOf(stages: Map<string, unknown>): Grouping {
  const array = fieldOfPath(stages.get('$unwind'));
  if (array === undefined) throw notSupported("a $unwind that is not '$<field>'");
  const group = stages.get('$group');
  const { _id, ...fields } = isDocument(group) ? group : {};
  if (fieldOfPath(_id) !== array) throw notSupported('a $group after $unwind that is not by the same field');
  const sums = Object.entries(fields).map(([name, accumulator]) => {
    const { $sum, ...others } = isDocument(accumulator) ? accumulator : {};
    const of = fieldOfPath($sum);
    if (Object.keys(others).length > 0 || (of === undefined && !isOne($sum)))
      throw notSupported('a $group after $unwind with another accumulator than $sum of 1 or of a field');
    return of === undefined ? { name } : { name, of };
  });
  const order = stages.get('$sort') ?? {};
  if (!isDocument(order)) throw new CommandError(15973, 'the $sort key specification must be an object');
  const sort = parseSort(order);
  const other = sort.find(({ path }) => path !== '_id' && !sums.some(({ name }) => name === path));
  if (other) throw notSupported(`the sort of groups by '${other.path}'`);
  return { array, sums, sort, limit: limitOf(stages) };
}

function isOne(operand: unknown): boolean {
  return isNumeric(operand) && toNumber(operand) === 1;
}

/** Compiles `{_id: <constant>, name: {$sum: 1}}`, a count of documents. */
function countOf(operand: unknown): (count: number) => Document {
  const { _id, ...fields } = isDocument(operand) ? operand : {};
  const [[name, accumulator] = ['', undefined], ...others] = Object.entries(fields);
  const isCount = isDocument(accumulator) && Object.keys(accumulator).length === 1 && isOne(accumulator.$sum);
  if (!isCount || others.length > 0 || (_id !== null && !isNumeric(_id)))
    throw notSupported('a $group that is not {_id: <null or a number>, <field>: {$sum: 1}}');
  return (count) => ({ _id, [name]: count });
}
