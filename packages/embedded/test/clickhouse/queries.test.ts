import { request } from 'node:http';
import { ClickHouseError, TupleParam } from '@clickhouse/client';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { LOGIN_HEADERS, openTestDatabase, type TestDatabase } from './harness.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

async function errorOf(promise: Promise<unknown>): Promise<ClickHouseError> {
  const error = await promise.then(
    () => undefined,
    (cause: unknown) => cause,
  );
  expect(error).toBeInstanceOf(ClickHouseError);
  return error as ClickHouseError;
}

test('ping responds', async () => {
  expect(await database.client.ping()).toMatchObject({ success: true });
  expect(await database.client.ping({ select: true })).toMatchObject({ success: true });
});

describe('query parameters are typed by the engine', () => {
  const nasty = `it's a "quote" \\ back\\'slash\nnew\tline; DROP TABLE t -- ${String.fromCharCode(1)} é 🌍`;
  test.each([
    ['String', nasty, nasty],
    ['LowCardinality(String)', nasty, nasty],
    ['Nullable(String)', null, null],
    ['Nullable(String)', nasty, nasty],
    ['UInt64', '18446744073709551615', '18446744073709551615'],
    ['Int32', -5, -5],
    ['Bool', true, true],
    ['Float64', 1.5, 1.5],
    ["DateTime64(3, 'UTC')", '2026-11-21 10:00:00.123', '2026-11-21 10:00:00.123'],
    ["DateTime('UTC')", new Date('2026-11-21T10:00:00Z'), '2026-11-21 10:00:00'],
    ['Date', '2026-11-21', '2026-11-21'],
    ['UUID', '0193f3a0-0000-7000-8000-000000000000', '0193f3a0-0000-7000-8000-000000000000'],
    ['Array(String)', [nasty, "a','b"], [nasty, "a','b"]],
    ['Array(UInt8)', [], []],
    ['Map(String, UInt8)', { "k'\\": 1 }, { "k'\\": 1 }],
    ['Tuple(String, UInt8)', new TupleParam([nasty, 1]), [nasty, 1]],
  ])('%s %j', async (type, value, expected) => {
    const result = await database.client.query({
      query: `SELECT {x:${type}} AS x`,
      query_params: { x: value },
      format: 'JSONEachRow',
      clickhouse_settings: { output_format_json_quote_64bit_integers: 1 },
    });
    expect(await result.json()).toEqual([{ x: expected }]);
  });

  test('Identifier names a table', async () => {
    await database.client.command({ query: 'CREATE TABLE "odd name" (a UInt8) ENGINE = Memory' });
    expect(await database.rows('SELECT count() AS n FROM {t:Identifier}', { t: 'odd name' })).toEqual([{ n: 0 }]);
  });

  test('can be sent in a multipart form if there are too many for a URL', async () => {
    const ids = Array.from({ length: 20_000 }, (_, index) => `id'${index}`);
    const result = await database.client.query({
      query: 'SELECT length({ids:Array(String)}) AS n, {ids:Array(String)}[20000] AS last',
      query_params: { ids },
      format: 'JSONEachRow',
      use_multipart_params: true,
    });
    expect(await result.json()).toEqual([{ n: 20_000, last: "id'19999" }]);
  });

  test('give code 456 if missing and 457 if invalid', async () => {
    expect((await errorOf(database.client.query({ query: 'SELECT {x:UInt8}' }))).code).toBe('456');
    const wrong = database.client.query({ query: 'SELECT {x:UInt8}', query_params: { x: 'abc' } });
    expect((await errorOf(wrong)).code).toBe('457');
  });
});

describe('errors carry ClickHouse’s code, type and HTTP status', () => {
  test.each([
    ['SELEC 1 FROM', '62', 'SYNTAX_ERROR', 400],
    ['SELECT 1; SELECT 2', '62', 'SYNTAX_ERROR', 400],
    ['SELECT * FROM no_such_table', '60', 'UNKNOWN_TABLE', 404],
    ['SELECT no_such_column', '47', 'UNKNOWN_IDENTIFIER', 404],
    ['SELECT 1 FORMAT NoSuch', '73', 'UNKNOWN_FORMAT', 404],
    ['SELECT noSuchFunction(1)', '46', 'UNKNOWN_FUNCTION', 404],
    ["SELECT 1 + 'a'", '43', 'ILLEGAL_TYPE_OF_ARGUMENT', 500],
    ["SELECT toUInt8('x')", '6', 'CANNOT_PARSE_TEXT', 400],
    [
      "SELECT throwIf(number = 500000, 'boom') FROM numbers(1000000)",
      '395',
      'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO',
      500,
    ],
  ])('%s', async (query, code, type, status) => {
    const response = await fetch(database.url, { method: 'POST', headers: LOGIN_HEADERS, body: query });
    expect([response.status, response.headers.get('x-clickhouse-exception-code')]).toEqual([status, code]);
    await response.text();
    const error = await errorOf(database.client.exec({ query }));
    expect([error.code, error.type]).toEqual([code, type]);
    expect(error.message).not.toMatch(/spool|INTO OUTFILE '/);
    expect((await database.client.ping()).success).toBe(true);
  });

  test('an unknown setting gives code 115, and an unknown database 81', async () => {
    const setting = database.client.query({ query: 'SELECT 1', clickhouse_settings: { no_such_setting: 1 } });
    expect((await errorOf(setting)).code).toBe('115');
    const elsewhere = database.connect({ database: 'no_such_database' });
    expect((await errorOf(elsewhere.query({ query: 'SELECT 1' }))).code).toBe('81');
  });

  test('a GET is read-only (164)', async () => {
    const query = encodeURIComponent(`CREATE TABLE ${database.name}.get (a UInt8) ENGINE = Memory`);
    const response = await fetch(`${database.url}/?query=${query}`, { headers: LOGIN_HEADERS });
    expect(response.headers.get('x-clickhouse-exception-code')).toBe('164');
  });
});

test('32 concurrent queries with different settings each use their own, also afterwards', async () => {
  const seen = await Promise.all(
    Array.from({ length: 32 }, async (_, index) => {
      const result = await database.client.query({
        query: "SELECT getSetting('max_block_size') AS own, {x:UInt32} AS x, getSetting('log_comment') AS comment",
        query_params: { x: index },
        format: 'JSONEachRow',
        clickhouse_settings: {
          max_block_size: String(1000 + index),
          ...(index % 2 === 0 ? { log_comment: `c${index}` } : {}),
          output_format_json_quote_64bit_integers: 0,
        },
      });
      return (await result.json())[0];
    }),
  );
  expect(seen).toEqual(
    seen.map((_, index) => ({ own: 1000 + index, x: index, comment: index % 2 === 0 ? `c${index}` : '' })),
  );
  await database.client.command({ query: "SET log_comment = 'leak'" });
  expect(await database.rows("SELECT getSetting('log_comment') AS comment")).toEqual([{ comment: '' }]);
});

describe('results', () => {
  test('a million rows stream, compressed or not', async () => {
    for (const codec of [undefined, 'gzip', 'zstd', 'br'] as const) {
      const client = codec ? database.connect({ compression: { response: { codec } } }) : database.client;
      const result = await client.query({
        query: 'SELECT number, toString(number) AS text FROM numbers(1000000)',
        format: 'JSONCompactEachRow',
      });
      let count = 0;
      let last: unknown;
      for await (const rows of result.stream()) {
        count += rows.length;
        last = rows.at(-1)?.json();
      }
      expect([count, last]).toEqual([1_000_000, [999_999, '999999']]);
    }
  }, 60_000);

  test('every format is one document, header and totals included', async () => {
    const result = await database.client.query({
      query: 'SELECT number % 2 AS odd, count() AS n FROM numbers(300000) GROUP BY odd WITH TOTALS ORDER BY odd',
      format: 'JSON',
    });
    expect(await result.json()).toMatchObject({
      data: [
        { odd: 0, n: '150000' },
        { odd: 1, n: '150000' },
      ].map(({ odd, n }) => ({ odd, n: expect.toSatisfy((value) => String(value) === n) })),
      rows: 2,
      statistics: { rows_read: 300_000 },
    });
    const csv = await database.client.query({ query: 'SELECT number FROM numbers(200000)', format: 'CSVWithNames' });
    expect((await csv.text()).split('\n').filter((line) => line === '"number"')).toHaveLength(1);
  });

  test('headers have the query id, the format and the statistics', async () => {
    const result = await database.client.exec({ query: 'SELECT 1 FORMAT CSV', query_id: 'my-query' });
    for await (const _ of result.stream);
    expect(result.query_id).toBe('my-query');
    expect(result.response_headers).toMatchObject({
      'x-clickhouse-query-id': 'my-query',
      'x-clickhouse-format': 'CSV',
    });
    expect(Number(result.summary?.result_rows)).toBe(1);
    expect(Number(result.summary?.elapsed_ns)).toBeGreaterThan(0);
  });

  test('EXPLAIN, SHOW, DESCRIBE, EXISTS and system tables work', async () => {
    expect(await database.rows('EXPLAIN SELECT 1')).not.toHaveLength(0);
    expect(await database.rows('SHOW DATABASES')).toContainEqual({ name: database.name });
    expect(await database.rows('DESCRIBE TABLE system.one')).toMatchObject([{ name: 'dummy', type: 'UInt8' }]);
    expect(await database.rows('EXISTS system.one')).toEqual([{ result: 1 }]);
    expect(await database.rows('WITH (SELECT 5) AS x SELECT x')).toEqual([{ x: 5 }]);
  });
});

test('a client that disconnects ends only its own request', async () => {
  const controller = new AbortController();
  const gone = database.client.query({
    query: 'SELECT sum(sipHash64(number)) FROM numbers(20000000)',
    abort_signal: controller.signal,
  });
  setTimeout(() => controller.abort(), 30);
  await expect(gone).rejects.toThrow();
  const { hostname, port } = new URL(database.url);
  const cut = request({
    hostname,
    port,
    method: 'POST',
    path: '/?query=INSERT+INTO+t+FORMAT+TSV',
    headers: LOGIN_HEADERS,
  });
  cut.on('error', () => undefined);
  cut.write('1\n');
  await new Promise((resolve) => setTimeout(resolve, 50));
  cut.destroy();
  expect(await database.rows('SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

describe('a read whose client disconnects', () => {
  const ENDLESS = 'SELECT sum(sipHash64(number)) FROM numbers(1000000000000)';
  const CANCELLED = { cancel_http_readonly_queries_on_client_close: 1 } as const;
  /** More than run concurrently. */
  const READS = 8;
  const runningCount = async () => {
    const [row] = await database.rows<{ running: string }>(
      "SELECT count() AS running FROM system.processes WHERE query LIKE '%sipHash64(number)%' AND query NOT LIKE '%processes%'",
    );
    return Number(row!.running);
  };

  test.each([
    ['one', 1],
    ['more than run concurrently', READS],
  ])('ends with cancel_http_readonly_queries_on_client_close: %s', async (_name, reads) => {
    const controller = new AbortController();
    const gone = Array.from({ length: reads }, () =>
      database.client.query({ query: ENDLESS, abort_signal: controller.signal, clickhouse_settings: CANCELLED }),
    );
    setTimeout(() => controller.abort(), 300);
    await Promise.allSettled(gone);
    await vi.waitFor(async () => expect(await runningCount()).toBe(0), 10_000);
  });

  test('ends no read of another client', async () => {
    const controller = new AbortController();
    const query = "SELECT 'yes' AS ended FROM numbers(1) WHERE sleep(1.5) = 0";
    const other = database.rows<object>(query);
    const gone = database.client.query({
      query: ENDLESS,
      abort_signal: controller.signal,
      clickhouse_settings: CANCELLED,
    });
    setTimeout(() => controller.abort(), 300);
    await expect(gone).rejects.toThrow();
    expect(await other).toEqual([{ ended: 'yes' }]);
  });
});
