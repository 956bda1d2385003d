/** The middle value; of an even number of values the mean of the two in the middle. Not a number of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The least value that at least the share `p` (0 to 1) of the values do not exceed (nearest rank). Not a number of none. */
export function percentile(values: readonly number[], p: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(p * sorted.length) - 1)] ?? Number.NaN;
}

/** The values between which the middle half of the values lies. */
export interface Quartiles {
  low: number;
  high: number;
}

export function quartiles(values: readonly number[]): Quartiles {
  return { low: percentile(values, 0.25), high: percentile(values, 0.75) };
}
