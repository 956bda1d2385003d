import { localName } from '../tables.ts';
import { NOT_WITHDRAWN } from './0001-baseline.ts';
import type { Migration } from './migration.ts';

const COLUMNS = ['language', 'utm_campaign', 'utm_medium', 'utm_content', 'utm_term'];
const UTM_COLUMNS = COLUMNS.slice(1).join(', ');

const PROJECTIONS = {
  clicks_of_links: `SELECT account_id, link, quarter, counted, source, device, country, browser, os, host, referrer,
    visitor, ${COLUMNS.join(', ')} ORDER BY account_id, link, quarter`,
  by_language: `SELECT account_id, verdict, language, quarter, count() GROUP BY account_id, verdict, language, quarter`,
  by_utm: `SELECT account_id, verdict, ${UTM_COLUMNS}, quarter, count()
    GROUP BY account_id, verdict, ${UTM_COLUMNS}, quarter`,
};

/**
 * Adds the language and the `utm_…` of a click. They are empty where the click lacks them, and for older clicks.
 *
 * `clicks_of_links` replaces `clicks_by_link`, which lacks the columns. Nothing reads a projection by its name, so the
 * version before uses the new one. Until ClickHouse has built it, questions about links scan the clicks.
 */
export const languagesAndUtm: Migration = {
  number: 2,
  name: 'languages-and-utm',
  statements(topology) {
    const isSingle = topology.kind === 'single';
    const local = localName('clicks', topology);
    const tables = new Set([local, 'clicks', ...(isSingle ? ['incoming_clicks'] : [])]);
    const columns = COLUMNS.map((column) => `ADD COLUMN IF NOT EXISTS ${column} LowCardinality(String)`).join(', ');
    const view = `ALTER TABLE incoming_to_clicks MODIFY QUERY
     SELECT batch, id, account_id, link_id, clicked_at, verdict, source, referrer, device, browser, os, country, visitor,
       host, ${COLUMNS.join(', ')}
     FROM incoming_clicks WHERE ${NOT_WITHDRAWN}`;
    return [
      ...Array.from(tables, (table) => `ALTER TABLE ${table} ${columns}`),
      ...(isSingle ? [view] : []),
      // First, because the statement waits for mutations before it, such as those below.
      `ALTER TABLE ${local} DROP PROJECTION IF EXISTS clicks_by_link`,
      ...Object.entries(PROJECTIONS).flatMap(([name, query]) => [
        `ALTER TABLE ${local} ADD PROJECTION IF NOT EXISTS ${name} (${query})`,
        `ALTER TABLE ${local} MATERIALIZE PROJECTION ${name}`,
      ]),
    ];
  },
};
