import { type Document, getField, isDocument, render, setField } from '../bson/values.ts';
import { badValue, CommandError } from '../errors.ts';
import { isArrayIndex } from '../query/path.ts';

/** How far an update may extend an array by writing to a position past its end, as in MongoDB. */
const MAX_PADDING = 1_500_000;

export interface PathContext {
  /** What the positional operator `$` stands for, when the filter matched through an array. */
  position: number | undefined;
  /** The tests of `arrayFilters` by identifier. */
  arrayFilters: Map<string, (item: unknown) => boolean>;
  /** For error messages. */
  id: unknown;
}

/**
 * The concrete paths that an update path means in a document: `$` becomes the matched position, `$[]` every position
 * of the array, `$[name]` those whose element passes that array filter.
 */
export function concretePaths(document: Document, path: string, context: PathContext): string[][] {
  const components = path.split('.');
  if (components.some((component) => component === '')) {
    throw new CommandError(56, `The update path '${path}' contains an empty field name, which is not allowed.`);
  }
  let paths: string[][] = [[]];
  for (const component of components) {
    paths = paths.flatMap((prefix) => extend(document, prefix, component, path, context));
  }
  return paths;
}

function extend(
  document: Document,
  prefix: string[],
  component: string,
  path: string,
  context: PathContext,
): string[][] {
  if (component === '$') {
    if (context.position === undefined)
      throw badValue('The positional operator did not find the match needed from the query.');
    return [[...prefix, String(context.position)]];
  }
  if (!component.startsWith('$[')) {
    if (component.startsWith('$')) {
      throw new CommandError(
        52,
        `The dollar ($) prefixed field '${component}' in '${path}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
      );
    }
    return [[...prefix, component]];
  }
  const items = valueAt(document, prefix);
  if (items === undefined)
    throw badValue(`The path '${prefix.join('.')}' must exist in the document in order to apply array updates.`);
  if (!Array.isArray(items))
    throw badValue(`Cannot apply array updates to non-array element ${prefix.at(-1)}: ${render(items)}`);
  const name = component.slice(2, -1);
  const test = name === '' ? () => true : context.arrayFilters.get(name);
  if (!test) throw badValue(`No array filter found for identifier '${name}' in path '${path}'`);
  return items.flatMap((item, index) => (test(item) ? [[...prefix, String(index)]] : []));
}

/** The value at a concrete path, or undefined; a number walks into an array. */
export function valueAt(document: Document, path: readonly string[]): unknown {
  let value: unknown = document;
  for (const component of path) {
    if (Array.isArray(value)) value = isArrayIndex(component) ? value[Number(component)] : undefined;
    else if (isDocument(value)) value = getField(value, component);
    else return undefined;
  }
  return value;
}

/**
 * Sets the value at a concrete path, making the documents on the way and filling an array with null up to the position.
 * Throws PathNotViable (28) where something that is no document stands in the way.
 */
export function setAt(document: Document, path: readonly string[], value: unknown): void {
  let parent: unknown = document;
  for (let at = 0; at < path.length; at += 1) {
    const component = path[at] as string;
    const last = at === path.length - 1;
    let child = childOf(parent, component, path.slice(0, at));
    if (last) child = value;
    else if (child === undefined) child = {};
    else if (!isDocument(child) && !Array.isArray(child)) {
      throw new CommandError(28, `Cannot create field '${path[at + 1]}' in element {${component}: ${render(child)}}`);
    }
    assign(parent as Document | unknown[], component, child);
    parent = child;
  }
}

function childOf(parent: unknown, component: string, path: readonly string[]): unknown {
  if (!Array.isArray(parent)) return getField(parent as Document, component);
  if (!isArrayIndex(component)) {
    throw new CommandError(28, `Cannot create field '${component}' in element {${path.at(-1)}: ${render(parent)}}`);
  }
  return parent[Number(component)];
}

function assign(parent: Document | unknown[], component: string, value: unknown): void {
  if (!Array.isArray(parent)) {
    setField(parent, component, value);
    return;
  }
  const index = Number(component);
  if (index - parent.length > MAX_PADDING) throw badValue(`can't backfill more than ${MAX_PADDING} elements`);
  while (parent.length < index) parent.push(null);
  parent[index] = value;
}

/** Removes the field at a concrete path; in an array the position becomes null. A missing path is no error. */
export function unsetAt(document: Document, path: readonly string[]): void {
  const parent = valueAt(document, path.slice(0, -1));
  const last = path.at(-1) as string;
  if (Array.isArray(parent)) {
    if (isArrayIndex(last) && Number(last) < parent.length) parent[Number(last)] = null;
  } else if (isDocument(parent)) delete parent[last];
}
