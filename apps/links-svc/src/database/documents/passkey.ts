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
