import { isHidden, type Link, slugKey } from '@waymark/contract';
import { createdAtOfLinkId } from '../database/ids.ts';
import { foldForSearch, searchTextOf } from '../search-text.ts';
import { shortUrlOf } from '../slugs/short-url.ts';
import { type LinkFields, shownOptionalFields } from './link-fields.ts';
import { hostKey, stateOf } from './link-keys.ts';

/**
 * A link as it is stored: the fields that clients see, and fields derived from them for the indexes. A link that was
 * stored before an optional field existed lacks that field.
 */
export interface LinkDocument extends LinkFields, DerivedFields {
  /** Starts with the id of the account and the creation time: see `newLinkId`. */
  _id: string;
  account_id: string;
  clicks: number;
  /** {@link NEVER_CLICKED} before the first click. */
  last_clicked_at: Date;
  created_at: Date;
  updated_at: Date;
  /** The hash of the row of a file that made it: see `rowHash`. */
  imported_row?: string;
}

/** Stands for no click. A range of times then finds links that were never clicked too. */
export const NEVER_CLICKED = new Date(0);

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

/** Returns the derived fields of a link. */
export function derivedFields(fields: LinkFields): DerivedFields {
  return {
    slug_key: slugKey(fields.slug),
    title_key: fields.title === null ? null : foldForSearch(fields.title),
    hidden: isHidden(fields.visibility),
    state: stateOf(fields.visibility, fields.archived),
    host_key: hostKey(new URL(fields.destination_url).hostname),
    search_text: searchTextOf(fields),
  };
}

/** Returns a link that was just created, at the time that its id has. */
export function newLink(_id: string, account_id: string, fields: LinkFields, imported_row?: string): LinkDocument {
  const created_at = new Date(createdAtOfLinkId(_id));
  return {
    _id,
    account_id,
    ...fields,
    ...derivedFields(fields),
    clicks: 0,
    last_clicked_at: NEVER_CLICKED,
    created_at,
    updated_at: created_at,
    ...(imported_row !== undefined && { imported_row }),
  };
}

/** The stored fields of a link that clients see. */
export type ShownLink = Omit<
  LinkDocument,
  keyof DerivedFields | 'account_id' | 'host_id' | 'password_hash' | 'imported_row'
>;

/** Returns the name of the host. A link that was stored before there were hosts lacks it. */
export function shownHost({ host }: { host?: string | null }): string | null {
  return host ?? null;
}

/** Returns a stored link as REST and MCP show it. `publicUrl` has no slash at its end. */
export function toLink(link: ShownLink, publicUrl: string): Link {
  const host = shownHost(link);
  return {
    id: link._id,
    host,
    slug: link.slug,
    short_url: shortUrlOf({ host, slug: link.slug }, publicUrl),
    destination_url: link.destination_url,
    ...shownOptionalFields(link),
    clicks: link.clicks,
    last_clicked_at: link.last_clicked_at > NEVER_CLICKED ? link.last_clicked_at.toISOString() : null,
    created_at: link.created_at.toISOString(),
    updated_at: link.updated_at.toISOString(),
  };
}
