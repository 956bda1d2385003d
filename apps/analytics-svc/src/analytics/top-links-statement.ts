import { hasSums, SUMS_BY_LINK_AND_DAY, UTC_DAY } from '../database/projections.ts';
import { type ClickQuery, type Span, spanOf } from './click-query.ts';
import { filteredDimensions, inSpan, matching, matchingByLink, matchingLinks, type QueryLinks } from './conditions.ts';

/** What top links are ordered by. `growth` and `decline` compare with the window before. */
export type TopBy = 'clicks' | 'growth' | 'decline';

/** A row of the result of {@link topLinksStatement}. */
export interface TopLinksRow {
  /** The number of the link in the table. */
  number: string;
  total: number;
  /** Clicks in the window before; 0 if it is not asked for. */
  previous: number;
}

const DAY_SECONDS = 86_400;
const ORDERS: Record<TopBy, string> = {
  clicks: 'total DESC',
  growth: 'total - before DESC',
  decline: 'total - before',
};
/** Returns the statement for at most `limit` links: those that lead by `topBy`, then by number. */
export function topLinksStatement(query: ClickQuery, links: QueryLinks, topBy: TopBy, limit: number): string {
  const parts = [
    ...clicksByLink(query, links, spanOf(query), 'count()::Int64 AS clicks, 0::Int64 AS earlier'),
    ...(query.previous === null
      ? []
      : clicksByLink(query, links, query.previous, '0::Int64 AS clicks, count()::Int64 AS earlier')),
  ];
  // Few links are left after grouping, so this is cheaper than a condition on clicks.
  const shown = links.hidden === null ? '' : ` * (link NOT IN ${links.hidden.list})`;
  return `
    SELECT toString(link) AS number, sum(clicks)${shown} AS total, sum(earlier)${shown} AS before, before AS previous
    FROM (${parts.join(' UNION ALL ')})
    GROUP BY link
    HAVING ${topBy === 'clicks' ? 'total != 0' : 'total != 0 OR before != 0'}
    ORDER BY ${ORDERS[topBy]}, link
    LIMIT ${limit}`;
}

/**
 * Returns the statements that count the clicks of each link. Whole UTC days are read from the sums by day, if they have
 * what the query filters by. The partial days at both ends are counted from the clicks.
 */
function clicksByLink(query: ClickQuery, links: QueryLinks, span: Span, columns: string): string[] {
  const select = (condition: string, time: string) =>
    `SELECT link, ${columns} FROM clicks WHERE ${condition} AND ${time} GROUP BY link`;
  const clicks = links.only === null ? matchingByLink(query) : matchingLinks(query, links.only);
  const counted = (part: Span) => select(clicks, inSpan(part));
  const firstDay = Math.ceil(span.from / DAY_SECONDS);
  const endDay = Math.floor(span.to / DAY_SECONDS);
  if (!hasSums(SUMS_BY_LINK_AND_DAY, filteredDimensions(query)) || firstDay >= endDay) return [counted(span)];
  const edges = [
    { from: span.from, to: firstDay * DAY_SECONDS },
    { from: endDay * DAY_SECONDS, to: span.to },
  ].filter(({ from, to }) => from < to);
  return [
    select(
      links.only === null ? matching(query) : `${matching(query)} AND link IN ${links.only.list}`,
      `${UTC_DAY} >= toDate(${firstDay}) AND ${UTC_DAY} < toDate(${endDay})`,
    ),
    ...edges.map(counted),
  ];
}
