import { type Document, getField, isDocument } from '../bson/values.ts';

const INDEX = /^(0|[1-9]\d*)$/;

/** Whether a component of a dotted path can mean a position in an array. */
export const isArrayIndex = (component: string): boolean => INDEX.test(component);

/**
 * Whether `test` holds for any value that the path reaches, walking arrays as MongoDB's match does: through every
 * element that is a document, into a numbered position where the component is a number, and at the end over the
 * elements of an array (with `expand`) and the array itself. `test` also gets the position in the outermost array on
 * the way, for the positional operator `$`. A path that leads nowhere reaches `undefined`, a missing
 * value; one that ends among elements that are no documents reaches nothing at all.
 */
export function anyLeaf(
  document: Document,
  path: readonly string[],
  expand: boolean,
  test: (value: unknown, position: number | undefined) => boolean,
): boolean {
  return walk(document, path, 0, expand, undefined, test);
}

function walk(
  document: Document,
  path: readonly string[],
  at: number,
  expand: boolean,
  position: number | undefined,
  test: (value: unknown, position: number | undefined) => boolean,
): boolean {
  const value = getField(document, path[at] as string);
  return step(value, path, at + 1, expand, position, test);
}

function step(
  value: unknown,
  path: readonly string[],
  at: number,
  expand: boolean,
  position: number | undefined,
  test: (value: unknown, position: number | undefined) => boolean,
): boolean {
  const last = at === path.length;
  if (!Array.isArray(value)) {
    if (last) return test(value, position);
    return isDocument(value) ? walk(value, path, at, expand, position, test) : test(undefined, position);
  }
  if (last) {
    if (expand) {
      for (let index = 0; index < value.length; index += 1) {
        if (test(value[index], position ?? index)) return true;
      }
    }
    return test(value, position);
  }
  const component = path[at] as string;
  for (let index = 0; index < value.length; index += 1) {
    const item: unknown = value[index];
    if (isDocument(item) && walk(item, path, at, expand, position ?? index, test)) return true;
  }
  if (!isArrayIndex(component) || Number(component) >= value.length) return false;
  // The numbered element is reached as itself: at the path's end an array there is not expanded once more.
  const item: unknown = value[Number(component)];
  if (at + 1 === path.length) return test(item, position ?? Number(component));
  return step(item, path, at + 1, expand, position ?? Number(component), test);
}

/**
 * The values that a path reaches for sorting and for `distinct`: array elements instead of arrays, and `missing` for
 * what is missing. An empty array gives `undefined`, which sorts before null.
 */
export function sortValues(document: Document, path: readonly string[], missing: unknown = null): unknown[] {
  const values: unknown[] = [];
  collect(document, path, 0, missing, values);
  return values.length === 0 ? [missing] : values;
}

function collect(value: unknown, path: readonly string[], at: number, missing: unknown, out: unknown[]): void {
  if (at === path.length) {
    if (!Array.isArray(value)) out.push(value === undefined ? missing : value);
    else if (value.length === 0) out.push(undefined);
    else for (const item of value) out.push(item);
    return;
  }
  const component = path[at] as string;
  if (Array.isArray(value)) {
    if (isArrayIndex(component) && Number(component) < value.length)
      collect(value[Number(component)], path, at + 1, missing, out);
    for (const item of value) if (isDocument(item)) collect(item, path, at, missing, out);
  } else if (isDocument(value)) collect(getField(value, component), path, at + 1, missing, out);
  else out.push(missing);
}

/** The value of an aggregation field path: arrays on the way give an array of what their documents have there. */
export function expressionValue(value: unknown, path: readonly string[], at = 0): unknown {
  if (at === path.length) return value;
  if (Array.isArray(value)) {
    const values = value.map((item) =>
      isDocument(item) || Array.isArray(item) ? expressionValue(item, path, at) : undefined,
    );
    return values.filter((item) => item !== undefined);
  }
  return isDocument(value) ? expressionValue(getField(value, path[at] as string), path, at + 1) : undefined;
}
