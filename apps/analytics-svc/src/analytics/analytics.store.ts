import { AppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import type { Database } from '../database/database.ts';
import type { HiddenSets } from '../hidden-sets/hidden-sets.ts';
import { type ClickQuery, countedClicks } from './click-query.ts';
import { type Figures, type FiguresRow, figuresOf } from './figures.ts';
import { FIGURES_SETTINGS, figuresStatement } from './figures-statement.ts';
import { createLinkIds } from './link-ids.ts';
import { createFindLinkNumbers, type LinkNumbers } from './link-numbers.ts';
import { planOf } from './read-plan.ts';
import { utcDaysOf } from './utc-days.ts';

/** A link and the number of its clicks. */
export interface LinkClicks {
  linkId: string;
  clicks: number;
}

/** The reads of one query. The two may see different states of the tables. */
export interface ClickReader {
  figures(): Promise<Figures>;
  /** Returns at most `max` links: most clicks first, then by number. */
  topLinks(max: number): Promise<LinkClicks[]>;
}

export interface AnalyticsStore {
  /** Prepares a query. Clicks are read only when a method of the reader is called. */
  open(query: ClickQuery, signal: AbortSignal): Promise<ClickReader>;
}

const STATEMENT_MAX_SECONDS = 4;

/** How many times the figures are read at most. They are read again if the sums of hidden links were gone. */
const ATTEMPTS_MAX = 3;

export interface AnalyticsStoreDeps {
  database: Pick<Database, 'query'>;
  hiddenSets: Pick<HiddenSets, 'find' | 'forget'>;
}

export function createAnalyticsStore({ database, hiddenSets }: AnalyticsStoreDeps): AnalyticsStore {
  const numbersOf = createFindLinkNumbers(database);
  const idsOf = createLinkIds(database);

  async function findFigures(query: ClickQuery, hidden: LinkNumbers | null, signal: AbortSignal): Promise<Figures> {
    const { parameters, settings } = optionsOf(query);
    const options = { parameters, settings: { ...settings, ...FIGURES_SETTINGS }, signal };
    for (let tries = 0; tries < ATTEMPTS_MAX; tries++) {
      const leftOut = hidden && { list: hidden.list, hidden: await hiddenSets.find(query, hidden.links, signal) };
      const plan = planOf(query, leftOut);
      const rows = await database.query<FiguresRow>(figuresStatement(query, plan), options);
      const figures = figuresOf(query, plan, rows);
      if (figures !== null) return figures;
      hiddenSets.forget(query);
    }
    throw new AppError('unavailable', UNAVAILABLE_MESSAGE, {
      cause: new Error(`the sums of hidden links were gone at each of ${ATTEMPTS_MAX} attempts`),
    });
  }

  async function findTopLinks(
    query: ClickQuery,
    limit: number,
    hidden: LinkNumbers | null,
    signal: AbortSignal,
  ): Promise<LinkClicks[]> {
    const options = { ...optionsOf(query), signal };
    const statement = topLinksStatement(query, limit, hidden);
    const top = await database.query<{ link: string; total: number }>(statement, options);
    const numbers = top.map(({ link }) => link);
    const ids = await idsOf(query.accountId, numbers, { settings: options.settings, signal });
    // While the first click of a link is being stored, the id of the link may not be known yet.
    return top.flatMap(({ link, total }) => (ids.has(link) ? [{ linkId: ids.get(link)!, clicks: total }] : []));
  }

  return {
    async open(query, signal) {
      const hidden = await numbersOf(query.hiddenLinks, signal);
      return {
        figures: () => findFigures(query, hidden, signal),
        topLinks: (max) => findTopLinks(query, max, hidden, signal),
      };
    },
  };
}

function optionsOf({ accountId, source }: ClickQuery) {
  return {
    parameters: { account: accountId, source: source ?? '' },
    settings: { max_execution_time: STATEMENT_MAX_SECONDS },
  };
}

/**
 * Returns the statement for the top links. Whole UTC days come from the rollup, the partial days at both ends of the
 * window from the clicks.
 */
function topLinksStatement(query: ClickQuery, limit: number, hidden: LinkNumbers | null): string {
  const { boundaries } = query;
  const { firstDay, endDay, edges } = utcDaysOf(boundaries[0]!, boundaries.at(-1)!);
  const parts = [
    `SELECT link AS number, clicks FROM links_by_day
     WHERE account_id = {account:String} AND from_source = {source:String}
       AND day >= toDate(${firstDay}) AND day < toDate(${endDay})`,
  ];
  if (edges.length > 0)
    parts.push(`SELECT link AS number, 1::Int64 AS clicks FROM clicks WHERE ${countedClicks(query, edges)}`);
  // Filters the sums, so that ClickHouse searches the list once for each link and not once for each row.
  const shown = hidden === null ? 'total' : `if(number IN ${hidden.list}, 0, total)`;
  return `
    SELECT toString(number) AS link, sum(clicks) AS total
    FROM (${parts.join(' UNION ALL ')})
    GROUP BY number
    HAVING ${shown} != 0
    ORDER BY total DESC, number
    LIMIT ${limit}`;
}
