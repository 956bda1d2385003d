import type { Database } from '../database/database.ts';
import type { ClickQuery } from './click-query.ts';
import { parametersOf, type QueryLinks } from './conditions.ts';
import { FIGURES_SETTINGS, type FiguresRow, figuresStatement } from './figures-statement.ts';
import { createLinkIds } from './link-ids.ts';
import { createFindLinkNumbers } from './link-numbers.ts';
import { type TopBy, type TopLinksRow, topLinksStatement } from './top-links-statement.ts';

/** A link and the number of its clicks in the window, and in the window before (0 unless it is asked for). */
export interface LinkClicks {
  linkId: string;
  clicks: number;
  previousClicks: number;
}

/** The reads of one query. The two may see different states of the table. */
export interface ClickReader {
  figures(): Promise<FiguresRow[]>;
  /** Returns at most `max` links: those that lead by `topBy`, then by number. */
  topLinks(topBy: TopBy, max: number): Promise<LinkClicks[]>;
}

export interface AnalyticsStore {
  /** Prepares a query. Clicks are read only when a method of the reader is called. */
  open(query: ClickQuery, signal: AbortSignal): Promise<ClickReader>;
}

const STATEMENT_MAX_SECONDS = 4;

export function createAnalyticsStore(database: Pick<Database, 'query'>, exactVisitorsMax?: number): AnalyticsStore {
  const numbersOf = createFindLinkNumbers(database);
  const idsOf = createLinkIds(database);
  return {
    async open(query, signal) {
      const links: QueryLinks = {
        only: query.onlyLinks && (await numbersOf(query.onlyLinks, signal)),
        hidden:
          query.onlyLinks !== null || query.hiddenLinks.length === 0
            ? null
            : await numbersOf(query.hiddenLinks, signal),
      };
      const options = {
        parameters: parametersOf(query),
        settings: { max_execution_time: STATEMENT_MAX_SECONDS, ...FIGURES_SETTINGS },
        signal,
      };
      return {
        figures: () => database.query<FiguresRow>(figuresStatement(query, links, exactVisitorsMax), options),
        async topLinks(topBy, max) {
          const rows = await database.query<TopLinksRow>(topLinksStatement(query, links, topBy, max), options);
          const ids = await idsOf(
            query.accountId,
            rows.map(({ number }) => number),
            options,
          );
          return rows.flatMap(({ number, total, previous }) => {
            const linkId = ids.get(number);
            // Another replica may answer, which does not have the clicks of a new link yet.
            return linkId === undefined ? [] : [{ linkId, clicks: total, previousClicks: previous }];
          });
        },
      };
    },
  };
}
