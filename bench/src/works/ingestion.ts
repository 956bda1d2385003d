import { randomBytes, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { analyticsV1, createGrpcClient } from '@waymark/proto';
import type { Work } from '../work.ts';
import type { World } from '../world.ts';

const BATCH = 1_000;
/** As many batches as analytics-svc stores at one time. */
const BATCHES_AT_ONCE = 4;
const TIMEOUT_MS = 15_000;
/** No account of the world's: other works do not count these clicks. */
const ACCOUNT_ID = '00000000000ingest';
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
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

/** Batches of 1,000 clicks over gRPC into ClickHouse, as links-svc sends them, against the rows that come of one. */
export async function ingestionWork(world: World): Promise<Work> {
  const client = createGrpcClient(analyticsV1.AnalyticsService, { address: world.stack.urls.analyticsGrpc });
  world.onClose(() => client.close());
  const linkIds = Array.from({ length: BATCH }, (_, index) => world.links[index % world.links.length]!.id);
  const atMs = Date.now();

  const file = join(world.folder, 'rows.json');
  const seconds = Math.floor(atMs / 1_000);
  const rows = linkIds.map((linkId, index) => [
    '1',
    '',
    seconds,
    randomUUID(),
    ACCOUNT_ID,
    linkId,
    ((atMs + index) / 1_000).toFixed(3),
    sourceOf(index),
    'desktop',
    'counted',
  ]);
  await writeFile(file, JSON.stringify({ table: 'incoming_clicks', columns: COLUMNS, rows }));
  const floor = await world.startFloor('clickhouse', {
    CLICKHOUSE_URL: world.stack.clickhouseUrl,
    CLICKHOUSE_DATABASE: world.databaseName,
    ROWS_FILE: file,
  });

  return {
    name: 'store 1,000 clicks',
    requestsPerRound: 10,
    measure: 'cpu',
    doors: [
      {
        door: 'analytics-svc',
        limit: 1.5,
        send: async () => {
          const clicks = linkIds.map((linkId, index) => ({
            id: randomBytes(16),
            accountId: ACCOUNT_ID,
            linkId,
            clickedAt: { seconds: BigInt(seconds), nanos: (index % 1_000) * 1e6 },
            userAgent: BROWSER,
            referrer: '',
            utmSource: sourceOf(index),
            prefetch: false,
          }));
          const identity = await world.serviceIdentity('links-svc');
          const stored = await client.recordClicks(
            { batchToken: randomUUID(), clicks, maybeStored: false },
            { timeoutMs: TIMEOUT_MS, identity },
          );
          if (stored.counted !== BATCH) throw new Error(`${stored.counted} of ${BATCH} clicks were counted`);
        },
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

function sourceOf(index: number): string {
  return `source-${index % 50}`;
}
