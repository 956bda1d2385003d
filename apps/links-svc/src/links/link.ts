import { isHidden, type Link, slugKey, type Visibility } from '@waymark/contract';
import { foldForSearch, searchTextOf } from './search.ts';

/** A link as it is stored: what clients see of it, and what is derived from that for the indexes. */
export interface LinkDocument extends LinkFields, DerivedFields {
  /** Begins with the account's id and the moment of creation: see `newLinkId`. */
  _id: string;
  account_id: string;
  clicks: number;
  last_clicked_at: Date | null;
  created_at: Date;
  updated_at: Date;
  /** By the database's clock: when it was last updated; missing where it never was. For the replicas' caches. */
  changed_at?: Date;
  /** Raised by every update: an update that was made from an older revision is made again from the present one. */
  revision: number;
}

/** What a client may write. */
export interface LinkFields {
  slug: string;
  destination_url: string;
  title: string | null;
  description: string | null;
  note: string | null;
  hashtags: string[];
  visibility: Visibility;
  password_hash: string | null;
}

/** What {@link derivedFields} makes of {@link LinkFields}: written with them, never without. */
export interface DerivedFields {
  /** `slug` in lower case: unique in the service. */
  slug_key: string;
  /** `title` folded, for the sort; null sorts first. */
  title_key: string | null;
  /** True where a Public Links Only key must not see the link. */
  hidden: boolean;
  /** The searched fields folded, one on each line. */
  search_text: string;
}

/** Raise it if {@link derivedFields} makes anything else of the same fields: stored links are then derived again. */
export const DERIVED_FIELDS_VERSION = 1;

/** The derived fields of a link. */
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

/** A stored link as every door shows it. `publicUrl` is without a slash at its end. */
export function toLink(link: ShownLink, publicUrl: string): Link {
  return {
    id: link._id,
    slug: link.slug,
    short_url: `${publicUrl}/${link.slug}`,
    destination_url: link.destination_url,
    title: link.title,
    description: link.description,
    note: link.note,
    hashtags: link.hashtags,
    visibility: link.visibility,
    clicks: link.clicks,
    last_clicked_at: link.last_clicked_at?.toISOString() ?? null,
    created_at: link.created_at.toISOString(),
    updated_at: link.updated_at.toISOString(),
  };
}
