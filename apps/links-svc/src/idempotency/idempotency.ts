import { createHash } from 'node:crypto';
import type { AccountIdentity } from '@waymark/auth';
import {
  AppError,
  type BulkOperation,
  type CreateLinkInput,
  type UpdateLinkInput,
  type UpsertLinkInput,
} from '@waymark/contract';

export const IDEMPOTENCY_REUSED_MESSAGE =
  '"Idempotency-Key" was used with another body; send a new key for a new request.';

export const IDEMPOTENCY_LIFETIME_MS = 24 * 3_600_000;
const KEY_MAX_LENGTH = 255;

/**
 * Returns the `Idempotency-Key` header, or undefined if none was sent.
 * @throws {AppError} `invalid` if it is not a single value of 1 to 255 printable characters.
 */
export function checkIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^[\x20-\x7e\x80-\xff]+$/.test(header) && header.length <= KEY_MAX_LENGTH)
    return header;
  throw new AppError('invalid', `"Idempotency-Key" must be sent once, with 1 to ${KEY_MAX_LENGTH} characters.`);
}

/** Returns the id of a record. Different accounts, scopes and restricted keys never share one. */
export function idempotencyId(
  { accountId, scope, key: restricted }: Pick<AccountIdentity, 'accountId' | 'scope' | 'key'>,
  key: string,
): string {
  return sha256(JSON.stringify([accountId, scope, key, ...(restricted === undefined ? [] : [restricted.id])]));
}

/**
 * Returns a hash of what a repetition must send again, except the password. The order of the fields does not matter.
 */
export function fingerprintOf(input: CreateLinkInput | UpdateLinkInput | UpsertLinkInput): string {
  const { password, ...rest } = input;
  const fields = Object.entries({ ...rest, password: password !== undefined }).sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256(JSON.stringify(fields));
}

/** Returns a hash of what a repetition of a bulk edit must send again, except the passwords. */
export function bulkFingerprintOf(
  operations: readonly (BulkOperation | AppError)[],
  fields: string | undefined,
): string {
  const parts = operations.map((one) => {
    if (one instanceof AppError) return ['malformed', one.message];
    if (one.op === 'delete') return [one.op, one.id];
    return [one.op, one.op === 'update' ? one.id : '', fingerprintOf(one.link)];
  });
  if (fields !== undefined) parts.push(['fields', fields]);
  return sha256(JSON.stringify(['bulk', ...parts]));
}

/** Returns a hash of what a repetition of a job must send again. The order of the fields does not matter. */
export function jobFingerprintOf(input: object): string {
  return sha256(JSON.stringify(['job', sorted(input)]));
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.entries(value)
    .map(([name, field]) => [name, sorted(field)])
    .sort(([a], [b]) => ((a as string) < (b as string) ? -1 : 1));
}

/** Returns one text for all passwords of a bulk edit, so that one slow hash is enough, or null if there are none. */
export function bulkPasswordsOf(operations: readonly (BulkOperation | AppError)[]): string | null {
  const passwords = operations.flatMap((one) =>
    one instanceof AppError || one.op === 'delete' || one.link.password == null ? [] : [one.link.password],
  );
  return passwords.length === 0 ? null : sha256(JSON.stringify(passwords));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
