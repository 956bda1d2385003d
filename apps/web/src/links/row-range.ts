/** Returns the rows of a page from one to another, both included. If the first one is not on it, only the other. */
export function rowRange(page: readonly string[], from: string, to: string): readonly string[] {
  const [first, last] = [page.indexOf(from), page.indexOf(to)].sort((a, b) => a - b);
  return first! < 0 ? [to] : page.slice(first, last! + 1);
}
