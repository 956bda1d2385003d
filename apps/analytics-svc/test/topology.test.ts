import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Database } from '../src/database/database.ts';
import { MIGRATIONS } from '../src/database/migrations/migrations.ts';
import { startDeletion } from '../src/database/mutations.ts';
import { findStoredBlocks } from '../src/database/stored-blocks.ts';
import { createPurgeStore } from '../src/purge/purge.store.ts';
import { type FakeClickHouse, startFakeClickHouse } from './fake-clickhouse.ts';
import { record, signer, startService, type TestService } from './harness.ts';

let clickhouse: FakeClickHouse;
let service: TestService | undefined;
beforeEach(async () => {
  clickhouse = await startFakeClickHouse('26.3.1.1');
});
afterEach(async () => {
  await service?.close();
  service = undefined;
  await clickhouse.close();
});

const env = (more: Record<string, string> = {}) => ({
  CLICKHOUSE_URL: clickhouse.url,
  CLICKHOUSE_DATABASE: 'waymark',
  LINKS_GRPC: '127.0.0.1:9',
  ...more,
});
const created = () =>
  clickhouse.statements.map(({ statement }) => statement.trim()).filter((statement) => statement.startsWith('CREATE'));

/** Sends a batch of one click, and returns what ClickHouse received for it. */
async function insertOf(started: TestService) {
  await record(started.client, [{ accountId: 'a', linkId: 'l', atMs: Date.now() }], { token: 'the token' });
  return clickhouse.statements.findLast(({ statement, settings }) =>
    `${statement} ${settings}`.includes('INSERT INTO'),
  )!;
}

describe('on one server', () => {
  test('the tables are local, and an insert passes the check that it was not withdrawn', async () => {
    service = await startService(env());
    expect(created().filter((statement) => /Replicated|Distributed/.test(statement))).toEqual([]);
    expect(created().some((statement) => statement.includes('throwIf'))).toBe(true);
    const { statement, settings } = await insertOf(service);
    expect(statement).toContain('INSERT INTO incoming_clicks');
    expect(settings).toEqual(expect.arrayContaining(['log_comment', 'insert_deduplicate', 'async_insert']));
  });

  test('several servers with local tables behind one address are refused', async () => {
    clickhouse.servers = ['one', 'two'];
    service = await startService(env(), { wait: false });
    await expect
      .poll(async () => clickhouse.statements.some(({ statement }) => statement.includes('serverUUID')))
      .toBe(true);
    expect(created()).toEqual([]);
    expect(await service.get('/readyz')).toMatchObject({ status: 503 });
  });
});

describe('on replicas: a database with the engine Replicated', () => {
  beforeEach(() => {
    clickhouse.databaseEngine = 'Replicated';
    clickhouse.servers = ['one', 'two'];
  });

  test('totals are complete only if no replica lags, and are found meanwhile', async () => {
    service = await startService(env());
    const totals = async () => {
      const identity = await signer.mint({ kind: 'service', service: 'links-svc' });
      const before = clickhouse.statements.length;
      const { complete } = await service!.client.getLinkTotals({ linkIds: ['l'] }, { timeoutMs: 5_000, identity });
      const statements = clickhouse.statements.slice(before).map(({ statement }) => statement);
      expect(statements.at(-1)).toContain('removed_clicks');
      return complete;
    };
    expect(await totals()).toBe(true);
    clickhouse.lags.log = true;
    expect(await totals()).toBe(false);
    clickhouse.lags = { log: false, queue: true };
    expect(await totals()).toBe(false);
    clickhouse.lags.queue = false;
    expect(await totals()).toBe(true);
  });

  test('the tables are replicated, and remember the tokens of batches', async () => {
    service = await startService(env());
    expect(created()).toHaveLength(3);
    for (const statement of created()) {
      expect(statement).toMatch(/ENGINE = Replicated(ReplacingMergeTree\(clicks\)|MergeTree) ORDER BY/);
      expect(statement).toContain('replicated_deduplication_window = 100000');
      expect(statement).toContain('fsync_after_insert = 1');
    }
    const { statement, settings } = await insertOf(service);
    expect(statement).toContain('INSERT INTO clicks');
    expect(settings).toEqual(expect.arrayContaining(['insert_deduplication_token', 'insert_deduplicate']));
  });

  test.each([true, false])(
    'no profile can switch the tokens off, whatever the version sets them by (%s)',
    async (newer) => {
      clickhouse.hasDeduplicateInsert = newer;
      service = await startService(env());
      const { settings } = await insertOf(service);
      expect(settings).toContain('insert_deduplicate');
      expect(settings.includes('deduplicate_insert')).toBe(newer);
    },
  );

  test('with CLICKHOUSE_CLUSTER, each account has a shard', async () => {
    service = await startService(env({ CLICKHOUSE_CLUSTER: 'shards' }));
    expect(created().map((statement) => /TABLE IF NOT EXISTS (\w+)/.exec(statement)![1])).toEqual([
      'migrations_local',
      'migrations',
      'clicks_local',
      'clicks',
      'removed_clicks_local',
      'removed_clicks',
    ]);
    expect(created()[3]).toContain(
      'ENGINE = Distributed(`shards`, currentDatabase(), clicks_local, cityHash64(account_id))',
    );
    const { settings } = await insertOf(service);
    expect(settings).toContain('distributed_foreground_insert');
  });
});

test('CLICKHOUSE_CLUSTER without a replicated database is refused, and says what to do', async () => {
  service = await startService(env({ CLICKHOUSE_CLUSTER: 'shards' }), { wait: false });
  await expect
    .poll(async () => clickhouse.statements.some(({ statement }) => statement.includes('system.databases')))
    .toBe(true);
  expect(created()).toEqual([]);
  expect(await service.get('/readyz')).toMatchObject({ status: 503 });
});

test.each(['single', 'replicated', 'sharded'] as const)('the statements for %s', (kind) => {
  const hasDeduplicateInsert = true;
  const topology =
    kind === 'sharded' ? { kind, cluster: 'shards', hasDeduplicateInsert } : { kind, hasDeduplicateInsert };
  const statements = MIGRATIONS.flatMap((migration) => migration.statements(topology));
  expect(statements.map((statement) => statement.replaceAll(/\s+/g, ' '))).toMatchSnapshot();
});

const TOPOLOGIES = [
  { kind: 'single', hasDeduplicateInsert: true },
  { kind: 'replicated', hasDeduplicateInsert: true },
  { kind: 'sharded', cluster: 'shards', hasDeduplicateInsert: true },
] as const;
const never = new AbortController().signal;

/** Returns a database whose queries return these rows, and the statements that it gets. */
function recordingDatabase(rowsOf: (sql: string) => unknown[]) {
  const statements: string[] = [];
  const database = {
    name: 'waymark',
    async query(sql: string) {
      statements.push(sql);
      return rowsOf(sql);
    },
    async command(sql: string) {
      statements.push(sql);
    },
  } as unknown as Database;
  return { database, statements };
}

test.each(TOPOLOGIES)(
  'a deletion of $kind tables names no cluster: a Replicated database refuses it',
  async (topology) => {
    const { database, statements } = recordingDatabase(() => []);
    await startDeletion(database, topology, 'clicks', 'link = 1');
    expect(statements.at(-1)).toBe(
      `DELETE FROM ${topology.kind === 'sharded' ? 'clicks_local' : 'clicks'} WHERE link = 1`,
    );
  },
);

test.each([
  [TOPOLOGIES[0], 'FROM clicks WHERE'],
  [TOPOLOGIES[1], "FROM clusterAllReplicas('waymark', currentDatabase(), clicks) WHERE"],
  [TOPOLOGIES[2], "FROM clusterAllReplicas('waymark', currentDatabase(), clicks_local) WHERE"],
])('a purge of %j is done once no replica has clicks', async (topology, read) => {
  const { database, statements } = recordingDatabase((sql) => (sql.includes('cityHash64') ? [{ numbers: ['1'] }] : []));
  const { purge } = createPurgeStore({ database, topology: () => topology });
  expect(await purge([{ accountId: 'a', linkId: 'l' }], never)).toBe(true);
  expect(statements.some((sql) => sql.includes(read))).toBe(true);
});

test('a deletion that fails again and again is an error with the reason, not silence', async () => {
  const { database } = recordingDatabase(() => [{ failure: 'Cannot reserve 1 GiB' }]);
  const error = await startDeletion(database, TOPOLOGIES[0], 'clicks', 'link = 1').catch((thrown) => thrown);
  expect([error.code, error.cause.message]).toEqual([
    'unavailable',
    'a deletion in clicks fails: Cannot reserve 1 GiB',
  ]);
});

describe('the last block whose clicks are listed', () => {
  /** A cluster of two shards with two replicas each. `running` looks find an insert of the first shard that runs. */
  function cluster(running: number, lags = false) {
    const replicas = ['a1', 'a2', 'b1', 'b2'].map((host) => ({ host, path: `/tables/${host[0]}` }));
    return recordingDatabase((sql) => {
      if (sql.includes('toString(uuid)')) return [{ id: 'the table', last: 99 }];
      if (sql.includes('hostName() AS host, zookeeper_path')) return replicas;
      if (sql.includes('DISTINCT hostName()')) return [{ host: 'a2' }];
      if (sql.includes('system.parts')) return [{ last: 7 }];
      if (sql.includes('system.zookeeper')) return running-- > 0 ? [{ 1: 1 }] : [];
      return lags ? [{ 1: 1 }] : [];
    });
  }

  test('on one server is that of its parts', async () => {
    const { database, statements } = cluster(0);
    expect(await findStoredBlocks(database, TOPOLOGIES[0], 'a', never)).toEqual({ tableId: 'the table', last: 99 });
    expect(statements).toHaveLength(1);
  });

  test.each([TOPOLOGIES[1], TOPOLOGIES[2]])(
    'on $kind tables is that of the parts of the shard, once no insert before it runs',
    async (topology) => {
      const { database, statements } = cluster(2);
      expect(await findStoredBlocks(database, topology, 'a', never)).toEqual({ tableId: 'the table', last: 7 });
      const at = (text: string) => statements.findIndex((sql) => sql.includes(text));
      const parts = statements[at('AND active AND hostName()')];
      expect(parts).toContain("clusterAllReplicas('waymark', system.parts)");
      expect(parts).toContain("hostName() IN ('a1','a2')");
      // What was numbered before the parts were read is waited for, and then what replicas have not copied.
      expect(at('AND active AND hostName()')).toBeLessThan(at('system.zookeeper'));
      expect(statements.filter((sql) => sql.includes('system.zookeeper'))).toHaveLength(3);
      expect(statements.findLastIndex((sql) => sql.includes('system.zookeeper'))).toBeLessThan(at('log_pointer'));
    },
  );

  test('is unavailable while a replica lags', async () => {
    const { database } = cluster(0, true);
    await expect(findStoredBlocks(database, TOPOLOGIES[1], 'a', never)).rejects.toMatchObject({ code: 'unavailable' });
  });
});
