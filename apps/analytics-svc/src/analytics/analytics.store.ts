import { REQUEST_MAX_MS, timeLeftMs } from '@waymark/service-kit';
import type { Database } from '../database/database.ts';
import { FIGURES_SETTINGS, PAIRS_SETTINGS } from '../database/settings.ts';
import type { ClickQuery } from './click-query.ts';
import { parametersOf } from './conditions.ts';
import { type FiguresRow, figuresStatement } from './figures-statement.ts';
import { createLinkIds } from './link-ids.ts';

/** A link and the number of its clicks in the window, and in the window before (0 unless it is asked for). */
export interface LinkClicks {
  linkId: string;
  clicks: number;
  previousClicks: number;
}

/** What the clicks say, all of one state of the table. */
export interface Figures {
  rows: FiguresRow[];
  /** The links that lead by `topBy`, then by number: more of them than an answer has. */
  links: LinkClicks[];
}

export interface AnalyticsStore {
  find(query: ClickQuery, signal: AbortSignal): Promise<Figures>;
}

export function createAnalyticsStore(database: Pick<Database, 'query'>, exactVisitorsMax?: number): AnalyticsStore {
  const idsOf = createLinkIds(database);
  return {
    async find(query, signal) {
      if (query.onlyLinks?.length === 0) return { rows: [], links: [] };
      const options = {
        parameters: parametersOf(query),
        settings: {
          // ClickHouse ends it by itself, even if it does not notice that the connection is closed.
          max_execution_time: timeLeftMs(REQUEST_MAX_MS) / 1_000,
          ...(query.cross === null ? FIGURES_SETTINGS : PAIRS_SETTINGS),
        },
        signal,
      };
      const rows = await database.query<FiguresRow>(figuresStatement(query, exactVisitorsMax), options);
      const linkRows = rows.filter(({ kind }) => kind === 'links');
      const ids = await idsOf(
        query.accountId,
        linkRows.map(({ name }) => name),
        options,
      );
      return {
        rows,
        links: linkRows.flatMap(({ name, total, before }) => {
          const linkId = ids.get(name);
          // Another replica may answer, which does not have the clicks of a new link yet.
          return linkId === undefined ? [] : [{ linkId, clicks: total, previousClicks: before }];
        }),
      };
    },
  };
}
