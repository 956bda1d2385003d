import { type CreateLinkInput, numberOf, UpdateLinkInput } from '@waymark/contract';
import { type Cells, RowError } from '../rows/row.ts';
import type { Columns } from './columns.ts';
import { hashtagsOf } from './hashtags.ts';
import { exactHost, type FileHosts, hostOfNames, hostsOfColumns } from './hosts.ts';
import { limitOfColumn } from './limits.ts';
import { slugsOf } from './slugs.ts';
import { CLEANED } from './texts.ts';
import { expiryOf, timeOf } from './times.ts';
import { booleanOf, checkScalar, isBlank, isNo, shown, textOf } from './values.ts';

/** A link that a row describes, as its creation has it, with its creation time. Its fields are not validated. */
export type FileLink = Partial<CreateLinkInput> & { created_at?: string };

const BOOLEANS = fieldsOfType('boolean');
const INTEGERS = fieldsOfType('integer');

function fieldsOfType(type: string): ReadonlySet<string> {
  const fields = Object.entries(UpdateLinkInput.properties as Record<string, { type?: unknown }>);
  return new Set(fields.filter(([, schema]) => [schema.type].flat().includes(type)).map(([field]) => field));
}

/** How rows are read. */
export interface RowReading {
  /** True if the texts are exactly those of links of Waymark. */
  isExact: boolean;
  hosts: FileHosts;
  /** Notes which columns of a field are filled, that of its value being first. */
  choose(filled: readonly string[]): void;
}

/**
 * Returns the link of a row; several if it has several slugs; none if the row is empty. If the row is not exact, what is
 * around a URL and cannot be seen is removed.
 * @throws {RowError} if the row has what cannot be kept, such as a password, or what cannot be read.
 */
export function linksOfRow(cells: Cells, columns: Columns, { isExact, hosts, choose }: RowReading): FileLink[] {
  if ([...cells.values()].every(isBlank)) return [];
  for (const column of columns.limits) limitOfColumn(column)!(cells.get(column), column);
  const link: Record<string, unknown> = {};
  for (const [field, names] of columns.sources) {
    if (field === 'slug' || field === 'host') continue;
    const filled = names.filter((name) => isFilled(field, cells.get(name)));
    const value = fieldValue(field, filled, cells);
    if (field !== 'expires_at') choose(filled);
    const cleaned = isExact || typeof value !== 'string' ? value : (CLEANED[field]?.(value) ?? value);
    if (cleaned !== undefined && (cleaned !== '' || isExact)) link[field] = cleaned;
  }
  const { sources } = columns;
  const named = hostsOfColumns(cells, sources.get('host') ?? []);
  const isNamed = isExact && sources.has('host');
  const slugs = slugsOf(cells, sources.get('slug') ?? []);
  return (slugs.length === 0 ? [{ hosts: [] }] : slugs).map(({ hosts: further, ...slug }) => {
    const host = isNamed ? exactHost(named, hosts) : hostOfNames([...named, ...further], hosts);
    return { ...link, ...slug, ...(host !== null && { host }) };
  });
}

const TEXTS: ReadonlySet<string> = new Set(['title', 'description', 'note', 'social_title', 'social_description']);

/** Returns true if the value says something. White space says something in a text only. */
function isFilled(field: string, value: unknown): boolean {
  return TEXTS.has(field) ? value !== undefined && value !== null && value !== '' : !isBlank(value);
}

/** Returns the value of a field, from the first of its columns that have one, or undefined. */
function fieldValue(field: string, [column, ...others]: readonly string[], cells: Cells): unknown {
  if (column === undefined) return undefined;
  const value = cells.get(column);
  switch (field) {
    case 'hashtags':
      return hashtagsOf(value, column);
    case 'rules':
      return rulesOf(value, column);
    case 'created_at':
      return timeOf('creation time', value, column)?.toISOString();
    case 'expires_at':
      return earliest([column, ...others].map((name) => expiryOf(cells.get(name), name)))?.toISOString();
    default:
      checkScalar(value, column);
      if (BOOLEANS.has(field)) return booleanOf(value);
      return INTEGERS.has(field) ? numberOf(textOf(value, column).trim()) : textOf(value, column);
  }
}

/** Returns the rules of a cell, which has them as JSON. Their creation checks them. */
function rulesOf(value: unknown, column: string): unknown {
  if (isNo(value)) return undefined;
  if (Array.isArray(value)) return value;
  try {
    return JSON.parse(textOf(value, column));
  } catch {
    throw new RowError(`The column ${shown(column)} must be a JSON list of rules.`);
  }
}

function earliest(times: readonly (Date | null)[]): Date | undefined {
  return times.filter((time) => time !== null).toSorted((a, b) => a.getTime() - b.getTime())[0];
}
