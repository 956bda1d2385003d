import type { RedirectCode, Rule, Visibility } from '@waymark/contract';
import type { StoredHealth } from './destination.ts';

/** The host of a link: its name, and the id of the account's host. Both are null for the default host. */
export interface LinkHost {
  host: string | null;
  host_id: string | null;
}

/** Returns the condition that a link is on a short host. It has the condition of the index, which has no other links. */
export function onShortHost(host: string) {
  return { $eq: host, $gt: '' };
}

/** Returns the condition that a tool owns a link. It has the condition of the index, which has no other links. */
export function managedBy(name: string) {
  return { $eq: name, $gt: '' };
}

/** The fields of a link that clients can write, as they are stored. */
export interface LinkFields extends LinkHost {
  slug: string;
  destination_url: string;
  title: string | null;
  description: string | null;
  note: string | null;
  hashtags: string[];
  visibility: Visibility;
  password_hash: string | null;
  expires_at: Date | null;
  expired_url: string | null;
  archived: boolean;
  max_clicks: number | null;
  redirect_code: RedirectCode;
  rules: Rule[];
  social_title: string | null;
  social_description: string | null;
  social_image_url: string | null;
  managed_by: string | null;
}

/** A link as it is stored: the fields that clients see, and fields derived from them for the indexes. */
export interface LinkDocument extends LinkFields, DerivedFields {
  /** Starts with the id of the account and the creation time: see `newLinkId`. */
  _id: string;
  account_id: string;
  clicks: number;
  /** {@link NEVER_CLICKED} before the first click. */
  last_clicked_at: Date;
  created_at: Date;
  updated_at: Date;
  /** The name of its clicks, once earlier ones were forgotten: see `clicksIdOf`. */
  clicks_id?: string;
  /** The count of its redirects, while `max_clicks` allows some (`ClickLimitDocument`). */
  limit_id?: string;
  /** Once all of `max_clicks` are used, the `expires_at` of clients. `expires_at` is the time of that then. */
  own_expires_at?: Date | null;
  /** The hash of the row of a file that made it: see `rowHash`. */
  imported_row?: string;
  /** What is known of its destination. Missing where nothing is. */
  health?: StoredHealth | undefined;
  /** True if `health` says so. For the index. */
  broken?: true | undefined;
  /** True if the last event about its health was that it is broken. */
  reported_broken?: true | undefined;
}

/** The fields that {@link derivedFields} computes from {@link LinkFields}. They are always written together. */
export interface DerivedFields {
  /** `slug` in lower case. */
  slug_key: string;
  /** `title` folded for sorting. Null sorts first. */
  title_key: string | null;
  /** True if a Public Links Only key must not see the link. */
  hidden: boolean;
  /** See {@link stateOf}. */
  state: string;
  /** See {@link hostKey}. */
  host_key: string;
  /** The searched fields, folded, one on each line. */
  search_text: string;
}
