import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../src/database/database.ts';
import { startBalancer } from './balancer.ts';
import { account, type FakeLinks, record, type SentClick, signer, startFakeLinks, startService } from './harness.ts';
import { startHoldingProxy } from './holding-proxy.ts';

/** URLs of two replicas of one shard. The test creates a database with the engine Replicated on both, and drops it. */
const REPLICAS = (process.env.CLICKHOUSE_REPLICAS ?? '').split(',').filter((url) => url !== '');
const KEEPER_PATH = '/clickhouse/databases';

describe.skipIf(REPLICAS.length < 2)('on given replicas (CLICKHOUSE_REPLICAS)', () => {
  const name = `test_replicas_${randomUUID().replaceAll('-', '')}`;
  const envOf = (url: string) => ({
    CLICKHOUSE_URL: url,
    CLICKHOUSE_USER: process.env.CLICKHOUSE_USER ?? 'default',
    CLICKHOUSE_PASSWORD: process.env.CLICKHOUSE_PASSWORD ?? '',
    CLICKHOUSE_DATABASE: name,
  });
  let databases: Database[];
  let links: FakeLinks;
  beforeAll(async () => {
    databases = REPLICAS.map((url) => openDatabase(envOf(url)));
    for (const [index, database] of databases.entries())
      await database.command(
        `CREATE DATABASE ${name} ENGINE = Replicated('${KEEPER_PATH}/${name}', 'shard', 'replica-${index}')`,
        { database: false },
      );
    links = await startFakeLinks();
  });
  afterAll(async () => {
    await databases?.[0]?.command(`DROP DATABASE IF EXISTS ${name} SYNC`, { database: false });
    for (const database of databases ?? []) await database.close();
    await links?.close();
  });

  /** Returns clicks of four links, which links-svc knows. */
  const someClicks = (accountId: string): SentClick[] =>
    Array.from({ length: 40 }, (_, n) => {
      const linkId = `${accountId}-${n % 4}`;
      links.links.set(linkId, { accountId, hidden: false, deleted: false });
      return { accountId, linkId, atMs: Date.now() - n };
    });

  /** Resolves when every replica has this many clicks of the account; checks that none has more. */
  async function expectEverywhere(accountId: string, count: number) {
    for (const database of databases) {
      await database.command('SYSTEM SYNC REPLICA clicks');
      const countOf = async () => {
        const [row] = await database.query<{ n: number }>(
          'SELECT count() AS n FROM clicks WHERE account_id = {account:String}',
          { parameters: { account: accountId } },
        );
        return row!.n;
      };
      await expect.poll(countOf).toBe(count);
    }
  }

  test('a batch whose answers are lost is counted once on each, whichever replicas it is sent to', async () => {
    const services = await Promise.all(
      REPLICAS.map((url) => startService({ ...envOf(url), LINKS_GRPC: links.address })),
    );
    const accountId = randomUUID();
    const [token, clicks] = [randomUUID(), someClicks(accountId)];
    for (let n = 0; n < 6; n++)
      await record(services[n % services.length]!.client, clicks, { token, maybeStored: n > 0 });
    await expectEverywhere(accountId, clicks.length);
    const answers = await Promise.all(services.map((service) => service.get('/api/v1/analytics', account(accountId))));
    expect(answers.map(({ body }) => body)).toEqual(answers.map(() => expect.objectContaining({ clicks: 40 })));
    for (const service of services) await service.close();
  });

  test('an insert that arrives after its batch was stored by another replica adds nothing', async () => {
    const proxy = await startHoldingProxy(new URL(REPLICAS[0]!));
    const first = await startService({ ...envOf(proxy.url), LINKS_GRPC: links.address });
    const second = await startService({ ...envOf(REPLICAS[1]!), LINKS_GRPC: links.address });
    const accountId = randomUUID();
    const [token, clicks] = [randomUUID(), someClicks(accountId)];
    proxy.hold();
    const lost = record(first.client, clicks, { token }).catch((error: unknown) => error);
    while (proxy.heldCount() === 0) await sleep(10);
    await record(second.client, clicks, { token, maybeStored: true });
    proxy.passNew();
    proxy.releaseHeld();
    await lost;
    await expectEverywhere(accountId, clicks.length);
    await Promise.all([first.close(), second.close()]);
    proxy.close();
  });

  test('a lagging replica gets all clicks once it catches up', async () => {
    const service = await startService({ ...envOf(REPLICAS[0]!), LINKS_GRPC: links.address });
    const accountId = randomUUID();
    await databases[1]!.command('SYSTEM STOP FETCHES clicks');
    for (let n = 0; n < 5; n++) await record(service.client, someClicks(accountId));
    await databases[1]!.command('SYSTEM START FETCHES clicks');
    await expectEverywhere(accountId, 200);
    await service.close();
  });

  test('behind a balancer, with lost answers, killed inserts and a lagging replica, each click is counted once, and listed once', async () => {
    const balancer = await startBalancer(REPLICAS.map((url) => new URL(url)));
    const service = await startService({ ...envOf(balancer.url), LINKS_GRPC: links.address });
    const accountId = randomUUID();
    let sent = 0;
    let stopping = false;
    let isSent = false;
    /** Sends batches as links-svc does: repeats each one until it is acknowledged. */
    const send = async () => {
      while (!stopping) {
        const [token, clicks] = [randomUUID(), someClicks(accountId)];
        sent += clicks.length;
        for (let maybeStored = false; ; maybeStored = true)
          try {
            await record(service.client, clicks, { token, maybeStored });
            break;
          } catch {
            await sleep(50);
          }
      }
    };
    const listed: string[] = [];
    /** Lists the clicks from cursor to cursor, also while others come. */
    const list = async () => {
      for (let after: string | undefined, isDone = false; !isDone; ) {
        const isLast = isSent;
        try {
          const options = { identity: await signer.mint(account(accountId)), timeoutMs: 15_000 };
          const page = await service.client.listClicks({ limit: 500, ...(after && { after }) }, options);
          listed.push(...page.clicks.map(({ id }) => id));
          after = page.next;
          isDone = isLast && !page.more;
        } catch {
          await sleep(50);
        }
      }
    };
    balancer.loseAnswers(0.2);
    const senders = Promise.all([send(), send()]);
    const reader = list();
    for (let n = 0; n < 10; n++) {
      await databases[1]!.command('SYSTEM STOP FETCHES clicks');
      await sleep(500);
      for (const database of databases)
        await database.command(`KILL QUERY WHERE current_database = '${name}' AND query_kind = 'Insert' ASYNC`);
      await databases[1]!.command('SYSTEM START FETCHES clicks');
      await sleep(200);
    }
    stopping = true;
    await senders;
    isSent = true;
    balancer.loseAnswers(0);
    await reader;
    expect([listed.length, new Set(listed).size]).toEqual([sent, sent]);
    expect(balancer.lostCount()).toBeGreaterThan(0);
    await expectEverywhere(accountId, sent);
    await service.close();
    balancer.close();

    const services = await Promise.all(
      REPLICAS.map((url) => startService({ ...envOf(url), LINKS_GRPC: links.address })),
    );
    const [first, ...others] = await Promise.all(
      services.map(async ({ get }) => (await get('/api/v1/analytics', account(accountId))).body),
    );
    expect(first).toMatchObject({ clicks: sent });
    for (const other of others) expect(other).toEqual(first);
    for (const one of services) await one.close();
  });
});
