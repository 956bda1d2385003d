import type { LinkDocument } from './link.ts';

/** A link that is to expire by time, until its event is in the log. */
export interface LinkExpiryDocument {
  /** The link and `due_at`, so that another time is another document. */
  _id: string;
  account_id: string;
  link_id: string;
  due_at: Date;
}

/** Returns the document of a link, or null if it does not expire. */
export function linkExpiryOf({
  _id,
  account_id,
  expires_at,
}: Pick<LinkDocument, '_id' | 'account_id' | 'expires_at'>): LinkExpiryDocument | null {
  if (expires_at === null) return null;
  return { _id: `${_id}:${expires_at.getTime()}`, account_id, link_id: _id, due_at: expires_at };
}
