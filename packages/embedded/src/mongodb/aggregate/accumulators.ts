import { Double } from 'bson';
import { equalValues } from '../bson/compare.ts';
import { type Document, isDocument, isNumeric, type Numeric, render, setField, typeName } from '../bson/values.ts';
import { CommandError } from '../errors.ts';
import { toNumber } from '../numbers.ts';
import { extreme } from './operands.ts';
import { addOrDouble } from './operators.ts';

/** What a `$group` keeps for one field of one group. */
export interface Accumulator {
  add(value: unknown): void;
  result(): unknown;
}

function folding(initial: unknown, fold: (state: unknown, value: unknown) => unknown): () => Accumulator {
  return () => {
    let state = initial;
    return {
      add(value) {
        state = fold(state, value);
      },
      result: () => state,
    };
  };
}

function average(): Accumulator {
  let sum = 0;
  let count = 0;
  return {
    add(value) {
      if (!isNumeric(value)) return;
      sum += toNumber(value);
      count += 1;
    },
    result: () => (count === 0 ? null : new Double(sum / count)),
  };
}

function collecting(accept: (items: unknown[], value: unknown) => boolean): () => Accumulator {
  return () => {
    const items: unknown[] = [];
    return {
      add(value) {
        if (value !== undefined && accept(items, value)) items.push(value);
      },
      result: () => items,
    };
  };
}

function first(): Accumulator {
  let value: unknown;
  let seen = false;
  return {
    add(next) {
      if (!seen) value = next ?? null;
      seen = true;
    },
    result: () => value,
  };
}

function mergeObjects(): Accumulator {
  const merged: Document = {};
  return {
    add(value) {
      if (value === null || value === undefined) return;
      if (!isDocument(value))
        throw new CommandError(
          40400,
          `$mergeObjects requires object inputs, but input ${render(value)} is of type ${typeName(value)}`,
        );
      for (const [name, field] of Object.entries(value)) setField(merged, name, field);
    },
    result: () => merged,
  };
}

/** Every accumulator of `$group` that is supported; another is refused with code 15952. */
export const ACCUMULATORS: Record<string, () => Accumulator> = {
  $sum: folding(0, (sum, value) => (isNumeric(value) ? addOrDouble(sum as Numeric, value) : sum)),
  $count: folding(0, (count) => addOrDouble(count as Numeric, 1)),
  $avg: average,
  $min: folding(null, (least, value) => extreme([least, value], -1)),
  $max: folding(null, (greatest, value) => extreme([greatest, value], 1)),
  $first: first,
  $last: folding(null, (_, value) => value ?? null),
  $push: collecting(() => true),
  $addToSet: collecting((items, value) => !items.some((item) => equalValues(item, value))),
  $mergeObjects: mergeObjects,
};
