import { Double, Timestamp } from 'bson';
import { compareValues, equalValues } from '../bson/compare.ts';
import { type Document, isDocument, isNumeric, type Numeric, render, typeName } from '../bson/values.ts';
import { badValue, type CommandError, failedToParse, typeMismatch } from '../errors.ts';
import { add, multiply, toInteger } from '../numbers.ts';
import { compileFilter, elementTest, isOperatorDocument } from '../query/filter.ts';
import { compareSortKeys, parseSort, sortKey } from '../query/sort.ts';

/** What a modifier gives for a field: a new value, nothing to change, or the removal of the field. */
export type Change = { set: unknown } | 'keep' | 'unset';

/** Where a modifier is at work, for error messages. */
export interface Place {
  path: string;
  id: unknown;
}

/** A modifier compiled for its operand: from the present value (undefined when missing) to the change. */
export type Modifier = (current: unknown, place: Place) => Change;

const arithmetic =
  (
    name: string,
    verb: string,
    compute: (a: Numeric, b: Numeric) => Numeric | undefined,
    ofMissing: (operand: Numeric) => Numeric,
  ) =>
  (operand: unknown, path: string): Modifier => {
    if (!isNumeric(operand))
      throw typeMismatch(`Cannot ${verb} with non-numeric argument: {${path}: ${render(operand)}}`);
    return (current, place) => {
      if (current === undefined) return { set: ofMissing(operand) };
      if (!isNumeric(current)) {
        const field = place.path.split('.').at(-1);
        throw typeMismatch(
          `Cannot apply ${name} to a value of non-numeric type. {_id: ${render(place.id)}} has the field '${field}' of non-numeric type ${typeName(current)}`,
        );
      }
      const result = compute(current, operand);
      if (result === undefined) {
        throw badValue(
          `Failed to apply ${name} operations to current value (${render(current)}) for document {_id: ${render(place.id)}}`,
        );
      }
      return { set: result };
    };
  };

/** `0` in the operand's own type: what `$mul` gives for a missing field. */
const zeroLike = (operand: Numeric): Numeric =>
  typeof operand === 'number'
    ? 0
    : typeof operand === 'bigint'
      ? 0n
      : operand instanceof Double
        ? new Double(0)
        : (multiply(operand, 0) as Numeric);

const extreme =
  (sign: 1 | -1) =>
  (operand: unknown): Modifier =>
  (current) =>
    current === undefined || compareValues(operand, current) * sign > 0 ? { set: operand } : 'keep';

function arrayOf(name: string, current: unknown, place: Place): unknown[] {
  if (current === undefined) return [];
  if (Array.isArray(current)) return current;
  throw badValue(
    `The field '${place.path}' must be an array but is of type ${typeName(current)} in document {_id: ${render(place.id)}} (${name})`,
  );
}

function eachOf(name: string, operand: unknown, allowed: readonly string[]): Document | undefined {
  if (!isDocument(operand) || !Object.hasOwn(operand, '$each')) return undefined;
  for (const key of Object.keys(operand)) {
    if (!allowed.includes(key)) throw badValue(`Unrecognized clause in ${name}: ${key}`);
  }
  if (!Array.isArray(operand.$each))
    throw badValue(`The argument to $each in ${name} must be an array but it was of type: ${typeName(operand.$each)}`);
  return operand;
}

function push(operand: unknown): Modifier {
  const clauses = eachOf('$push', operand, ['$each', '$position', '$slice', '$sort']);
  const items = clauses ? (clauses.$each as unknown[]) : [operand];
  const integer = (name: string) =>
    clauses?.[name] === undefined
      ? undefined
      : toInteger(clauses[name], () =>
          badValue(`The value for ${name} must be an integer value but was given type: ${typeName(clauses[name])}`),
        );
  const [position, slice] = [integer('$position'), integer('$slice')];
  const sort = clauses?.$sort === undefined ? undefined : pushSort(clauses.$sort);
  return (current, place) => {
    let array = [...arrayOf('$push', current, place)];
    array.splice(position ?? array.length, 0, ...items);
    if (sort) array = array.sort(sort);
    if (slice !== undefined) array = slice >= 0 ? array.slice(0, slice) : array.slice(slice);
    return { set: array };
  };
}

function pushSort(specification: unknown): (a: unknown, b: unknown) => number {
  if (isNumeric(specification)) {
    const sign = toInteger(specification, () => badValue('The $sort element value must be either 1 or -1'));
    if (sign !== 1 && sign !== -1) throw badValue('The $sort element value must be either 1 or -1');
    return (a, b) => compareValues(a, b) * sign;
  }
  if (!isDocument(specification))
    throw badValue('The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort embedded fields');
  const fields = parseSort(specification);
  const key = (item: unknown) => sortKey(isDocument(item) ? item : {}, fields);
  return (a, b) => compareSortKeys(key(a), key(b), fields);
}

function addToSet(operand: unknown): Modifier {
  const clauses = eachOf('$addToSet', operand, ['$each']);
  const items = clauses ? (clauses.$each as unknown[]) : [operand];
  return (current, place) => {
    const array = [...arrayOf('$addToSet', current, place)];
    for (const item of items) if (!array.some((known) => equalValues(known, item))) array.push(item);
    return current !== undefined && array.length === (current as unknown[]).length ? 'keep' : { set: array };
  };
}

function removing(name: string, matches: (item: unknown) => boolean): Modifier {
  return (current, place) => {
    if (current === undefined) return 'keep';
    if (!Array.isArray(current)) throw badValue(`Cannot apply ${name} to a non-array value (field '${place.path}')`);
    const kept = current.filter((item) => !matches(item));
    return kept.length === current.length ? 'keep' : { set: kept };
  };
}

function pullTest(operand: unknown): (item: unknown) => boolean {
  if (isOperatorDocument(operand)) {
    const filter = compileFilter({ item: operand });
    return (item) => filter.test({ item });
  }
  if (isDocument(operand)) return elementTest(operand);
  const filter = compileFilter({ item: operand });
  return (item) => (Array.isArray(item) ? equalValues(item, operand) : filter.test({ item }));
}

function pullAll(operand: unknown): Modifier {
  if (!Array.isArray(operand))
    throw badValue(`$pullAll requires an array argument but was given a ${typeName(operand)}`);
  return removing('$pullAll', (item) => operand.some((wanted) => equalValues(item, wanted)));
}

function pop(operand: unknown, path: string): Modifier {
  const side = toInteger(operand, () => failedToParse(`Expected a number in: ${path}: ${render(operand)}`));
  if (side !== 1 && side !== -1) throw failedToParse(`$pop expects 1 or -1, found: ${side}`);
  return (current, place) => {
    if (current === undefined) return 'keep';
    if (!Array.isArray(current))
      throw typeMismatch(`Path '${place.path}' contains an element of non-array type '${typeName(current)}'`);
    if (current.length === 0) return 'keep';
    return { set: side === 1 ? current.slice(0, -1) : current.slice(1) };
  };
}

function currentDate(operand: unknown): Modifier {
  const type = isDocument(operand) ? operand.$type : operand === true || operand === false ? 'date' : undefined;
  if (type === 'date') return () => ({ set: new Date() });
  if (type === 'timestamp') return () => ({ set: new Timestamp({ t: Math.floor(Date.now() / 1000), i: 1 }) });
  throw badValue(
    `${typeName(operand)} is not valid type for $currentDate. Please use a boolean ('true') or a $type expression ({$type: 'timestamp/date'}).`,
  );
}

/** The modifiers that change one field by a rule; `$rename` and `$setOnInsert` are the caller's. */
export const MODIFIERS: Record<string, (operand: unknown, path: string) => Modifier> = {
  $set: (operand) => () => ({ set: operand }),
  $unset: () => (current) => (current === undefined ? 'keep' : 'unset'),
  $inc: arithmetic('$inc', 'increment', add, (operand) => operand),
  $mul: arithmetic('$mul', 'multiply', multiply, zeroLike),
  $min: extreme(-1),
  $max: extreme(1),
  $push: push,
  $addToSet: addToSet,
  $pull: (operand) => removing('$pull', pullTest(operand)),
  $pullAll: pullAll,
  $pop: pop,
  $currentDate: currentDate,
};

/** The error for an update operator that is unknown or not supported. */
export const unknownModifier = (name: string): CommandError =>
  failedToParse(
    `Unknown modifier: ${name}. Expected a valid update modifier or pipeline-style update specified as an array`,
  );
