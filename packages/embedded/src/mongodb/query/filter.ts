import { compareValues, equalValues } from '../bson/compare.ts';
import { type Document, isDocument, isNumeric, ORDER, orderOf, typeName } from '../bson/values.ts';
import { badValue, notSupported } from '../errors.ts';
import { toNumber } from '../numbers.ts';
import { anyLeaf, componentsOf } from './path.ts';

/** A condition on one path that an index may help with; filters with other operators have none. */
export interface PathCondition {
  path: string;
  operator: '$eq' | '$in' | '$gt' | '$lt' | '$lte' | '$not $lte' | '$exists';
  operand: unknown;
}

/** A compiled filter. */
export interface Filter {
  /** Returns whether the document matches. */
  test(document: Document): boolean;
  /** Returns the array position for the positional operator `$`, if a matched path goes through an array. */
  positionIn(document: Document): number | undefined;
  /** The top-level fields that the filter reads. */
  fields: ReadonlySet<string>;
  /** Conditions that must all hold; the planner can turn them into index bounds. */
  conditions: PathCondition[];
  /** True if the filter consists of these conditions only. */
  conditionsAreAll: boolean;
}

interface MatchContext {
  position: number | undefined;
}

interface Part {
  test(document: Document, context: MatchContext): boolean;
  condition?: PathCondition;
}

type ValueTest = (value: unknown) => boolean;

/**
 * Compiles a filter of `find`, `$match`, an update or a partial index. Throws code 2 for an unknown or unsupported
 * operator.
 */
export function compileFilter(filter: Document): Filter {
  const operands = operandsOf(filter);
  const parts = operands.flatMap(([path, operand]) => partsOf(path, operand));
  const matches = (document: Document, context: MatchContext) => parts.every((part) => part.test(document, context));
  return {
    test: (document) => matches(document, { position: undefined }),
    positionIn(document) {
      const context: MatchContext = { position: undefined };
      matches(document, context);
      return context.position;
    },
    fields: new Set(operands.map(([path]) => path.split('.')[0] as string)),
    conditions: parts.flatMap(({ condition }) => condition ?? []),
    conditionsAreAll: parts.every(({ condition }) => condition !== undefined),
  };
}

/** Returns the paths of a filter and what each is compared with, as if those of an `$and` stood in the filter itself. */
function operandsOf(filter: Document): [path: string, operand: unknown][] {
  return Object.entries(filter).flatMap(([path, operand]) =>
    path === '$and' ? filtersOf(operand).flatMap(operandsOf) : [[path, operand] as [string, unknown]],
  );
}

function filtersOf(operand: unknown): Document[] {
  const filters = listOf('$and', operand);
  if (filters.length === 0 || !filters.every(isDocument)) throw badValue('$and must be a nonempty array of documents');
  return filters;
}

function partsOf(path: string, operand: unknown): Part[] {
  if (path.startsWith('$'))
    throw badValue(
      `unknown top level operator: ${path}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
    );
  const components = componentsOf(path);
  if (!isDocument(operand)) return [compileOperator('$eq', path, components, operand)];
  const operators = Object.entries(operand);
  if (operators.length === 0) throw notSupported('comparing with a document');
  return operators.map(([name, value]) => compileOperator(name, path, components, value));
}

function compileOperator(name: string, path: string, components: string[], operand: unknown): Part {
  switch (name) {
    case '$eq':
      return { test: leaves(components, equalTo(operand)), condition: { path, operator: name, operand } };
    case '$gt':
    case '$lt':
    case '$lte':
      return { test: leaves(components, comparison(name, operand)), condition: { path, operator: name, operand } };
    case '$not': {
      const bound = boundOfNot(operand);
      const test = leaves(components, comparison('$lte', bound));
      return {
        test: (document) => !test(document, { position: undefined }),
        condition: { path, operator: '$not $lte', operand: bound },
      };
    }
    case '$in':
      return { test: leaves(components, oneOf(name, operand)), condition: { path, operator: name, operand } };
    case '$all': {
      const tests = listOf(name, operand).map((item) => leaves(components, equalTo(item)));
      return { test: (document, context) => tests.length > 0 && tests.every((test) => test(document, context)) };
    }
    case '$regex':
      return { test: leaves(components, containing(operand)) };
    case '$exists':
      return exists(path, components, operand);
    default:
      if (!name.startsWith('$')) throw notSupported('comparing with a document');
      throw badValue(`unknown operator: ${name}`);
  }
}

/**
 * Returns a test of the values that a path reaches; the position of a match inside an array becomes the position of
 * `$`.
 */
function leaves(components: string[], test: ValueTest): Part['test'] {
  return (document, context) =>
    anyLeaf(document, components, (value, position) => {
      if (!test(value)) return false;
      if (position !== undefined) context.position = position;
      return true;
    });
}

/** Throws for a value that filters cannot compare with. */
function checkOperand(operand: unknown): void {
  const order = orderOf(operand);
  const isNan = isNumeric(operand) && Number.isNaN(toNumber(operand));
  if (order === ORDER.object || order === ORDER.array || isNan)
    throw notSupported(`comparing with ${isNan ? 'NaN' : `a value of type ${typeName(operand)}`}`);
}

function equalTo(operand: unknown): ValueTest {
  checkOperand(operand);
  if (operand === null) return (value) => value === null || value === undefined;
  return (value) => value !== undefined && equalValues(value, operand);
}

/** Returns the test of a comparison; only values of the operand's type can match. */
function comparison(operator: '$gt' | '$lt' | '$lte', operand: unknown): ValueTest {
  checkOperand(operand);
  if (operand === null) throw notSupported(`${operator} with null`);
  const order = orderOf(operand);
  return (value) => {
    if (orderOf(value) !== order) return false;
    const sign = compareValues(value, operand);
    return operator === '$gt' ? sign > 0 : operator === '$lt' ? sign < 0 : sign <= 0;
  };
}

/** Returns the value in `$not: {$lte: value}`, which is the only supported negation of a condition. */
function boundOfNot(operand: unknown): unknown {
  const [[name, bound] = ['', undefined], ...others] = isDocument(operand) ? Object.entries(operand) : [];
  if (name !== '$lte' || others.length > 0) throw notSupported('a $not that is not {$lte: <value>}');
  return bound;
}

function listOf(name: string, operand: unknown): unknown[] {
  if (!Array.isArray(operand)) throw badValue(`${name} needs an array`);
  return operand;
}

function oneOf(name: string, operand: unknown): ValueTest {
  const items = listOf(name, operand);
  const strings = new Set(items.filter((item) => typeof item === 'string'));
  const others = items.filter((item) => typeof item !== 'string').map(equalTo);
  return (value) => (typeof value === 'string' && strings.has(value)) || others.some((other) => other(value));
}

/** Returns the test of a regular expression that is literal text: each special character has a backslash before it. */
function containing(operand: unknown): ValueTest {
  if (typeof operand !== 'string') throw badValue('$regex has to be a string');
  if (/[\\^$.*+?()[\]{}|]/.test(operand.replace(/\\\W/g, ''))) throw notSupported('a $regex that is not literal text');
  const text = operand.replace(/\\(\W)/g, '$1');
  return (value) => typeof value === 'string' && value.includes(text);
}

function exists(path: string, components: string[], operand: unknown): Part {
  if (typeof operand !== 'boolean') throw notSupported(`$exists with a value of type ${typeName(operand)}`);
  const test = (document: Document) => anyLeaf(document, components, (value) => value !== undefined) === operand;
  return operand ? { test, condition: { path, operator: '$exists', operand } } : { test };
}
