import { AppError } from '@waymark/contract';
import { CLOSING_FIELDS, DESTINATION_NAMES, FIELDS, fieldOfColumn } from './fields.ts';
import { limitOfColumn } from './limits.ts';
import { furtherSlugColumns } from './slugs.ts';
import { shown } from './values.ts';

const SHOWN_NAMES_MAX = 20;

/** What the columns of a file mean. */
export class Columns {
  /** The columns of each field, those to look at first being first. */
  readonly sources: ReadonlyMap<string, readonly string[]>;
  /** The columns that limit links. */
  readonly limits: readonly string[];
  /** The columns that mean nothing. */
  readonly unused: readonly string[];

  private constructor(names: readonly string[], sources: ReadonlyMap<string, readonly string[]>) {
    const used = new Set([...sources.values(), furtherSlugColumns(sources.get('slug') ?? [])].flat());
    const others = names.filter((name) => name !== '' && !used.has(name));
    this.sources = sources;
    this.limits = others.filter((name) => limitOfColumn(name) !== undefined);
    this.unused = others.filter((name) => limitOfColumn(name) === undefined);
  }

  /** Finds out by their names what the columns mean. */
  static byName(names: readonly string[]): Columns {
    return new Columns(names, sourcesByName(names, FIELDS));
  }

  /** Uses the column of `mapping` for each of its fields, and no others but those that close links. */
  static mapped(names: readonly string[], mapping: Readonly<Record<string, string>>): Columns {
    const mapped = Object.entries(mapping).filter(([, name]) => names.includes(name));
    const others = names.filter((name) => !Object.values(mapping).includes(name));
    const closing = CLOSING_FIELDS.filter((field) => !Object.hasOwn(mapping, field));
    const sources = mapped.map(([field, name]): [string, string[]] => [field, [name]]);
    return new Columns(names, new Map([...sources, ...sourcesByName(others, closing)]));
  }

  /** True if a column has the destinations. */
  get hasDestination(): boolean {
    return this.sources.has('destination_url');
  }

  /** Returns for each field the column that is used first. */
  first(): Record<string, string> {
    return Object.fromEntries([...this.sources].map(([field, [name]]) => [field, name!]));
  }
}

function sourcesByName(names: readonly string[], fields: readonly string[]): Map<string, string[]> {
  const found = names
    .map((name) => ({ name, of: fieldOfColumn(name) }))
    .filter(({ of }) => of !== null && fields.includes(of.field))
    .toSorted((a, b) => a.of!.position - b.of!.position);
  const sources = new Map<string, string[]>();
  for (const { name, of } of found) sources.set(of!.field, [...(sources.get(of!.field) ?? []), name]);
  return sources;
}

/**
 * Checks which fields a mapping has.
 * @throws {AppError} `invalid`
 */
export function checkMapping(mapping: Readonly<Record<string, string>>): void {
  for (const field of Object.keys(mapping))
    if (!FIELDS.includes(field))
      throw new AppError('invalid', `"columns" has ${shown(field)}; the fields are ${FIELDS.join(', ')}.`);
  if (!Object.hasOwn(mapping, 'destination_url'))
    throw new AppError('invalid', '"columns" must have "destination_url".');
}

/**
 * Checks that a file has the columns of a mapping.
 * @throws {AppError} `invalid`
 */
export function checkColumns(names: readonly string[], mapping: Readonly<Record<string, string>>): void {
  const missing = Object.values(mapping).find((name) => !names.includes(name));
  if (missing !== undefined)
    throw new AppError('invalid', `The file has no column ${shown(missing)}; it has ${shownNames(names)}.`);
}

/** Returns the error for a file whose columns are not known. */
export function noDestination(names: readonly string[]): AppError {
  const advice = names.some((name) => /^https?:/i.test(name))
    ? 'The first line must be a header row'
    : 'The file has no column for the destination';
  return new AppError(
    'invalid',
    `${advice}, with ${DESTINATION_NAMES}; the file begins with the columns ${shownNames(names)}.`,
  );
}

/** Returns the names of columns for a message. */
export function shownNames(names: readonly string[]): string {
  const more = names.length - SHOWN_NAMES_MAX;
  return names.slice(0, SHOWN_NAMES_MAX).map(shown).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
