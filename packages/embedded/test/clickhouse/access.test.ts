import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { createClient } from '@clickhouse/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LOGIN, LOGIN_HEADERS, type ServerProcess, spawnServer, temporaryDirectory } from './harness.ts';

const directory = temporaryDirectory();
/** Files that no statement may read, write or move. */
const files = join(directory.path, 'files');
const secret = join(files, 'secret.txt');
let server: ServerProcess;
/** Requests to another server on the machine, which no statement may reach. */
let requests = 0;
const other = createServer((_request, response) => {
  requests += 1;
  response.end('1\n');
});
let otherUrl: string;

beforeAll(async () => {
  mkdirSync(files);
  writeFileSync(secret, 'secret\n');
  server = await spawnServer(join(directory.path, 'data'));
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  otherUrl = `127.0.0.1:${(other.address() as AddressInfo).port}`;
  expect(await send('CREATE TABLE kept (a String) ENGINE = MergeTree ORDER BY a')).toMatchObject({ status: 200 });
  expect(await send("INSERT INTO kept VALUES ('x')")).toMatchObject({ status: 200 });
});
afterAll(async () => {
  other.close();
  await server.stop('SIGTERM');
  directory.remove();
});

interface Answer {
  status: number;
  code: string | undefined;
  text: string;
}

function send(
  sql: string,
  { method = 'POST', path = '/', headers = LOGIN_HEADERS as Record<string, string> } = {},
): Promise<Answer> {
  const { hostname, port } = new URL(server.url);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers }, async (response) => {
      let text = '';
      for await (const chunk of response) text += chunk;
      const code = response.headers['x-clickhouse-exception-code'] as string | undefined;
      resolve({ status: response.statusCode!, code, text });
    });
    sent.on('error', reject);
    sent.end(sql);
  });
}

describe('only the user of the server can connect', () => {
  test('with the password, by the client and by the headers of ClickHouse', async () => {
    const client = createClient({ url: server.url, ...LOGIN });
    expect(await (await client.query({ query: 'SELECT 1 AS one', format: 'JSONEachRow' })).json()).toEqual([
      { one: 1 },
    ]);
    await client.close();
    expect(await send('SELECT 1')).toMatchObject({ status: 200, text: '1\n' });
  });

  const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
  test.each<[string, Record<string, string>, string?]>([
    ['no user', {}],
    ['the user without a password', { 'X-ClickHouse-User': LOGIN.username }],
    ['a wrong password', { ...LOGIN_HEADERS, 'X-ClickHouse-Key': `${LOGIN.password}x` }],
    ['another user', { ...LOGIN_HEADERS, 'X-ClickHouse-User': 'root' }],
    ['a wrong password in Authorization', basic(`${LOGIN.username}:wrong`)],
    ['another scheme', { authorization: `Bearer ${LOGIN.password}` }],
    ['the password in the URL', {}, `/?user=${LOGIN.username}&password=${encodeURIComponent(LOGIN.password)}`],
  ])('%s is refused as ClickHouse refuses it: 516', async (_what, headers, path) => {
    const answer = await send('SELECT 1', { headers, ...(path ? { path } : {}) });
    expect(answer).toMatchObject({ status: 403, code: '516' });
    expect(answer.text).toMatch(
      /^Code: 516\. DB::Exception: .+: Authentication failed: .+\. \(AUTHENTICATION_FAILED\)\n$/,
    );
  });
});

describe('a web page cannot access the server, even with the password', () => {
  test.each([
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { referer: 'http://evil.example/' },
    { cookie: 'a=b' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-dest': 'image' },
    { host: 'evil.example' },
    { host: 'evil.example:8123' },
    { host: '127.0.0.1.evil.example' },
    { host: 'localhost@evil.example' },
  ])('%j is refused, for statements and for /ping', async (headers) => {
    for (const path of ['/', '/?query=SELECT+1', '/ping'])
      expect(
        await send('SELECT 1', { path, headers: { ...LOGIN_HEADERS, ...headers } as Record<string, string> }),
      ).toMatchObject({ status: 403, code: '497' });
  });

  test.each(['127.0.0.1', 'localhost:8123', '[::1]:8123'])('the loopback name %s is accepted', async (host) => {
    expect(await send('SELECT 1', { headers: { ...LOGIN_HEADERS, host } })).toMatchObject({ status: 200 });
  });
});

describe('GET cannot write', () => {
  test.each([
    ['INSERT', "INSERT INTO kept VALUES ('y')"],
    ['INSERT … SELECT', "INSERT INTO kept SELECT 'y'"],
    ['INSERT with a comment before it', '/* */ INSERT INTO kept FORMAT TSV y'],
    ['CREATE', 'CREATE TABLE got (a UInt8) ENGINE = Memory'],
    ['DROP', 'DROP TABLE kept'],
    ['TRUNCATE', 'TRUNCATE TABLE kept'],
    ['ALTER', "ALTER TABLE kept DELETE WHERE a = 'x'"],
    ['DELETE', "DELETE FROM kept WHERE a = 'x'"],
    ['a setting that allows it', 'SET readonly = 0'],
  ])('%s is refused', async (_what, sql) => {
    for (const method of ['GET', 'PUT']) {
      for (const more of ['', '&readonly=0', '&profile=default&readonly=1']) {
        const answer = await send('', { method, path: `/?query=${encodeURIComponent(sql)}${more}` });
        expect(answer.status, sql).toBeGreaterThanOrEqual(400);
      }
    }
    expect(await send('SELECT a FROM kept')).toMatchObject({ text: 'x\n' });
    expect(await send('EXISTS TABLE got')).toMatchObject({ text: '0\n' });
  });
});

test.each<[string, (place: { secret: string; other: string; files: string }) => string]>([
  ['file()', ({ secret }) => `SELECT file('${secret}')`],
  ['the table function file', ({ secret }) => `SELECT * FROM file('${secret}', LineAsString)`],
  ['file in a pattern', ({ files }) => `SELECT * FROM file('${files}/*', LineAsString)`],
  ['filesystem', ({ files }) => `SELECT * FROM filesystem('${files}')`],
  [
    'a text that is an expression',
    ({ secret }) => `SELECT * FROM format(JSONEachRow, 'a String DEFAULT file(\\'${secret}\\')', '{}')`,
  ],
  ['a statement in a text', ({ secret }) => `SELECT * FROM eval('SELECT file(\\'${secret}\\')')`],
  ['an expression among values', ({ secret }) => `INSERT INTO kept VALUES (file('${secret}'))`],
  ['APPLY', ({ secret }) => `SELECT * APPLY file FROM (SELECT '${secret}')`],
  ['a file to read in INSERT', ({ secret }) => `INSERT INTO kept FROM INFILE '${secret}' FORMAT LineAsString`],
  ['a file to write', ({ files }) => `SELECT 1 INTO OUTFILE '${files}/written'`],
  [
    'a file to write in INSERT',
    ({ files }) => `INSERT INTO FUNCTION file('${files}/written', CSV, 'a UInt8') SELECT 1`,
  ],
  ['a table in a file', ({ secret }) => `CREATE TABLE t (a String) ENGINE = File(LineAsString, '${secret}')`],
  ['a log of files', ({ files }) => `CREATE TABLE t (a String) ENGINE = FileLog('${files}', LineAsString)`],
  [
    'a store elsewhere',
    ({ files }) => `CREATE TABLE t (a String) ENGINE EmbeddedRocksDB(0, '${files}/db') PRIMARY KEY a`,
  ],
  [
    'a folder that becomes a table',
    ({ files }) => `ATTACH TABLE t FROM '${files}' (a UInt8) ENGINE = MergeTree ORDER BY a`,
  ],
  [
    'a disk',
    ({ files }) =>
      `CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a SETTINGS disk = disk(type = local, path = '${files}/disk/')`,
  ],
  [
    'a disk on a server',
    ({ other }) =>
      `CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a SETTINGS disk = disk(type = web, endpoint = 'http://${other}/')`,
  ],
  ['a database in a folder', ({ files }) => `CREATE DATABASE d ENGINE = Filesystem('${files}')`],
  ['a database of SQLite', ({ files }) => `CREATE DATABASE d ENGINE = SQLite('${files}/sqlite')`],
  ['a backup', ({ files }) => `BACKUP TABLE kept TO File('${files}/backup')`],
  ['a backup to restore', ({ files }) => `RESTORE TABLE kept FROM File('${files}/backup')`],
  ['a template', ({ secret }) => `SELECT 1 FORMAT Template SETTINGS format_template_resultset = '${secret}'`],
  ['url', ({ other }) => `SELECT * FROM url('http://${other}/', LineAsString)`],
  ['a table behind a URL', ({ other }) => `CREATE TABLE t (a String) ENGINE = URL('http://${other}/', LineAsString)`],
  ['s3', ({ other }) => `SELECT * FROM s3('http://${other}/b/k', NOSIGN, LineAsString)`],
  ['remote', ({ other }) => `SELECT * FROM remote('${other}', system.one)`],
  ['mysql', ({ other }) => `SELECT * FROM mysql('${other}', 'd', 't', 'u', 'p')`],
  ['postgresql', ({ other }) => `SELECT * FROM postgresql('${other}', 'd', 't', 'u', 'p')`],
  ['mongodb', ({ other }) => `SELECT * FROM mongodb('${other}', 'd', 'c', 'u', 'p', 'a String')`],
  ['redis', ({ other }) => `SELECT * FROM redis('${other}', 'k', 'k String, v String')`],
  ['executable', () => `SELECT * FROM executable('id', TSV, 'a String')`],
  [
    'a dictionary',
    ({ other }) =>
      `CREATE DICTIONARY d (a UInt64, b String) PRIMARY KEY a SOURCE(HTTP(url 'http://${other}/' format 'TSV')) LAYOUT(FLAT()) LIFETIME(1)`,
  ],
  ['a function', () => 'CREATE FUNCTION f AS x -> x'],
  ['a named collection', () => 'CREATE NAMED COLLECTION c AS a = 1'],
  ['a user', () => 'CREATE USER u'],
  ['a grant', () => 'GRANT ALL ON *.* TO default'],
  ['a command to the server', () => 'SYSTEM SHUTDOWN'],
  ['another dialect', () => "SET dialect = 'kusto'"],
  [
    'an expression in a setting',
    ({ secret }) => `SELECT 1 SETTINGS additional_result_filter = 'file(\\'${secret}\\') = 1'`,
  ],
  ['a second statement', () => 'SELECT 1; DROP TABLE kept'],
  // Here the engine may see other tokens than the server.
  ['a second statement in a comment of the engine', () => "SELECT 1 /* /* */ ' */; DROP TABLE kept --'"],
  ['a comment with //', () => "SELECT 1 // '\n; DROP TABLE kept --'"],
  ['quotes of another script', () => 'SELECT ‘"’; DROP TABLE kept --"'],
  ['a text in dollars', () => 'SELECT $a;b$ ; DROP TABLE kept -- $a;b$'],
  ['an exponent that ends in a comment', () => "SELECT 1e--1 '\n; DROP TABLE kept --'"],
  ['another dash', () => "SELECT 1 −− '\n; DROP TABLE kept --'"],
  ['a backslash', () => 'SELECT 1\\G DROP TABLE kept'],
  ['a name that is not closed', () => 'SELECT `abc; DROP TABLE kept'],
  ['a zero byte', () => 'SELECT 1\0; DROP TABLE kept'],
  ['a statement after rows', () => "INSERT INTO kept VALUES ('a;b'); DROP TABLE kept"],
  ['a table function in quotes', ({ secret }) => `SELECT * FROM \`file\`('${secret}', CSV)`],
  ['a table function in an escaped name', () => 'SELECT * FROM "fi\\x6ce"(1)'],
  ['an engine in quotes', ({ files }) => `CREATE TABLE t (a String) Engine \`FileLog\`('${files}', TSV)`],
])('the user cannot access files and other servers: %s is refused', async (_what, sqlOf) => {
  const sql = sqlOf({ secret, other: otherUrl, files });
  const before = requests;
  const answer = await send(sql);
  expect(answer.status, `${sql}: ${answer.text}`).toBeGreaterThanOrEqual(400);
  expect(answer.text).toMatch(/^Code: (62|78|344|358|452|497)\. DB::Exception: /);
  expect(answer.text).not.toContain('secret\n');
  expect(requests).toBe(before);
  expect(readdirSync(files)).toEqual(['secret.txt']);
  expect(readFileSync(secret, 'utf8')).toBe('secret\n');
  expect(await send('SELECT a FROM kept')).toMatchObject({ text: 'x\n' });
});

test('a format in the URL does not end a statement', async () => {
  const format = encodeURIComponent('TSV; DROP TABLE kept');
  expect(await send('SELECT 1', { path: `/?default_format=${format}` })).toMatchObject({ code: '73' });
  expect(
    await send('SELECT 1', { headers: { ...LOGIN_HEADERS, 'X-ClickHouse-Format': 'TSV; DROP TABLE kept' } }),
  ).toMatchObject({ code: '73' });
  expect(await send('SELECT a FROM kept')).toMatchObject({ text: 'x\n' });
});

test('the output has no password', async () => {
  expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
});
