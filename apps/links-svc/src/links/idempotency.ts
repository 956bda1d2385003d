import { createHash } from 'node:crypto';
import { AppError, type CreateLinkInput, type Link } from '@waymark/contract';

/** The record of a creation with an `Idempotency-Key`. */
export interface IdempotencyDocument {
  /** A hash of the account, the scope of its key and the `Idempotency-Key`. */
  _id: string;
  account_id: string;
  /** A hash of the body without the password. */
  fingerprint: string;
  /** The slow hash of the password. A fast hash of a body with the password would make the password easy to guess. */
  password_hash: string | null;
  /** The id of the link, chosen in advance, so that any request that finishes the creation creates the same link. */
  link_id: string;
  /** The first response. It is missing while the creation runs, or if the creation was interrupted. */
  answer?: IdempotentAnswer;
  expires_at: Date;
}

/** The result of a creation: the link, or the reason why there is none. */
export type IdempotentAnswer = { link: Link } | { conflict: string };

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

/** Returns the id of a creation's record. Different accounts and scopes never share one. */
export function idempotencyId(accountId: string, scope: string, key: string): string {
  return sha256(JSON.stringify([accountId, scope, key]));
}

/**
 * Returns a hash of what a repetition must send again, except the password. The order of the fields does not matter.
 */
export function fingerprintOf(input: CreateLinkInput): string {
  const { password, ...rest } = input;
  const fields = Object.entries({ ...rest, password: password !== undefined }).sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256(JSON.stringify(fields));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
