import { foldHashtag, hostOfDomain, type ListLinksQuery, timeOfMoment } from '@waymark/contract';
import type { Filter } from 'mongodb';
import { type LinkDocument, NEVER_CLICKED } from '../links/link.ts';
import { type HostKeyRange, hostKeyRange } from '../links/link-keys.ts';
import type { Search } from '../search/search.ts';

export type LinkFilter = Pick<ListLinksQuery, 'hashtag' | 'domain' | 'last_clicked_before'>;

/** The conditions of a list besides visibility and `archived`, which are in the scope's filter. */
export interface LinkConditions {
  /** Folded hashtags, all of which the link has. */
  hashtags: string[];
  /** The range of its host key. */
  hosts: HostKeyRange | undefined;
  slugKey: string | undefined;
  clickedBefore: Date | undefined;
}

/** Returns the conditions of a list, from its filters and from the terms of its search that are filters too. */
export function conditionsOf(
  { hashtag, domain, last_clicked_before }: LinkFilter,
  { hashtags, slugKey }: Pick<Search, 'hashtags' | 'slugKey'>,
): LinkConditions {
  return {
    hashtags: [...new Set(hashtag === undefined ? hashtags : [foldHashtag(hashtag), ...hashtags])],
    hosts: domain === undefined ? undefined : hostKeyRange(hostOfDomain(domain)!),
    slugKey,
    clickedBefore: last_clicked_before === undefined ? undefined : timeOfMoment(last_clicked_before)!,
  };
}

/** Returns conditions as a filter that an index serves. */
export function filterOf({ hashtags, hosts, slugKey, clickedBefore }: LinkConditions): Filter<LinkDocument> {
  const [first, ...others] = hashtags;
  return {
    // An index serves only `$eq`.
    ...(first !== undefined && { hashtags: { $eq: first, ...(others.length > 0 && { $all: others }) } }),
    ...(slugKey !== undefined && { slug_key: slugKey }),
    ...(hosts !== undefined && { host_key: { ...hosts } }),
    ...(clickedBefore !== undefined && { last_clicked_at: { $lt: afterNever(clickedBefore) } }),
  };
}

/** Returns the time, or one just after {@link NEVER_CLICKED}: links that were never clicked match any time. */
function afterNever(time: Date): Date {
  return new Date(Math.max(time.getTime(), NEVER_CLICKED.getTime() + 1));
}
