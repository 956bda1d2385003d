/** A session of the dashboard as it is stored. Each use moves its end. An index deletes it then. */
export interface SessionDocument {
  /** SHA-256 of the session's token, in hexadecimal. It is the id of the session within the service. */
  _id: string;
  account_id: string;
  /** `sign_outs` of the account when the sign-in link was made. The session works only while they are equal. */
  sign_outs: number;
  created_at: Date;
  expires_at: Date;
}

/** A sign-in link that was not used yet. An index deletes it when it expires. */
export interface SignInLinkDocument {
  /** SHA-256 of the link's token, in hexadecimal. */
  _id: string;
  account_id: string;
  /** `sign_outs` of the account when the link was made. The link works only while they are equal. */
  sign_outs: number;
  expires_at: Date;
}
