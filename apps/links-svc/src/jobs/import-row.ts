import { createHash } from 'node:crypto';
import { AppError, CreateLinkInput, validatorIgnoringNull } from '@waymark/contract';
import type { LinkFileRow } from '@waymark/link-files';
import type { RowLink, StoredRow } from '../database/documents/job.ts';

const check = validatorIgnoringNull(CreateLinkInput);

/** Services write local times without their zone. A link that is from so far ahead is from now. */
const AHEAD_MAX_MS = 24 * 3_600_000;

/** Returns a row of a file as it is stored, as of `now`. Its creation time stays, so that a repeated import knows it. */
export function storedRow(read: LinkFileRow, now: Date): StoredRow {
  const { row } = read;
  if ('error' in read) return read;
  const { created_at, ...fields } = read.link;
  try {
    const createdAt = created_at === undefined ? null : new Date(created_at);
    if (createdAt !== null && !(createdAt.getTime() >= 0 && createdAt.getTime() <= now.getTime() + AHEAD_MAX_MS))
      throw new AppError('invalid', '"created_at" must be between 1970 and the present.');
    const { auto_meta: _never, ...input } = check(fields);
    return { row, link: { input, created_at: createdAt } };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return { row, error: error.message };
  }
}

/** Returns a hash of everything that a row says about a link of an account. A repeated import recognizes the link by it. */
export function rowHash(accountId: string, { input, created_at }: RowLink): string {
  const fields = Object.entries(input).sort(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify([accountId, fields, created_at]);
  return createHash('sha256').update(text).digest('base64url');
}
