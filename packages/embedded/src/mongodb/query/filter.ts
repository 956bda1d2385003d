import { BSONRegExp, Decimal128, Double, MaxKey, MinKey } from 'bson';
import { compileExpression, type Variables } from '../aggregate/expressions.ts';
import { truthy } from '../aggregate/operands.ts';
import { compareValues, equalValues } from '../bson/compare.ts';
import { type Document, isDocument, isNumeric, ORDER, orderOf, render, typeName } from '../bson/values.ts';
import { badValue, CommandError } from '../errors.ts';
import { asInteger, toInteger } from '../numbers.ts';
import { anyLeaf } from './path.ts';
import { compileBsonRegex, compileRegex } from './regex.ts';

/** A predicate on one path that an index may help with; `negated` ones and others have no entry here. */
export interface PathCondition {
  path: string;
  operator: '$eq' | '$in' | '$gt' | '$gte' | '$lt' | '$lte' | '$exists' | '$regex';
  operand: unknown;
}

/** A compiled filter. */
export interface Filter {
  /** Whether the document matches. */
  test(document: Document): boolean;
  /** The position that the positional operator `$` stands for, when a matched path went through an array. */
  positionIn(document: Document): number | undefined;
  /** The top-level fields that the filter reads, or undefined when it may read any. */
  fields: Set<string> | undefined;
  /** Conditions that must all hold: what a planner can turn into index bounds. */
  conditions: PathCondition[];
  /** True when the conditions are all there is to the filter. */
  conditionsAreAll: boolean;
  /** The branches of each `$or` that must hold. */
  alternatives: Filter[][];
}

type Test = (document: Document, context: MatchContext) => boolean;
interface MatchContext {
  position: number | undefined;
}

interface Compilation {
  fields: Set<string> | undefined;
  variables: Variables;
}

interface Parsed {
  test: Test;
  conditions: PathCondition[];
  all: boolean;
  alternatives: Filter[][];
}

/**
 * Compiles a filter of `find`, `$match`, an update or a partial index. Throws MongoDB's error for an operator that is
 * unknown or not supported: code 2, never a guess.
 */
export function compileFilter(filter: Document, variables: Variables = {}): Filter {
  const compilation: Compilation = { fields: new Set(), variables };
  const parsed = parseDocument(filter, compilation);
  return toFilter(parsed, compilation);
}

function toFilter(parsed: Parsed, compilation: Compilation): Filter {
  return {
    test: (document) => parsed.test(document, { position: undefined }),
    positionIn(document) {
      const context: MatchContext = { position: undefined };
      parsed.test(document, context);
      return context.position;
    },
    fields: compilation.fields,
    conditions: parsed.conditions,
    conditionsAreAll: parsed.all,
    alternatives: parsed.alternatives,
  };
}

function allOf(parts: Parsed[]): Parsed {
  const tests = parts.map((part) => part.test);
  const [first, second] = tests;
  return {
    test:
      tests.length === 0
        ? () => true
        : tests.length === 1
          ? (first as Test)
          : tests.length === 2
            ? (document, context) => (first as Test)(document, context) && (second as Test)(document, context)
            : (document, context) => tests.every((test) => test(document, context)),
    conditions: parts.flatMap((part) => part.conditions),
    all: parts.every((part) => part.all),
    alternatives: parts.flatMap((part) => part.alternatives),
  };
}

const opaque = (test: Test): Parsed => ({ test, conditions: [], all: false, alternatives: [] });

function parseDocument(filter: Document, compilation: Compilation): Parsed {
  const parts: Parsed[] = [];
  for (const name of Object.keys(filter)) {
    const operand = filter[name];
    if (name.startsWith('$')) parts.push(parseLogical(name, operand, compilation));
    else parts.push(parsePath(name, operand, compilation));
  }
  return allOf(parts);
}

function parseLogical(name: string, operand: unknown, compilation: Compilation): Parsed {
  switch (name) {
    case '$and':
      return allOf(clauses(name, operand).map((clause) => parseDocument(clause, compilation)));
    case '$or': {
      const branches = clauses(name, operand).map((clause) => {
        const own: Compilation = { fields: new Set(), variables: compilation.variables };
        const parsed = parseDocument(clause, own);
        addFields(compilation, own);
        return { parsed, filter: toFilter(parsed, own) };
      });
      const only = branches[0];
      if (branches.length === 1 && only) return only.parsed;
      return {
        test: (document, context) => branches.some((branch) => branch.parsed.test(document, context)),
        conditions: [],
        all: false,
        alternatives: [branches.map((branch) => branch.filter)],
      };
    }
    case '$nor': {
      const tests = clauses(name, operand).map((clause) => parseDocument(clause, compilation).test);
      return opaque((document) => !tests.some((test) => test(document, { position: undefined })));
    }
    case '$expr': {
      const expression = compileExpression(operand, compilation.variables);
      compilation.fields = undefined;
      return opaque((document) => truthy(expression(document)));
    }
    case '$comment':
      return allOf([]);
    default:
      throw badValue(
        `unknown top level operator: ${name}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`,
      );
  }
}

function addFields(compilation: Compilation, more: Compilation): void {
  if (!more.fields) compilation.fields = undefined;
  else for (const field of more.fields) compilation.fields?.add(field);
}

function clauses(name: string, operand: unknown): Document[] {
  if (!Array.isArray(operand)) throw badValue(`${name} must be an array`);
  if (operand.length === 0) throw badValue('$and/$or/$nor must be a nonempty array');
  return operand.map((clause) => {
    if (!isDocument(clause)) throw badValue('$or/$and/$nor entries need to be full objects');
    return clause;
  });
}

function parsePath(path: string, operand: unknown, compilation: Compilation): Parsed {
  const components = path.split('.');
  compilation.fields?.add(components[0] as string);
  if (operand instanceof BSONRegExp) return regexCondition(path, components, operand);
  if (!isOperatorDocument(operand)) return comparison('$eq', path, components, operand);
  return allOf(parseOperators(operand).map((operator) => parseOperator(operator, path, components, compilation)));
}

/** Whether the value is `{$operator: …}` and not a document to compare with. */
export function isOperatorDocument(value: unknown): value is Document {
  if (!isDocument(value)) return false;
  const [first] = Object.keys(value);
  return first?.startsWith('$') === true && !['$ref', '$id', '$db'].includes(first);
}

interface Operator {
  name: string;
  operand: unknown;
  /** `$options` of a `$regex`. */
  options: string | undefined;
}

function parseOperators(document: Document): Operator[] {
  const operators: Operator[] = [];
  for (const [name, operand] of Object.entries(document)) {
    if (!name.startsWith('$')) throw badValue(`unknown operator: ${name}`);
    if (name === '$options') {
      if (!Object.hasOwn(document, '$regex')) throw badValue('$options needs a $regex');
      continue;
    }
    const options = document.$options;
    if (name === '$regex' && options !== undefined && typeof options !== 'string') {
      throw badValue('$options has to be a string');
    }
    operators.push({ name, operand, options: name === '$regex' ? (options as string | undefined) : undefined });
  }
  return operators;
}

function parseOperator(operator: Operator, path: string, components: string[], compilation: Compilation): Parsed {
  const { name, operand } = operator;
  switch (name) {
    case '$eq':
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      if (operand instanceof BSONRegExp && name !== '$eq')
        throw badValue(`Can't have RegEx as arg to predicate over field '${path}'.`);
      return comparison(name, path, components, operand);
    case '$ne':
      if (operand instanceof BSONRegExp) throw badValue("Can't have regex as arg to $ne.");
      return negate(comparison('$eq', path, components, operand));
    case '$in':
      return membership(path, components, operand, '$in');
    case '$nin':
      return negate(membership(path, components, operand, '$nin'));
    case '$exists': {
      const wanted = truthy(operand);
      const test: Test = (document) => anyLeaf(document, components, false, (value) => value !== undefined) === wanted;
      return wanted
        ? { ...opaque(test), conditions: [{ path, operator: '$exists', operand: true }], all: true }
        : opaque(test);
    }
    case '$regex':
      return regexCondition(path, components, regexOperand(operator));
    case '$not':
      return negate(parseNot(operand, path, components, compilation));
    case '$type':
      return opaque(leaves(components, typeTest(operand)));
    case '$size': {
      const size = toInteger(operand, () =>
        badValue(`Failed to parse $size. Expected a number in: $size: ${render(operand)}`),
      );
      if (size < 0) throw badValue(`Failed to parse $size. Expected a non-negative number in: $size: ${size}`);
      return opaque((document) =>
        anyLeaf(document, components, false, (value) => Array.isArray(value) && value.length === size),
      );
    }
    case '$mod':
      return opaque(leaves(components, modTest(operand)));
    case '$elemMatch':
      return opaque(elementMatch(components, operand, compilation));
    case '$all':
      return allCondition(path, components, operand, compilation);
    default:
      throw badValue(`unknown operator: ${name}`);
  }
}

/** Tests on the values a path reaches; what matched inside an array becomes the position of `$`. */
function leaves(components: string[], test: (value: unknown) => boolean): Test {
  const simple = components.length === 1 ? (components[0] as string) : undefined;
  return (document, context) => {
    if (simple !== undefined) {
      const value = Object.hasOwn(document, simple) ? document[simple] : undefined;
      if (!Array.isArray(value)) return test(value);
    }
    return anyLeaf(document, components, true, (value, position) => {
      if (!test(value)) return false;
      if (position !== undefined) context.position = position;
      return true;
    });
  };
}

function negate(parsed: Parsed): Parsed {
  return opaque((document) => !parsed.test(document, { position: undefined }));
}

function comparison(
  operator: '$eq' | '$gt' | '$gte' | '$lt' | '$lte',
  path: string,
  components: string[],
  operand: unknown,
): Parsed {
  if (operand === undefined) throw badValue('cannot compare to undefined');
  const condition: PathCondition = { path, operator, operand };
  return {
    test: leaves(components, comparisonTest(operator, operand)),
    conditions: [condition],
    all: true,
    alternatives: [],
  };
}

/** The test of a comparison on one value: only values of the operand's own type compare with it. */
function comparisonTest(operator: string, operand: unknown): (value: unknown) => boolean {
  if (operator === '$eq') {
    if (operand === null) return (value) => value === null || value === undefined;
    return (value) => value === operand || (value !== undefined && equalValues(value, operand));
  }
  const holds: (sign: number) => boolean =
    operator === '$gt'
      ? (sign) => sign > 0
      : operator === '$gte'
        ? (sign) => sign >= 0
        : operator === '$lt'
          ? (sign) => sign < 0
          : (sign) => sign <= 0;
  if (operand === null) return (value) => (value === null || value === undefined) && holds(0);
  if (operand instanceof MinKey || operand instanceof MaxKey) {
    return (value) => value !== undefined && holds(compareValues(value, operand));
  }
  const order = orderOf(operand);
  const operandIsNan = isNan(operand);
  return (value) => {
    if (value === undefined || orderOf(value) !== order) return false;
    if (order === ORDER.number && isNan(value) !== operandIsNan) return false; // NaN compares with nothing but NaN
    return holds(compareValues(value, operand));
  };
}

function isNan(value: unknown): boolean {
  if (value instanceof Double) return Number.isNaN(value.value);
  return value instanceof Decimal128 && value.toString() === 'NaN';
}

function membership(path: string, components: string[], operand: unknown, name: string): Parsed {
  if (!Array.isArray(operand)) throw badValue(`${name} needs an array`);
  const regexes = operand.filter((item) => item instanceof BSONRegExp);
  for (const item of operand) if (isOperatorDocument(item)) throw badValue(`cannot nest $ under ${name}`);
  const patterns = regexes.map(regexTest);
  const values = operand.filter((item) => !(item instanceof BSONRegExp));
  const strings = new Set(values.filter((item) => typeof item === 'string'));
  const others = values.filter((item) => typeof item !== 'string').map((item) => comparisonTest('$eq', item));
  const test = (value: unknown): boolean =>
    (typeof value === 'string' && strings.has(value)) ||
    others.some((other) => other(value)) ||
    patterns.some((pattern) => pattern(value));
  const indexable = regexes.length === 0;
  return {
    test: leaves(components, test),
    conditions: indexable ? [{ path, operator: '$in', operand: values }] : [],
    all: indexable,
    alternatives: [],
  };
}

function regexOperand({ operand, options }: Operator): BSONRegExp {
  if (operand instanceof BSONRegExp) {
    if (options !== undefined && operand.options !== '')
      throw new CommandError(51074, 'options set in both $regex and $options');
    return new BSONRegExp(operand.pattern, options ?? operand.options);
  }
  if (typeof operand !== 'string') throw badValue('$regex has to be a string');
  compileRegex(operand, options ?? ''); // BSONRegExp would sort and check the options with errors of its own
  return new BSONRegExp(operand, options ?? '');
}

function regexTest(regex: BSONRegExp): (value: unknown) => boolean {
  const compiled = compileBsonRegex(regex);
  return (value) =>
    typeof value === 'string' ? compiled.test(value) : value instanceof BSONRegExp && equalValues(value, regex);
}

function regexCondition(path: string, components: string[], regex: BSONRegExp): Parsed {
  return {
    test: leaves(components, regexTest(regex)),
    conditions: [{ path, operator: '$regex', operand: regex }],
    all: true,
    alternatives: [],
  };
}

function parseNot(operand: unknown, path: string, components: string[], compilation: Compilation): Parsed {
  if (operand instanceof BSONRegExp) return regexCondition(path, components, operand);
  if (!isDocument(operand)) throw badValue('$not needs a regex or a document');
  if (Object.keys(operand).length === 0) throw badValue('$not cannot be empty');
  return allOf(parseOperators(operand).map((operator) => parseOperator(operator, path, components, compilation)));
}

const TYPE_CODES: Record<number, string> = {
  1: 'double',
  2: 'string',
  3: 'object',
  4: 'array',
  5: 'binData',
  7: 'objectId',
  8: 'bool',
  9: 'date',
  10: 'null',
  11: 'regex',
  13: 'javascript',
  14: 'symbol',
  15: 'javascriptWithScope',
  16: 'int',
  17: 'timestamp',
  18: 'long',
  19: 'decimal',
  127: 'maxKey',
  [-1]: 'minKey',
};
const TYPE_ALIASES = new Set([...Object.values(TYPE_CODES), 'number']);

function typeTest(operand: unknown): (value: unknown) => boolean {
  const wanted = new Set<string>();
  for (const item of Array.isArray(operand) ? operand : [operand]) {
    if (typeof item === 'string') {
      if (!TYPE_ALIASES.has(item)) throw badValue(`Unknown type name alias: ${item}`);
      wanted.add(item);
    } else {
      const code = toInteger(item, () => typeMismatchOfType());
      const name = TYPE_CODES[code];
      if (!name) throw badValue(`Invalid numerical type code: ${code}`);
      wanted.add(name);
    }
  }
  return (value) => value !== undefined && (wanted.has(typeName(value)) || (wanted.has('number') && isNumeric(value)));
}

const typeMismatchOfType = (): CommandError => new CommandError(14, 'type must be represented as a number or a string');

function modTest(operand: unknown): (value: unknown) => boolean {
  if (!Array.isArray(operand)) throw badValue('malformed mod, needs to be an array');
  if (operand.length !== 2) throw badValue(`malformed mod, ${operand.length < 2 ? 'not enough' : 'too many'} elements`);
  const [divisor, remainder] = operand.map((item) =>
    toInteger(item, () => badValue('malformed mod, operands must be numbers')),
  );
  if (divisor === 0) throw badValue('divisor cannot be 0');
  return (value) => {
    const whole = asInteger(value);
    return whole !== undefined && whole % BigInt(divisor as number) === BigInt(remainder as number);
  };
}

function elementMatch(components: string[], operand: unknown, compilation: Compilation): Test {
  const matches = elementTest(operand, compilation);
  return (document, context) =>
    anyLeaf(document, components, false, (value, position) => {
      if (!Array.isArray(value)) return false;
      const index = value.findIndex(matches);
      if (index < 0) return false;
      context.position = position ?? index;
      return true;
    });
}

/** The test of `$elemMatch` on one element: its operators on the element's value, or a filter on its fields. */
export function elementTest(
  operand: unknown,
  compilation: Compilation = { fields: undefined, variables: {} },
): (item: unknown) => boolean {
  if (!isDocument(operand)) throw badValue('$elemMatch needs an Object');
  const [first] = Object.keys(operand);
  const isValueMatch = first?.startsWith('$') && !['$and', '$or', '$nor', '$expr'].includes(first);
  const own: Compilation = { fields: undefined, variables: compilation.variables };
  if (!isValueMatch) {
    const parsed = parseDocument(operand, own);
    return (item) =>
      (isDocument(item) && parsed.test(item, { position: undefined })) ||
      (Array.isArray(item) && parsed.test({ ...item }, { position: undefined }));
  }
  const operators = parseOperators(operand);
  const parsed = allOf(operators.map((operator) => parseOperator(operator, 'item', ['item'], own)));
  // The element stands in a document of its own. An element that is an array must not be expanded once more, so it is
  // wrapped, except for the operators that look into arrays themselves.
  const looksInside = operators.some(({ name }) => ['$size', '$elemMatch', '$all'].includes(name));
  return (item) => parsed.test({ item: Array.isArray(item) && !looksInside ? [item] : item }, { position: undefined });
}

function allCondition(path: string, components: string[], operand: unknown, compilation: Compilation): Parsed {
  if (!Array.isArray(operand)) throw badValue('$all needs an array');
  if (operand.length === 0) return opaque(() => false);
  const parts = operand.map((item) => {
    if (isDocument(item) && Object.keys(item)[0] === '$elemMatch')
      return opaque(elementMatch(components, item.$elemMatch, compilation));
    if (isOperatorDocument(item)) throw badValue('no $ expressions in $all');
    if (item instanceof BSONRegExp) return regexCondition(path, components, item);
    return comparison('$eq', path, components, item);
  });
  return allOf(parts);
}
