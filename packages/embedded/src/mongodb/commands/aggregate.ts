import { encode } from '../bson/bson.ts';
import { type Document, isDocument, isNumeric } from '../bson/values.ts';
import { CommandError, failedToParse, notSupported } from '../errors.ts';
import { toNumber } from '../numbers.ts';
import { Execution, type Find, type PAUSE } from '../query/execution.ts';
import { compileFilter } from '../query/filter.ts';
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
  unions: { collection: string; pipeline: Pipeline }[];
}

type Stage = (operand: unknown, pipeline: Pipeline, request: Request) => void;

/** The supported stages, in the only order in which they may appear. Other stages are refused with code 40324. */
const STAGES: Record<string, Stage> = {
  $match(operand, { find }) {
    if (!isDocument(operand)) throw new CommandError(15959, 'the match filter must be an expression in an object');
    find.filter = compileFilter(operand);
  },
  $sort(operand, { find }) {
    if (!isDocument(operand)) throw new CommandError(15973, 'the $sort key specification must be an object');
    if (Object.keys(operand).length === 0) throw new CommandError(15976, '$sort stage must have at least one sort key');
    find.sort = parseSort(operand);
  },
  $skip(operand, { find }) {
    find.skip = countOperand('$skip', operand);
  },
  $limit(operand, { find }) {
    find.limit = countOperand('$limit', operand);
    if (find.limit === 0) throw new CommandError(15958, 'the limit must be positive');
  },
  $project(operand, pipeline) {
    if (!isDocument(operand)) throw new CommandError(15969, '$project specification must be an object');
    if (Object.keys(operand).length === 0)
      throw new CommandError(51272, 'Invalid $project: projection specification must have at least one field');
    pipeline.projection = compileProjection(operand);
  },
  $group(operand, pipeline) {
    if (pipeline.projection) throw notSupported('the stage $group after $project');
    pipeline.countAs = countOf(operand);
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

function parsePipeline(request: Request, stages: readonly unknown[]): Pipeline {
  const find: Find = { filter: compileFilter({}), sort: [], skip: 0, limit: 0, deadline: request.deadline };
  const pipeline: Pipeline = { find, projection: undefined, countAs: undefined, unions: [] };
  let before = -1;
  for (const stage of stages) {
    if (!isDocument(stage)) throw new CommandError(14, "Each element of the 'pipeline' array must be an object");
    const [name = '', more] = Object.keys(stage);
    if (name === '' || more !== undefined)
      throw new CommandError(40323, 'A pipeline stage specification object must contain exactly one field.');
    const at = ORDER.indexOf(name);
    if (at < 0) throw new CommandError(40324, `Unrecognized pipeline stage name: '${name}'`);
    if (at <= before) throw notSupported(`the stage ${name} after ${ORDER[before]}`);
    before = at;
    (STAGES[name] as Stage)(stage[name], pipeline, request);
  }
  return pipeline;
}

function countOperand(name: string, operand: unknown): number {
  const count = isNumeric(operand) ? toNumber(operand) : Number.NaN;
  if (!Number.isSafeInteger(count) || count < 0)
    throw failedToParse(`invalid argument to ${name} stage: Expected a non-negative number in: ${name}`);
  return count;
}

/** Compiles `{_id: <constant>, name: {$sum: 1}}`, a count of documents, which is the only supported group. */
function countOf(operand: unknown): (count: number) => Document {
  if (!isDocument(operand)) throw new CommandError(15947, "a group's fields must be specified in an object");
  const { _id, ...fields } = operand;
  if (_id === undefined) throw new CommandError(15955, 'a group specification must include an _id');
  const [[name, accumulator] = ['', undefined], ...others] = Object.entries(fields);
  const [operator, ...more] = isDocument(accumulator) ? Object.entries(accumulator) : [];
  if (operator && operator[0] !== '$sum') throw new CommandError(15952, `unknown group operator '${operator[0]}'`);
  const isCount = operator && more.length === 0 && isNumeric(operator[1]) && toNumber(operator[1]) === 1;
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
  const { find, projection, countAs, unions } = pipeline;
  const { database, view } = running.request;
  const collection = view.catalog.find(namespace);
  if (collection) {
    running.execution = new Execution(collection, find);
    if (!countAs) yield* documentsOf(running.execution, projection);
    else {
      const count = yield* running.execution.count();
      if (count > 0) yield encode(countAs(count));
    }
  }
  for (const union of unions) yield* run(running, `${database}.${union.collection}`, union.pipeline);
}
