import { foldHashtag, hostOfDomain, type ListLinksQuery, timeOfMoment } from '@waymark/contract';
import type { Filter } from 'mongodb';
import { type LinkDocument, NEVER_CLICKED } from './link.ts';
import { hostKeyRange } from './link-keys.ts';
import type { Search } from './search.ts';

export type LinkFilter = Pick<ListLinksQuery, 'hashtag' | 'domain' | 'last_clicked_before'>;

/** Returns the conditions of a list that an index serves. Visibility and `archived` are in the scope's filter. */
export function conditionsOf(
  { hashtag, domain, last_clicked_before }: LinkFilter,
  { hashtags, slugKey }: Pick<Search, 'hashtags' | 'slugKey'>,
): Filter<LinkDocument> {
  const [first, ...others] = new Set(hashtag === undefined ? hashtags : [foldHashtag(hashtag), ...hashtags]);
  return {
    // An index serves only `$eq`.
    ...(first !== undefined && { hashtags: { $eq: first, ...(others.length > 0 && { $all: others }) } }),
    ...(slugKey !== undefined && { slug_key: slugKey }),
    ...(domain !== undefined && { host_key: hostKeyRange(hostOfDomain(domain)!) }),
    ...(last_clicked_before !== undefined && {
      last_clicked_at: { $lt: afterNever(timeOfMoment(last_clicked_before)!) },
    }),
  };
}

/** Returns the time, or one just after {@link NEVER_CLICKED}: links that were never clicked match any time. */
function afterNever(time: Date): Date {
  return new Date(Math.max(time.getTime(), NEVER_CLICKED.getTime() + 1));
}
