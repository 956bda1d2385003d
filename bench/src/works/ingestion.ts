import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { newClicks, sourceOfNewClick } from '../data/new-clicks.ts';
import type { Work } from '../work.ts';
import type { World } from '../world.ts';
import { BATCHES_AT_ONCE, clickSender } from './click-sender.ts';

const BATCH = 1_000;
const COLUMNS = [
  'batch',
  'only',
  'received_at',
  'id',
  'account_id',
  'link_id',
  'clicked_at',
  'source',
  'device',
  'verdict',
];

/**
 * Prepares batches of 1,000 clicks over gRPC into ClickHouse, as links-svc sends them; the floor inserts the resulting
 * rows.
 */
export async function ingestionWork(world: World): Promise<Work> {
  const linkIds = world.links.slice(0, BATCH).map(({ id }) => id);
  const sendClicks = clickSender(world, linkIds);

  const file = join(world.folder, 'rows.json');
  const rows = newClicks(linkIds, BATCH).map((click, index) => [
    '1',
    '',
    Math.floor(click.clickedAtMs / 1_000),
    randomUUID(),
    click.accountId,
    click.linkId,
    (click.clickedAtMs / 1_000).toFixed(3),
    sourceOfNewClick(index),
    'desktop',
    'counted',
  ]);
  await writeFile(file, JSON.stringify({ table: 'incoming_clicks', columns: COLUMNS, rows }));
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
    doors: [
      {
        door: 'analytics-svc',
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
