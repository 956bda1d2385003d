import type { Variables } from '../aggregate/expressions.ts';
import { compilePipeline, type StageContext, stageOf } from '../aggregate/stages.ts';
import { decodeDocument } from '../bson/decode.ts';
import { type Document, isDocument, isNumeric } from '../bson/values.ts';
import { CommandError, failedToParse } from '../errors.ts';
import { fromInteger, toNumber } from '../numbers.ts';
import { Execution, type Find, PAUSE, runToEnd, runWithPauses } from '../query/execution.ts';
import { compileFilter } from '../query/filter.ts';
import { parseSort } from '../query/sort.ts';
import type { Collection } from '../storage/collection.ts';
import { hintOf } from './find.ts';
import {
  arrayField,
  type Command,
  countField,
  documentField,
  flagField,
  namespaceOf,
  type Request,
  refuseCollation,
  refuseUnknownFields,
} from './request.ts';
import { firstReply, listResults } from './results.ts';

/** The fields of `aggregate` that are supported. */
export const AGGREGATE_FIELDS = [
  'pipeline',
  'cursor',
  'explain',
  'allowDiskUse',
  'hint',
  'let',
  'collation',
  'bypassDocumentValidation',
] as const;

/** A pipeline taken apart: what the store finds with its indexes, and the stages that work on the documents found. */
export interface ParsedAggregate {
  find: Find;
  rest: unknown[];
  context: StageContext;
  /** How the pipeline's end is nothing but a count of what was found, if it is. */
  counts: ((count: number) => Document[]) | undefined;
}

/** Reads an `aggregate` command (also one inside `explain`) and compiles all of it, so that errors come first. */
export function parseAggregate(request: Request): ParsedAggregate {
  const { body } = request;
  refuseCollation(body);
  const pipeline = arrayField(body, 'pipeline');
  if (!pipeline) throw new CommandError(40414, "BSON field 'aggregate.pipeline' is missing but a required field");
  return parsePipeline(request, pipeline, documentField(body, 'let') ?? {}, hintOf(body));
}

function parsePipeline(
  request: Request,
  pipeline: readonly unknown[],
  variables: Variables,
  hint: unknown,
): ParsedAggregate {
  const context: StageContext = {
    variables,
    read: (name, filter, inner) => readAll(request, name, filter, inner),
    run: (name, inner) => runAll(request, name, inner),
  };
  compilePipeline(pipeline, context);
  const find: Find = {
    filter: compileFilter({}),
    sort: [],
    skip: 0,
    limit: 0,
    hint,
    deadline: request.deadline,
  };
  const rest = pushDown(pipeline, find, context);
  return { find, rest, context, counts: countOf(rest) };
}

/** Moves leading `$match`, `$sort`, `$skip` and `$limit` into the find; gives the stages that are left. */
function pushDown(pipeline: readonly unknown[], find: Find, context: StageContext): unknown[] {
  const filters: Document[] = [];
  let at = 0;
  for (; at < pipeline.length; at += 1) {
    const [name, operand] = stageOf(pipeline[at]);
    if (name === '$match' && find.skip === 0 && find.limit === 0) filters.push(operand as Document);
    else if (name === '$sort' && find.sort.length === 0 && find.skip === 0 && find.limit === 0)
      find.sort = parseSort(operand as Document);
    else if (name === '$skip' && find.limit === 0 && isNumeric(operand)) find.skip += toNumber(operand);
    else if (name === '$limit' && isNumeric(operand))
      find.limit = find.limit === 0 ? toNumber(operand) : Math.min(find.limit, toNumber(operand));
    else break;
  }
  if (filters.length > 0) {
    find.filter = compileFilter(filters.length === 1 ? (filters[0] as Document) : { $and: filters }, context.variables);
  }
  return pipeline.slice(at);
}

/** Recognises `{$group: {_id: <constant>, n: {$sum: 1}}}`, which `countDocuments` sends, and `{$count: 'n'}`. */
function countOf(rest: readonly unknown[]): ((count: number) => Document[]) | undefined {
  if (rest.length !== 1) return undefined;
  const [name, operand] = stageOf(rest[0]);
  if (name === '$count') return (count) => (count === 0 ? [] : [{ [operand as string]: fromInteger(count) }]);
  if (name !== '$group') return undefined;
  const { _id, ...fields } = operand as Document;
  const entries = Object.entries(fields);
  const [entry] = entries;
  if (entries.length !== 1 || !entry || !isDocument(entry[1])) return undefined;
  const isConstant = _id === null || isNumeric(_id);
  const isCount = (entry[1].$sum === 1 && Object.keys(entry[1]).length === 1) || isDocument(entry[1].$count);
  if (!isConstant || !isCount) return undefined;
  return (count) => (count === 0 ? [] : [{ _id, [entry[0]]: fromInteger(count) }]);
}

function readAll(request: Request, name: string, filter: Document, variables: Document): Document[] {
  const { store } = request.state;
  const collection = store.catalog.find(`${request.database}.${name}`);
  if (!collection) return [];
  const find: Find = {
    filter: compileFilter(filter, variables),
    sort: [],
    skip: 0,
    limit: 0,
    hint: undefined,
    deadline: request.deadline,
  };
  return runToEnd(readDocuments(new Execution(store, collection, find)));
}

function runAll(request: Request, name: string, pipeline: readonly unknown[]): Document[] {
  const collection = request.state.store.catalog.find(`${request.database}.${name}`);
  return runToEnd(runAggregate(request, parsePipeline(request, pipeline, {}, undefined), collection));
}

function* readDocuments(execution: Execution): Generator<typeof PAUSE, Document[]> {
  const documents: Document[] = [];
  for (const match of execution.matches()) {
    if (match === PAUSE) yield PAUSE;
    else documents.push(decodeDocument(match.bytes));
  }
  return documents;
}

/** Runs the pipeline on a collection; `observe` sees the execution, for `explain`. */
export function* runAggregate(
  request: Request,
  parsed: ParsedAggregate,
  collection: Collection | undefined,
  observe?: (execution: Execution) => void,
): Generator<typeof PAUSE, Document[]> {
  const run = compilePipeline(parsed.rest, parsed.context);
  if (!collection) return run([]);
  const execution = new Execution(request.state.store, collection, parsed.find);
  observe?.(execution);
  if (parsed.counts) return parsed.counts(yield* execution.count());
  return run(yield* readDocuments(execution));
}

export const aggregate: Command = {
  fields: AGGREGATE_FIELDS,
  run(request) {
    const { body, state } = request;
    if (isNumeric(body.aggregate))
      throw new CommandError(238, 'aggregations that are not on a collection are not supported by this server');
    const namespace = namespaceOf(request);
    if (flagField(body, 'explain'))
      throw failedToParse("the option 'explain' is not supported; use the command explain");
    const cursor = documentField(body, 'cursor');
    if (!cursor) throw failedToParse("The 'cursor' option is required, except for aggregate with the explain argument");
    refuseUnknownFields(cursor, ['batchSize'], 'cursor');
    const batchSize = countField(cursor, 'batchSize');
    const parsed = parseAggregate(request);
    const documents = runWithPauses(runAggregate(request, parsed, state.store.catalog.find(namespace)));
    const reply = (list: Document[]) => firstReply(request, namespace, listResults(list), batchSize, false);
    return documents instanceof Promise ? documents.then(reply) : reply(documents);
  },
};
