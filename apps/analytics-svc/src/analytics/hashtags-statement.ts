import { isUtmName, MAX_CROSS } from '@waymark/contract';
import { type ClickQuery, type LinkHashtags, spanOf } from './click-query.ts';
import { inSpan, LISTED, linkNumbersAs, matchingListed, matchingOf, startedAt, textsOf } from './conditions.ts';

/** The order of the entries of `cross`: most clicks first, then by both names. */
export function crossOrder({ cross }: ClickQuery): string {
  return cross?.[0] === 'day' ? 'started_at, name' : 'name, second, started_at';
}

/** Returns the scalar that {@link crossedWithHashtags} needs: the numbers in the table of the links that have hashtags. */
export function taggedLinks({ linkIds }: LinkHashtags): string {
  return linkNumbersAs('tagged', linkIds);
}

/**
 * Returns the statement for the rows of `cross` if one of its parts is `hashtag`. Clicks are counted by link first, and
 * then for each hashtag of the link. Hashtags are numbers until the end, because grouping by numbers is faster.
 */
export function crossedWithHashtags(query: ClickQuery, hashtags: LinkHashtags, hidesLinks: boolean): string {
  const other = query.cross!.find((part) => part !== 'hashtag')!;
  const isDay = other === 'day';
  const clicks =
    query.onlyLinks === null
      ? `${matchingOf('(SELECT arrayJoin(tagged))', query)}${hidesLinks ? ` AND link NOT IN ${LISTED}` : ''}`
      : matchingListed(query);
  const named = [isDay ? "''" : 'toString(other)', 'hashtag'];
  const [name, second] = isDay || query.cross![0] === 'hashtag' ? named.toReversed() : named;
  return `
    SELECT 'cross' AS kind, ${name} AS name, ${second} AS second, ${isDay ? 'other' : 'toUInt32(0)'} AS started_at,
      clicks AS total, 0 AS before
    FROM (
      SELECT number, other, sum(clicks) AS clicks
      FROM (
        SELECT link, ${isDay ? startedAt(query.dayStarts) : other} AS other, count()::Int64 AS clicks
        FROM clicks WHERE ${clicks} AND ${inSpan(spanOf(query))}${isUtmName(other) ? ` AND ${other} != ''` : ''} GROUP BY link, other
      ) AS by_link
      INNER JOIN (
        SELECT pair.1 AS link, arrayMap(number -> toUInt32(number), splitByChar(' ', pair.2)) AS numbers
        FROM (SELECT arrayJoin(arrayZip(tagged, texts)) AS pair FROM (SELECT ${textsOf(hashtags.numbers)} AS texts))
      ) AS hashtags_of_link USING link
      ARRAY JOIN numbers AS number
      GROUP BY number, other
    ) AS by_hashtag
    INNER JOIN (
      SELECT toUInt32(pair.1) AS number, pair.2 AS hashtag
      FROM (SELECT arrayJoin(arrayZip(arrayEnumerate(names), names)) AS pair
            FROM (SELECT ${textsOf(hashtags.names)} AS names))
    ) AS hashtags USING number
    ORDER BY total DESC, ${crossOrder(query)} LIMIT ${MAX_CROSS}`;
}
