import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';

/** What a challenge is for: to sign in, or to add a passkey to an account. */
export type ChallengePurpose = 'sign-in' | { accountId: string };

/** A valid challenge. */
export interface Challenge {
  /** Identifies it. */
  id: string;
  expiresAt: Date;
}

const LIFETIME_MS = 5 * 60_000;
const TIME_BYTES = 6;
const NONCE_BYTES = 16;
const MAC_BYTES = 32;
const SIGNED_BYTES = TIME_BYTES + NONCE_BYTES;

/**
 * Challenges that are signed rather than stored, so that requests without a key write nothing. A challenge is its end, a
 * random number, and the HMAC of both and of its purpose.
 */
export class Challenges {
  readonly #keys: readonly Buffer[];
  readonly #now: () => number;

  /** The first secret signs. Challenges that the others have signed work, too. */
  constructor(secrets: readonly string[], now: () => number) {
    this.#keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', 'waymark passkey challenge', 32)));
    this.#now = now;
  }

  /** Returns a new challenge of 54 bytes, which is valid for 5 minutes. */
  create(purpose: ChallengePurpose): Uint8Array<ArrayBuffer> {
    const signed = Buffer.alloc(SIGNED_BYTES);
    signed.writeUIntBE(this.#now() + LIFETIME_MS, 0, TIME_BYTES);
    randomBytes(NONCE_BYTES).copy(signed, TIME_BYTES);
    return new Uint8Array(Buffer.concat([signed, macOf(signed, purpose, this.#keys[0]!)]));
  }

  /** Returns the challenge, or null if it has expired or is not one of ours for this purpose. `text` is base64url. */
  read(text: string, purpose: ChallengePurpose): Challenge | null {
    const bytes = Buffer.from(text, 'base64url');
    if (bytes.length !== SIGNED_BYTES + MAC_BYTES) return null;
    const signed = bytes.subarray(0, SIGNED_BYTES);
    const mac = bytes.subarray(SIGNED_BYTES);
    if (!this.#keys.some((key) => timingSafeEqual(macOf(signed, purpose, key), mac))) return null;
    const expiresAt = new Date(signed.readUIntBE(0, TIME_BYTES));
    return expiresAt.getTime() > this.#now() ? { id: signed.toString('base64url'), expiresAt } : null;
  }
}

function macOf(signed: Buffer, purpose: ChallengePurpose, key: Buffer): Buffer {
  const text = purpose === 'sign-in' ? purpose : `add ${purpose.accountId}`;
  return createHmac('sha256', key).update(signed).update(text).digest();
}
