import { createHash } from 'node:crypto';
import { AppError, type CreateLinkInput, type Link } from '@waymark/contract';

/** A creation that was asked for with an `Idempotency-Key`. */
export interface IdempotencyDocument {
  /** Hash of the account, the key's scope and the `Idempotency-Key`. */
  _id: string;
  account_id: string;
  /** Hash of the body but for the password. */
  fingerprint: string;
  /** The password's slow hash: a fast hash of the body with it would give the password away. */
  password_hash: string | null;
  /** The id that the link has or will have, so that whoever finishes the creation makes the same link. */
  link_id: string;
  /** What was answered first; missing while the creation runs, or where it was cut off. */
  answer?: IdempotentAnswer;
  expires_at: Date;
}

/** What a creation was answered with: the link, or why there is none. */
export type IdempotentAnswer = { link: Link } | { conflict: string };

export const IDEMPOTENCY_LIFETIME_MS = 24 * 3_600_000;
const KEY_MAX_LENGTH = 255;

/** @throws {AppError} `invalid` where the header is no `Idempotency-Key` of 1 to 255 printable characters. */
export function checkIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  if (typeof header === 'string' && /^[\x20-\x7e\x80-\xff]+$/.test(header) && header.length <= KEY_MAX_LENGTH)
    return header;
  throw new AppError('invalid', `"Idempotency-Key" must be sent once, with 1 to ${KEY_MAX_LENGTH} characters.`);
}

/** The name under which a creation is kept: keys of different accounts and scopes never meet. */
export function idempotencyId(accountId: string, scope: string, key: string): string {
  return sha256(JSON.stringify([accountId, scope, key]));
}

/** What must be the same in the body of a repetition, its password apart. The order of its fields does not matter. */
export function fingerprintOf(input: CreateLinkInput): string {
  const { password, ...rest } = input;
  const fields = Object.entries({ ...rest, password: password !== undefined }).sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256(JSON.stringify(fields));
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url');
}
