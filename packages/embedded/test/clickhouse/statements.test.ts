import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { LOGIN_HEADERS, openTestDatabase, type TestDatabase } from './harness.ts';

// What a statement computes is decided by ClickHouse's own engine, and held by the tests of analytics-svc. Here is what
// the HTTP server around it could spoil.

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

const command = (query: string) => database.client.command({ query });

const NASTY = `it's a "quote" \\ back\\'slash\nnew\tline\n\n; DROP TABLE t -- ${String.fromCharCode(1)} é 🌍`;

test.each([
  ['String', NASTY],
  ['Array(String)', [NASTY, "a','b"]],
  ['Map(String, UInt8)', { "k'\\": 1 }],
  ['UInt64', '18446744073709551615'],
  ['Nullable(String)', null],
])('a parameter reaches the engine as it is: %s', async (type, x) => {
  const result = await database.client.query({
    query: `SELECT {x:${type}} AS x`,
    query_params: { x },
    format: 'JSONEachRow',
    clickhouse_settings: { output_format_json_quote_64bit_integers: 1 },
  });
  expect(await result.json()).toEqual([{ x }]);
});

test('rows with quotes, semicolons and empty lines are stored as they are, whichever way they arrive', async () => {
  await command('CREATE TABLE texts (id UInt32, text String) ENGINE = MergeTree ORDER BY id');
  await database.client.insert({ table: 'texts', values: [{ id: 1, text: NASTY }], format: 'JSONEachRow' });
  const url = `${database.url}/?database=${database.name}&query=INSERT+INTO+texts+FORMAT+CSV`;
  const csv = '2,"a;\n\nDROP TABLE texts"\n3,"b"\n';
  const response = await fetch(url, { method: 'POST', headers: LOGIN_HEADERS, body: csv });
  expect([response.status, await response.text()]).toEqual([200, '']);
  await command("INSERT INTO texts VALUES (4, 'x;y')\n\n, (5, 'ab');");
  expect(await database.rows('SELECT id, text FROM texts ORDER BY id')).toEqual(
    [NASTY, 'a;\n\nDROP TABLE texts', 'b', 'x;y', 'ab'].map((text, at) => ({ id: at + 1, text })),
  );
});

test('an invalid row refuses the insert with a message that names no file', async () => {
  await command('CREATE TABLE strict (n UInt32) ENGINE = MergeTree ORDER BY n');
  const insert = database.client.insert({ table: 'strict', values: [{ n: 1 }, { n: 'x' }], format: 'JSONEachRow' });
  await expect(insert).rejects.toMatchObject({ code: '27', type: 'CANNOT_PARSE_INPUT_ASSERTION_FAILED' });
  await expect(insert).rejects.not.toThrow(/spool/);
  expect(await database.rows('SELECT count() AS n FROM strict')).toEqual([{ n: 0 }]);
});

test('a million rows arrive', async () => {
  const result = await database.client.query({
    query: 'SELECT number FROM numbers(1000000)',
    format: 'JSONCompactEachRow',
  });
  let count = 0;
  for await (const rows of result.stream()) count += rows.length;
  expect(count).toBe(1_000_000);
});

test.each([
  ['SELEC 1 FROM', '62', 'SYNTAX_ERROR'],
  ['SELECT 1; SELECT 2', '62', 'SYNTAX_ERROR'],
  ['', '62', 'SYNTAX_ERROR'],
  ['SELECT * FROM no_such_table', '60', 'UNKNOWN_TABLE'],
  ['SELECT 1 FORMAT NoSuch', '73', 'UNKNOWN_FORMAT'],
  ['SELECT {x:UInt8}', '456', 'UNKNOWN_QUERY_PARAMETER'],
  ['SELECT 1 SETTINGS no_such_setting = 1', '115', 'UNKNOWN_SETTING'],
  ["SELECT throwIf(number = 500000, 'boom') FROM numbers(1000000)", '395', 'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO'],
])('an error has the code and type of ClickHouse: %s', async (query, code, type) => {
  await expect(database.client.exec({ query })).rejects.toMatchObject({ code, type });
  await expect(database.client.exec({ query })).rejects.not.toThrow(/spool|INTO OUTFILE '/);
});

test('what the server does not have is refused (48)', async () => {
  for (const headers of [{ 'content-encoding': 'gzip' }, { 'content-type': 'multipart/form-data; boundary=x' }]) {
    const response = await fetch(database.url, {
      method: 'POST',
      headers: { ...LOGIN_HEADERS, ...headers },
      body: 'x',
    });
    expect(await response.text()).toContain('Code: 48.');
  }
  const sessions = database.client.query({ query: 'SELECT 1', session_id: 'mine' });
  await expect(sessions).rejects.toMatchObject({ code: '48' });
});

test('32 concurrent queries with different settings each use their own, also afterwards', async () => {
  const comments = Array.from({ length: 32 }, (_, index) => (index % 2 === 0 ? `c${index}` : ''));
  const seen = await Promise.all(
    comments.map(async (log_comment) => {
      const result = await database.client.query({
        query: "SELECT getSetting('log_comment') AS comment",
        format: 'JSONEachRow',
        clickhouse_settings: log_comment === '' ? {} : { log_comment },
      });
      return (await result.json<{ comment: string }>())[0]!.comment;
    }),
  );
  expect(seen).toEqual(comments);
  await command("SET log_comment = 'leak'");
  expect(await database.rows("SELECT getSetting('log_comment') AS comment")).toEqual([{ comment: '' }]);
});

describe('a read whose client disconnects', () => {
  const ENDLESS = 'SELECT sum(sipHash64(number)) FROM numbers(1000000000000)';
  const CANCELLED = { cancel_http_readonly_queries_on_client_close: 1 } as const;
  const runningCount = async () => {
    const [row] = await database.rows<{ running: string }>(
      "SELECT count() AS running FROM system.processes WHERE query LIKE '%sipHash64(number)%' AND query NOT LIKE '%processes%'",
    );
    return Number(row!.running);
  };

  test('ends, also if more read than run concurrently, and no other read ends', async () => {
    const controller = new AbortController();
    const other = database.rows<object>("SELECT 'yes' AS ended FROM numbers(1) WHERE sleep(1.5) = 0");
    const gone = Array.from({ length: 8 }, () =>
      database.client.query({ query: ENDLESS, abort_signal: controller.signal, clickhouse_settings: CANCELLED }),
    );
    await vi.waitFor(async () => expect(await other).toEqual([{ ended: 'yes' }]), 30_000);
    controller.abort();
    await Promise.allSettled(gone);
    await vi.waitFor(async () => expect(await runningCount()).toBe(0), 30_000);
  });
});
