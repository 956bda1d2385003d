// docs/adr/0060-one-deadline-for-a-request.md
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Database, StatementOptions } from '../src/database/database.ts';
import {
  account,
  type FakeLinks,
  openTestDatabase,
  signer,
  startFakeLinks,
  startService,
  type TestDatabase,
  type TestService,
} from './harness.ts';

const MARK = 'a statement that takes a minute';
const SLOW = `SELECT sleepEachRow(0.1), '${MARK}' FROM numbers(600) SETTINGS max_block_size = 1, max_threads = 1`;
const ALICE = account('alice');
const PATIENCE = { timeout: 20_000, interval: 50 };

let db: TestDatabase;
let links: FakeLinks;
let service: TestService;
let sent: StatementOptions[] = [];
beforeAll(async () => {
  db = await openTestDatabase();
  links = await startFakeLinks();
  const isQuestion = ({ parameters }: StatementOptions) => parameters?.account === ALICE.accountId;
  const wrap = (database: Database): Database => ({
    ...database,
    async query<Row>(sql: string, options: StatementOptions = {}) {
      if (!isQuestion(options)) return database.query<Row>(sql, options);
      sent.push(options);
      return database.query<Row>(SLOW, options);
    },
  });
  service = await startService({ ...db.env, LINKS_GRPC: links.address }, { wrap });
});
afterAll(async () => {
  await service?.close();
  await links?.close();
  await db?.close();
});

const running = async () =>
  (await db.database.query(`SELECT 1 FROM system.processes WHERE query LIKE '%${MARK}%' AND query NOT LIKE '%LIKE%'`))
    .length;

test.each([
  ['REST', async () => (await service.get('/api/v1/analytics', ALICE)).status],
  [
    'gRPC',
    async () => {
      const options = { timeoutMs: 3_000, identity: await signer.mint(ALICE) };
      return service.client.getAnalytics({ tz: 'UTC' }, options).then(
        () => 200,
        (error) => error.httpStatus,
      );
    },
  ],
])('over %s, the statement of a question whose time is over is cancelled in ClickHouse', async (_door, ask) => {
  sent = [];
  const asked = ask();
  await vi.waitFor(async () => expect(await running()).toBe(1), PATIENCE);
  expect(await asked).toBe(503);
  await vi.waitFor(async () => expect(await running()).toBe(0), PATIENCE);
  // It would also end by itself, if ClickHouse did not notice that the connection is closed.
  for (const { settings } of sent) {
    expect(settings?.max_execution_time).toBeGreaterThan(0);
    expect(settings?.max_execution_time).toBeLessThan(5);
  }
});
