// The bound of the most expensive question, `cross`: ClickHouse refuses the one that takes more memory than the service
// allows, and answers the others. A proxy lowers the limit, because reaching the real one takes millions of sources.
import { randomUUID } from 'node:crypto';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { BUSY_MESSAGE } from '@waymark/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  account,
  type FakeLinks,
  openTestDatabase,
  record,
  startFakeLinks,
  startService,
  type TestDatabase,
  type TestService,
} from './harness.ts';

const LOWERED_BYTES = 40 * 1024 ** 2;
const SOURCES = 40_000;
/** Each multiplies the pairs, and nothing else. */
const HASHTAGS = ['spring', 'summer', 'autumn', 'winter'];
const DAYS = 30;
const DAY_MS = 86_400_000;

/** Starts a proxy that replaces the memory limit of each statement that has one. */
async function startLimitingProxy(target: string) {
  const server = createServer((incoming, response) => {
    const url = new URL(incoming.url!, target);
    if (url.searchParams.has('max_memory_usage')) url.searchParams.set('max_memory_usage', String(LOWERED_BYTES));
    const forwarded = request(url, { method: incoming.method, headers: incoming.headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(response);
    });
    forwarded.on('error', () => response.destroy());
    incoming.pipe(forwarded);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

let db: TestDatabase;
let links: FakeLinks;
let proxy: Awaited<ReturnType<typeof startLimitingProxy>>;
let service: TestService;
beforeAll(async () => {
  db = await openTestDatabase();
  links = await startFakeLinks();
  proxy = await startLimitingProxy(db.env.CLICKHOUSE_URL!);
  service = await startService({ ...db.env, CLICKHOUSE_URL: proxy.url, LINKS_GRPC: links.address });
});
afterAll(async () => {
  await service?.close();
  await links?.close();
  proxy?.close();
  await db?.close();
});

test('a "cross" of too many pairs gets 503 with seconds to wait, and all other questions an answer', async () => {
  const [many, few] = [randomUUID(), randomUUID()];
  const now = Date.now();
  const click = (accountId: string, n: number) => ({
    ...{ accountId, linkId: `${accountId}-0` },
    atMs: now - (n % DAYS) * DAY_MS,
    utmSource: `source-${n}`,
  });
  for (const accountId of [many, few])
    links.links.set(`${accountId}-0`, { accountId, hidden: false, deleted: false, hashtags: HASHTAGS });
  links.revision++;
  await record(
    service.client,
    Array.from({ length: SOURCES }, (_, n) => click(many, n)),
  );
  await record(service.client, [click(few, 0)]);
  const ask = (accountId: string, query: string) =>
    service.get(`/api/v1/analytics?days=${DAYS + 1}${query}`, account(accountId));

  const expensive = Array.from({ length: 4 }, () => ask(many, '&cross=hashtag,source'));
  for (const query of ['', '&cross=hashtag,source', '&cross=day,hashtag'])
    expect(await ask(few, query), query).toMatchObject({ status: 200, body: { clicks: 1 } });
  for (const { status, body, headers } of await Promise.all(expensive)) {
    expect({ status, body }).toEqual({ status: 503, body: { error: BUSY_MESSAGE } });
    expect(headers.get('retry-after')).toMatch(/^\d+$/);
  }
  for (const query of ['', '&cross=day,device'])
    expect(await ask(many, query), query).toMatchObject({ status: 200, body: { clicks: SOURCES } });
});
