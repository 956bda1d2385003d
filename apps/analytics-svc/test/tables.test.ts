import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../src/database/database.ts';
import { migrate } from '../src/database/migrate.ts';
import { MIGRATIONS } from '../src/database/migrations/migrations.ts';
import { SUMS_BY_LINK_AND_DAY, SUMS_BY_QUARTER } from '../src/database/projections.ts';
import { removeOldClicks } from '../src/database/retention.ts';
import { createPurgeStore } from '../src/purge/purge.store.ts';
import { createTotalsStore } from '../src/totals/totals.store.ts';
import {
  account,
  type FakeLinks,
  openTestDatabase,
  record,
  startFakeLinks,
  startService,
  type TestDatabase,
} from './harness.ts';

const SINGLE = { kind: 'single', hasDeduplicateInsert: true } as const;
const never = new AbortController().signal;

let db: TestDatabase;
let links: FakeLinks;
beforeAll(async () => {
  db = await openTestDatabase();
  links = await startFakeLinks();
  await migrate(db.database, undefined);
});
afterAll(async () => {
  await links?.close();
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
const totalsOf = async (linkId: string) =>
  (await createTotalsStore({ database: db.database, topology: () => SINGLE }).findByLinks([linkId], never)).totals;

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
    .poll(async () => {
      await removeOldClicks(db.database, SINGLE, 400, now);
      return monthsOf(linkId);
    })
    .toEqual(['2025-10', '2026-11']);
  expect(await totalsOf(linkId)).toEqual(before);
  // Later clicks are added.
  await store(linkId, ['2026-11']);
  expect(await totalsOf(linkId)).toMatchObject([{ clicks: 50 }]);
  // A purge of the link leaves nothing.
  const { purge } = createPurgeStore({ database: db.database, topology: () => SINGLE });
  await expect.poll(() => purge([{ accountId: 'ada', linkId }], never)).toBe(true);
  expect(await totalsOf(linkId)).toEqual([]);
});

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
    .poll(async () => {
      await removeOldClicks(db.database, SINGLE, 400, new Date('2026-11-23T12:00:00Z'));
      return [...(await monthsOf(kept)), ...(await monthsOf(missing))];
    })
    .toEqual([]);
  await db.database.command('OPTIMIZE TABLE removed_clicks FINAL');
  expect([await totalsOf(kept), await totalsOf(missing)]).toEqual([[{ ...before[0]![0], clicks: 12 }], before[1]]);
});

test('a migration adds a column to a table with rows, and the version before still writes and reads them', async () => {
  await withDatabase(async (database) => {
    const service = await startService({
      ...db.env,
      CLICKHOUSE_DATABASE: database.name,
      LINKS_GRPC: links.address,
    });
    const click = { accountId: 'ada', linkId: 'l', atMs: Date.now() };
    links.links.set('l', { accountId: 'ada', hidden: false, deleted: false });
    await record(service.client, [click]);

    const migrations = [...MIGRATIONS, { number: 999, name: 'network', statements: addNetwork }];
    await Promise.all([1, 2, 3].map(() => migrate(database, undefined, migrations)));
    await database.command(
      `INSERT INTO incoming_clicks (id, account_id, link_id, clicked_at, network)
       SELECT generateUUIDv4(), 'ada', 'l', now(), 'mobile'`,
    );
    await record(service.client, [click]);
    const networks = await database.query(
      "SELECT network, count() AS clicks FROM clicks WHERE account_id = 'ada' GROUP BY network ORDER BY network",
    );
    expect(networks).toEqual([
      { network: '', clicks: 2 },
      { network: 'mobile', clicks: 1 },
    ]);
    expect(await service.get('/api/v1/analytics', account('ada'))).toMatchObject({ status: 200, body: { clicks: 3 } });
    await service.close();

    // A process of the version before that starts now, for example after a rollback, is ready too.
    const restarted = await startService({
      ...db.env,
      CLICKHOUSE_DATABASE: database.name,
      LINKS_GRPC: links.address,
    });
    await record(restarted.client, [click]);
    expect((await restarted.get('/api/v1/analytics', account('ada'))).body).toMatchObject({ clicks: 4 });
    await restarted.close();
  });
});

/** What a later version needs for a column that inserts send, on one server. */
function addNetwork(): string[] {
  return [
    'ALTER TABLE clicks ADD COLUMN IF NOT EXISTS network LowCardinality(String)',
    'ALTER TABLE incoming_clicks ADD COLUMN IF NOT EXISTS network LowCardinality(String)',
    `ALTER TABLE incoming_to_clicks MODIFY QUERY
     SELECT batch, id, account_id, link_id, clicked_at, verdict, source, referrer, device, browser, os, country, visitor,
       host, language, utm_campaign, utm_medium, utm_content, utm_term, network
     FROM incoming_clicks
     WHERE throwIf(getSetting('log_comment') IN (SELECT name FROM withdrawn_inserts), 'This insert was withdrawn') = 0`,
  ];
}

test('languages and utm_… come to a table with clicks, while the version before writes and reads it', async () => {
  await withDatabase(async (database) => {
    const before = `batch, id, account_id, link_id, clicked_at, verdict, source, referrer, device, browser, os, country,
      visitor, host`;
    const insert = (columns: string, values: string) =>
      database.command(
        `INSERT INTO incoming_clicks (${columns})
         SELECT 1, generateUUIDv4(), 'ada', 'l', now64(3), 'counted', 'direct', '', 'mobile', 'Safari', 'iOS', 'DE', 1, ''
         ${values}`,
        { settings: { log_comment: 'a batch' } },
      );
    await migrate(database, undefined, MIGRATIONS.slice(0, 1));
    await insert(before, '');
    await Promise.all([migrate(database, undefined), insert(before, ''), migrate(database, undefined)]);
    await migrate(database, undefined);
    await insert(before, '');
    await insert(`${before}, language, utm_campaign, utm_medium, utm_content, utm_term`, ", 'de', 'c', 'm', 'n', 't'");
    const stored = await database.query(
      `SELECT language, utm_campaign, utm_medium, utm_content, utm_term, count() AS clicks FROM clicks
       WHERE account_id = 'ada' AND counted AND country = 'DE' GROUP BY ALL ORDER BY language`,
    );
    expect(stored).toEqual([
      { language: '', utm_campaign: '', utm_medium: '', utm_content: '', utm_term: '', clicks: 3 },
      { language: 'de', utm_campaign: 'c', utm_medium: 'm', utm_content: 'n', utm_term: 't', clicks: 1 },
    ]);
    // ClickHouse builds the new projections of the old clicks in the background.
    await expect
      .poll(() =>
        database.query(
          `SELECT name, sum(rows) AS rows FROM system.projection_parts
           WHERE database = {name:String} AND active AND name IN ('clicks_by_link', 'clicks_of_links') GROUP BY name`,
          { parameters: { name: database.name } },
        ),
      )
      .toEqual([{ name: 'clicks_of_links', rows: 4 }]);
    // An insert that was withdrawn is still refused.
    await database.command("INSERT INTO withdrawn_inserts (token, name) VALUES ('a batch', 'a batch')");
    await expect(insert(before, '')).rejects.toMatchObject({ code: 'unavailable' });
  });
});

test('a migration that failed half-way continues, and is recorded only when it is done', async () => {
  await withDatabase(async (database) => {
    const recorded = async () => (await database.query('SELECT number, name FROM migrations ORDER BY number')).at(-1);
    const create = 'CREATE TABLE IF NOT EXISTS notes (a UInt8) ENGINE = Memory';
    const notes = (...statements: string[]) => [
      ...MIGRATIONS,
      { number: 999, name: 'notes', statements: () => statements },
    ];
    await expect(migrate(database, undefined, notes(create, 'CREATE NONSENSE'))).rejects.toThrow();
    expect(await recorded()).not.toMatchObject({ name: 'notes' });
    await migrate(database, undefined, notes(create));
    expect(await recorded()).toEqual({ number: 999, name: 'notes' });
  });
});

test('every file of migrations is listed, in its order', async () => {
  const files = await readdir(join(import.meta.dirname, '../src/database/migrations'));
  expect(MIGRATIONS.map(({ number, name }) => `${String(number).padStart(4, '0')}-${name}.ts`)).toEqual(
    files.filter((file) => /^\d/.test(file)).sort(),
  );
});

test('the tables have the sums that questions rely on', async () => {
  const kept = await db.database.query<{ name: string; query: string }>(
    "SELECT name, query FROM system.projections WHERE database = {name:String} AND table = 'clicks'",
    { parameters: { name: db.database.name } },
  );
  const queries = new Map(kept.map(({ name, query }) => [name, query]));
  for (const [name, dimensions] of Object.entries({ ...SUMS_BY_QUARTER, ...SUMS_BY_LINK_AND_DAY }))
    for (const dimension of dimensions) expect(queries.get(name)).toMatch(new RegExp(`\\b${dimension}\\b`));
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
      'migrations',
      'removed_clicks',
      'withdrawn_inserts',
    ]);
    await migrate(fresh, undefined);
    expect(await tables()).toEqual(after);
  });
});
