import { BSONRegExp, Decimal128, Double } from 'bson';
import { compareValues } from '../bson/compare.ts';
import { isNumeric, type Numeric, typeName } from '../bson/values.ts';
import { CommandError, failedToParse } from '../errors.ts';
import { fromInteger, toNumber } from '../numbers.ts';

/** MongoDB's truth: everything but false, null, missing and zero. */
export function truthy(value: unknown): boolean {
  if (value === undefined || value === null || value === false) return false;
  return !isNumeric(value) || toNumber(value) !== 0;
}

/** A number for arithmetic, undefined when null or missing; anything else is an error of the operator. */
export function numericOperand(name: string, value: unknown): Numeric | undefined {
  if (value === null || value === undefined) return undefined;
  if (isNumeric(value)) return value;
  throw new CommandError(14, `${name} only supports numeric types, not ${typeName(value)}`);
}

/** An int64 or double result from a JavaScript number, in the type of the operands. */
export function numericLike(value: number, operands: readonly Numeric[]): Numeric {
  if (operands.some((operand) => operand instanceof Decimal128)) return Decimal128.fromString(String(value));
  if (operands.some((operand) => operand instanceof Double)) return new Double(value);
  return operands.some((operand) => typeof operand === 'bigint') ? BigInt(value) : fromInteger(value);
}

/** A regular expression operand as a BSON one, whatever way it was given. */
export function regexOperand(value: unknown, options: unknown): BSONRegExp | undefined {
  if (value === null || value === undefined) return undefined;
  if (value instanceof BSONRegExp) return value;
  if (typeof value !== 'string') throw failedToParse('$regexMatch needs regex to be of type string or regex');
  if (options !== undefined && options !== null && typeof options !== 'string') {
    throw failedToParse('$regexMatch needs options to be of type string');
  }
  return new BSONRegExp(value, options ?? '');
}

/** The greater (`sign` 1) or lesser (`sign` -1) of the values, nulls left aside; null when there is none. */
export function extreme(values: readonly unknown[], sign: 1 | -1): unknown {
  let best: unknown = null;
  for (const value of values) {
    if (value === null || value === undefined) continue;
    if (best === null || compareValues(value, best) * sign > 0) best = value;
  }
  return best;
}
