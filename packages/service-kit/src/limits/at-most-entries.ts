/**
 * Returns the options of an `LRUCache` that keeps at most so many entries. With `max`, the cache would allocate the memory
 * for all of them at once.
 */
export function atMostEntries(maxSize: number) {
  return { maxSize, sizeCalculation: () => 1 };
}
