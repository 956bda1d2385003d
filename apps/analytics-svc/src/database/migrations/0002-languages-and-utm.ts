import { localName } from '../tables.ts';
import { NOT_WITHDRAWN } from './0001-baseline.ts';
import type { Migration } from './migration.ts';

const COLUMNS = ['language', 'utm_campaign', 'utm_medium', 'utm_content', 'utm_term'];

/** Adds the language and the `utm_…` of a click. They are empty if there is none, and for older clicks. */
export const languagesAndUtm: Migration = {
  number: 2,
  name: 'languages-and-utm',
  statements(topology) {
    const isSingle = topology.kind === 'single';
    const tables = new Set([localName('clicks', topology), 'clicks', ...(isSingle ? ['incoming_clicks'] : [])]);
    const columns = COLUMNS.map((column) => `ADD COLUMN IF NOT EXISTS ${column} LowCardinality(String)`).join(', ');
    const added = Array.from(tables, (table) => `ALTER TABLE ${table} ${columns}`);
    if (!isSingle) return added;
    return [
      ...added,
      `ALTER TABLE incoming_to_clicks MODIFY QUERY
     SELECT batch, id, account_id, link_id, clicked_at, verdict, source, referrer, device, browser, os, country, visitor,
       host, ${COLUMNS.join(', ')}
     FROM incoming_clicks WHERE ${NOT_WITHDRAWN}`,
    ];
  },
};
