import { Long } from 'bson';
import type { Numeric } from './bson/values.ts';

/** Converts a number of any kind to a JavaScript number, rounded if necessary. */
export function toNumber(value: Numeric): number {
  if (typeof value !== 'object') return Number(value);
  return value instanceof Long ? value.toNumber() : value.value;
}
