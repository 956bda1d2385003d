import type { Role } from '@waymark/contract';

/** A session of the dashboard as it is stored. Each use moves its end. An index deletes it then. */
export interface SessionDocument {
  /** SHA-256 of the session's token, in hexadecimal. It is the id of the session within the service. */
  _id: string;
  account_id: string;
  /** `sign_outs` of the account when the sign-in link was made. The session works only while they are equal. */
  sign_outs: number;
  /** When its person signed in: a session that it was switched to has the same time. */
  created_at: Date;
  expires_at: Date;
  /** Not of the owner of the account. */
  person?: SessionPerson;
}

/** A person of an OpenID provider, or the holder of a link with a role, and what they may do, as of their sign-in. */
export interface SessionPerson {
  /** Both together identify the person. Empty for the holder of a link. */
  iss: string;
  sub: string;
  name: string;
  /** One of each account. */
  grants: SessionGrant[];
}

export interface SessionGrant {
  account_id: string;
  role: Role;
  /** `sign_outs` of the account at the sign-in. The grant works only while they are equal. */
  sign_outs: number;
}

/** A sign-in link that was not used yet. An index deletes it when it expires. */
export interface SignInLinkDocument {
  /** SHA-256 of the link's token, in hexadecimal. */
  _id: string;
  account_id: string;
  /** `sign_outs` of the account when the link was made. The link works only while they are equal. */
  sign_outs: number;
  expires_at: Date;
  /** Not of a link for the owner. */
  person?: SessionPerson;
  /** SHA-256 of what the browser must send with the token, as base64url. Only after a sign-in at an OpenID provider. */
  challenge?: string;
}
