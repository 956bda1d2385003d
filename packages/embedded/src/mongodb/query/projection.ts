import { compileExpression, type Expression, type Variables } from '../aggregate/expressions.ts';
import { isFlag, OPERATORS } from '../aggregate/operators.ts';
import { type Document, getField, isDocument, setField } from '../bson/values.ts';
import { CommandError } from '../errors.ts';
import { toInteger } from '../numbers.ts';
import { elementTest } from './filter.ts';

/** A compiled projection. */
export interface Projection {
  /** Gives a new document; `position` is what the positional operator `$` stands for. */
  apply(document: Document, position?: number): Document;
  /** The top-level fields it reads, or undefined when it needs all. */
  fields: Set<string> | undefined;
  /** Whether a path ends in the positional operator `$`. */
  positional: boolean;
}

type Node =
  | { kind: 'include' | 'exclude' }
  | { kind: 'compute'; expression: Expression }
  | { kind: 'array'; apply: (items: unknown[], position: number | undefined) => unknown[] | undefined; only: boolean }
  | { kind: 'tree'; children: Map<string, Node> };

interface Shape {
  inclusive: boolean | undefined;
  id: boolean | undefined;
  fields: Set<string> | undefined;
  positional: boolean;
  variables: Variables;
  forFind: boolean;
}

/**
 * Compiles the projection of a `find` (`forFind`: with `$slice`, `$elemMatch` and the positional `$`) or a `$project`.
 * Mixing inclusion and exclusion is MongoDB's error 31253 or 31254, a path collision 31249 or 31250.
 */
export function compileProjection(specification: Document, forFind: boolean, variables: Variables = {}): Projection {
  const shape: Shape = {
    inclusive: undefined,
    id: undefined,
    fields: new Set(['_id']),
    positional: false,
    variables,
    forFind,
  };
  const root = new Map<string, Node>();
  for (const [path, value] of Object.entries(specification)) addPath(root, path, value, shape);
  // A projection of `_id` and computed array operators alone keeps or drops the rest as MongoDB does.
  const inclusive = shape.inclusive ?? (shape.id === true && !hasArrayOperator(root));
  if (inclusive && shape.id !== false && !root.has('_id')) root.set('_id', { kind: 'include' });
  if (!inclusive && shape.id === true) root.delete('_id');
  return {
    apply: (document, position) => project(document, root, inclusive, document, position),
    fields: inclusive ? shape.fields : undefined,
    positional: shape.positional,
  };
}

function hasArrayOperator(root: Map<string, Node>): boolean {
  return [...root.values()].some((node) => node.kind === 'array');
}

function addPath(root: Map<string, Node>, path: string, value: unknown, shape: Shape): void {
  let components = path.split('.');
  if (components.some((component) => component === ''))
    throw new CommandError(15998, 'FieldPath field names may not be empty strings.');
  if (components[0]?.startsWith('$')) throw new CommandError(16410, "FieldPath field names may not start with '$'.");
  shape.fields?.add(components[0] as string);
  let node: Node;
  if (shape.forFind && components.at(-1) === '$') {
    if (shape.positional)
      throw new CommandError(31276, 'Cannot specify more than one positional projection per query.');
    components = components.slice(0, -1);
    shape.positional = true;
    setMode(shape, path, true);
    node = {
      kind: 'array',
      only: true,
      apply: (items, position) => (position === undefined ? items : items.slice(position, position + 1)),
    };
  } else {
    const built = toNode(path, value, shape, components.length === 1);
    if (!built) {
      // A nested specification: {a: {b: 1}} is {'a.b': 1}.
      for (const [name, inner] of Object.entries(value as Document)) addPath(root, `${path}.${name}`, inner, shape);
      return;
    }
    node = built;
  }
  place(root, components, path, node);
}

function setMode(shape: Shape, path: string, inclusive: boolean): void {
  if (shape.inclusive === undefined) shape.inclusive = inclusive;
  else if (shape.inclusive !== inclusive) {
    throw inclusive
      ? new CommandError(31253, `Cannot do inclusion on field ${path} in exclusion projection`)
      : new CommandError(31254, `Cannot do exclusion on field ${path} in inclusion projection`);
  }
}

function toNode(path: string, value: unknown, shape: Shape, topLevel: boolean): Node | undefined {
  if (isFlag(value)) {
    const include = value === true || (value !== false && Number(value) !== 0);
    if (path === '_id') shape.id = include;
    else setMode(shape, path, include);
    return { kind: include ? 'include' : 'exclude' };
  }
  if (isDocument(value)) {
    const [operator] = Object.keys(value);
    if (operator === undefined)
      throw new CommandError(51270, 'An empty sub-projection is not a valid value. Found empty object at path');
    if (shape.forFind && operator === '$elemMatch' && topLevel) {
      setMode(shape, path, true);
      const matches = elementTest(value.$elemMatch);
      return {
        kind: 'array',
        only: true,
        apply: (items) => {
          const found = items.find(matches);
          return found === undefined ? undefined : [found];
        },
      };
    }
    if (
      shape.forFind &&
      operator === '$slice' &&
      (!Array.isArray(value.$slice) || typeof value.$slice[0] !== 'string')
    ) {
      return { kind: 'array', only: false, apply: sliceOf(value.$slice) };
    }
    if (!operator.startsWith('$')) return undefined;
    if (!Object.hasOwn(OPERATORS, operator)) throw new CommandError(31325, `Unknown expression ${operator}`);
  }
  setMode(shape, path, true);
  shape.fields = undefined; // an expression may read any field
  return { kind: 'compute', expression: compileExpression(value, shape.variables) };
}

function sliceOf(operand: unknown): (items: unknown[]) => unknown[] {
  const wrong = () => new CommandError(28667, 'Invalid $slice syntax: a number or [skip, limit] is needed');
  if (!Array.isArray(operand)) {
    const count = toInteger(operand, wrong);
    return (items) => (count >= 0 ? items.slice(0, count) : items.slice(count));
  }
  if (operand.length !== 2) throw wrong();
  const [skip, limit] = operand.map((item) => toInteger(item, wrong)) as [number, number];
  if (limit <= 0) throw new CommandError(28724, 'First argument to $slice must be a positive number');
  return (items) => {
    const start = skip >= 0 ? skip : Math.max(0, items.length + skip);
    return items.slice(start, start + limit);
  };
}

function place(root: Map<string, Node>, components: string[], path: string, node: Node): void {
  let level = root;
  for (const component of components.slice(0, -1)) {
    let next = level.get(component);
    if (next === undefined) {
      next = { kind: 'tree', children: new Map() };
      level.set(component, next);
    }
    if (next.kind !== 'tree')
      throw new CommandError(31249, `Path collision at ${path} remaining portion ${components.at(-1)}`);
    level = next.children;
  }
  const last = components.at(-1) as string;
  if (level.has(last)) throw new CommandError(31250, `Path collision at ${path}`);
  level.set(last, node);
}

function project(
  value: Document,
  level: Map<string, Node>,
  inclusive: boolean,
  root: Document,
  position: number | undefined,
): Document {
  const result: Document = {};
  for (const name of Object.keys(value)) {
    const node = level.get(name);
    const kept = projectField(value[name], node, inclusive, root, position);
    if (kept !== undefined) setField(result, name, kept);
  }
  for (const [name, node] of level) {
    if (node.kind === 'compute') {
      const computed = node.expression(root);
      if (computed !== undefined) setField(result, name, computed);
    } else if (node.kind === 'tree' && getField(value, name) === undefined && hasComputed(node)) {
      setField(result, name, project({}, node.children, inclusive, root, position));
    }
  }
  return result;
}

function projectField(
  value: unknown,
  node: Node | undefined,
  inclusive: boolean,
  root: Document,
  position: number | undefined,
): unknown {
  if (!node) return inclusive ? undefined : value;
  switch (node.kind) {
    case 'include':
      return value;
    case 'exclude':
    case 'compute':
      return undefined;
    case 'array':
      if (Array.isArray(value)) return node.apply(value, position);
      return node.only ? undefined : value;
    case 'tree':
      return projectTree(value, node, inclusive, root, position);
  }
}

function projectTree(
  value: unknown,
  node: { kind: 'tree'; children: Map<string, Node> },
  inclusive: boolean,
  root: Document,
  position: number | undefined,
): unknown {
  if (isDocument(value)) return project(value, node.children, inclusive, root, position);
  if (Array.isArray(value)) {
    return value
      .map((item) =>
        isDocument(item) || Array.isArray(item)
          ? projectTree(item, node, inclusive, root, position)
          : inclusive && !hasComputed(node)
            ? undefined
            : item,
      )
      .filter((item) => item !== undefined);
  }
  if (hasComputed(node)) return project({}, node.children, inclusive, root, position);
  return inclusive ? undefined : value;
}

function hasComputed(node: Node): boolean {
  return node.kind === 'compute' || (node.kind === 'tree' && [...node.children.values()].some(hasComputed));
}
