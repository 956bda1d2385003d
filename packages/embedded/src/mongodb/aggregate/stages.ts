import { type Document, getField, isDocument, render, setField, typeName } from '../bson/values.ts';
import { CommandError, failedToParse } from '../errors.ts';
import { fromInteger, toInteger } from '../numbers.ts';
import { compileFilter } from '../query/filter.ts';
import { compileProjection } from '../query/projection.ts';
import { parseSort, sortDocuments } from '../query/sort.ts';
import { encodeValue } from '../storage/key-encoding.ts';
import { ACCUMULATORS, type Accumulator } from './accumulators.ts';
import { compileExpression, type Expression, fieldPath, type Variables } from './expressions.ts';

/** A compiled stage: from all documents to all documents. */
export type Stage = (documents: Document[]) => Document[];

/** What stages need from outside: the variables of `let`, and other collections' documents. */
export interface StageContext {
  variables: Variables;
  /** Documents of a collection of the same database that match the filter, found with its indexes (for `$lookup`). */
  read(collection: string, filter: Document, variables: Variables): Document[];
  /** What a pipeline gives of a collection of the same database (for `$unionWith`). */
  run(collection: string, pipeline: readonly unknown[]): Document[];
}

type StageCompiler = (operand: unknown, context: StageContext) => Stage;

/**
 * Compiles a pipeline. Throws 40323 for a stage that is not a document of one field and 40324 for a stage that is
 * unknown or not supported.
 */
export function compilePipeline(pipeline: readonly unknown[], context: StageContext): Stage {
  const stages = pipeline.map((stage) => {
    const [name, operand] = stageOf(stage);
    return (STAGES[name] as StageCompiler)(operand, context);
  });
  return (documents) => stages.reduce((current, stage) => stage(current), documents);
}

/** The name and operand of a stage of the allow-list. */
export function stageOf(stage: unknown): [name: string, operand: unknown] {
  if (!isDocument(stage)) throw new CommandError(14, "Each element of the 'pipeline' array must be an object");
  const names = Object.keys(stage);
  const [name] = names;
  if (name === undefined || names.length !== 1)
    throw new CommandError(40323, 'A pipeline stage specification object must contain exactly one field.');
  if (!Object.hasOwn(STAGES, name)) throw new CommandError(40324, `Unrecognized pipeline stage name: '${name}'`);
  return [name, stage[name]];
}

const UPDATE_STAGES = new Set(['$addFields', '$set', '$project', '$unset', '$replaceRoot', '$replaceWith']);

/** Compiles the pipeline of an update: only the stages that make one document from one. */
export function compileUpdatePipeline(
  pipeline: readonly unknown[],
  variables: Variables,
): (document: Document) => Document {
  for (const stage of pipeline) {
    const [name] = stageOf(stage);
    if (!UPDATE_STAGES.has(name)) throw new CommandError(72, `${name} is not allowed to be used within an update`);
  }
  const run = compilePipeline(pipeline, { variables, read: () => [], run: () => [] });
  return (document) => run([document])[0] as Document;
}

const wholeNumber = (name: string, operand: unknown, least: number): number => {
  const wrong = () =>
    new CommandError(
      name === '$limit' ? 2107201 : 5107200,
      `invalid argument to ${name} stage: Expected a number of at least ${least} in: ${name}: ${render(operand)}`,
    );
  const value = toInteger(operand, wrong);
  if (value < least) throw name === '$limit' ? new CommandError(15958, 'the limit must be positive') : wrong();
  return value;
};

function match(operand: unknown, { variables }: StageContext): Stage {
  if (!isDocument(operand)) throw new CommandError(15959, 'the match filter must be an expression in an object');
  const filter = compileFilter(operand, variables);
  return (documents) => documents.filter((document) => filter.test(document));
}

function sort(operand: unknown): Stage {
  if (!isDocument(operand)) throw new CommandError(15973, 'the $sort key specification must be an object');
  if (Object.keys(operand).length === 0) throw new CommandError(15976, '$sort stage must have at least one sort key');
  const fields = parseSort(operand);
  return (documents) => sortDocuments(documents, fields);
}

function project(operand: unknown, { variables }: StageContext): Stage {
  if (!isDocument(operand)) throw new CommandError(15969, '$project specification must be an object');
  if (Object.keys(operand).length === 0)
    throw new CommandError(
      51272,
      'Invalid $project :: caused by :: projection specification must have at least one field',
    );
  const projection = compileProjection(operand, false, variables);
  return (documents) => documents.map((document) => projection.apply(document));
}

/** `$addFields`: the fields in their own documents, arrays on the way element by element. */
function addFields(operand: unknown, { variables }: StageContext): Stage {
  if (!isDocument(operand)) throw new CommandError(40272, '$addFields specification stage must be an object');
  const fields = flatten(operand, []).map(([path, value]) => [path, compileExpression(value, variables)] as const);
  return (documents) =>
    documents.map((document) => {
      let result: unknown = document;
      for (const [path, expression] of fields) result = assignPath(result, path, 0, expression(document));
      return result as Document;
    });
}

function flatten(specification: Document, prefix: readonly string[]): [string[], unknown][] {
  return Object.entries(specification).flatMap(([name, value]): [string[], unknown][] => {
    const path = [...prefix, ...fieldPath(name)];
    const isNested = isDocument(value) && Object.keys(value).length > 0 && !Object.keys(value)[0]?.startsWith('$');
    return isNested ? flatten(value, path) : [[path, value]];
  });
}

function assignPath(target: unknown, path: readonly string[], at: number, value: unknown): unknown {
  if (at === path.length) return value;
  if (Array.isArray(target)) return target.map((item) => assignPath(item, path, at, value));
  const copy: Document = {};
  if (isDocument(target)) for (const [name, field] of Object.entries(target)) setField(copy, name, field);
  const name = path[at] as string;
  const assigned = assignPath(getField(copy, name), path, at + 1, value);
  if (assigned === undefined) delete copy[name];
  else setField(copy, name, assigned);
  return copy;
}

function unset(operand: unknown): Stage {
  const paths = typeof operand === 'string' ? [operand] : operand;
  if (!Array.isArray(paths) || paths.length === 0 || paths.some((path) => typeof path !== 'string')) {
    throw new CommandError(31002, '$unset specification must be a string or an array of strings');
  }
  const projection = compileProjection(Object.fromEntries(paths.map((path: string) => [path, false])), false);
  return (documents) => documents.map((document) => projection.apply(document));
}

function group(operand: unknown, { variables }: StageContext): Stage {
  if (!isDocument(operand)) throw new CommandError(15947, "a group's fields must be specified in an object");
  if (!Object.hasOwn(operand, '_id')) throw new CommandError(15955, 'a group specification must include an _id');
  const id = compileExpression(operand._id, variables);
  const fields: { name: string; create: () => Accumulator; expression: Expression }[] = [];
  for (const [name, specification] of Object.entries(operand)) {
    if (name === '_id') continue;
    if (name.includes('.')) throw new CommandError(40235, `The field name '${name}' cannot contain '.'`);
    const names = isDocument(specification) ? Object.keys(specification) : [];
    if (!isDocument(specification) || names.length === 0)
      throw new CommandError(40234, `The field '${name}' must be an accumulator object`);
    if (names.length !== 1) throw new CommandError(40238, `The field '${name}' must specify one accumulator`);
    const [operator] = names as [string];
    const create = Object.hasOwn(ACCUMULATORS, operator) ? ACCUMULATORS[operator] : undefined;
    if (!create) throw new CommandError(15952, `unknown group operator '${operator}'`);
    fields.push({ name, create, expression: compileExpression(specification[operator], variables) });
  }
  return (documents) => {
    const groups = new Map<string, { id: unknown; accumulators: Accumulator[] }>();
    for (const document of documents) {
      const value = id(document) ?? null;
      const key = encodeValue(value).bytes.toString('latin1');
      let entry = groups.get(key);
      if (!entry) {
        entry = { id: value, accumulators: fields.map((field) => field.create()) };
        groups.set(key, entry);
      }
      for (let at = 0; at < fields.length; at += 1) entry.accumulators[at]?.add(fields[at]?.expression(document));
    }
    return [...groups.values()].map((entry) => {
      const result: Document = { _id: entry.id };
      for (let at = 0; at < fields.length; at += 1)
        setField(result, fields[at]?.name as string, entry.accumulators[at]?.result());
      return result;
    });
  };
}

function unwind(operand: unknown): Stage {
  const options = typeof operand === 'string' ? { path: operand } : operand;
  if (!isDocument(options))
    throw new CommandError(
      15981,
      `expected either a string or an object as specification for $unwind stage, got ${typeName(operand)}`,
    );
  for (const name of Object.keys(options)) {
    if (!['path', 'includeArrayIndex', 'preserveNullAndEmptyArrays'].includes(name))
      throw new CommandError(28811, `unrecognized option to $unwind stage: ${name}`);
  }
  const { path, includeArrayIndex, preserveNullAndEmptyArrays = false } = options;
  if (typeof path !== 'string') throw new CommandError(28812, 'no path specified to $unwind stage');
  if (!path.startsWith('$'))
    throw new CommandError(28818, `path option to $unwind stage should be prefixed with a '$': ${path}`);
  if (includeArrayIndex !== undefined && typeof includeArrayIndex !== 'string')
    throw new CommandError(28810, 'expected a non-empty string for the includeArrayIndex option to $unwind stage');
  const components = fieldPath(path.slice(1));
  const indexPath = includeArrayIndex === undefined ? undefined : fieldPath(includeArrayIndex);
  return (documents) =>
    documents.flatMap((document) => {
      let value: unknown = document;
      for (const component of components) value = isDocument(value) ? getField(value, component) : undefined;
      const emit = (item: unknown, index: unknown): Document => {
        const result = assignPath(document, components, 0, item) as Document;
        return indexPath ? (assignPath(result, indexPath, 0, index) as Document) : result;
      };
      if (Array.isArray(value) && value.length > 0) return value.map((item, index) => emit(item, BigInt(index)));
      if (value === undefined || value === null || Array.isArray(value)) {
        if (preserveNullAndEmptyArrays !== true) return [];
        const kept = Array.isArray(value) ? (assignPath(document, components, 0, undefined) as Document) : document;
        return [indexPath ? (assignPath(kept, indexPath, 0, null) as Document) : kept];
      }
      return [emit(value, null)];
    });
}

const NOT_IN_FACET = new Set(['$facet', '$indexStats', '$collStats']);

function facet(operand: unknown, context: StageContext): Stage {
  if (!isDocument(operand) || Object.keys(operand).length === 0)
    throw new CommandError(40169, 'the $facet specification must be a non-empty object');
  const parts = Object.entries(operand).map(([name, pipeline]) => {
    if (!Array.isArray(pipeline))
      throw new CommandError(40170, `arguments to $facet must be arrays, ${name} is type ${typeName(pipeline)}`);
    for (const stage of pipeline) {
      const [inner] = stageOf(stage);
      if (NOT_IN_FACET.has(inner))
        throw new CommandError(40600, `${inner} is not allowed to be used within a $facet stage`);
    }
    return [name, compilePipeline(pipeline, context)] as const;
  });
  return (documents) => [Object.fromEntries(parts.map(([name, run]) => [name, run(documents)]))];
}

function count(operand: unknown): Stage {
  if (typeof operand !== 'string' || operand === '')
    throw new CommandError(40156, 'the count field must be a non-empty string');
  if (operand.startsWith('$')) throw new CommandError(40158, 'the count field cannot be a $-prefixed path');
  if (operand.includes('.')) throw new CommandError(40160, "the count field cannot contain '.'");
  return (documents) => (documents.length === 0 ? [] : [{ [operand]: fromInteger(documents.length) }]);
}

function replaceRoot(name: string, operand: unknown, { variables }: StageContext): Stage {
  const expression = compileExpression(operand, variables);
  return (documents) =>
    documents.map((document) => {
      const root = expression(document);
      if (!isDocument(root))
        throw new CommandError(
          40228,
          `'${name}' expression must evaluate to an object, but resulting value was: ${root === undefined ? 'MISSING' : render(root)}`,
        );
      return root;
    });
}

const LOOKUP_FIELDS = ['from', 'localField', 'foreignField', 'let', 'pipeline', 'as'];

function lookup(operand: unknown, context: StageContext): Stage {
  if (!isDocument(operand)) throw failedToParse('the $lookup stage specification must be an object');
  for (const name of Object.keys(operand))
    if (!LOOKUP_FIELDS.includes(name)) throw failedToParse(`unknown argument to $lookup: ${name}`);
  const { from, localField, foreignField, as, let: vars = {}, pipeline = [] } = operand;
  if (typeof from !== 'string') throw failedToParse("$lookup argument 'from' must be a string");
  if (typeof as !== 'string') throw failedToParse("must specify 'as' field for a $lookup");
  if ((localField === undefined) !== (foreignField === undefined))
    throw failedToParse("$lookup requires both or neither of 'localField' and 'foreignField'");
  if (localField === undefined && operand.pipeline === undefined)
    throw failedToParse("$lookup requires 'pipeline' or 'localField' and 'foreignField'");
  if (!isDocument(vars) || !Array.isArray(pipeline))
    throw failedToParse("$lookup argument 'let' must be an object and 'pipeline' an array");
  for (const field of [localField, foreignField])
    if (field !== undefined && typeof field !== 'string') throw failedToParse('$lookup fields must be strings');
  const local = localField === undefined ? undefined : compileExpression(`$${localField}`);
  const values = Object.entries(vars).map(
    ([name, value]) => [name, compileExpression(value, context.variables)] as const,
  );
  const target = fieldPath(as);
  const variablesOf = (document: Document): Variables => {
    const variables = { ...context.variables };
    for (const [name, value] of values) variables[name] = value(document) ?? null;
    return variables;
  };
  compilePipeline(pipeline, { ...context, variables: variablesOf({}) }); // errors show even without documents
  return (documents) =>
    documents.map((document) => {
      const variables = variablesOf(document);
      const run = compilePipeline(pipeline, { ...context, variables });
      const joined = run(
        context.read(from, local ? { [foreignField as string]: joinCondition(local(document)) } : {}, variables),
      );
      return assignPath(document, target, 0, joined) as Document;
    });
}

function joinCondition(value: unknown): unknown {
  return Array.isArray(value) ? { $in: value } : { $eq: value ?? null };
}

function unionWith(operand: unknown, context: StageContext): Stage {
  const specification = typeof operand === 'string' ? { coll: operand } : operand;
  if (!isDocument(specification)) throw failedToParse('the $unionWith stage specification must be an object or string');
  for (const name of Object.keys(specification))
    if (name !== 'coll' && name !== 'pipeline')
      throw new CommandError(40415, `BSON field '$unionWith.${name}' is an unknown field.`);
  const { coll, pipeline = [] } = specification;
  if (typeof coll !== 'string')
    throw new CommandError(40414, "BSON field '$unionWith.coll' is missing but a required field");
  if (!Array.isArray(pipeline))
    throw new CommandError(14, "BSON field '$unionWith.pipeline' is the wrong type, expected type 'array'");
  compilePipeline(pipeline, { ...context, variables: {} }); // errors show before anything is read
  return (documents) => [...documents, ...context.run(coll, pipeline)];
}

/** Every stage that is supported; another is refused with code 40324. */
const STAGES: Record<string, StageCompiler> = {
  $match: match,
  $sort: sort,
  $limit: (operand) => {
    const limit = wholeNumber('$limit', operand, 1);
    return (documents) => documents.slice(0, limit);
  },
  $skip: (operand) => {
    const skip = wholeNumber('$skip', operand, 0);
    return (documents) => documents.slice(skip);
  },
  $project: project,
  $addFields: addFields,
  $set: addFields,
  $unset: unset,
  $group: group,
  $unwind: unwind,
  $facet: facet,
  $count: count,
  $lookup: lookup,
  $unionWith: unionWith,
  $replaceRoot: (operand, context) => {
    if (!isDocument(operand) || !Object.hasOwn(operand, 'newRoot') || Object.keys(operand).length !== 1)
      throw new CommandError(
        40229,
        'expected an object with the one field newRoot as specification for $replaceRoot stage',
      );
    return replaceRoot('newRoot', operand.newRoot, context);
  },
  $replaceWith: (operand, context) => replaceRoot('replacement document', operand, context),
  $sortByCount: (operand, context) => {
    const grouped = group({ _id: operand, count: { $sum: 1 } }, context);
    return (documents) => sortDocuments(grouped(documents), parseSort({ count: -1 }));
  },
};
