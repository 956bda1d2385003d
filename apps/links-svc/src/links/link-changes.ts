import { randomUUID } from 'node:crypto';
import { AppError, type EventLink, type Health, LINK_NOT_FOUND_MESSAGE } from '@waymark/contract';
import type { AccountDraft } from '../changes/account-draft.ts';
import type { NeededRedirects } from '../changes/needed-redirects.ts';
import type { ClickLimitDocument } from '../database/documents/click-limit.ts';
import type { StoredHealth } from '../database/documents/destination.ts';
import {
  type Actor,
  CLICKS_FORGOTTEN,
  type EventData,
  type LinkEventType,
  type NewEvent,
} from '../database/documents/event.ts';
import type { LinkDocument, LinkFields } from '../database/documents/link.ts';
import { linkExpiryOf } from '../database/documents/link-expiry.ts';
import { REDIRECT_FIELDS, type RedirectDocument } from '../database/documents/redirect.ts';
import { deletedLink } from '../deletions/deleted-link.ts';
import { SYSTEM } from '../events/actor.ts';
import { redirectId } from '../slugs/redirect-id.ts';
import { clicksIdOf, nextClicksId } from './clicks-id.ts';
import { derivedFields, NEVER_CLICKED } from './link.ts';
import { shownOptionalFields, withOwnExpiry } from './link-fields.ts';
import { healthFields, shownHealth } from './link-health.ts';
import { noSuchHost } from './link-host.ts';
import { slugTaken } from './link-input.ts';
import type { LinkRef } from './link-ref.ts';
import { type LinkScope, viewsOf } from './link-scope.ts';
import { differing } from './link-values.ts';

/** About how many bytes a change of one link writes besides twice what was sent. */
export const LINK_CHANGE_BYTES = 8_192;
/** In the past by the clock of every replica. */
const LONG_AGO = new Date(0);

/**
 * Adds a link with its redirect and its event. The redirect of its slug must have been read.
 * @throws {AppError} `conflict` if its slug is taken; `invalid` if the account has its host no more.
 */
export function createLink(draft: AccountDraft, made: LinkDocument, actor: Actor): void {
  const { documents } = draft;
  const link = withNewLimit(draft, made);
  requireHost(draft, link);
  const redirect = redirectOf(link);
  if (documents.redirects.get(redirect._id) !== null) throw slugTaken(link.slug);
  documents.redirects.put(redirect);
  documents.links.put(link);
  setExpiry(draft, null, link);
  draft.count(link.state, 1);
  if (link.hidden) draft.changeHidden();
  appendLinkEvent(draft, { type: 'link.created', actor, link, redirect_ids: [redirect._id] });
}

/**
 * Returns a link as the draft has it, or null if it does not exist for the scope. A slug finds the link that has it after
 * the changes before this one. What {@link readsOfRef} names must have been read.
 */
export function findLink({ documents }: AccountDraft, scope: LinkScope, ref: LinkRef): LinkDocument | null {
  const id = 'id' in ref ? ref.id : documents.redirects.get(redirectId(ref.hostId, ref.slugKey))?.link_id;
  const link = id === undefined ? null : documents.links.get(id);
  return link !== null && scope.includes(link) ? link : null;
}

/**
 * Returns a link like {@link findLink}.
 * @throws {AppError} `not_found` if it does not exist for the scope.
 */
export function getLink(draft: AccountDraft, scope: LinkScope, ref: LinkRef): LinkDocument {
  const link = findLink(draft, scope, ref);
  if (link === null) throw new AppError('not_found', LINK_NOT_FOUND_MESSAGE);
  return link;
}

/** What changes in a link of a draft. */
export interface LinkUpdate {
  /** As the draft has it. */
  link: LinkDocument;
  fields: Partial<LinkFields>;
  /** Is asked for the redirect of a new slug or host. */
  needed: NeededRedirects;
  actor: Actor;
}

/**
 * Changes fields of a link of the draft, and returns it. If it has these values already, nothing changes and no event is
 * written.
 * @throws {AppError} `conflict` if another link has the slug; `invalid` if the account has the new host no more.
 *   {@link RepeatChange} if the redirect was not read.
 */
export function updateLink(draft: AccountDraft, { link, fields, needed, actor }: LinkUpdate): LinkDocument {
  const { documents, now } = draft;
  const changes = differing(link, fields);
  if (Object.keys(changes).length === 0) return link;
  const changed: LinkDocument = {
    ...withChanges(draft, link, changes),
    ...derivedFields({ ...link, ...changes }),
    // Nothing is known of another destination.
    ...(changes.destination_url !== undefined && healthFields(undefined)),
    // Always later than before, even if the clock went back.
    updated_at: new Date(Math.max(now.getTime(), link.updated_at.getTime() + 1)),
  };
  const [before, after] = [redirectOf(link), redirectOf(changed)];
  documents.redirects.know(before);
  if (changed.host_id !== link.host_id) requireHost(draft, changed);
  if (before._id !== after._id) {
    needed.require(draft, after._id);
    if (documents.redirects.get(after._id) !== null) throw slugTaken(changed.slug);
    documents.redirects.remove(before._id);
  }
  documents.redirects.put(after);
  documents.links.put(changed);
  setExpiry(draft, link, changed);
  draft.count(link.state, -1);
  draft.count(changed.state, 1);
  if (link.hidden !== changed.hidden) draft.changeHidden();
  const redirect_ids = [...new Set([before._id, after._id])];
  appendLinkEvent(draft, { type: 'link.updated', actor, link: changed, before: link, redirect_ids });
  return changed;
}

/**
 * Sets the health of a link of the draft that breaks or recovers. Like its clicks, that is no change of the link itself:
 * `updated_at` stays.
 */
export function reportHealth(draft: AccountDraft, link: LinkDocument, health: StoredHealth): void {
  const isBroken = health.state === 'broken';
  const reported: LinkDocument = {
    ...link,
    ...healthFields(health),
    reported_broken: isBroken ? true : undefined,
  };
  draft.documents.links.put(reported);
  appendLinkEvent(draft, {
    type: isBroken ? 'link.broken' : 'link.recovered',
    actor: SYSTEM,
    link: reported,
    health: shownHealth(health),
  });
}

/** Removes a link of the draft with its redirect. Its clicks are purged later. */
export function deleteLink(draft: AccountDraft, link: LinkDocument, actor: Actor): void {
  removeLink(draft, link);
  appendLinkEvent(draft, { type: 'link.deleted', actor, link, redirect_ids: [redirectIdOf(link)] });
}

/** Forgets the clicks of a link of the draft so far. They are purged later. */
export function forgetClicks(draft: AccountDraft, link: LinkDocument, actor: Actor): void {
  const { documents, now } = draft;
  const changed: LinkDocument = { ...link, clicks: 0, last_clicked_at: NEVER_CLICKED, clicks_id: nextClicksId(link) };
  documents.redirects.know(redirectOf(link));
  documents.redirects.put(redirectOf(changed));
  documents.links.put(changed);
  documents.deletedLinks.put(deletedLink(clicksIdOf(link), link.account_id, now));
  draft.changeHidden();
  draft.append({ type: CLICKS_FORGOTTEN, actor, link_id: link._id, redirect_ids: [redirectIdOf(link)], data: {} });
}

/** An event of a link before it gets its place in the log. */
export interface NewLinkEvent extends Pick<NewEvent, 'actor' | 'redirect_ids'> {
  type: LinkEventType;
  /** The link after the change, or as it was when it was deleted. */
  link: LinkDocument;
  /** The link before an update. */
  before?: LinkDocument;
  /** Of an event about it. */
  health?: Health;
}

/** Adds an event of a link to the log of its account. Keys that do not see all links need its views. */
export function appendLinkEvent(draft: AccountDraft, { link, before, health, ...event }: NewLinkEvent): void {
  const views = viewsOf(link);
  const hidden_from = before === undefined ? [] : viewsOf(before).filter((view) => !views.includes(view));
  draft.append({
    ...event,
    link_id: link._id,
    seen_by: [...views, ...hidden_from],
    ...(hidden_from.length > 0 && { hidden_from }),
    data: {
      link: { ...eventLink(link), ...(health !== undefined && { health }) },
      ...(before !== undefined && { changes: changesOf(before, link) }),
    },
  });
}

/** Removes a link of the draft like {@link deleteLink}, without an event: for an account whose log goes too. */
export function removeLink(draft: AccountDraft, link: LinkDocument): void {
  const { documents, now } = draft;
  const redirect = redirectOf(link);
  documents.redirects.know(redirect);
  documents.redirects.remove(redirect._id);
  documents.links.remove(link._id);
  setExpiry(draft, link, null);
  removeLimit(draft, link);
  documents.deletedLinks.put(deletedLink(clicksIdOf(link), link.account_id, now));
  draft.count(link.state, -1);
  draft.changeHidden();
}

/** A host may have been deleted since it was looked up. A deletion in turn sees the links of the host. */
function requireHost({ account }: AccountDraft, { host, host_id }: LinkDocument): void {
  if (host_id !== null && !account.hosts.some(({ id }) => id === host_id)) throw noSuchHost(host);
}

/**
 * Makes a link expire now of whose `max_clicks` nothing is left, unless another replica did, or another `max_clicks` was
 * set. The link and the limit must have been read.
 */
export function expireByClicks(draft: AccountDraft, limit: ClickLimitDocument): void {
  const { documents } = draft;
  if (documents.clickLimits.get(limit._id) === null) return;
  documents.clickLimits.remove(limit._id);
  const link = documents.links.get(limit.link_id);
  if (link?.limit_id !== limit._id) return;
  const { limit_id: _spent, ...rest } = link;
  const changed = { ...rest, own_expires_at: link.expires_at, expires_at: LONG_AGO };
  const redirect = redirectOf(link);
  documents.redirects.know(redirect);
  documents.redirects.put(redirectOf(changed));
  documents.links.put(changed);
  // Its event is this one.
  setExpiry(draft, link, null);
  appendLinkEvent(draft, { type: 'link.expired', actor: SYSTEM, link: changed, redirect_ids: [redirect._id] });
}

/** Returns a link with changes of its fields. A change of `max_clicks` begins to count anew. */
function withChanges(draft: AccountDraft, link: LinkDocument, changes: Partial<LinkFields>): LinkDocument {
  if (changes.max_clicks !== undefined) {
    removeLimit(draft, link);
    const { limit_id: _old, own_expires_at: _own, ...rest } = withOwnExpiry(link);
    return withNewLimit(draft, { ...rest, ...changes });
  }
  if (link.own_expires_at === undefined) return { ...link, ...changes };
  // Its clicks are used up, whatever time it has.
  const { expires_at = link.own_expires_at, ...others } = changes;
  return { ...link, ...others, own_expires_at: expires_at };
}

/** Returns the link with a new count of its redirects if it has `max_clicks`. */
function withNewLimit(draft: AccountDraft, link: LinkDocument): LinkDocument {
  if (link.max_clicks === null || link.max_clicks === undefined) return link;
  const limit_id = randomUUID();
  const { _id, account_id, max_clicks } = link;
  draft.documents.clickLimits.put({ _id: limit_id, account_id, link_id: _id, left: max_clicks });
  return { ...link, limit_id };
}

function removeLimit({ documents: { clickLimits } }: AccountDraft, { _id, account_id, limit_id }: LinkDocument): void {
  if (limit_id === undefined) return;
  // It was not read: visitors change it all the time.
  clickLimits.know({ _id: limit_id, account_id, link_id: _id, left: 0 });
  clickLimits.remove(limit_id);
}

/** Makes the event of the expiry of a link due at its time. Whether that of before is still due was not read. */
function setExpiry(
  { documents: { linkExpiries } }: AccountDraft,
  before: LinkDocument | null,
  after: LinkDocument | null,
) {
  const [from, to] = [before && linkExpiryOf(before), after && linkExpiryOf(after)];
  if (from?._id === to?._id) return;
  if (from !== null) {
    linkExpiries.know(from);
    linkExpiries.remove(from._id);
  }
  if (to !== null) linkExpiries.put(to);
}

function redirectIdOf({ host_id, slug }: LinkDocument): string {
  return redirectId(host_id, slug);
}

function redirectOf(link: LinkDocument): RedirectDocument {
  const fields = Object.fromEntries(REDIRECT_FIELDS.map((name) => [name, link[name]]));
  return {
    _id: redirectIdOf(link),
    link_id: link._id,
    account_id: link.account_id,
    ...(link.clicks_id !== undefined && { clicks_id: link.clicks_id }),
    ...(hasCard(link) && { has_card: true }),
    ...(fields as Pick<LinkDocument, (typeof REDIRECT_FIELDS)[number]>),
    ...(link.limit_id !== undefined && { limit_id: link.limit_id }),
  };
}

/** Returns true if link previews show texts of their own. A link of before these fields lacks them. */
function hasCard({ social_title, social_description, social_image_url }: LinkDocument): boolean {
  return Boolean(social_title || social_description || social_image_url);
}

function eventLink(link: LinkDocument): EventLink {
  const { note: _hidden, ...optional } = shownOptionalFields(link);
  return {
    id: link._id,
    host: link.host,
    slug: link.slug,
    destination_url: link.destination_url,
    ...optional,
    created_at: link.created_at.toISOString(),
    updated_at: link.updated_at.toISOString(),
  };
}

/** Returns the fields that clients see and that differ. Of a note only that it does. */
function changesOf(
  before: LinkDocument,
  after: LinkDocument,
): NonNullable<Extract<EventData, { link: unknown }>['changes']> {
  const shown = (link: LinkDocument): Record<string, unknown> => ({
    host: link.host,
    slug: link.slug,
    destination_url: link.destination_url,
    ...shownOptionalFields(link),
  });
  const [from, to] = [shown(before), shown(after)];
  const changes: ReturnType<typeof changesOf> = {};
  for (const name of Object.keys(to)) {
    if (JSON.stringify(from[name]) === JSON.stringify(to[name])) continue;
    changes[name] = name === 'note' ? {} : { from: from[name], to: to[name] };
  }
  return changes;
}
