import type { LinkDocument, LinkFields } from './link.ts';

/** The fields of a link that a redirect reads. */
export const REDIRECT_FIELDS = [
  'destination_url',
  'visibility',
  'password_hash',
  'expires_at',
  'expired_url',
  'redirect_code',
  'rules',
] as const satisfies readonly (keyof LinkFields)[];

/**
 * All that a redirect needs, in one document. Its id makes a slug unique on its host, on shards too. It is written in the
 * same transaction as its link.
 */
export interface RedirectDocument extends Pick<LinkFields, (typeof REDIRECT_FIELDS)[number]> {
  /** See `redirectId`. */
  _id: string;
  link_id: string;
  /** As the link has it. */
  clicks_id?: string;
  account_id: string;
  limit_id?: LinkDocument['limit_id'];
  /** True if link previews get a card of their own: see `hasCard`. */
  has_card?: true;
}
