import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LOGIN_HEADERS, openTestDatabase, type TestDatabase } from './harness.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.close());

async function command(query: string): Promise<void> {
  await database.client.command({ query });
}

test('rows with quotes, semicolons and empty lines are stored unchanged', async () => {
  await command('CREATE TABLE texts (id UInt32, text String) ENGINE = MergeTree ORDER BY id');
  const texts = ["it's; DROP TABLE texts", '"\\', 'a\n\nb', '\t', '{"a":1}', 'é🌍', ''];
  const values = texts.map((text, id) => ({ id, text }));
  await database.client.insert({ table: 'texts', values, format: 'JSONEachRow' });
  expect(await database.rows('SELECT id, text FROM texts ORDER BY id')).toEqual(values);

  await command('TRUNCATE TABLE texts');
  const csv = '1,"a;\n\nDROP TABLE texts"\n2,"b"\n';
  await fetch(`${database.url}/?database=${database.name}&query=INSERT+INTO+texts+FORMAT+CSV`, {
    method: 'POST',
    headers: LOGIN_HEADERS,
    body: csv,
  }).then(async (response) => expect([response.status, await response.text()]).toEqual([200, '']));
  await command("INSERT INTO texts VALUES (3, 'x;y')\n\n, (4, 'ab');");
  expect(await database.rows('SELECT id, text FROM texts ORDER BY id')).toEqual([
    { id: 1, text: 'a;\n\nDROP TABLE texts' },
    { id: 2, text: 'b' },
    { id: 3, text: 'x;y' },
    { id: 4, text: 'ab' },
  ]);
});

test('binary formats are stored unchanged', async () => {
  await command('CREATE TABLE numbers_copy (n UInt64, text String) ENGINE = MergeTree ORDER BY n');
  const query = encodeURIComponent(
    "SELECT number AS n, concat('\\n\\n;', char(number % 256)) AS text FROM numbers(1000)",
  );
  const url = `${database.url}/?default_format=Native&query=${query}`;
  const native = await (await fetch(url, { headers: LOGIN_HEADERS })).arrayBuffer();
  await fetch(`${database.url}/?database=${database.name}&query=INSERT+INTO+numbers_copy+FORMAT+Native`, {
    method: 'POST',
    headers: LOGIN_HEADERS,
    body: native,
  });
  expect(await database.rows('SELECT count() AS n, uniqExact(text) AS texts FROM numbers_copy')).toEqual([
    { n: 1000, texts: 256 },
  ]);
});

test('a stream of 50,000 rows is stored, with and without compression', async () => {
  await command('CREATE TABLE streamed (n UInt32, codec String) ENGINE = MergeTree ORDER BY n');
  for (const codec of ['', 'gzip', 'zstd', 'br'] as const) {
    const client = codec ? database.connect({ compression: { request: { codec } } }) : database.client;
    const rows = function* () {
      for (let n = 0; n < 50_000; n++) yield { n, codec };
    };
    const { summary } = await client.insert({
      table: 'streamed',
      values: Readable.from(rows(), { objectMode: true }),
      format: 'JSONEachRow',
    });
    expect(Number(summary?.written_rows)).toBe(50_000);
  }
  expect(await database.rows('SELECT codec, uniqExact(n) AS n FROM streamed GROUP BY codec ORDER BY codec')).toEqual(
    ['', 'br', 'gzip', 'zstd'].map((codec) => ({ codec, n: 50_000 })),
  );
}, 60_000);

test('a truncated body or one with a wrong header inserts nothing', async () => {
  await command('CREATE TABLE cut (n UInt32) ENGINE = MergeTree ORDER BY n');
  const url = `${database.url}/?database=${database.name}&query=INSERT+INTO+cut+FORMAT+TSV`;
  const whole = gzipSync(Array.from({ length: 10_000 }, (_, n) => `${n}\n`).join(''));
  const headers = { ...LOGIN_HEADERS, 'Content-Encoding': 'gzip' };
  for (const body of [whole.subarray(0, -20), Buffer.from('1\n')]) {
    const response = await fetch(url, { method: 'POST', body: new Uint8Array(body), headers });
    expect(response.ok).toBe(false);
    expect(await response.text()).toMatch(/^Code: \d+\. DB::Exception: /);
  }
  const unknown = await fetch(url, {
    method: 'POST',
    body: '1\n',
    headers: { ...headers, 'Content-Encoding': 'x-own' },
  });
  expect([unknown.status, await unknown.text()]).toEqual([501, expect.stringContaining("'x-own' is not supported")]);
  expect(await database.rows('SELECT count() AS n FROM cut')).toEqual([{ n: 0 }]);
});

test('an invalid row refuses the insert with a message that names no file', async () => {
  await command('CREATE TABLE strict (n UInt32) ENGINE = MergeTree ORDER BY n');
  const insert = database.client.insert({ table: 'strict', values: [{ n: 1 }, { n: 'x' }], format: 'JSONEachRow' });
  await expect(insert).rejects.toMatchObject({ code: '27', type: 'CANNOT_PARSE_INPUT_ASSERTION_FAILED' });
  await expect(insert).rejects.not.toThrow(/spool/);
  expect(await database.rows('SELECT count() AS n FROM strict')).toEqual([{ n: 0 }]);
});

test('async_insert waits for its rows', async () => {
  await command('CREATE TABLE later (n UInt32) ENGINE = MergeTree ORDER BY n');
  await database.client.insert({
    table: 'later',
    values: [{ n: 1 }],
    format: 'JSONEachRow',
    clickhouse_settings: { async_insert: 1, wait_for_async_insert: 1 },
  });
  expect(await database.rows('SELECT n FROM later')).toEqual([{ n: 1 }]);
});

describe('deduplication and materialized views', () => {
  const window = 'SETTINGS non_replicated_deduplication_window = 1000';
  beforeAll(async () => {
    await command(`CREATE TABLE clicks (link UInt32, n UInt32) ENGINE = MergeTree ORDER BY (link, n) ${window}`);
    await command(`CREATE TABLE by_link (link UInt32, c UInt64) ENGINE = SummingMergeTree ORDER BY link ${window}`);
    await command(
      'CREATE MATERIALIZED VIEW to_by_link TO by_link AS SELECT link, count() AS c FROM clicks GROUP BY link',
    );
    await command(
      `CREATE TABLE spread (link UInt32, u AggregateFunction(uniqExact, UInt32)) ENGINE = AggregatingMergeTree ORDER BY link ${window}`,
    );
    await command(
      'CREATE MATERIALIZED VIEW to_spread TO spread AS SELECT link, uniqExactState(n) AS u FROM clicks GROUP BY link',
    );
  });

  const insert = (link: number, token: string) =>
    database.client.insert({
      table: 'clicks',
      values: [1, 2, 3].map((n) => ({ link, n })),
      format: 'JSONEachRow',
      clickhouse_settings: {
        insert_deduplication_token: token,
        deduplicate_blocks_in_dependent_materialized_views: 1,
      },
    });
  const counts = async (link: number) => [
    await database.rows('SELECT count() AS n FROM clicks WHERE link = {link:UInt32}', { link }),
    await database.rows('SELECT sum(c) AS n FROM by_link WHERE link = {link:UInt32}', { link }),
    await database.rows('SELECT uniqExactMerge(u) AS n FROM spread WHERE link = {link:UInt32}', { link }),
  ];

  test('the same token is stored once, also in the targets of views', async () => {
    await insert(1, 'a');
    await insert(1, 'a');
    expect(await counts(1)).toEqual([[{ n: 3 }], [{ n: 3 }], [{ n: 3 }]]);
  });

  test('another token is stored separately', async () => {
    await insert(2, 'b');
    await insert(2, 'c');
    expect(await counts(2)).toEqual([[{ n: 6 }], [{ n: 6 }], [{ n: 3 }]]);
  });

  test('a token applies to one request only', async () => {
    await insert(3, 'd');
    await database.client.insert({ table: 'clicks', values: [{ link: 3, n: 9 }], format: 'JSONEachRow' });
    expect((await counts(3))[0]).toEqual([{ n: 4 }]);
  });

  test('merges add up sums', async () => {
    await insert(4, 'e');
    await insert(4, 'f');
    await command('OPTIMIZE TABLE by_link FINAL');
    expect(await database.rows('SELECT link, c FROM by_link WHERE link = 4')).toEqual([{ link: 4, c: 6 }]);
  });
});

test('mutations, lightweight deletes and TTL remove rows', async () => {
  await command('CREATE TABLE kept (n UInt32, at DateTime) ENGINE = MergeTree ORDER BY n TTL at + INTERVAL 1 DAY');
  await command('INSERT INTO kept SELECT number, now() - if(number < 10, 7 * 86400, 0) FROM numbers(100)');
  await command('OPTIMIZE TABLE kept FINAL');
  expect(await database.rows('SELECT count() AS n FROM kept')).toEqual([{ n: 90 }]);
  await command('ALTER TABLE kept DELETE WHERE n < 20 SETTINGS mutations_sync = 1');
  await command('DELETE FROM kept WHERE n < 30');
  expect(await database.rows('SELECT count() AS n FROM kept')).toEqual([{ n: 70 }]);
});
