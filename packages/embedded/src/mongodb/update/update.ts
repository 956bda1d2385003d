import { ObjectId } from 'bson';
import { equalValues } from '../bson/compare.ts';
import { type Document, getField, isDocument, render } from '../bson/values.ts';
import { badValue, CommandError, failedToParse, notSupported } from '../errors.ts';
import { componentsOf } from '../query/path.ts';
import { MODIFIERS, type Modifier } from './modifiers.ts';

/** A compiled update. */
export interface Update {
  /**
   * Returns the updated document. `position` is the value of `$`; `isInsert` is true for an upsert without a match.
   * Throws ImmutableField (66) for a different `_id`.
   */
  apply(document: Document, position: number | undefined, isInsert: boolean): Document;
  /** Whether a path uses the positional operator, so that the caller must determine the position. */
  positional: boolean;
}

interface Step {
  field: string;
  /** Whether the path is `field.$` or `field.$.inner`: the array element that the filter matched, or a field of it. */
  positional: boolean;
  /** The field of the array element, if the path names one. */
  inner: string | undefined;
  onlyOnInsert: boolean;
  modifier: Modifier;
}

/**
 * Compiles the `u` of an update or the `update` of findAndModify. Throws code 9 for an unknown operator and code 40 for
 * two operators on one field.
 */
export function compileUpdate(update: unknown): Update {
  if (Array.isArray(update)) throw notSupported('an update by a pipeline');
  if (!isDocument(update)) throw failedToParse('Update argument must be either an object or an array');
  const names = Object.keys(update);
  if (!names[0]?.startsWith('$')) throw notSupported('an update by a replacement');
  const steps = names.flatMap((name) => stepsOf(name, update[name]));
  checkConflicts(steps);
  // MongoDB applies fields in the order of their names, which is also the order in which new fields are appended.
  steps.sort((a, b) => (a.field < b.field ? -1 : 1));
  return {
    positional: steps.some(({ positional }) => positional),
    apply(document, position, isInsert) {
      let result = document;
      for (const step of steps) if (isInsert || !step.onlyOnInsert) result = applyStep(result, step, position);
      const { _id } = document;
      if (_id !== undefined && (result._id === undefined || !equalValues(_id, result._id)))
        throw new CommandError(66, `Performing an update on the path '_id' would modify the immutable field '_id'`);
      return result;
    },
  };
}

function stepsOf(name: string, operand: unknown): Step[] {
  const onlyOnInsert = name === '$setOnInsert';
  const compile = Object.hasOwn(MODIFIERS, onlyOnInsert ? '$set' : name)
    ? MODIFIERS[onlyOnInsert ? '$set' : name]
    : undefined;
  if (!compile)
    throw failedToParse(
      `Unknown modifier: ${name}. Expected a valid update modifier or pipeline-style update specified as an array`,
    );
  if (!isDocument(operand))
    throw failedToParse(
      `Modifiers operate on fields but we found type ${typeof operand} instead. For example: {$mod: {<field>: ...}} not {${name}: ${render(operand)}}`,
    );
  return Object.entries(operand).map(([path, value]) => {
    const [, array, inner] = /^([^.]+)\.\$(?:\.([^.]+))?$/.exec(path) ?? [];
    const positional = array !== undefined;
    const field = array ?? path;
    if (componentsOf(field).length > 1) throw notSupported(`the update of the path '${path}'`);
    if (positional && name !== '$set') throw notSupported(`${name} at the position '${path}'`);
    return { field, positional, inner, onlyOnInsert, modifier: compile(value) };
  });
}

function checkConflicts(steps: readonly Step[]): void {
  const seen = new Set<string>();
  for (const { field } of steps) {
    if (seen.has(field))
      throw new CommandError(40, `Updating the path '${field}' would create a conflict at '${field}'`);
    seen.add(field);
  }
}

function applyStep(document: Document, step: Step, position: number | undefined): Document {
  const { field, inner, modifier } = step;
  const current = getField(document, field);
  if (step.positional) {
    if (position === undefined || !Array.isArray(current))
      throw badValue('The positional operator did not find the match needed from the query.');
    const element: unknown = current[position];
    if (inner === undefined) return { ...document, [field]: current.with(position, modifier(element)) };
    if (!isDocument(element)) throw notSupported(`a field of an element of '${field}' that is no document`);
    const changed = { ...element, [inner]: modifier(getField(element, inner)) };
    return { ...document, [field]: current.with(position, changed) };
  }
  const value = modifier(current);
  if (value !== undefined) return { ...document, [field]: value };
  const { [field]: _removed, ...rest } = document;
  return rest;
}

/** Returns the initial document of an upsert: the values that the filter requires. */
export function upsertBase(filter: Document): Document {
  const demanded = Object.entries(filter).filter(([, value]) => !isDocument(value));
  for (const [path] of demanded)
    if (componentsOf(path).length > 1) throw notSupported(`an upsert with the path '${path}' in its filter`);
  return Object.fromEntries(demanded);
}

/** Returns the document with `_id` as its first field; adds a new one if it is missing. */
export function withId({ _id = new ObjectId(), ...rest }: Document): Document {
  return { _id, ...rest };
}
