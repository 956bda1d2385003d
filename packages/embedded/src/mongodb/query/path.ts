import { type Document, getField, isDocument } from '../bson/values.ts';
import { CommandError, notSupported } from '../errors.ts';

/** Splits a dotted path. Throws for an empty component, one that starts with `$`, and a position in an array. */
export function componentsOf(path: string): string[] {
  const components = path.split('.');
  for (const component of components) {
    if (component === '') throw new CommandError(15998, 'FieldPath field names may not be empty strings.');
    if (component.startsWith('$')) throw new CommandError(16410, "FieldPath field names may not start with '$'.");
    if (/^\d+$/.test(component)) throw notSupported(`the position in the path '${path}'`);
  }
  return components;
}

/**
 * Returns whether `test` holds for any value that the path reaches. Walks arrays as MongoDB's match does: through every
 * element that is a document; at the end of the path it tests the elements of an array and the array itself. `test`
 * also receives the position in the outermost array, for the positional operator `$`. A path that does not exist
 * reaches `undefined`, a missing value; one that ends among array elements that are not documents reaches nothing.
 */
export function anyLeaf(
  document: Document,
  path: readonly string[],
  test: (value: unknown, position: number | undefined) => boolean,
): boolean {
  return walk(document, path, 0, undefined, test);
}

function walk(
  document: Document,
  path: readonly string[],
  at: number,
  position: number | undefined,
  test: (value: unknown, position: number | undefined) => boolean,
): boolean {
  const value = getField(document, path[at] as string);
  const isLast = at + 1 === path.length;
  if (!Array.isArray(value)) {
    if (isLast) return test(value, position);
    return isDocument(value) ? walk(value, path, at + 1, position, test) : test(undefined, position);
  }
  if (isLast) return value.some((item, index) => test(item, position ?? index)) || test(value, position);
  return value.some((item, index) => isDocument(item) && walk(item, path, at + 1, position ?? index, test));
}
