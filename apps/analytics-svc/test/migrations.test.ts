import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../src/database/database.ts';
import { migrate } from '../src/database/migrate.ts';
import { applyRetention } from '../src/database/retention.ts';
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
  await Promise.all(replicas.map(migrate));
  const after = await tables();
  await migrate(db.database);
  expect(await tables()).toEqual(after);
  expect(after.map(({ name }) => name)).toEqual([
    'clicks',
    'clicks_by_day',
    'incoming_clicks',
    'incoming_to_clicks',
    'incoming_to_clicks_by_day',
    'incoming_to_link_totals',
    'incoming_to_links_by_day',
    'link_totals',
    'links_by_day',
    'schema_migrations',
  ]);
  expect(await db.database.query('SELECT DISTINCT version FROM schema_migrations ORDER BY version')).toEqual([
    { version: 1 },
    { version: 2 },
  ]);
  await Promise.all(replicas.map((replica) => replica.close()));
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
