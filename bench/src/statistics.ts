/** Returns the middle value, or the mean of the two middle values; NaN for an empty array. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/**
 * Returns the smallest value that is at least as large as the share `p` (0 to 1) of the values (nearest rank); NaN for
 * an empty array.
 */
export function percentile(values: readonly number[], p: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)] ?? Number.NaN;
}

/** The first and third quartile. */
export interface Quartiles {
  low: number;
  high: number;
}

export function quartiles(values: readonly number[]): Quartiles {
  return { low: percentile(values, 0.25), high: percentile(values, 0.75) };
}
