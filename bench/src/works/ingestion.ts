import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { INSERTED_COLUMNS } from '../../../apps/analytics-svc/src/clicks/incoming-rows.ts';
import { newClicks, sourceOfNewClick } from '../data/new-clicks.ts';
import type { Work } from '../work.ts';
import type { World } from '../world.ts';
import { BATCHES_AT_ONCE, clickSender } from './click-sender.ts';

const BATCH = 1_000;
/**
 * Prepares batches of 1,000 clicks over gRPC into ClickHouse, as links-svc sends them; the floor inserts the resulting
 * rows.
 */
export async function ingestionWork(world: World): Promise<Work> {
  const linkIds = world.links.slice(0, BATCH).map(({ id }) => id);
  const sendClicks = clickSender(world, linkIds);

  const file = join(world.folder, 'rows.json');
  const rows = newClicks(linkIds, BATCH).map((click, index) => {
    const row: Record<(typeof INSERTED_COLUMNS)[number], unknown> = {
      batch: '1',
      id: randomUUID(),
      account_id: click.accountId,
      link_id: click.linkId,
      clicked_at: (click.clickedAtMs / 1_000).toFixed(3),
      verdict: 'counted',
      source: sourceOfNewClick(index),
      referrer: '',
      device: 'desktop',
      browser: 'Chrome',
      os: 'Linux',
      country: click.country,
      visitor: BigInt(`0x${click.visitor}`).toString(),
      host: click.host,
      language: click.language,
      utm_campaign: click.utmCampaign,
      utm_medium: click.utmMedium,
      utm_content: click.utmContent,
      utm_term: click.utmTerm,
    };
    return Object.values(row);
  });
  await writeFile(file, JSON.stringify({ table: 'incoming_clicks', columns: INSERTED_COLUMNS, rows }));
  const floor = await world.startFloor('clickhouse', {
    CLICKHOUSE_URL: world.stack.clickhouseUrl,
    ...world.stack.clickhouseLogin,
    CLICKHOUSE_DATABASE: world.databaseName,
    ROWS_FILE: file,
  });

  return {
    name: 'store 1,000 clicks',
    requestsPerRound: 100,
    measure: 'cpu',
    endpoints: [
      {
        endpoint: 'analytics-svc',
        limit: 1.5,
        send: () => sendClicks(BATCH),
        pids: () => world.pidsOf('analytics-svc'),
      },
    ],
    floor: {
      name: '@clickhouse/client, the same rows',
      send: async () => {
        await floor.target.send({ path: '/batch', method: 'POST' });
      },
      pids: () => [floor.pid],
    },
    databasePids: () => world.databasePids('clickhouse'),
    connectionsMax: BATCHES_AT_ONCE,
  };
}
