import { isHidden, type Link, slugKey } from '@waymark/contract';
import type { DerivedFields, LinkDocument, LinkFields } from '../database/documents/link.ts';
import { createdAtOfLinkId } from '../database/ids.ts';
import { foldForSearch, searchTextOf } from '../search-text.ts';
import { shortUrlOf } from '../slugs/short-url.ts';
import { hostKey, stateOf } from './indexed-values.ts';
import { shownOptionalFields } from './link-fields.ts';
import { shownHealth } from './link-health.ts';

/** Stands for no click. A range of times then finds links that were never clicked too. */
export const NEVER_CLICKED = new Date(0);

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
  | keyof DerivedFields
  | 'account_id'
  | 'host_id'
  | 'password_hash'
  | 'limit_id'
  | 'imported_row'
  | 'broken'
  | 'reported_broken'
>;

/** Returns a stored link as REST and MCP show it. `publicUrl` has no slash at its end. */
export function toLink(link: ShownLink, publicUrl: string): Link {
  return {
    id: link._id,
    host: link.host,
    slug: link.slug,
    short_url: shortUrlOf(link, publicUrl),
    destination_url: link.destination_url,
    ...shownOptionalFields(link),
    health: shownHealth(link.health),
    clicks: link.clicks,
    last_clicked_at: link.last_clicked_at > NEVER_CLICKED ? link.last_clicked_at.toISOString() : null,
    created_at: link.created_at.toISOString(),
    updated_at: link.updated_at.toISOString(),
  };
}
