import { readdir, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, isIPv4 } from 'node:net';
import { join } from 'node:path';
import type { Link } from '@waymark/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EMBEDDED_DATABASES, type OwnStack, readClickHouse, startOwnStack } from '../support/own-stack.ts';
import { BROWSER, eventually, request } from '../support/world.ts';

// docs/api.md, Visitors: a click has a country and tells visitors apart, but the address is stored nowhere. Visits come
// through a trusted proxy in front of the gateway. All logs and traces are on.

/** Addresses of universities, which rarely move. */
const COUNTRIES: Record<string, string> = {
  '18.9.22.69': 'US',
  '141.20.1.31': 'DE',
  '129.67.242.154': 'GB',
  '133.11.0.1': 'JP',
  '129.132.1.1': 'CH',
  '130.237.28.1': 'SE',
  '147.32.1.1': 'CZ',
  '200.144.248.1': 'BR',
  '130.216.1.1': 'NZ',
  '2001:660:10a:7:1:2:3:4': 'FR',
};
const ADDRESSES = Object.keys(COUNTRIES);
/** The visitor of a link with a password. */
const WITH_PASSWORD = '161.53.72.1';
/** A mark that is searched like an address, to show that the search finds what is there. */
const MARK = 'Marked/4711';

let collector: Server;
let traces = '';
let own: OwnStack;
let link: Link;
/** What the files contained while the clicks were in the spool. */
let spooled: Buffer[];

beforeAll(async () => {
  collector = createServer(async (incoming, answer) => {
    for await (const part of incoming.setEncoding('utf8')) traces += part;
    answer.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const { port } = collector.address() as AddressInfo;
  own = await startOwnStack({
    ...EMBEDDED_DATABASES,
    env: { LOG_LEVEL: 'trace', OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` },
    serviceEnv: { gateway: { TRUST_PROXY: '127.0.0.0/8' } },
  });
  [link] = (await own.createLinks(['seen'])) as [Link];
  await own.createLinks(['vault'], { password: 'sesame' });
  const analytics = own.stack.processes['analytics-svc']!;
  process.kill(analytics.pid!, 'SIGSTOP');
  try {
    for (const address of ADDRESSES) expect(await visit('/seen', address)).toBe(302);
    expect(await visit('/vault', WITH_PASSWORD, 'password=sesame')).toBe(303);
    spooled = await readFiles(join(own.dataDir, 'spool'));
  } finally {
    process.kill(analytics.pid!, 'SIGCONT');
  }
  await eventually(async () => expect((await own.analytics()).clicks).toBe(ADDRESSES.length + 1));
});
afterAll(async () => {
  await own?.close();
  collector.closeAllConnections();
  collector.close();
});

/** Follows a short link as a visitor behind a proxy, or sends the password. Returns the status. */
async function visit(path: string, address: string, form?: string): Promise<number> {
  const answer = await request(path, {
    base: own.stack.urls.gateway,
    headers: {
      'x-forwarded-for': address,
      'user-agent': `${BROWSER} ${MARK}`,
      ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
    },
    ...(form !== undefined && { method: 'POST', body: form }),
  });
  return answer.status;
}

async function readFiles(folder: string): Promise<Buffer[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return Promise.all(
    entries.filter((entry) => entry.isFile()).map((entry) => readFile(join(entry.parentPath, entry.name))),
  );
}

/** Returns the bytes of an address, most significant first. */
function bytesOf(address: string): Buffer {
  if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
  return Buffer.from(
    address
      .split(':')
      .map((word) => word.padStart(4, '0'))
      .join(''),
    'hex',
  );
}

test('a click of each of ten countries, by its address through a trusted proxy, is in `countries`', async () => {
  const { countries, clicks } = await own.analytics(`?include=countries&link_id=${link.id}`);
  const expected = Object.values(COUNTRIES).sort();
  expect(clicks).toBe(expected.length);
  expect(countries).toEqual(expected.map((country) => ({ country, clicks: 1 })));
  for (const country of ['DE', 'de']) {
    const { clicks: ofCountry, top_links } = await own.analytics(`?country=${country}`);
    expect([ofCountry, top_links.map(({ id }) => id)]).toEqual([1, [link.id]]);
  }
  expect((await own.analytics('?country=unknown')).clicks).toBe(0);
});

test('visitors at different addresses are different visitors', async () => {
  const { visitors, clicks_by_day } = await own.analytics('?days=2&include=visitors');
  expect(visitors).toBe(ADDRESSES.length + 1);
  expect(clicks_by_day.reduce((sum, day) => sum + day.visitors!, 0)).toBe(visitors);
});

test('no address is in a file of the stack, in a row of ClickHouse, in a log or in a trace', async () => {
  const files = await readFiles(own.dataDir);
  const tables = await readClickHouse<{ name: string }>(
    own,
    "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine NOT LIKE '%View'",
  );
  const rows: string[] = [];
  for (const { name } of tables) rows.push(JSON.stringify(await readClickHouse(own, `SELECT * FROM \`${name}\``)));
  await eventually(async () => expect(traces).toContain('links-svc'));
  const everything = [...spooled, ...files, ...rows.map((text) => Buffer.from(text)), Buffer.from(traces)];
  const has = (what: Buffer | string) => everything.some((bytes) => bytes.includes(what));

  // The search finds what is there: in the spool, in MongoDB's file, in ClickHouse's rows and in the traces.
  expect(spooled.some((bytes) => bytes.includes(MARK))).toBe(true);
  expect(files.some((bytes) => bytes.includes(link.id))).toBe(true);
  expect(rows.some((text) => text.includes(link.id))).toBe(true);
  expect(traces).toContain('/:slug');

  const addresses = [...ADDRESSES, WITH_PASSWORD];
  for (const address of addresses) expect(has(address), address).toBe(false);
  const raw = addresses.map(bytesOf).flatMap((bytes) => [bytes, Buffer.from(bytes).reverse()]);
  for (const bytes of raw.filter(({ length }) => length === 16)) expect(has(bytes), bytes.toString('hex')).toBe(false);
  // Four bytes may occur by chance, but not those of most addresses.
  const short = raw.filter(({ length }) => length === 4);
  expect(short.filter(has).length).toBeLessThan(short.length / 4);
});
