import { isHidden, type Link, slugKey } from '@waymark/contract';
import { type LinkFields, shownOptionalFields } from './link-fields.ts';
import { foldForSearch, searchTextOf } from './search.ts';

/**
 * A link as it is stored: what clients see of it, and what is derived from that for the indexes. A link that was stored
 * before an optional field existed lacks it.
 */
export interface LinkDocument extends LinkFields, DerivedFields {
  /** Begins with the account's id and the moment of creation: see `newLinkId`. */
  _id: string;
  account_id: string;
  clicks: number;
  last_clicked_at: Date | null;
  created_at: Date;
  updated_at: Date;
  /** By the database's clock: when it was last updated; missing if it never was. For the replicas' caches. */
  changed_at?: Date;
  /** Raised by every update: an update that was made from an older revision is made again from the present one. */
  revision: number;
}

/** What {@link derivedFields} makes of {@link LinkFields}: written with them, never without. */
export interface DerivedFields {
  /** `slug` in lower case: unique in the service. */
  slug_key: string;
  /** `title` folded, for the sort; null sorts first. */
  title_key: string | null;
  /** True if a Public Links Only key must not see the link. */
  hidden: boolean;
  /** The searched fields folded, one on each line. */
  search_text: string;
}

/** Raise it if {@link derivedFields} makes anything else of the same fields: stored links are then derived again. */
export const DERIVED_FIELDS_VERSION = 1;

/** Returns the derived fields of a link. */
export function derivedFields(fields: LinkFields): DerivedFields {
  return {
    slug_key: slugKey(fields.slug),
    title_key: fields.title === null ? null : foldForSearch(fields.title),
    hidden: isHidden(fields.visibility),
    search_text: searchTextOf(fields),
  };
}

/** What clients are shown of a stored link. */
export type ShownLink = Omit<
  LinkDocument,
  keyof DerivedFields | 'account_id' | 'password_hash' | 'revision' | 'changed_at'
>;

/** Returns a stored link as REST and MCP show it. `publicUrl` is without a slash at its end. */
export function toLink(link: ShownLink, publicUrl: string): Link {
  return {
    id: link._id,
    slug: link.slug,
    short_url: `${publicUrl}/${link.slug}`,
    destination_url: link.destination_url,
    ...shownOptionalFields(link),
    clicks: link.clicks,
    last_clicked_at: link.last_clicked_at?.toISOString() ?? null,
    created_at: link.created_at.toISOString(),
    updated_at: link.updated_at.toISOString(),
  };
}
