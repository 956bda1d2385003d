import { encode } from '../bson/bson.ts';
import { type Document, isDocument, isNumeric } from '../bson/values.ts';
import { CommandError, failedToParse, notSupported } from '../errors.ts';
import { toNumber } from '../numbers.ts';
import { Execution, type Find, PAUSE } from '../query/execution.ts';
import { compileFilter } from '../query/filter.ts';
import { type Grouping, groupsOf } from '../query/groups.ts';
import { compileProjection, type Projection } from '../query/projection.ts';
import { parseSort } from '../query/sort.ts';
import {
  arrayField,
  type Command,
  countField,
  documentField,
  hintOf,
  namespaceOf,
  type Request,
  refuseUnknownFields,
} from './request.ts';
import { documentsOf, firstReply, resultsOf } from './results.ts';

/** A parsed pipeline of the supported form, for one collection. */
interface Pipeline {
  find: Find;
  projection: Projection | undefined;
  /** Builds the only result of `$group` from the number of documents. */
  countAs: ((count: number) => Document) | undefined;
  /** The array of `$unwind`. */
  unwound: string | undefined;
  /** What `$group` does after `$unwind`. */
  grouping: Grouping | undefined;
  unions: { collection: string; pipeline: Pipeline }[];
}

type Stage = (operand: unknown, pipeline: Pipeline, request: Request) => void;

/** The supported stages, in the only order in which they may appear. Other stages are refused with code 40324. */
const STAGES: Record<string, Stage> = {
  $match(operand, { find }) {
    if (!isDocument(operand)) throw new CommandError(15959, 'the match filter must be an expression in an object');
    find.filter = compileFilter(operand);
  },
  $sort(operand, { find, grouping }) {
    if (!isDocument(operand)) throw new CommandError(15973, 'the $sort key specification must be an object');
    if (Object.keys(operand).length === 0) throw new CommandError(15976, '$sort stage must have at least one sort key');
    (grouping ?? find).sort = parseSort(operand);
    if (grouping) checkSortOfGroups(grouping);
  },
  $skip(operand, { find }) {
    find.skip = countOperand('$skip', operand);
  },
  $limit(operand, { find, grouping }) {
    const limit = countOperand('$limit', operand);
    if (limit === 0) throw new CommandError(15958, 'the limit must be positive');
    (grouping ?? find).limit = limit;
  },
  $project(operand, pipeline) {
    if (!isDocument(operand)) throw new CommandError(15969, '$project specification must be an object');
    if (Object.keys(operand).length === 0)
      throw new CommandError(51272, 'Invalid $project: projection specification must have at least one field');
    pipeline.projection = compileProjection(operand);
  },
  $unwind(operand, pipeline) {
    if (pipeline.projection) throw notSupported('the stage $unwind after $project');
    pipeline.unwound = fieldOfPath(operand);
    if (pipeline.unwound === undefined) throw notSupported("a $unwind that is not '$<field>'");
  },
  $group(operand, pipeline) {
    if (pipeline.projection) throw notSupported('the stage $group after $project');
    if (pipeline.unwound === undefined) pipeline.countAs = countOf(operand);
    else pipeline.grouping = groupingOf(operand, pipeline.unwound);
  },
  $unionWith(operand, { unions }, request) {
    if (!isDocument(operand)) throw notSupported('$unionWith without a pipeline');
    refuseUnknownFields(operand, ['coll', 'pipeline'], '$unionWith');
    const { coll, pipeline } = operand;
    if (typeof coll !== 'string')
      throw new CommandError(40414, "BSON field '$unionWith.coll' is missing but a required field");
    if (!Array.isArray(pipeline)) throw notSupported('$unionWith without a pipeline');
    unions.push({ collection: coll, pipeline: parsePipeline(request, pipeline) });
  },
};
const ORDER = Object.keys(STAGES);
/** The stages that may follow a `$group` after `$unwind`, in the only order in which they may appear. */
const ORDER_OF_GROUPS = ['$sort', '$limit'];

function parsePipeline(request: Request, stages: readonly unknown[]): Pipeline {
  const find: Find = { filter: compileFilter({}), sort: [], skip: 0, limit: 0, deadline: request.deadline };
  const pipeline: Pipeline = {
    find,
    projection: undefined,
    countAs: undefined,
    unwound: undefined,
    grouping: undefined,
    unions: [],
  };
  let order = ORDER;
  let before = -1;
  for (const stage of stages) {
    if (!isDocument(stage)) throw new CommandError(14, "Each element of the 'pipeline' array must be an object");
    const [name = '', more] = Object.keys(stage);
    if (name === '' || more !== undefined)
      throw new CommandError(40323, 'A pipeline stage specification object must contain exactly one field.');
    const parse = Object.hasOwn(STAGES, name) ? STAGES[name] : undefined;
    if (!parse) throw new CommandError(40324, `Unrecognized pipeline stage name: '${name}'`);
    const at = order.indexOf(name);
    if (at <= before) throw notSupported(`the stage ${name} after ${order[before] ?? '$group'}`);
    before = at;
    parse(stage[name], pipeline, request);
    if (pipeline.grouping && order === ORDER) [order, before] = [ORDER_OF_GROUPS, -1];
  }
  if (pipeline.unwound !== undefined && !pipeline.grouping) throw notSupported('$unwind without $group');
  return pipeline;
}

function countOperand(name: string, operand: unknown): number {
  const count = isNumeric(operand) ? toNumber(operand) : Number.NaN;
  if (!Number.isSafeInteger(count) || count < 0)
    throw failedToParse(`invalid argument to ${name} stage: Expected a non-negative number in: ${name}`);
  return count;
}

/** Returns the field of a path such as `$hashtags`, or undefined for anything else. */
function fieldOfPath(operand: unknown): string | undefined {
  return typeof operand === 'string' && /^\$[^$.]+$/.test(operand) ? operand.slice(1) : undefined;
}

/** Parses `{_id: '$<array>', <field>: {$sum: 1}, <field>: {$sum: '$<field>'}}`, the only supported group after `$unwind`. */
function groupingOf(operand: unknown, array: string): Grouping {
  const { _id, ...fields } = isDocument(operand) ? operand : {};
  if (fieldOfPath(_id) !== array) throw notSupported('a $group after $unwind that is not by the same field');
  const sums = Object.entries(fields).map(([name, accumulator]) => {
    const { $sum, ...others } = isDocument(accumulator) ? accumulator : {};
    const of = fieldOfPath($sum);
    if (Object.keys(others).length > 0 || (of === undefined && !isOne($sum)))
      throw notSupported('a $group after $unwind with another accumulator than $sum of 1 or of a field');
    return of === undefined ? { name } : { name, of };
  });
  return { array, sums, sort: [], limit: 0 };
}

function checkSortOfGroups({ sort, sums }: Grouping): void {
  const other = sort.find(({ path }) => path !== '_id' && !sums.some(({ name }) => name === path));
  if (other) throw notSupported(`the sort of groups by '${other.path}'`);
}

function isOne(operand: unknown): boolean {
  return isNumeric(operand) && toNumber(operand) === 1;
}

/** Compiles `{_id: <constant>, name: {$sum: 1}}`, a count of documents, which is the only supported group. */
function countOf(operand: unknown): (count: number) => Document {
  if (!isDocument(operand)) throw new CommandError(15947, "a group's fields must be specified in an object");
  const { _id, ...fields } = operand;
  if (_id === undefined) throw new CommandError(15955, 'a group specification must include an _id');
  const [[name, accumulator] = ['', undefined], ...others] = Object.entries(fields);
  const [operator, ...more] = isDocument(accumulator) ? Object.entries(accumulator) : [];
  if (operator && operator[0] !== '$sum') throw new CommandError(15952, `unknown group operator '${operator[0]}'`);
  const isCount = operator && more.length === 0 && isOne(operator[1]);
  if (!isCount || others.length > 0 || (_id !== null && !isNumeric(_id)))
    throw notSupported('a $group that is not {_id: <null or a number>, <field>: {$sum: 1}}');
  return (count) => ({ _id, [name]: count });
}

export const aggregate: Command = {
  fields: ['pipeline', 'cursor', 'hint'],
  inTransactions: 'statement',
  run(request) {
    const { body } = request;
    const namespace = namespaceOf(request);
    const cursor = documentField(body, 'cursor');
    if (!cursor) throw failedToParse("The 'cursor' option is required, except for aggregate with the explain argument");
    refuseUnknownFields(cursor, ['batchSize'], 'cursor');
    const stages = arrayField(body, 'pipeline');
    if (!stages) throw new CommandError(40414, "BSON field 'aggregate.pipeline' is missing but a required field");
    const running: Running = { request, execution: undefined };
    const pipeline = parsePipeline(request, stages);
    pipeline.find.hint = hintOf(body);
    const documents = run(running, namespace, pipeline);
    const results = resultsOf(documents, () => running.execution?.suspend());
    return firstReply(request, namespace, results, countField(cursor, 'batchSize'));
  },
};

interface Running {
  request: Request;
  /** The execution that is reading at the moment. */
  execution: Execution | undefined;
}

function* run(running: Running, namespace: string, pipeline: Pipeline): Generator<Buffer | typeof PAUSE> {
  const { find, projection, countAs, grouping, unions } = pipeline;
  const { database, view } = running.request;
  const collection = view.catalog.find(namespace);
  if (collection) {
    running.execution = new Execution(collection, find);
    if (grouping)
      for (const group of groupsOf(running.execution, grouping)) yield group === PAUSE ? PAUSE : encode(group);
    else if (countAs) {
      const count = yield* running.execution.count();
      if (count > 0) yield encode(countAs(count));
    } else yield* documentsOf(running.execution, projection);
  }
  for (const union of unions) yield* run(running, `${database}.${union.collection}`, union.pipeline);
}
