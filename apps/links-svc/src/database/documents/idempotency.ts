import type { Binary } from 'mongodb';

/** The record of a request with an `Idempotency-Key`. It is written in the transaction that does what was requested. */
export interface IdempotencyDocument {
  /** A hash of the account, the scope of its key and the `Idempotency-Key`. */
  _id: string;
  account_id: string;
  /** A hash of the body without passwords. */
  fingerprint: string;
  /** The slow hash of the passwords. A fast hash of a body with a password would make the password easy to guess. */
  password_hash: string | null;
  /** See `packAnswer`. */
  answer: Binary;
  expires_at: Date;
}
