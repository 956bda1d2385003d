// How the questions of several accounts share one ClickHouse. Each account has a bound, no account waits for the
// questions of another one, and a question whose client has gone is given up.
import { type AnalyticsQuery, BUSY_MESSAGE } from '@waymark/contract';
import { analyticsFromMessage, analyticsRequest } from '@waymark/proto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type FakeClickHouse, startFakeClickHouse } from './fake-clickhouse.ts';
import { account, type FakeLinks, signer, startFakeLinks, startService, type TestService } from './harness.ts';

/** The bounds of one account in one process. */
const RUNNING = 2;
const WAITING = 32;
const FLOOD = 100;

const FLOODER = account('flooder');
const FLOODER_PUBLIC = account('flooder', 'public_links_only');
const OTHER = account('other');
const OTHER_PUBLIC = account('other', 'public_links_only');

let clickhouse: FakeClickHouse;
let links: FakeLinks;
let service: TestService;
beforeEach(async () => {
  clickhouse = await startFakeClickHouse('26.3.1.1');
  links = await startFakeLinks();
  links.links.set('l1', { accountId: 'other', hidden: false, deleted: false, hashtags: ['news'] });
  service = await startService({ CLICKHOUSE_URL: clickhouse.url, LINKS_GRPC: links.address });
  clickhouse.heldAccounts.add('flooder');
});
afterEach(async () => {
  await service.close();
  await links.close();
  await clickhouse.close();
});

interface Asked {
  identity?: typeof FLOODER;
  query?: string;
  signal?: AbortSignal;
}

const overRest = ({ identity = FLOODER, query = '', signal }: Asked = {}) =>
  service.get(`/api/v1/analytics?${query}`, identity, signal);

/** Asks over gRPC, and returns the code of the error, or 200. */
async function overGrpc({ identity = FLOODER, query = '', signal }: Asked = {}) {
  const asked = Object.fromEntries(new URLSearchParams(query)) as unknown as AnalyticsQuery;
  const message = analyticsRequest({ ...asked, tz: asked.tz ?? 'UTC' });
  const options = { timeoutMs: 5_000, identity: await signer.mint(identity), ...(signal && { signal }) };
  return service.client.getAnalytics(message, options).then(
    (answer) => ({ status: 200, body: analyticsFromMessage(answer) }),
    (error) => ({ status: error.httpStatus, body: { error: error.message } }),
  );
}

const DOORS = [
  ['REST', overRest],
  ['gRPC', overGrpc],
] as const;

/** Resolves when exactly this many questions run. */
const running = (count: number) => vi.waitFor(() => expect(clickhouse.held.size).toBe(count), { timeout: 30_000 });

describe.each(DOORS)('over %s', (_door, ask) => {
  test('a flood of one account, by both of its keys, leaves every question of others an answer', async () => {
    const flood = Array.from({ length: FLOOD }, (_, n) =>
      ask({ identity: n % 2 === 0 ? FLOODER : FLOODER_PUBLIC, query: `include=hours&days=${1 + (n % 31)}` }),
    );
    await running(RUNNING);
    for (const identity of [OTHER, OTHER_PUBLIC]) {
      for (const query of [
        '',
        'days=365',
        'days=31&include=hours',
        'days=7&include=hours&tz=Asia/Kathmandu',
        'tz=America/St_Johns&include=previous,visitors',
        'link_id=l1',
        'hashtag=news',
      ])
        expect(await ask({ identity, query }), query).toMatchObject({ status: 200, body: { clicks: 0 } });
    }
    await running(RUNNING);
    clickhouse.heldAccounts.clear();
    for (const response of clickhouse.held) response.end();
    await Promise.all(flood);
  });

  test('an account has a bound of running and of waiting questions, and the next ones are refused at once', async () => {
    const refused: unknown[] = [];
    const answered = Array.from({ length: FLOOD }, async () => {
      const answer = await ask();
      if (answer.status !== 200) refused.push(answer);
      return answer.status;
    });
    // More of them on a machine so busy that some have waited too long.
    await vi.waitFor(() => expect(refused.length).toBeGreaterThanOrEqual(FLOOD - RUNNING - WAITING), {
      timeout: 30_000,
    });
    for (const answer of refused) expect(answer).toMatchObject({ status: 503, body: { error: BUSY_MESSAGE } });
    expect(clickhouse.held.size).toBeLessThanOrEqual(RUNNING);
    clickhouse.heldAccounts.clear();
    for (const response of clickhouse.held) response.end();
    const statuses = await Promise.all(answered);
    expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(RUNNING + WAITING);
  });

  test('questions whose clients have gone are given up, whether they run or wait', async () => {
    const leaving = new AbortController();
    const flood = Array.from({ length: RUNNING + WAITING }, () => ask({ signal: leaving.signal }));
    await running(RUNNING);
    const asked = clickhouse.statements.length;
    leaving.abort();
    await Promise.allSettled(flood);
    await running(0);
    // None of those that waited was sent to ClickHouse, and all places are free again.
    const next = Array.from({ length: RUNNING + WAITING }, () => ask());
    await running(RUNNING);
    clickhouse.heldAccounts.clear();
    for (const response of clickhouse.held) response.end();
    for (const { status } of await Promise.all(next)) expect(status).toBe(200);
    expect(clickhouse.statements).toHaveLength(asked + RUNNING + WAITING);
  });
});

test('a question that waited too long for others of its account gets 503', async () => {
  const flood = Array.from({ length: RUNNING + 1 }, () => overRest());
  const late = await Promise.race(flood);
  expect(late).toMatchObject({ status: 503, body: { error: BUSY_MESSAGE } });
  clickhouse.heldAccounts.clear();
  for (const response of clickhouse.held) response.end();
  // Requests that are sent together may arrive in any order.
  expect((await Promise.all(flood)).map(({ status }) => status).sort()).toEqual([200, 200, 503]);
});
