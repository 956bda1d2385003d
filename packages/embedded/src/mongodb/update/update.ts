import { BSONRegExp, ObjectId } from 'bson';
import type { Variables } from '../aggregate/expressions.ts';
import { compileUpdatePipeline } from '../aggregate/stages.ts';
import { equalValues } from '../bson/compare.ts';
import { type Document, isDocument, render, setField } from '../bson/values.ts';
import { CommandError, failedToParse } from '../errors.ts';
import { compileFilter, isOperatorDocument } from '../query/filter.ts';
import { isArrayIndex } from '../query/path.ts';
import { MODIFIERS, type Modifier, unknownModifier } from './modifiers.ts';
import { concretePaths, type PathContext, setAt, unsetAt, valueAt } from './paths.ts';

/** A compiled update: from a document (which it may change in place) to the new one. */
export interface Update {
  /** `position` is what `$` stands for; `inserting` is true for an upsert that found nothing. */
  apply(document: Document, position: number | undefined, inserting: boolean): Document;
  kind: 'operators' | 'replacement' | 'pipeline';
  /** Whether a path uses the positional operator, so that the caller has to find the position. */
  positional: boolean;
}

interface Step {
  name: string;
  path: string;
  operand: unknown;
  modifier: Modifier | undefined;
}

/**
 * Compiles the `u` of an update or the `update` of findAndModify: operators, a replacement, or a pipeline. Unknown
 * operators are code 9, two operators on one path (or a path and its parent) code 40.
 */
export function compileUpdate(
  update: unknown,
  arrayFilters: readonly unknown[] = [],
  variables: Variables = {},
): Update {
  if (Array.isArray(update)) {
    if (arrayFilters.length > 0) throw failedToParse('arrayFilters may not be specified for pipeline-style updates');
    const pipeline = compileUpdatePipeline(update, variables);
    return {
      kind: 'pipeline',
      positional: false,
      apply: (document) => keepId(document, pipeline(document)),
    };
  }
  if (!isDocument(update)) throw failedToParse('Update argument must be either an object or an array');
  const names = Object.keys(update);
  if (!names[0]?.startsWith('$')) return compileReplacement(update, arrayFilters);
  const filters = compileArrayFilters(arrayFilters);
  const steps = names.flatMap((name) => stepsOf(name, update[name]));
  checkConflicts(steps);
  const used = new Set(steps.flatMap(({ path }) => [...path.matchAll(/\$\[([^\]]+)\]/g)].map((match) => match[1])));
  for (const name of filters.keys()) {
    if (!used.has(name))
      throw failedToParse(`The array filter for identifier '${name}' was not used in the update ${render(update)}`);
  }
  // MongoDB applies the fields in order of their names, which is also the order in which new ones are appended.
  steps.sort((a, b) => comparePaths(a.path, b.path));
  return {
    kind: 'operators',
    positional: steps.some(({ path }) => path.split('.').includes('$')),
    apply(document, position, inserting) {
      const context: PathContext = { position, arrayFilters: filters, id: document._id };
      const { _id } = document;
      for (const step of steps) applyStep(document, step, context, inserting);
      return inserting && _id === undefined ? document : keepId({ _id }, document);
    },
  };
}

function compileReplacement(replacement: Document, arrayFilters: readonly unknown[]): Update {
  if (arrayFilters.length > 0) throw failedToParse('arrayFilters may not be specified for replacement-style updates');
  for (const name of Object.keys(replacement)) {
    if (name.startsWith('$'))
      throw new CommandError(
        52,
        `The dollar ($) prefixed field '${name}' in '${name}' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.`,
      );
  }
  return { kind: 'replacement', positional: false, apply: (document) => keepId(document, { ...replacement }) };
}

/** The result with the `_id` of the document it came from: that never changes (code 66). */
function keepId(before: Document, after: Document): Document {
  if (before._id === undefined) return after;
  if (after._id !== undefined && !equalValues(before._id, after._id)) {
    throw new CommandError(66, `Performing an update on the path '_id' would modify the immutable field '_id'`);
  }
  if (after._id === undefined && Object.hasOwn(after, '_id')) delete after._id;
  if (after._id !== undefined && Object.keys(after)[0] === '_id') return after;
  const result: Document = { _id: before._id };
  for (const [name, value] of Object.entries(after)) if (name !== '_id') setField(result, name, value);
  return result;
}

function stepsOf(name: string, operand: unknown): Step[] {
  const compile = Object.hasOwn(MODIFIERS, name) ? MODIFIERS[name] : undefined;
  if (!compile && name !== '$rename' && name !== '$setOnInsert') throw unknownModifier(name);
  if (!isDocument(operand)) {
    throw failedToParse(
      `Modifiers operate on fields but we found type ${typeof operand} instead. For example: {$mod: {<field>: ...}} not {${name}: ${render(operand)}}`,
    );
  }
  return Object.entries(operand).map(([path, value]) => {
    if (path === '') throw new CommandError(56, 'An empty update path is not valid.');
    if (name === '$rename' && (typeof value !== 'string' || value === '' || value === path)) {
      throw new CommandError(
        2,
        `The source and target field for $rename must be different strings: ${path}: ${render(value)}`,
      );
    }
    return { name, path, operand: value, modifier: compile?.(value, path) };
  });
}

function checkConflicts(steps: readonly Step[]): void {
  const paths = steps.flatMap((step) => (step.name === '$rename' ? [step.path, step.operand as string] : [step.path]));
  const sorted = [...paths].sort();
  const seen = new Set<string>();
  for (const path of sorted) {
    if (seen.has(path)) throw conflict(path, path);
    const components = path.split('.');
    for (let length = 1; length < components.length; length += 1) {
      const parent = components.slice(0, length).join('.');
      if (seen.has(parent)) throw conflict(path, parent);
    }
    seen.add(path);
  }
}

const conflict = (path: string, at: string): CommandError =>
  new CommandError(40, `Updating the path '${path}' would create a conflict at '${at}'`);

function comparePaths(a: string, b: string): number {
  const [x, y] = [a.split('.'), b.split('.')];
  for (let at = 0; at < Math.min(x.length, y.length); at += 1) {
    const [p, q] = [x[at] as string, y[at] as string];
    if (p === q) continue;
    if (isArrayIndex(p) && isArrayIndex(q)) return Number(p) - Number(q);
    return p < q ? -1 : 1;
  }
  return x.length - y.length;
}

function applyStep(document: Document, step: Step, context: PathContext, inserting: boolean): void {
  if (step.name === '$rename') {
    rename(document, step.path, step.operand as string);
    return;
  }
  if (step.name === '$setOnInsert' && !inserting) return;
  for (const path of concretePaths(document, step.path, context)) {
    const current = valueAt(document, path);
    const change = step.modifier
      ? step.modifier(current, { path: path.join('.'), id: context.id })
      : { set: step.operand };
    if (change === 'unset') unsetAt(document, path);
    else if (change !== 'keep') setAt(document, path, structuredCopy(change.set));
  }
}

/** A copy of containers, so that one operand set in two documents is not shared between them. */
function structuredCopy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(structuredCopy);
  if (!isDocument(value)) return value;
  const copy: Document = {};
  for (const [name, item] of Object.entries(value)) setField(copy, name, structuredCopy(item));
  return copy;
}

function rename(document: Document, from: string, to: string): void {
  const source = from.split('.');
  const value = valueAt(document, source);
  if (value === undefined) return;
  for (const path of [source, to.split('.')]) {
    for (let length = 1; length < path.length; length += 1) {
      if (Array.isArray(valueAt(document, path.slice(0, length)))) {
        throw new CommandError(
          2,
          `The source and destination field of $rename cannot be an array element, '${path.join('.')}'`,
        );
      }
    }
  }
  unsetAt(document, source);
  setAt(document, to.split('.'), value);
}

function compileArrayFilters(arrayFilters: readonly unknown[]): Map<string, (item: unknown) => boolean> {
  const filters = new Map<string, (item: unknown) => boolean>();
  for (const filter of arrayFilters) {
    if (!isDocument(filter)) throw failedToParse('array filters must be objects');
    const names = new Set(identifiers(filter));
    const [name] = names;
    if (names.size !== 1 || name === undefined)
      throw failedToParse(
        `Error parsing array filter :: caused by :: Expected a single top-level field name, found ${names.size}`,
      );
    if (!/^[a-z][a-zA-Z0-9]*$/.test(name))
      throw failedToParse(
        `Error parsing array filter :: caused by :: The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '${name}'`,
      );
    if (filters.has(name))
      throw failedToParse(`Found multiple array filters with the same top-level field name ${name}`);
    const compiled = compileFilter(filter);
    filters.set(name, (item) => compiled.test({ [name]: item }));
  }
  return filters;
}

function identifiers(filter: Document): string[] {
  return Object.entries(filter).flatMap(([name, value]) =>
    name.startsWith('$') && Array.isArray(value)
      ? value.filter(isDocument).flatMap(identifiers)
      : [name.split('.')[0] as string],
  );
}

/**
 * The document that an upsert starts from: the fields that the filter demands by equality. Throws NotSingleValueField
 * (54) where it demands two values for one path.
 */
export function upsertBase(filter: Document): Document {
  const base: Document = {};
  collectEqualities(filter, base);
  return base;
}

function collectEqualities(filter: Document, base: Document): void {
  for (const [name, value] of Object.entries(filter)) {
    if (name === '$and' && Array.isArray(value))
      for (const clause of value) collectEqualities(clause as Document, base);
    else if (name === '$or' && Array.isArray(value) && value.length === 1)
      collectEqualities(value[0] as Document, base);
    else if (!name.startsWith('$') && !(value instanceof BSONRegExp)) {
      if (!isOperatorDocument(value)) demand(base, name, value);
      else if (Object.hasOwn(value, '$eq')) demand(base, name, value.$eq);
      else if (Array.isArray(value.$in) && value.$in.length === 1 && !(value.$in[0] instanceof BSONRegExp))
        demand(base, name, value.$in[0]);
      else if (Array.isArray(value.$all) && value.$all.length === 1 && !isOperatorDocument(value.$all[0]))
        demand(base, name, value.$all[0]);
    }
  }
}

function demand(base: Document, path: string, value: unknown): void {
  const components = path.split('.');
  if (valueAt(base, components) !== undefined) {
    throw new CommandError(54, `cannot infer query fields to set, path '${path}' is matched twice`);
  }
  setAt(base, components, value);
}

/** A new `_id` at the front where the document has none. */
export function withId(document: Document): Document {
  if (document._id !== undefined) {
    if (Object.keys(document)[0] === '_id') return document;
    const { _id, ...rest } = document;
    return { _id, ...rest };
  }
  const { _id: _missing, ...rest } = document;
  return { _id: new ObjectId(), ...rest };
}
