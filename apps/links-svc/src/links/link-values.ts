import type { LinkDocument, LinkFields } from '../database/documents/link.ts';
import { OPTIONAL_FIELD_DEFAULTS, withOwnExpiry } from './link-fields.ts';
import { DEFAULT_HOST } from './link-host.ts';

/** Returns those of the fields whose values the link does not have. */
export function differing(link: LinkDocument, fields: Partial<LinkFields>): Partial<LinkFields> {
  const own = valuesOf(link, fields);
  return Object.fromEntries(Object.entries(fields).filter(([name, value]) => !isSame(own[name as never], value)));
}

/** Returns the values that the link has in these fields. */
export function valuesOf(link: LinkDocument, fields: Partial<LinkFields>): Partial<LinkFields> {
  const own = { ...OPTIONAL_FIELD_DEFAULTS, ...DEFAULT_HOST, ...withOwnExpiry(link) };
  return Object.fromEntries(Object.keys(fields).map((name) => [name, own[name as keyof LinkFields]]));
}

/** Returns true if two stored values are the same. */
export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
