import { pickFields } from '../bson/bson.ts';
import { type Document, isDocument, isNumeric } from '../bson/values.ts';
import { CommandError, notSupported } from '../errors.ts';
import { toNumber } from '../numbers.ts';
import { componentsOf } from './path.ts';

/** A compiled projection, from an encoded document to one with some of its fields. */
export type Projection = (bytes: Buffer) => Buffer;

/**
 * Compiles a projection that includes or excludes top-level fields. Throws 31253 or 31254 for a mix of both, and 31325
 * for an operator, as MongoDB does.
 */
export function compileProjection(specification: Document): Projection {
  const named = new Set<string>();
  let isInclusive: boolean | undefined;
  let withId: boolean | undefined;
  for (const [name, value] of Object.entries(specification)) {
    if (componentsOf(name).length > 1) throw notSupported(`the projection of the path '${name}'`);
    const isIncluded = flagOf(name, value);
    if (name === '_id') {
      withId = isIncluded;
      continue;
    }
    named.add(name);
    isInclusive ??= isIncluded;
    if (isInclusive === isIncluded) continue;
    throw isIncluded
      ? new CommandError(31253, `Cannot do inclusion on field ${name} in exclusion projection`)
      : new CommandError(31254, `Cannot do exclusion on field ${name} in inclusion projection`);
  }
  const picks = isInclusive ?? withId === true;
  // Most of the cost is in the names that are looked at.
  const most = picks ? named.size + Number(withId !== false) : undefined;
  return (bytes) => pickFields(bytes, (name) => (name === '_id' ? withId !== false : named.has(name) === picks), most);
}

function flagOf(name: string, value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  if (isNumeric(value)) return toNumber(value) !== 0;
  const [operator = ''] = isDocument(value) ? Object.keys(value) : [];
  if (operator.startsWith('$')) throw new CommandError(31325, `Unknown expression ${operator}`);
  throw notSupported(`the expression in the projection of '${name}'`);
}
