import { AppError, type LinkFileFormat } from '@waymark/contract';
import { shownNames } from './columns.ts';
import { normalizedName } from './fields.ts';

/** For each service, the columns that tell each of its exports, as {@link normalizedName} returns them. */
const MARKS: Record<LinkFileFormat, readonly (readonly string[])[]> = {
  bitly: [['bitlink'], ['custombitlinks'], ['customlink'], ['link', 'longurl']],
  dub: [
    ['shortlink', 'destinationurl'],
    ['shortlink', 'url'],
  ],
  kutt: [['address', 'target']],
  shlink: [
    ['shortcode', 'longurl'],
    ['shorturl', 'longurl', 'visits'],
  ],
  yourls: [
    ['keyword', 'url'],
    ['shorturl', 'url'],
    ['source', 'target'],
  ],
  // Last, because others have such a column, too.
  waymark: [['destinationurl']],
};

/** Returns the service that exports files with these columns, or `auto` if it is none of those that are known. */
export function formatOfColumns(names: readonly string[]): LinkFileFormat | 'auto' {
  const formats = Object.keys(MARKS) as LinkFileFormat[];
  return formats.find((format) => hasMarks(names, format)) ?? 'auto';
}

/**
 * Checks that a file with these columns can be an export of this service.
 * @throws {AppError} `invalid`
 */
export function checkFormat(format: LinkFileFormat, names: readonly string[]): void {
  if (hasMarks(names, format)) return;
  const needed = MARKS[format].map((columns) => columns.join(' and ')).join(', or ');
  throw new AppError(
    'invalid',
    `The file is not an export of ${format}: that has the columns ${needed}; this has ${shownNames(names)}.`,
  );
}

function hasMarks(names: readonly string[], format: LinkFileFormat): boolean {
  const normalized = new Set(names.map(normalizedName));
  return MARKS[format].some((columns) => columns.every((column) => normalized.has(column)));
}
