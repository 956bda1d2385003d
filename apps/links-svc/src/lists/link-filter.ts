import {
  foldHashtag,
  type HealthState,
  hostOfDomain,
  hostOfFilter,
  type ListLinksQuery,
  timeOfMoment,
} from '@waymark/contract';
import type { Filter } from 'mongodb';
import { type LinkDocument, managedBy, onShortHost } from '../database/documents/link.ts';
import { type IdRange, linkIdRange } from '../database/ids.ts';
import { type HostKeyRange, hostKeyRange } from '../links/indexed-values.ts';
import { NEVER_CLICKED } from '../links/link.ts';
import type { LinkScope } from '../links/link-scope.ts';
import type { Expiry } from '../search/link-matcher.ts';
import type { Search } from '../search/search.ts';
import type { SlugOnHost } from '../slugs/short-urls.ts';

export type LinkFilter = Pick<
  ListLinksQuery,
  | 'hashtag'
  | 'domain'
  | 'host'
  | 'managed_by'
  | 'health'
  | 'created_before'
  | 'created_after'
  | 'expired'
  | 'destination_url'
  | 'last_clicked_before'
>;

/** The conditions of a list besides visibility and `archived`, which are in the scope's filter. */
export interface LinkConditions {
  /** The range of its id, which has its creation time. */
  ids: IdRange | undefined;
  /** Folded hashtags, all of which the link has. */
  hashtags: string[];
  /** The range of its host key. */
  hosts: HostKeyRange | undefined;
  slug: SlugOnHost | undefined;
  /** The name of its short host. Null is the default host. */
  shortHost: string | null | undefined;
  managedBy: string | undefined;
  health: LinkFilter['health'];
  destinationUrl: string | undefined;
  expiry: Expiry | undefined;
  clickedBefore: Date | undefined;
}

/** Returns the conditions of a list, from its filters, the hashtag of a key, and the terms of its search that are filters. */
export function conditionsOf(
  { accountId, hashtag: ofKey }: Pick<LinkScope, 'accountId' | 'hashtag'>,
  filter: LinkFilter,
  { hashtags, slug }: Pick<Search, 'hashtags' | 'slug'>,
  now: Date,
): LinkConditions {
  const { hashtag, domain, host, managed_by, created_before, created_after } = filter;
  const { health, expired, destination_url, last_clicked_before } = filter;
  const created = {
    ...(created_after !== undefined && { after: timeOfMoment(created_after)! }),
    ...(created_before !== undefined && { before: timeOfMoment(created_before)! }),
  };
  return {
    ids: Object.keys(created).length === 0 ? undefined : linkIdRange(accountId, created),
    hashtags: [
      ...new Set([
        ...(ofKey === null ? [] : [ofKey]),
        ...(hashtag === undefined ? [] : [foldHashtag(hashtag)]),
        ...hashtags,
      ]),
    ],
    hosts: domain === undefined ? undefined : hostKeyRange(hostOfDomain(domain)!),
    slug,
    shortHost: host === undefined ? undefined : hostOfFilter(host),
    managedBy: managed_by,
    health,
    destinationUrl: destination_url,
    expiry: expired === undefined ? undefined : { isExpired: expired === 'true', at: now },
    clickedBefore: last_clicked_before === undefined ? undefined : timeOfMoment(last_clicked_before)!,
  };
}

const OF_HEALTH: Record<HealthState, Filter<LinkDocument>> = {
  ok: { 'health.state': 'ok' },
  broken: { broken: true },
  unknown: { health: { $exists: false } },
};

/**
 * Returns the links in the scope that have one of these states and meet the conditions, which are of the same scope, as a
 * filter that an index serves.
 */
export function filterOf(
  scope: LinkScope,
  states: readonly string[],
  conditions: LinkConditions,
): Filter<LinkDocument> {
  const { ids, hashtags, hosts, slug, shortHost, destinationUrl, expiry, clickedBefore } = conditions;
  const { managedBy: owner, health } = conditions;
  const [first, ...others] = hashtags;
  return {
    ...scope.byStates(states),
    ...(ids !== undefined && { _id: { ...ids } }),
    // That of the scope is the first one. An index serves only `$eq`.
    ...(first !== undefined && { hashtags: { $eq: first, ...(others.length > 0 && { $all: others }) } }),
    ...(slug !== undefined && { slug_key: slug.slugKey, host_id: slug.hostId }),
    ...(shortHost !== undefined && { host: shortHost === null ? null : onShortHost(shortHost) }),
    ...(owner !== undefined && { managed_by: managedBy(owner) }),
    ...(health !== undefined && OF_HEALTH[health]),
    ...(hosts !== undefined && { host_key: { ...hosts } }),
    ...(destinationUrl !== undefined && { destination_url: destinationUrl }),
    ...(expiry !== undefined && { expires_at: expiresAt(expiry) }),
    ...(clickedBefore !== undefined && { last_clicked_at: { $lt: afterNever(clickedBefore) } }),
  };
}

/** Returns a filter of the links whose search text contains all of these folded texts. No index serves it. */
export function containing(terms: readonly string[]): Filter<LinkDocument> {
  const escaped = terms.map((term) => term.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  return escaped.length === 0 ? {} : { $and: escaped.map((pattern) => ({ search_text: { $regex: pattern } })) };
}

/** A comparison finds dates only: a link without one never expires. */
function expiresAt({ isExpired, at }: Expiry) {
  return isExpired ? { $lte: at } : { $not: { $lte: at } };
}

/** Returns the time, or one just after {@link NEVER_CLICKED}: links that were never clicked match any time. */
function afterNever(time: Date): Date {
  return new Date(Math.max(time.getTime(), NEVER_CLICKED.getTime() + 1));
}
