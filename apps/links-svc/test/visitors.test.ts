import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clicksFromMessage, type ReportedClick } from '@waymark/proto';
import { createLogger } from '@waymark/service-kit';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { CountryDatabase } from '../src/visitors/country-database.ts';
import { daysNeededAt, expiryOf, keyIdOf } from '../src/visitors/visitor-key.ts';
import { VisitorKeysStore } from '../src/visitors/visitor-keys.store.ts';
import { Visitors } from '../src/visitors/visitors.ts';
import { bitsOf, mmdb } from './support/mmdb.ts';
import { Service, type ServiceOptions, type TestAccount } from './support/service.ts';

// docs/api.md, Analytics: a visitor is told from another by a keyed hash of account, address and User-Agent, and the
// country comes from the address. The address itself is kept nowhere.

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
const HOUR_MS = 3_600_000;
const logger = createLogger({ service: 'links-svc', level: 'silent' });

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-visitors-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Writes a database of networks and returns its path. */
async function databaseOf(name: string, networks: Parameters<typeof mmdb>[0]): Promise<string> {
  const path = join(folder, name);
  const byBits = Object.fromEntries(Object.entries(networks).map(([network, value]) => [bitsOf(network), value]));
  await writeFile(`${path}.new`, mmdb(byBits));
  await rename(`${path}.new`, path);
  return path;
}

describe('the country of an address', () => {
  test.each([
    ['country_code', { country_code: 'DE' }],
    ['country.iso_code', { country: { iso_code: 'DE', geoname_id: 2_921_044 } }],
    ['country', { country: 'DE' }],
  ])('is read from %s', async (field, value) => {
    const countries = new CountryDatabase(await databaseOf(`field-${field}.mmdb`, { '192.0.2.0/24': value }), logger);
    expect(['192.0.2.7', '192.0.3.7'].map((address) => countries.countryOf(address))).toEqual(['DE', '']);
  });

  test.each(['EU', 'AP', 'A1', 'UK', 'de', '', 'DEU', 5])('is unknown if the database has %j', async (code) => {
    const networks = { '192.0.2.0/24': { country_code: code } };
    const countries = new CountryDatabase(await databaseOf('no-country.mmdb', networks), logger);
    expect(countries.countryOf('192.0.2.7')).toBe('');
  });

  test('is unknown for private addresses and for whatever is no address', () => {
    const countries = new CountryDatabase(undefined, logger);
    const addresses = ['127.0.0.1', '10.1.2.3', '::1', 'fe80::1%eth0', '', 'unknown', '1.2.3', '1.2.3.4:5', "'; --"];
    expect(addresses.map((address) => countries.countryOf(address))).toEqual(addresses.map(() => ''));
  });

  test('is found in the embedded database, for IPv4 and IPv6', () => {
    const countries = new CountryDatabase(undefined, logger);
    expect(['8.8.8.8', '2001:4860:4860::8888'].map((address) => countries.countryOf(address))).toEqual(['US', 'US']);
  });

  test('comes from the new file once it has changed; a bad new file keeps the old one', async () => {
    const path = await databaseOf('changing.mmdb', { '192.0.2.0/24': { country_code: 'DE' } });
    const countries = new CountryDatabase(path, logger);
    await countries.refresh();
    expect(countries.countryOf('192.0.2.7')).toBe('DE');
    await databaseOf('changing.mmdb', { '192.0.2.0/24': { country_code: 'FR' } });
    await countries.refresh();
    expect(countries.countryOf('192.0.2.7')).toBe('FR');
    const whole = mmdb({ [bitsOf('192.0.2.0/24')]: { country_code: 'IT' } });
    for (const bad of [Buffer.from('not a database'), whole.subarray(0, whole.length - 9), whole.subarray(500)]) {
      await writeFile(path, bad);
      await expect(countries.refresh()).rejects.toThrow();
      // It is reported once.
      await countries.refresh();
      expect(countries.countryOf('192.0.2.7')).toBe('FR');
    }
    await rm(path);
    await expect(countries.refresh()).rejects.toThrow();
    await countries.refresh();
    expect(countries.countryOf('192.0.2.7')).toBe('FR');
    await writeFile(path, whole);
    await countries.refresh();
    expect(countries.countryOf('192.0.2.7')).toBe('IT');
  });

  test('needs a database: a bad file is refused at the start with one line', async () => {
    const path = join(folder, 'bad.mmdb');
    await writeFile(path, 'not a database');
    expect(() => new CountryDatabase(path, logger)).toThrow(
      'GEOIP_DATABASE must be the path of a readable file in MMDB format.',
    );
  });
});

describe('the key of visitors', () => {
  const NOON_MS = Date.UTC(2026, 10, 23, 12);

  test('is random and new each UTC day, made 12 hours before it, and deleted after two days', () => {
    expect(daysNeededAt(NOON_MS - 1).map(keyIdOf)).toEqual(['2026-11-23']);
    expect(daysNeededAt(NOON_MS).map(keyIdOf)).toEqual(['2026-11-23', '2026-11-24']);
    const [, tomorrow] = daysNeededAt(NOON_MS);
    expect(expiryOf(tomorrow!).getTime()).toBe(NOON_MS + 48 * HOUR_MS);
  });

  test('is the same for all replicas, however many ask for it first, and is in a collection that expires', async () => {
    const service = await Service.start();
    try {
      const store = new VisitorKeysStore(service.database);
      const [day] = daysNeededAt(Date.now() + 240 * HOUR_MS);
      const keys = await Promise.all(Array.from({ length: 20 }, () => store.findOrCreate(day!)));
      expect(new Set(keys).size).toBe(1);
      expect(Buffer.from(keys[0]!, 'base64')).toHaveLength(32);
      expect(await store.findOrCreate(day! + 1)).not.toBe(keys[0]);
      const indexes = await service.database.collections.visitorKeys.indexes();
      expect(indexes).toContainEqual(expect.objectContaining({ key: { expires_at: 1 }, expireAfterSeconds: 0 }));
    } finally {
      await service.close();
    }
  });

  test('an outage of the database from noon until after midnight loses no click; its visitors are unknown', async () => {
    let isDown = false;
    const findOrCreate = async (day: number) => {
      if (isDown) throw new Error('down');
      return `key ${day}`;
    };
    const visitors = new Visitors({ countryOf: () => 'DE' }, { findOrCreate });
    const at = (ms: number) =>
      visitors.factsOf({ accountId: 'a', address: '192.0.2.7', userAgent: BROWSER }, ms).visitor;
    await visitors.refreshKeys(NOON_MS - 1);
    isDown = true;
    await expect(visitors.refreshKeys(NOON_MS)).rejects.toThrow('down');
    expect(at(NOON_MS + 11 * HOUR_MS)).toMatch(/^[0-9a-f]{16}$/);
    expect(at(NOON_MS + 12 * HOUR_MS)).toBe('');
    isDown = false;
    await visitors.refreshKeys(NOON_MS + 12 * HOUR_MS);
    const known = at(NOON_MS + 12 * HOUR_MS);
    expect(known).toMatch(/^[0-9a-f]{16}$/);
    // An outage that begins after noon does not matter at midnight.
    await visitors.refreshKeys(NOON_MS + 24 * HOUR_MS);
    isDown = true;
    expect(at(NOON_MS + 37 * HOUR_MS)).toMatch(/^[0-9a-f]{16}$/);
    expect(at(NOON_MS + 37 * HOUR_MS)).not.toBe(known);
    // The key of the day before is forgotten.
    await visitors.refreshKeys(NOON_MS + 37 * HOUR_MS).catch(() => {});
    expect(at(NOON_MS + 12 * HOUR_MS)).toBe('');
  });
});

describe('a click', () => {
  const clicks: ReportedClick[] = [];
  let services: Service[];
  let account: TestAccount;
  beforeAll(async () => {
    const analytics = {
      recordClicks: async ({ clicks: sent }) => {
        clicks.push(...clicksFromMessage(sent!));
        return {};
      },
    } satisfies ServiceOptions['analytics'];
    const geoipDatabase = await databaseOf('service.mmdb', {
      '192.0.2.0/24': { country_code: 'DE' },
      '2001:db8::/32': { country_code: 'FR' },
    });
    const options = { analytics, geoipDatabase, config: { TRUST_PROXY: ['127.0.0.1'] } };
    const first = await Service.start(options);
    services = [first, await Service.start({ ...options, databaseName: first.databaseName })];
    // A service is ready when it has today's key.
    for (const { origin } of services)
      await vi.waitFor(async () => expect((await fetch(`${origin}/readyz`)).status).toBe(200), { timeout: 30_000 });
    account = await first.createAccount();
    await first.createLink(account.live, { slug: 'open' });
    await first.createLink(account.live, { slug: 'vault', password: 'sesame' });
  });
  afterAll(async () => {
    for (const service of services?.toReversed() ?? []) await service.close();
  });

  async function visit(service: Service, path: string, from: string, userAgent = BROWSER, init: RequestInit = {}) {
    const before = clicks.length;
    const response = await fetch(service.origin + path, {
      redirect: 'manual',
      ...init,
      headers: { 'x-forwarded-for': from, 'user-agent': userAgent },
    });
    expect([302, 303]).toContain(response.status);
    await expect.poll(() => clicks.length).toBe(before + 1);
    return clicks.at(-1)!;
  }
  const post = { method: 'POST', body: new URLSearchParams({ password: 'sesame' }) };

  test('has the same visitor on every replica and path: the cache’s, Fastify’s and a password’s', async () => {
    const [one, other] = services as [Service, Service];
    const found = [
      await visit(one, '/open', '192.0.2.7'),
      await visit(one, '/open', '192.0.2.7'),
      await visit(other, '/open?a=1', '192.0.2.7'),
      await visit(other, '/vault', '192.0.2.7', BROWSER, post),
      await visit(one, '/open', '203.0.113.9, 192.0.2.7'),
    ];
    expect(found.map(({ country }) => country)).toEqual(Array.from({ length: 5 }, () => 'DE'));
    expect(new Set(found.map(({ visitor }) => visitor)).size).toBe(1);
    expect(found[0]!.visitor).toMatch(/^[0-9a-f]{16}$/);
    const others = [
      await visit(one, '/open', '192.0.2.8'),
      await visit(one, '/open', '192.0.2.7', `${BROWSER} x`),
      await visit(one, '/open', '198.51.100.1'),
    ];
    expect(new Set([...found, ...others].map(({ visitor }) => visitor)).size).toBe(4);
    expect(others.map(({ country }) => country)).toEqual(['DE', 'DE', '']);
    for (const click of clicks) expect(JSON.stringify(click)).not.toMatch(/192\.0\.2|198\.51\.100/);
  });

  test.each([
    ['IPv4', 'DE', ['192.0.2.7', '192.0.2.7:5001', '"192.0.2.7:5002"', '::ffff:192.0.2.7', '[::ffff:c000:207]:443']],
    [
      'IPv6',
      'FR',
      ['2001:db8::7', '2001:db8:0:0:0:0:0:7', '[2001:DB8::7]', '[2001:db8::7]:5001', '"[2001:db8::7]:5002"'],
    ],
    [
      'IPv4, behind proxies',
      'DE',
      ['192.0.2.7, 127.0.0.1:4444', '192.0.2.7:1, 127.0.0.1:4445', '192.0.2.7, [::ffff:127.0.0.1]'],
    ],
    ['the proxy, as no client is known', '', ['unknown', '192.0.2.7, unknown', '_hidden']],
  ])(
    'has the same visitor and country in each spelling of an address, on each path: %s',
    async (_name, country, from) => {
      const [service] = services as [Service];
      const found: ReportedClick[] = [];
      for (const one of from) {
        found.push(await visit(service, '/open', one), await visit(service, '/vault', one, BROWSER, post));
      }
      expect(new Set(found.map(({ visitor }) => visitor)).size).toBe(1);
      expect(found[0]!.visitor).toMatch(/^[0-9a-f]{16}$/);
      expect(found.map((click) => click.country)).toEqual(found.map(() => country));
    },
  );
});
