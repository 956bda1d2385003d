import { AppError } from '@waymark/contract';
import type { ChangedFields } from '../database/documents/job.ts';
import type { LinkDocument, LinkFields } from '../database/documents/link.ts';
import { differing, isSame, valuesOf } from '../links/link-values.ts';

/**
 * Returns the fields of a link that an undo changes: those that still have the values that the job wrote.
 * @throws {AppError} `invalid` if other fields were changed since, and nothing is left to restore.
 */
export function fieldsToRestore(link: LinkDocument, { before, after }: ChangedFields): Partial<LinkFields> {
  const now = valuesOf(link, after) as Record<string, unknown>;
  const isKept = (name: string) => isSame(now[name], after[name as keyof LinkFields]);
  const restored = Object.fromEntries(Object.entries(before).filter(([name]) => isKept(name)));
  const others = Object.keys(differing(link, before)).filter((name) => !isKept(name));
  if (others.length === 0 || Object.keys(restored).length > 0) return restored;
  // The id of a host is no field that clients know.
  const names = others.filter((name) => name !== 'host_id').map((name) => `"${name}"`);
  throw new AppError('invalid', `${names.join(', ')} ${names.length === 1 ? 'was' : 'were'} changed since the job.`);
}
