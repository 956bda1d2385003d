import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../src/database/database.ts';
import { migrate } from '../src/database/migrate.ts';
import { removeOldClicks } from '../src/database/retention.ts';
import { createPurgeStore } from '../src/purge/purge.store.ts';
import { createTotalsStore } from '../src/totals/totals.store.ts';
import { openTestDatabase, startService, type TestDatabase } from './harness.ts';

const SINGLE = { kind: 'single', hasDeduplicateInsert: true } as const;
const never = new AbortController().signal;

let db: TestDatabase;
beforeAll(async () => {
  db = await openTestDatabase();
  await migrate(db.database, undefined);
});
afterAll(async () => {
  await db?.close();
});

/** Opens another database of the same server, and drops it after the test. */
async function withDatabase(test: (database: Database) => Promise<void>) {
  const database = openDatabase({ ...db.env, CLICKHOUSE_DATABASE: `${db.database.name}_${++databases}` } as never);
  try {
    await test(database);
  } finally {
    await database.command(`DROP DATABASE IF EXISTS ${database.name}`, { database: false });
    await database.close();
  }
}
let databases = 0;

/** Stores ten clicks of a link for each month of arrival. */
async function store(linkId: string, months: string[]) {
  for (const month of months)
    await db.database.command(
      `INSERT INTO clicks (batch, id, account_id, link_id, clicked_at, verdict, stored_at)
       SELECT 1, generateUUIDv4(), 'ada', {link:String}, toDateTime64({at:String}, 3, 'UTC'), 'counted', {at:String}
       FROM numbers(10)`,
      { parameters: { link: linkId, at: `${month}-15 12:00:00` } },
    );
}
async function monthsOf(linkId: string) {
  const rows = await db.database.query<{ month: string }>(
    "SELECT formatDateTime(stored_at, '%Y-%m') AS month FROM clicks WHERE link_id = {link:String} GROUP BY month ORDER BY month",
    { parameters: { link: linkId } },
  );
  return rows.map(({ month }) => month);
}
const totalsOf = (linkId: string) => createTotalsStore(db.database).findByLinks([linkId], never);

test('clicks are removed when their month is older than the retention, and the totals of links keep them', async () => {
  const linkId = randomUUID();
  await store(linkId, ['2024-01', '2025-09', '2025-10', '2026-11']);
  const before = await totalsOf(linkId);
  expect(before).toEqual([{ linkId, clicks: 40, lastClickedAtMs: Date.parse('2026-11-15T12:00:00Z') }]);
  const now = new Date('2026-11-23T12:00:00Z');
  // 400 days before is in October 2025, which is kept until all of it is older. Two replicas do it at one time.
  await Promise.all([1, 2].map(() => removeOldClicks(db.database, SINGLE, 400, now)));
  expect(await totalsOf(linkId)).toEqual(before);
  await expect
    .poll(
      async () => {
        await removeOldClicks(db.database, SINGLE, 400, now);
        return monthsOf(linkId);
      },
      { timeout: 20_000 },
    )
    .toEqual(['2025-10', '2026-11']);
  expect(await totalsOf(linkId)).toEqual(before);
  // Later clicks are added.
  await store(linkId, ['2026-11']);
  expect(await totalsOf(linkId)).toMatchObject([{ clicks: 50 }]);
  // A purge of the link leaves nothing.
  const { purge } = createPurgeStore({ database: db.database, topology: () => SINGLE });
  await expect.poll(() => purge([{ accountId: 'ada', linkId }], never), { timeout: 20_000 }).toBe(true);
  expect(await totalsOf(linkId)).toEqual([]);
}, 60_000);

test('a removal that failed in the middle is repeated, and no total falls', async () => {
  const [kept, missing] = [randomUUID(), randomUUID()];
  await store(kept, ['2024-02']);
  await store(missing, ['2024-02']);
  const before = [await totalsOf(kept), await totalsOf(missing)];
  // The totals of one link were stored, for example on one shard only, when more of its clicks were there.
  await db.database.command(
    `INSERT INTO removed_clicks (month, link, account_id, link_id, clicks, last_clicked_at)
     SELECT 202402, cityHash64({link:String}), 'ada', {link:String}, 12, toDateTime64('2024-02-15 12:00:00', 3, 'UTC')`,
    { parameters: { link: kept } },
  );
  await expect
    .poll(
      async () => {
        await removeOldClicks(db.database, SINGLE, 400, new Date('2026-11-23T12:00:00Z'));
        return [...(await monthsOf(kept)), ...(await monthsOf(missing))];
      },
      { timeout: 20_000 },
    )
    .toEqual([]);
  await db.database.command('OPTIMIZE TABLE removed_clicks FINAL');
  expect([await totalsOf(kept), await totalsOf(missing)]).toEqual([[{ ...before[0]![0], clicks: 12 }], before[1]]);
}, 60_000);

test('a table of clicks without the quarter of an hour is refused, and left as it is', async () => {
  await withDatabase(async (old) => {
    await old.command(`CREATE DATABASE ${old.name}`, { database: false });
    await old.command(
      'CREATE TABLE clicks (account_id String, clicked_at DateTime) ENGINE = MergeTree ORDER BY account_id',
    );
    await expect(migrate(old, undefined)).rejects.toThrow(/before 0\.1\.0.*CLICKHOUSE_DATABASE/);
    const tables = await old.query('SELECT name FROM system.tables WHERE database = {name:String}', {
      parameters: { name: old.name },
    });
    expect(tables).toEqual([{ name: 'clicks' }]);
  });
});

test('/readyz says why the tables of an earlier version are refused', async () => {
  await withDatabase(async (old) => {
    await old.command(`CREATE DATABASE ${old.name}`, { database: false });
    await old.command('CREATE TABLE clicks_by_day (a UInt8) ENGINE = MergeTree ORDER BY a');
    const service = await startService(
      { ...db.env, CLICKHOUSE_DATABASE: old.name, LINKS_GRPC: '127.0.0.1:9' },
      { wait: false },
    );
    // It is known at once: the process does not wait for what cannot come.
    await service.prepared(60_000);
    await expect
      .poll(() => service.get('/readyz'))
      .toMatchObject({
        status: 503,
        body: { error: expect.stringMatching(/^Not ready: clickhouse\. The database .* before 0\.1\.0/) },
      });
    await service.close();
  });
}, 30_000);

test('the tables of a version before 0.1.0 are refused with one line, and left as they are', async () => {
  await withDatabase(async (old) => {
    await old.command(`CREATE DATABASE ${old.name}`, { database: false });
    await old.command('CREATE TABLE clicks_by_day (a UInt8) ENGINE = MergeTree ORDER BY a');
    await expect(migrate(old, undefined)).rejects.toThrow(/before 0\.1\.0.*CLICKHOUSE_DATABASE/);
    const tables = await old.query('SELECT name FROM system.tables WHERE database = {name:String}', {
      parameters: { name: old.name },
    });
    expect(tables).toEqual([{ name: 'clicks_by_day' }]);
  });
});

test('three replicas that start together create the tables, and a later start changes nothing', async () => {
  await withDatabase(async (fresh) => {
    const tables = () =>
      fresh.query<{ name: string }>(
        'SELECT name, create_table_query FROM system.tables WHERE database = {name:String} ORDER BY name',
        { parameters: { name: fresh.name } },
      );
    await Promise.all([1, 2, 3].map(() => migrate(fresh, undefined)));
    const after = await tables();
    expect(after.map(({ name }) => name)).toEqual([
      'clicks',
      'incoming_clicks',
      'incoming_to_clicks',
      'removed_clicks',
      'withdrawn_inserts',
    ]);
    await migrate(fresh, undefined);
    expect(await tables()).toEqual(after);
  });
});
