import type { Document } from '../bson/values.ts';
import { getField, isDocument } from '../bson/values.ts';
import { CommandError, notSupported } from '../errors.ts';
import type { Index } from './indexes.ts';
import { encodeValue } from './key-encoding.ts';

/** The maximum size of the values in a key; LMDB limits the whole key to 1,978 bytes. */
export const MAX_VALUE_BYTES = 1900;

/** The entries of one document in one index. */
export interface DocumentKeys {
  keys: IndexKey[];
  /** For each field of the index, whether its path contains an array. */
  multikey: boolean[];
  /** True if a key is truncated, so that different values may share it and documents must be tested. */
  inexact: boolean;
}

export interface IndexKey {
  /** The encoded values, at most MAX_VALUE_BYTES. */
  bytes: Buffer;
  /** The original values, for duplicate key errors and for comparisons that the bytes cannot decide. */
  values: unknown[];
  inexact: boolean;
}

/**
 * Returns the keys of a document in an index: none if a sparse or partial index excludes it, one per element if a path
 * contains an array. Throws CannotIndexParallelArrays (171).
 */
export function keysOf(index: Index, document: Document): DocumentKeys {
  const multikey = index.fields.map(() => false);
  const none: DocumentKeys = { keys: [], multikey, inexact: false };
  if (index.partial && !index.partial.test(document)) return none;
  const tuples: unknown[][] = [];
  expand(
    index,
    index.fields.map((field) => ({ value: document as unknown, rest: field.components })),
    multikey,
    tuples,
  );
  if (index.sparse && tuples.every((tuple) => tuple.every((value) => value === undefined))) return none;
  const keys = tuples.map(encodeKey);
  const distinct = keys.length === 1 ? keys : [...new Map(keys.map((key) => [keyIdentity(key), key])).values()];
  return { keys: distinct, multikey, inexact: distinct.some((key) => key.inexact) };
}

const keyIdentity = (key: IndexKey): string => key.bytes.toString('latin1');

interface Walk {
  value: unknown;
  rest: readonly string[];
}

/** Stands for an empty array while keys are built; it is encoded as `undefined`, which sorts before null. */
const EMPTY_ARRAY: unknown = Symbol('empty array');

function expand(index: Index, walks: Walk[], multikey: boolean[], out: unknown[][]): void {
  let array: unknown[] | undefined;
  const reached = walks.map((walk): Walk => {
    let { value, rest } = walk;
    while (rest.length > 0 && isDocument(value)) {
      value = getField(value, rest[0] as string);
      rest = rest.slice(1);
    }
    if (Array.isArray(value)) {
      if (array !== undefined && array !== value) throw new CommandError(171, 'cannot index parallel arrays');
      array = value;
    } else if (rest.length > 0) value = undefined;
    return { value, rest: Array.isArray(value) ? rest : [] };
  });
  if (array === undefined) {
    out.push(reached.map(({ value }) => value));
    return;
  }
  const involved = reached.map((walk) => walk.value === array);
  for (let at = 0; at < involved.length; at += 1) if (involved[at]) multikey[at] = true;
  if (array.length === 0) {
    const empty = reached.map((walk, at) =>
      involved[at] ? { value: walk.rest.length === 0 ? EMPTY_ARRAY : undefined, rest: [] } : walk,
    );
    expand(index, empty, multikey, out);
    return;
  }
  for (const item of array) {
    const element = reached.map((walk, at): Walk => {
      if (!involved[at]) return walk;
      if (Array.isArray(item)) throw notSupported('an index over an array in an array');
      if (walk.rest.length === 0) return { value: item, rest: [] };
      return { value: isDocument(item) ? item : undefined, rest: walk.rest };
    });
    expand(index, element, multikey, out);
  }
}

function encodeKey(tuple: readonly unknown[]): IndexKey {
  const values = tuple.map((value) => (value === EMPTY_ARRAY ? undefined : (value ?? null)));
  const bytes = Buffer.concat(values.map(encodeValue));
  return { bytes: bytes.subarray(0, MAX_VALUE_BYTES), values, inexact: bytes.length > MAX_VALUE_BYTES };
}
