import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../src/database/database.ts';
import { migrate } from '../src/database/migrate.ts';
import { applyRetention } from '../src/database/retention.ts';
import { CLICK_TABLES, MIGRATIONS } from '../src/database/schema.ts';
import { openTestDatabase, type TestDatabase } from './harness.ts';

let db: TestDatabase;
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(async () => {
  await db?.close();
});

const tables = () =>
  db.database.query<{ name: string; engine_full: string }>(
    'SELECT name, engine_full FROM system.tables WHERE database = {database:String} ORDER BY name',
    { parameters: { database: db.env.CLICKHOUSE_DATABASE! } },
  );

test('three replicas that start together bring the schema up, and a later start changes nothing', async () => {
  const replicas = Array.from({ length: 3 }, () => openDatabase(db.env as never));
  await Promise.all(replicas.map((replica) => migrate(replica)));
  const after = await tables();
  await migrate(db.database);
  expect(await tables()).toEqual(after);
  expect(after.map(({ name }) => name)).toEqual([
    'clicks',
    'clicks_by_day',
    'hidden_sets',
    'incoming_clicks',
    'incoming_to_clicks',
    'incoming_to_clicks_by_day',
    'incoming_to_link_totals',
    'incoming_to_links_by_day',
    'link_totals',
    'links_by_day',
    'schema_migrations',
    'withdrawn_inserts',
  ]);
  expect(await db.database.query('SELECT DISTINCT version FROM schema_migrations ORDER BY version')).toEqual([
    { version: 1 },
    { version: 2 },
    { version: 3 },
    { version: 4 },
    { version: 5 },
  ]);
  await Promise.all(replicas.map((replica) => replica.close()));
});

test('the table of small granules has no dictionaries', async () => {
  await migrate(db.database);
  const columns = await db.database.query<{ type: string }>(
    "SELECT DISTINCT type FROM system.columns WHERE database = {database:String} AND table = 'clicks_by_day'",
    { parameters: { database: db.env.CLICKHOUSE_DATABASE! } },
  );
  expect(columns.map(({ type }) => type)).not.toContainEqual(expect.stringContaining('LowCardinality'));
});

describe('a database of before clicks_by_day', () => {
  /**
   * Creates a database with the schema of version 1 and batches of 50 clicks that arrived an hour ago, half of them
   * from bots.
   */
  async function openOldDatabase(batches: number) {
    const env = { ...db.env, CLICKHOUSE_DATABASE: `${db.env.CLICKHOUSE_DATABASE}_old_${batches}` };
    const database = openDatabase(env as never);
    await migrate(database, MIGRATIONS.slice(0, 1));
    for (let batch = 1; batch <= batches; batch++) {
      await database.command(
        `INSERT INTO incoming_clicks (batch, only, received_at, id, account_id, link_id, clicked_at, source, device, verdict)
         SELECT ${batch}, '', now() - 3600, generateUUIDv4(), 'ada', concat('link-', toString(number % 7)),
           toDateTime64('2026-11-01 12:00:00', 3, 'UTC') - toIntervalHour(number * ${batch}),
           ['direct', 'google.com', 'newsletter'][1 + number % 3], ['desktop', 'mobile', 'tablet', 'other'][1 + number % 4],
           if(number % 2 = 0, 'counted', 'bot')
         FROM numbers(50)`,
      );
    }
    const close = async () => {
      await database.command(`DROP DATABASE ${env.CLICKHOUSE_DATABASE} SYNC`);
      await database.close();
    };
    return { env, database, close };
  }
  /** Returns the counts of the rollup, and the same counts computed from the clicks. */
  async function bothCounts({ database }: { database: Database }) {
    const [rollup, clicks] = await Promise.all([
      database.query(`
        SELECT from_source, [sumIf(desktop, link = 0), sumIf(mobile, link = 0), sumIf(tablet, link = 0), sumIf(other, link = 0)] AS devices,
          sumIf(desktop + mobile + tablet + other, link != 0) AS of_links, sum(arraySum(\`sourcesMap.clicks\`)) AS by_source
        FROM clicks_by_day WHERE account_id != '' GROUP BY from_source ORDER BY from_source`),
      database.query(`
        SELECT from_source, [countIf(device = 'desktop'), countIf(device = 'mobile'), countIf(device = 'tablet'), countIf(device = 'other')] AS devices,
          count() AS of_links, if(from_source = '', count(), 0) AS by_source
        FROM clicks ARRAY JOIN ['', source::String] AS from_source
        WHERE verdict = 'counted' GROUP BY from_source ORDER BY from_source`),
    ]);
    return { rollup, clicks };
  }

  test('has all its clicks in it after three replicas migrated at one time, each once', async () => {
    const old = await openOldDatabase(5);
    const replicas = Array.from({ length: 3 }, () => openDatabase(old.env as never));
    const outcomes = await Promise.allSettled(replicas.map((replica) => migrate(replica)));
    // A replica fails if another one is storing its block. In production it would retry.
    if (outcomes.some(({ status }) => status === 'rejected')) await migrate(old.database);
    const { rollup, clicks } = await bothCounts(old);
    expect(rollup).toEqual(clicks);
    expect(clicks).toHaveLength(4);
    await migrate(old.database);
    expect((await bothCounts(old)).rollup).toEqual(clicks);
    await Promise.all(replicas.map((replica) => replica.close()));
    await old.close();
  }, 60_000);

  test('goes on after an interruption, and leaves the marks by which a batch that is sent again is found', async () => {
    const old = await openOldDatabase(4);
    // As if a migration was interrupted after two batches.
    const [, second] = MIGRATIONS;
    for (const statement of second!.statements) await old.database.command(statement);
    await old.database.command(
      `INSERT INTO incoming_clicks SELECT * REPLACE (now() AS received_at, 'clicks_by_day' AS only)
       FROM (SELECT batch, '' AS only, received_at, id, account_id, link_id::String AS link_id, clicked_at, source, device, verdict
             FROM clicks WHERE batch IN (2, 3))`,
    );
    await migrate(old.database);
    const { rollup, clicks } = await bothCounts(old);
    expect(rollup).toEqual(clicks);
    const marks = await old.database.query<{ link: number }>(
      "SELECT DISTINCT link FROM clicks_by_day WHERE account_id = '' ORDER BY link",
    );
    expect(marks.map(({ link }) => link)).toEqual([1, 2, 3, 4]);
    await old.close();
  }, 60_000);
});

test('retention by configuration: set, changed, taken back', async () => {
  await migrate(db.database);
  const untouched = await tables();
  const ttlOf = async () =>
    new Map((await tables()).map(({ name, engine_full }) => [name, / TTL (.*?)( SETTINGS |$)/.exec(engine_full)?.[1]]));
  await applyRetention(db.database, 400);
  await applyRetention(db.database, 500);
  const set = await ttlOf();
  expect(set.get('clicks')).toBe('received_at + toIntervalDay(500)');
  expect(set.get('clicks_by_day')).toContain('day + toIntervalDay(500)');
  expect(set.get('links_by_day')).toContain('day + toIntervalDay(500)');
  expect(set.get('link_totals')).not.toContain('500');
  const same = await tables();
  await applyRetention(db.database, 500);
  expect(await tables()).toEqual(same);
  await applyRetention(db.database, undefined);
  expect(await tables()).toEqual(untouched);
});

test('what is older than the retention is deleted, in every table but the totals, and the rest stays', async () => {
  await migrate(db.database);
  const ages = [0, 399, 401, 700];
  for (const age of ages)
    await db.database.command(
      `INSERT INTO incoming_clicks (batch, only, received_at, id, account_id, link_id, clicked_at, source, device, verdict)
       SELECT ${age} + 1, '', now() - toIntervalDay(${age}), generateUUIDv4(), 'ada', 'link', now64(3) - toIntervalDay(${age}),
         'direct', 'mobile', 'counted' FROM numbers(10)`,
    );
  async function countAll() {
    const rows = await db.database.query<{ of: string; n: number }>(
      `SELECT 'clicks' AS of, count() AS n FROM clicks
       UNION ALL SELECT 'account by day', sum(mobile) FROM clicks_by_day WHERE account_id = 'ada' AND link = 0 AND from_source = ''
       UNION ALL SELECT 'link by day', sum(mobile) FROM clicks_by_day WHERE account_id = 'ada' AND link != 0 AND from_source = 'direct'
       UNION ALL SELECT 'links_by_day', sum(clicks) FROM links_by_day WHERE account_id = 'ada' AND from_source = 'direct'
       UNION ALL SELECT 'link_totals', sum(clicks) FROM link_totals WHERE account_id = 'ada'`,
    );
    return Object.fromEntries(rows.map(({ of, n }) => [of, n]));
  }
  const counts = (n: number) => ({
    clicks: n,
    'account by day': n,
    'link by day': n,
    links_by_day: n,
    link_totals: 40,
  });
  expect(await countAll()).toEqual(counts(40));
  await applyRetention(db.database, 400);
  // ClickHouse does this itself when it merges parts.
  for (const table of CLICK_TABLES) await db.database.command(`OPTIMIZE TABLE ${table} FINAL`);
  expect(await countAll()).toEqual(counts(20));
  await applyRetention(db.database, undefined);
});
