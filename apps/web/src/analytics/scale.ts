/**
 * Returns the values of the lines behind a chart, from 0 to the first one that is not below `max`. Steps are 1, 2 or 5
 * times a power of ten and whole numbers, because clicks are.
 */
export function ticksOf(max: number, count = 4): number[] {
  const rough = Math.max(1, max / count);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((each) => each >= rough)!;
  const steps = Math.max(1, Math.ceil(max / step));
  return Array.from({ length: steps + 1 }, (_, index) => index * step);
}

/** Returns which of `length` bars have a label, at most `most` of them, at equal distances, the last one included. */
export function labelledBars(length: number, most: number): Set<number> {
  const step = Math.max(1, Math.ceil(length / most));
  const labelled = new Set<number>();
  for (let index = length - 1; index >= 0; index -= step) labelled.add(index);
  return labelled;
}
