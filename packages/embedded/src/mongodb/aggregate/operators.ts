import { Decimal128, Double, ObjectId, Timestamp } from 'bson';
import { compareValues, equalValues } from '../bson/compare.ts';
import {
  type Document,
  getField,
  isDocument,
  isNumeric,
  type Numeric,
  render,
  setField,
  typeName,
} from '../bson/values.ts';
import { CommandError } from '../errors.ts';
import { add, fromInteger, multiply, negative, toInteger, toNumber } from '../numbers.ts';
import { compileBsonRegex } from '../query/regex.ts';
import type { Compiler, Expression, Operator } from './expressions.ts';
import { extreme, numericLike, numericOperand, regexOperand, truthy } from './operands.ts';

const missing = (value: unknown): value is null | undefined => value === null || value === undefined;

/** An operator that evaluates its operands and computes on their values. */
function simple(name: string, count: number, compute: (...values: unknown[]) => unknown, max = count): Operator {
  return (operand, compiler) => {
    const operands = compiler.operands(name, operand, count, max);
    return (root, variables) => compute(...operands.map((item) => item(root, variables)));
  };
}

/** An operator over any number of operands; a single one that is an array counts as the list (`$max: '$scores'`). */
function variadic(compute: (values: unknown[]) => unknown, spread = false): Operator {
  return (operand, compiler) => {
    if (Array.isArray(operand)) {
      const items = operand.map((item) => compiler.compile(item));
      return (root, variables) => compute(items.map((item) => item(root, variables)));
    }
    const single = compiler.compile(operand);
    return (root, variables) => {
      const value = single(root, variables);
      return compute(spread && Array.isArray(value) ? value : [value]);
    };
  };
}

/** An operator whose operand is a document of named arguments. */
function named(
  name: string,
  fields: readonly string[],
  required: readonly string[],
  build: (argument: (field: string) => unknown, compiler: Compiler) => Expression,
): Operator {
  return (operand, compiler) => {
    if (!isDocument(operand)) throw new CommandError(9, `${name} only supports an object as its argument`);
    for (const field of Object.keys(operand)) {
      if (!fields.includes(field)) throw new CommandError(9, `Unrecognized argument to ${name}: ${field}`);
    }
    for (const field of required) {
      if (!Object.hasOwn(operand, field)) throw new CommandError(9, `Missing '${field}' parameter to ${name}`);
    }
    return build((field) => getField(operand, field), compiler);
  };
}

function sum(values: unknown[]): unknown {
  let total: Numeric = 0;
  let date: Date | undefined;
  for (const value of values) {
    if (missing(value)) return null;
    if (value instanceof Date) {
      if (date) throw new CommandError(16612, 'only one date allowed in an $add expression');
      date = value;
    } else total = addOrDouble(total, requireNumber('$add', value));
  }
  return date ? new Date(date.getTime() + Math.round(toNumber(total))) : total;
}

function requireNumber(name: string, value: unknown): Numeric {
  return numericOperand(name, value) as Numeric;
}

/** A sum that overflows int64 goes on as a double, as the accumulators and `$add` of MongoDB do. */
export function addOrDouble(a: Numeric, b: Numeric): Numeric {
  return add(a, b) ?? new Double(toNumber(a) + toNumber(b));
}

function subtract(a: unknown, b: unknown): unknown {
  if (missing(a) || missing(b)) return null;
  if (a instanceof Date) {
    if (b instanceof Date) return BigInt(a.getTime() - b.getTime());
    return new Date(a.getTime() - Math.round(toNumber(requireNumber('$subtract', b))));
  }
  const [x, y] = [requireNumber('$subtract', a), requireNumber('$subtract', b)];
  return addOrDouble(x, negative(y) ?? new Double(-toNumber(y)));
}

function product(values: unknown[]): unknown {
  let total: Numeric = 1;
  for (const value of values) {
    if (missing(value)) return null;
    const factor = requireNumber('$multiply', value);
    total = multiply(total, factor) ?? new Double(toNumber(total) * toNumber(factor));
  }
  return total;
}

function divide(a: unknown, b: unknown): unknown {
  const [x, y] = [numericOperand('$divide', a), numericOperand('$divide', b)];
  if (x === undefined || y === undefined) return null;
  if (toNumber(y) === 0) throw new CommandError(2, "can't $divide by zero");
  if (x instanceof Decimal128 || y instanceof Decimal128)
    throw new CommandError(238, '$divide of decimals is not supported here');
  return new Double(toNumber(x) / toNumber(y));
}

function modulo(a: unknown, b: unknown): unknown {
  const [x, y] = [numericOperand('$mod', a), numericOperand('$mod', b)];
  if (x === undefined || y === undefined) return null;
  if (toNumber(y) === 0) throw new CommandError(16610, "can't $mod by zero");
  return numericLike(toNumber(x) % toNumber(y), [x, y]);
}

const rounding = (name: string, round: (value: number) => number): Operator =>
  simple(name, 1, (value) => {
    const number = numericOperand(name, value);
    if (number === undefined) return null;
    return number instanceof Double ? new Double(round(number.value)) : numericLike(round(toNumber(number)), [number]);
  });

const comparison = (name: string, holds: (sign: number) => boolean): Operator =>
  simple(name, 2, (a, b) => holds(compareValues(a, b)));

const text = (name: string, value: unknown): string => {
  if (missing(value)) return '';
  if (typeof value === 'string') return value;
  throw new CommandError(16702, `${name} only supports strings, not ${typeName(value)}`);
};

const list = (name: string, value: unknown): unknown[] => {
  if (Array.isArray(value)) return value;
  throw new CommandError(17124, `The argument to ${name} must be an array, but was of type: ${typeName(value)}`);
};

const position = (name: string, value: unknown): number =>
  toInteger(
    value,
    () => new CommandError(28690, `${name}'s argument must be representable as a 32-bit integer: ${render(value)}`),
  );

function elementAt(array: unknown, index: unknown): unknown {
  if (missing(array) || missing(index)) return null;
  const items = list('$arrayElemAt', array);
  return items.at(position('$arrayElemAt', index));
}

function slice(array: unknown, a: unknown, b?: unknown): unknown {
  if (missing(array)) return null;
  const items = list('$slice', array);
  const first = position('$slice', a);
  if (b === undefined) return first >= 0 ? items.slice(0, first) : items.slice(first);
  const count = position('$slice', b);
  if (count <= 0) throw new CommandError(28729, `Third argument to $slice must be positive: ${count}`);
  const start = first >= 0 ? first : Math.max(0, items.length + first);
  return items.slice(start, start + count);
}

const contains = (items: readonly unknown[], value: unknown): boolean => items.some((item) => equalValues(item, value));

function distinct(items: readonly unknown[]): unknown[] {
  const sorted = [...items].sort(compareValues);
  return sorted.filter((item, index) => index === 0 || !equalValues(item, sorted[index - 1]));
}

const convert = (name: string, compute: (value: unknown) => unknown): Operator =>
  simple(name, 1, (value) => (missing(value) ? null : compute(value)));

const cannot = (value: unknown, type: string): CommandError =>
  new CommandError(241, `Unsupported conversion from ${typeName(value)} to ${type} in $convert with no onError value`);

function parseNumber(value: unknown, type: string): number {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value instanceof Date) return value.getTime();
  if (isNumeric(value)) return toNumber(value);
  if (typeof value !== 'string') throw cannot(value, type);
  if (!/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(value)) {
    throw new CommandError(241, `Failed to parse number '${value}' in $convert with no onError value`);
  }
  return Number(value);
}

function toWhole(value: unknown, type: 'int' | 'long'): Numeric {
  if (typeof value === 'bigint' && type === 'long') return value;
  if (type === 'long' && typeof value === 'string' && /^[+-]?\d+$/.test(value)) return BigInt(value);
  if (typeof value === 'string' && !/^[+-]?\d+$/.test(value)) {
    throw new CommandError(241, `Failed to parse number '${value}' in $convert with no onError value`);
  }
  if (type === 'int' && value instanceof Date) throw cannot(value, type);
  const number = Math.trunc(parseNumber(value, type));
  const limit = type === 'int' ? 2 ** 31 : 2 ** 63;
  if (!(number >= -limit && number < limit)) {
    throw new CommandError(241, 'Conversion would overflow target type in $convert with no onError value');
  }
  return type === 'int' ? number : BigInt(number);
}

function toText(value: unknown): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return String(value);
  if (isNumeric(value)) return value instanceof Double ? String(value.value) : String(value);
  if (value instanceof ObjectId) return value.toHexString();
  if (value instanceof Date) return value.toISOString();
  throw cannot(value, 'string');
}

function toDate(value: unknown): Date {
  if (value instanceof Date) return value;
  if (value instanceof ObjectId) return value.getTimestamp();
  if (value instanceof Timestamp) return new Date(value.high * 1000);
  if (isNumeric(value) && typeof value !== 'number') return new Date(Math.trunc(toNumber(value)));
  if (typeof value === 'string') {
    const isIso = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:?\d{2})?)?$/.test(value);
    const zoned = /(Z|[+-]\d{2}:?\d{2})$/.test(value.slice(10)) || value.length === 10 ? value : `${value}Z`;
    const date = new Date(zoned);
    if (isIso && !Number.isNaN(date.getTime())) return date;
    throw new CommandError(241, `Error parsing date string '${value}' in $convert with no onError value`);
  }
  throw cannot(value, 'date');
}

function toObjectId(value: unknown): ObjectId {
  if (value instanceof ObjectId) return value;
  if (typeof value !== 'string') throw cannot(value, 'objectId');
  if (!/^[0-9a-f]{24}$/i.test(value))
    throw new CommandError(241, `Failed to parse objectId '${value}' in $convert with no onError value`);
  return ObjectId.createFromHexString(value);
}

function mergeObjects(values: unknown[]): Document {
  const merged: Document = {};
  for (const value of values) {
    if (missing(value)) continue;
    if (!isDocument(value))
      throw new CommandError(
        40400,
        `$mergeObjects requires object inputs, but input ${render(value)} is of type ${typeName(value)}`,
      );
    for (const [name, field] of Object.entries(value)) setField(merged, name, field);
  }
  return merged;
}

function arrayToObject(value: unknown): unknown {
  if (missing(value)) return null;
  const document: Document = {};
  for (const item of list('$arrayToObject', value)) {
    const [name, field] = Array.isArray(item) ? item : isDocument(item) ? [item.k, item.v] : [];
    if (typeof name !== 'string')
      throw new CommandError(40386, `$arrayToObject requires keys to be strings, found ${typeName(name)}`);
    setField(document, name, field ?? null);
  }
  return document;
}

function range(from: unknown, to: unknown, by?: unknown): unknown[] {
  const [start, end, step] = [
    position('$range', from),
    position('$range', to),
    by === undefined ? 1 : position('$range', by),
  ];
  if (step === 0) throw new CommandError(34449, '$range requires a non-zero step value');
  const items: unknown[] = [];
  for (let at = start; step > 0 ? at < end : at > end; at += step) items.push(fromInteger(at));
  return items;
}

const codePoints = (value: string): string[] => Array.from(value);

function substring(value: unknown, from: unknown, count: unknown): string {
  const characters = codePoints(stringify('$substrCP', value));
  const start = position('$substrCP', from);
  return characters.slice(start, start + position('$substrCP', count)).join('');
}

function stringify(name: string, value: unknown): string {
  if (value instanceof Date || isNumeric(value)) return toText(value);
  return text(name, value);
}

const trim = (name: string, left: boolean, right: boolean): Operator =>
  named(name, ['input', 'chars'], ['input'], (argument, compiler) => {
    const input = compiler.compile(argument('input'));
    const chars = argument('chars') === undefined ? undefined : compiler.compile(argument('chars'));
    return (root, variables) => {
      const value = input(root, variables);
      if (missing(value)) return null;
      const wanted = chars ? codePoints(text(name, chars(root, variables))) : undefined;
      const strip = (character: string | undefined) =>
        character !== undefined && (wanted ? wanted.includes(character) : /[\s\0]/.test(character));
      const characters = codePoints(text(name, value));
      let [start, end] = [0, characters.length];
      while (left && start < end && strip(characters[start])) start += 1;
      while (right && end > start && strip(characters[end - 1])) end -= 1;
      return characters.slice(start, end).join('');
    };
  });

const replace = (name: string, apply: (input: string, find: string, replacement: string) => string): Operator =>
  named(name, ['input', 'find', 'replacement'], ['input', 'find', 'replacement'], (argument, compiler) => {
    const parts = ['input', 'find', 'replacement'].map((field) => compiler.compile(argument(field)));
    return (root, variables) => {
      const values = parts.map((part) => part(root, variables));
      if (values.some(missing)) return null;
      const [input, find, replacement] = values.map((value) => text(name, value)) as [string, string, string];
      return apply(input, find, replacement);
    };
  });

/** `$and` and `$or`: an operand after the one that decides is not evaluated. */
const logical =
  (deciding: boolean): Operator =>
  (operand, compiler) => {
    const items = (Array.isArray(operand) ? operand : [operand]).map((item) => compiler.compile(item));
    return (root, variables) =>
      items.some((item) => truthy(item(root, variables)) === deciding) ? deciding : !deciding;
  };

const condition: Operator = (operand, compiler) => {
  const parts = Array.isArray(operand) ? operand : isDocument(operand) ? [operand.if, operand.then, operand.else] : [];
  const known =
    Array.isArray(operand) ||
    (isDocument(operand) && Object.keys(operand).every((key) => ['if', 'then', 'else'].includes(key)));
  if (parts.length !== 3 || !known || parts.includes(undefined))
    throw new CommandError(17080, "Missing or unknown parameter to $cond: it takes 'if', 'then' and 'else'");
  const [test, yes, no] = parts.map((part) => compiler.compile(part)) as [Expression, Expression, Expression];
  return (root, variables) => (truthy(test(root, variables)) ? yes : no)(root, variables);
};

const switchOperator = named('$switch', ['branches', 'default'], ['branches'], (argument, compiler) => {
  const branches = list('$switch', argument('branches')).map((branch) => {
    if (!isDocument(branch) || branch.case === undefined || branch.then === undefined)
      throw new CommandError(40067, "$switch requires each branch to have a 'case' and a 'then' expression");
    return { test: compiler.compile(branch.case), result: compiler.compile(branch.then) };
  });
  const otherwise = argument('default') === undefined ? undefined : compiler.compile(argument('default'));
  return (root, variables) => {
    for (const { test, result } of branches) if (truthy(test(root, variables))) return result(root, variables);
    if (!otherwise)
      throw new CommandError(
        40066,
        '$switch could not find a matching branch for an input, and no default was specified.',
      );
    return otherwise(root, variables);
  };
});

/** `$map`, `$filter`: an expression over each element, which is a variable named by `as`. */
const overElements = (
  name: string,
  inner: 'in' | 'cond',
  extra: readonly string[],
  apply: (items: unknown[], evaluate: (item: unknown) => unknown, limit: number | undefined) => unknown[],
): Operator =>
  named(name, ['input', 'as', inner, ...extra], ['input', inner], (argument, compiler) => {
    const as = argument('as') ?? 'this';
    if (typeof as !== 'string') throw new CommandError(9, `'as' of ${name} must be a string`);
    const input = compiler.compile(argument('input'));
    const body = compiler.compile(argument(inner), [as]);
    const limit = argument('limit') === undefined ? undefined : compiler.compile(argument('limit'));
    return (root, variables) => {
      const items = input(root, variables);
      if (missing(items)) return null;
      const most = limit?.(root, variables);
      return apply(
        list(name, items),
        (item) => body(root, { ...variables, [as]: item }),
        missing(most) ? undefined : position(name, most),
      );
    };
  });

const reduce = named(
  '$reduce',
  ['input', 'initialValue', 'in'],
  ['input', 'initialValue', 'in'],
  (argument, compiler) => {
    const input = compiler.compile(argument('input'));
    const initial = compiler.compile(argument('initialValue'));
    const body = compiler.compile(argument('in'), ['value', 'this']);
    return (root, variables) => {
      const items = input(root, variables);
      if (missing(items)) return null;
      return list('$reduce', items).reduce(
        (value, item) => body(root, { ...variables, value, this: item }),
        initial(root, variables),
      );
    };
  },
);

const letOperator = named('$let', ['vars', 'in'], ['vars', 'in'], (argument, compiler) => {
  const vars = argument('vars');
  if (!isDocument(vars)) throw new CommandError(16876, 'invalid parameter: expected an object (vars)');
  const values = Object.entries(vars).map(([name, value]) => [name, compiler.compile(value)] as const);
  const body = compiler.compile(argument('in'), Object.keys(vars));
  return (root, variables) => {
    const inner = { ...variables };
    for (const [name, value] of values) inner[name] = value(root, variables);
    return body(root, inner);
  };
});

const regexMatch = named('$regexMatch', ['input', 'regex', 'options'], ['input', 'regex'], (argument, compiler) => {
  const [input, regex, options] = ['input', 'regex', 'options'].map((field) => compiler.compile(argument(field)));
  return (root, variables) => {
    const value = input?.(root, variables);
    const pattern = regexOperand(regex?.(root, variables), options?.(root, variables));
    if (missing(value) || !pattern) return false;
    return compileBsonRegex(pattern).test(text('$regexMatch', value));
  };
});

const getFieldOperator: Operator = (operand, compiler) => {
  const [field, input] =
    isDocument(operand) && !Object.keys(operand)[0]?.startsWith('$')
      ? [operand.field, operand.input]
      : [operand, undefined];
  if (typeof field !== 'string')
    throw new CommandError(5654602, "$getField requires 'field' to evaluate to a constant String");
  const from = compiler.compile(input ?? '$$CURRENT');
  return (root, variables) => {
    const value = from(root, variables);
    return isDocument(value) ? getField(value, field) : missing(value) ? null : undefined;
  };
};

function average(values: unknown[]): unknown {
  const numbers = values.filter(isNumeric);
  if (numbers.length === 0) return null;
  return new Double(numbers.reduce((total: number, value) => total + toNumber(value), 0) / numbers.length);
}

/**
 * Every expression operator that is supported; one that is not here is refused with code 168. An operator gets its
 * operand as it stands in the query and gives the compiled expression.
 */
export const OPERATORS: Record<string, Operator> = {
  $literal: (operand) => () => operand,
  $expr: (operand, compiler) => compiler.compile(operand),

  $add: variadic(sum),
  $subtract: simple('$subtract', 2, subtract),
  $multiply: variadic(product),
  $divide: simple('$divide', 2, divide),
  $mod: simple('$mod', 2, modulo),
  $abs: rounding('$abs', Math.abs),
  $ceil: rounding('$ceil', Math.ceil),
  $floor: rounding('$floor', Math.floor),
  $sum: variadic((values) => values.filter(isNumeric).reduce<Numeric>(addOrDouble, 0), true),
  $avg: variadic(average, true),
  $min: variadic((values) => extreme(values, -1), true),
  $max: variadic((values) => extreme(values, 1), true),

  $eq: comparison('$eq', (sign) => sign === 0),
  $ne: comparison('$ne', (sign) => sign !== 0),
  $gt: comparison('$gt', (sign) => sign > 0),
  $gte: comparison('$gte', (sign) => sign >= 0),
  $lt: comparison('$lt', (sign) => sign < 0),
  $lte: comparison('$lte', (sign) => sign <= 0),
  $cmp: simple('$cmp', 2, (a, b) => Math.sign(compareValues(a, b))),

  $and: logical(false),
  $or: logical(true),
  $not: simple('$not', 1, (value) => !truthy(value)),
  $cond: condition,
  $switch: switchOperator,
  $ifNull: variadic((values) => values.find((value) => !missing(value)) ?? values.at(-1)),

  $concat: variadic((values) => (values.some(missing) ? null : values.map((value) => text('$concat', value)).join(''))),
  $toLower: simple('$toLower', 1, (value) =>
    stringify('$toLower', value).replace(/[A-Z]/g, (letter) => letter.toLowerCase()),
  ),
  $toUpper: simple('$toUpper', 1, (value) =>
    stringify('$toUpper', value).replace(/[a-z]/g, (letter) => letter.toUpperCase()),
  ),
  $strLenCP: simple('$strLenCP', 1, (value) => {
    if (typeof value !== 'string')
      throw new CommandError(34471, `$strLenCP requires a string argument, found: ${typeName(value)}`);
    return codePoints(value).length;
  }),
  $substrCP: simple('$substrCP', 3, substring),
  $split: simple('$split', 2, (value, separator) => {
    if (missing(value) || missing(separator)) return null;
    if (separator === '') throw new CommandError(40087, '$split requires a non-empty separator');
    return text('$split', value).split(text('$split', separator));
  }),
  $trim: trim('$trim', true, true),
  $ltrim: trim('$ltrim', true, false),
  $rtrim: trim('$rtrim', false, true),
  $replaceOne: replace('$replaceOne', (input, find, replacement) => input.replace(find, () => replacement)),
  $replaceAll: replace('$replaceAll', (input, find, replacement) => input.replaceAll(find, () => replacement)),
  $regexMatch: regexMatch,

  $size: simple('$size', 1, (value) => list('$size', value).length),
  $arrayElemAt: simple('$arrayElemAt', 2, elementAt),
  $first: simple('$first', 1, (value) => elementAt(value, 0)),
  $last: simple('$last', 1, (value) => elementAt(value, -1)),
  $slice: simple('$slice', 2, slice, 3),
  $concatArrays: variadic((values) =>
    values.some(missing) ? null : values.flatMap((value) => list('$concatArrays', value)),
  ),
  $in: simple('$in', 2, (value, items) => contains(list('$in', items), value)),
  $isArray: simple('$isArray', 1, Array.isArray),
  $indexOfArray: simple('$indexOfArray', 2, (items, value) =>
    missing(items) ? null : list('$indexOfArray', items).findIndex((item) => equalValues(item, value)),
  ),
  $reverseArray: simple('$reverseArray', 1, (value) =>
    missing(value) ? null : [...list('$reverseArray', value)].reverse(),
  ),
  $range: simple('$range', 2, range, 3),
  $filter: overElements('$filter', 'cond', ['limit'], (items, evaluate, limit) =>
    items.filter((item) => truthy(evaluate(item))).slice(0, limit),
  ),
  $map: overElements('$map', 'in', [], (items, evaluate) => items.map((item) => evaluate(item) ?? null)),
  $reduce: reduce,
  $setUnion: variadic((values) =>
    values.some(missing) ? null : distinct(values.flatMap((value) => list('$setUnion', value))),
  ),
  $setIntersection: variadic((values) => {
    if (values.some(missing)) return null;
    const [first = [], ...others] = values.map((value) => list('$setIntersection', value));
    return distinct(first).filter((item) => others.every((other) => contains(other, item)));
  }),
  $setDifference: simple('$setDifference', 2, (a, b) =>
    missing(a) || missing(b)
      ? null
      : distinct(list('$setDifference', a)).filter((item) => !contains(list('$setDifference', b), item)),
  ),
  $setIsSubset: simple('$setIsSubset', 2, (a, b) =>
    list('$setIsSubset', a).every((item) => contains(list('$setIsSubset', b), item)),
  ),
  $setEquals: simple('$setEquals', 2, (a, b) =>
    equalValues(distinct(list('$setEquals', a)), distinct(list('$setEquals', b))),
  ),
  $anyElementTrue: simple('$anyElementTrue', 1, (value) => list('$anyElementTrue', value).some(truthy)),
  $allElementsTrue: simple('$allElementsTrue', 1, (value) => list('$allElementsTrue', value).every(truthy)),

  $mergeObjects: variadic(mergeObjects, true),
  $objectToArray: simple('$objectToArray', 1, (value) => {
    if (missing(value)) return null;
    if (!isDocument(value))
      throw new CommandError(40390, `$objectToArray requires a document input, found: ${typeName(value)}`);
    return Object.entries(value).map(([k, v]) => ({ k, v }));
  }),
  $arrayToObject: simple('$arrayToObject', 1, arrayToObject),
  $getField: getFieldOperator,
  $let: letOperator,

  $type: simple('$type', 1, typeName),
  $isNumber: simple('$isNumber', 1, isNumeric),
  $toString: convert('$toString', toText),
  $toInt: convert('$toInt', (value) => toWhole(value, 'int')),
  $toLong: convert('$toLong', (value) => toWhole(value, 'long')),
  $toDouble: convert('$toDouble', (value) => new Double(parseNumber(value, 'double'))),
  $toBool: convert('$toBool', truthy),
  $toDate: convert('$toDate', toDate),
  $toObjectId: convert('$toObjectId', toObjectId),
};

/** Whether the value can stand where a field is projected by a flag (true/false or a number). */
export const isFlag = (value: unknown): boolean => typeof value === 'boolean' || isNumeric(value);
