import { localName } from '../tables.ts';
import type { Topology } from '../topology.ts';
import type { Migration } from './migration.ts';

const HOST = 'host LowCardinality(String)';
/** ClickHouse builds projections of old clicks in the background, because that takes minutes for many of them. */
const IN_BACKGROUND = 'SETTINGS alter_sync = 0, mutations_sync = 0';

/**
 * Adds `host`, the short host of the link at the click. It is empty for the default host, and so for all older clicks.
 *
 * `clicks_by_link` replaces `by_link`, which lacks `host`. Until it is built, ClickHouse scans the clicks.
 */
export const hosts: Migration = {
  number: 2,
  name: 'hosts',
  statements(topology) {
    const clicks = localName('clicks', topology);
    return [
      ...columnStatements(topology),
      `ALTER TABLE ${clicks} ADD PROJECTION IF NOT EXISTS by_host
       (SELECT account_id, verdict, host, quarter, count() GROUP BY account_id, verdict, host, quarter)`,
      `ALTER TABLE ${clicks} ADD PROJECTION IF NOT EXISTS clicks_by_link
       (SELECT account_id, link, quarter, counted, source, device, country, browser, os, host, referrer, visitor
       ORDER BY account_id, link, quarter)`,
      `ALTER TABLE ${clicks} DROP PROJECTION IF EXISTS by_link ${IN_BACKGROUND}`,
      `ALTER TABLE ${clicks} MATERIALIZE PROJECTION clicks_by_link ${IN_BACKGROUND}`,
      `ALTER TABLE ${clicks} MATERIALIZE PROJECTION by_host ${IN_BACKGROUND}`,
    ];
  },
};

/** Returns the statements for the column. Those of the view come last: it reads and writes the tables. */
function columnStatements(topology: Topology): string[] {
  const tables = new Set([localName('clicks', topology), 'clicks']);
  if (topology.kind === 'single') tables.add('incoming_clicks');
  const added = [...tables].map((table) => `ALTER TABLE ${table} ADD COLUMN IF NOT EXISTS ${HOST}`);
  if (topology.kind !== 'single') return added;
  return [
    ...added,
    `ALTER TABLE incoming_to_clicks MODIFY QUERY
     SELECT batch, id, account_id, link_id, clicked_at, verdict, source, referrer, device, browser, os, country, visitor,
       host
     FROM incoming_clicks
     WHERE throwIf(getSetting('log_comment') IN (SELECT name FROM withdrawn_inserts), 'This insert was withdrawn') = 0`,
  ];
}
