import { createHash } from 'node:crypto';
import type { Passkey } from '@waymark/contract';
import type { Binary } from 'mongodb';

/** A passkey (a discoverable credential of WebAuthn) as it is stored. */
export interface PasskeyDocument {
  /** See {@link passkeyId}. Two accounts cannot have the same credential. */
  _id: string;
  account_id: string;
  name: string;
  /** The credential's id, in base64url. */
  credential_id: string;
  /** In COSE, as the authenticator wrote it. */
  public_key: Binary;
  /** The signature counter of the last use. Many authenticators always have 0. */
  counter: number;
  /** How the browser reaches the authenticator. */
  transports: string[];
  created_at: Date;
  /** Missing until the first sign-in. */
  last_used_at?: Date;
}

/** A challenge that was used. An index deletes it some time after the challenge has expired. */
export interface UsedChallengeDocument {
  _id: string;
  expires_at: Date;
}

/** Returns the id under which a credential is stored. Ids of credentials have up to 1,023 bytes. */
export function passkeyId(credentialId: string): string {
  return createHash('sha256').update(credentialId, 'utf8').digest('hex');
}

/** Returns a passkey as clients see it. */
export function shownPasskey({ _id, name, created_at, last_used_at }: PasskeyDocument): Passkey {
  return {
    id: _id,
    name,
    created_at: created_at.toISOString(),
    last_used_at: last_used_at?.toISOString() ?? null,
  };
}
