import http, { type IncomingMessage } from 'node:http';
import type { AccountIdentity } from '@waymark/auth';
import { HOSTS_MAX, type Host, type Hosts, RELEASED_HOSTS_MAX } from '@waymark/contract';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { DnsServer, type Fault } from './support/dns-server.ts';
import { eventsOf } from './support/log.ts';
import { Service, type TestAccount } from './support/service.ts';

// docs/api.md, Hosts: the short hosts of an account and their proof, with a name server on loopback.

const PATH = '/api/v1/hosts';
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

type Answered = Host & { error: string };

let dns: DnsServer;
let service: Service;
/** A second replica on the same database. */
let replica: Service;
beforeAll(async () => {
  dns = await DnsServer.start();
  const config = { DNS_SERVERS: [dns.address] };
  service = await Service.start({ config });
  // A URL of the service may have a port, letters of any script, and a dot at its end.
  const ofReplica = { ...config, API_URL: 'https://Bücher.example.:8443' };
  replica = await Service.start({ config: ofReplica, databaseName: service.databaseName });
});
afterAll(async () => {
  await replica?.close();
  await service?.close();
  await dns?.close();
});

let names = 0;
/** Returns a name that no other test has. */
function newName(): string {
  names += 1;
  return `go${names}.example.com`;
}

function add(identity: AccountIdentity, host: unknown) {
  return service.request<Answered>(identity, 'POST', PATH, { body: { host } });
}

async function added(identity: AccountIdentity, name = newName()): Promise<Host> {
  const { status, body } = await add(identity, name);
  expect(status, body.error).toBe(201);
  return body;
}

function verify(identity: AccountIdentity, { id }: Host, at = service) {
  return at.request<Answered>(identity, 'POST', `${PATH}/${id}/verify`);
}

function update(identity: AccountIdentity, { id }: Host, body: unknown) {
  return service.request<Answered>(identity, 'PUT', `${PATH}/${id}`, { body });
}

function remove(identity: AccountIdentity, { id }: Host) {
  return service.request<{ error: string } | null>(identity, 'DELETE', `${PATH}/${id}`);
}

async function get(identity: AccountIdentity, { id }: Host, at = service): Promise<Answered> {
  return (await at.request<Answered>(identity, 'GET', `${PATH}/${id}`)).body;
}

/** Makes these, and only these, the TXT records of a host. */
function prove({ txt }: Host, ...others: Host[]): void {
  dns.records.set(
    txt.name,
    [txt, ...others.map((one) => one.txt)].map(({ value }) => value),
  );
}

async function verified(identity: AccountIdentity, name = newName()): Promise<Host> {
  const host = await added(identity, name);
  prove(host);
  const { status, body } = await verify(identity, host);
  expect(status, body.error).toBe(200);
  expect(body.status).toBe('verified');
  return body;
}

function change(host: Host, set: object) {
  return service.database.collections.hosts.updateOne({ _id: host.id }, { $set: set });
}

/** Makes the daily look at a host due, and waits until it is done: the next one is due on the next day. */
async function dailyLook(host: Host): Promise<void> {
  await change(host, { look_at: new Date(0) });
  await vi.waitFor(
    async () => {
      const { look_at } = (await service.database.collections.hosts.findOne({ _id: host.id }))!;
      expect(look_at.getTime()).toBeGreaterThan(Date.now() + 22 * HOUR_MS);
    },
    { timeout: 30_000, interval: 50 },
  );
}

async function tlsAllowed(domain: string, at = service): Promise<number> {
  return (await fetch(`${at.origin}/internal/tls-allowed?domain=${encodeURIComponent(domain)}`)).status;
}

async function typesOf({ id }: TestAccount): Promise<string[]> {
  return (await eventsOf(service.database, id)).map(({ type }) => type);
}

describe('the hosts of an account', () => {
  test('are added, listed, changed and deleted, each with one event', async () => {
    const account = await service.createAccount();
    const { live } = account;
    const { status, body, headers } = await add(live, 'Go-Shop.Example.COM');
    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`${PATH}/${body.id}`);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-z]{20}$/),
      host: 'go-shop.example.com',
      status: 'pending',
      txt: { name: '_waymark.go-shop.example.com', value: expect.stringMatching(/^waymark-[0-9a-z]{24}$/) },
      root_url: null,
      not_found_url: null,
      checked_at: null,
      created_at: expect.stringMatching(/^20/),
    });
    const second = await added(live);
    expect((await service.request<Hosts>(live, 'GET', PATH)).body).toEqual({ hosts: [body, second] });
    expect(await get(live, body)).toEqual(body);
    const urls = { root_url: 'https://example.com/', not_found_url: 'https://example.com/lost' };
    expect((await update(live, body, urls)).body).toEqual({ ...body, ...urls });
    for (const same of [{}, urls, { root_url: urls.root_url }])
      expect((await update(live, body, same)).body).toEqual({ ...body, ...urls });
    expect((await update(live, body, { root_url: null, not_found_url: '' })).body).toEqual(body);
    expect((await remove(live, body)).status).toBe(204);
    expect((await remove(live, body)).status).toBe(404);
    expect((await get(live, body)).error).toBe('There is no such host.');
    const log = await eventsOf(service.database, account.id);
    const types = ['host.added', 'host.added', 'host.updated', 'host.updated', 'host.deleted'];
    expect(log.map(({ type }) => type)).toEqual(types);
    expect(log[2]!.data).toEqual({
      host: { ...body, ...urls },
      changes: {
        root_url: { from: null, to: urls.root_url },
        not_found_url: { from: null, to: urls.not_found_url },
      },
    });
    expect(log[0]!.actor).toMatchObject({ kind: 'key', scope: 'full_access' });
  });

  test('are folded to their ASCII form', async () => {
    const { live } = await service.createAccount();
    expect((await added(live, 'Bücher.Example.org.')).host).toBe('xn--bcher-kva.example.org');
    expect((await added(live, 'go。example。org')).host).toBe('go.example.org');
    expect((await add(live, 'XN--BCHER-KVA.example.org')).body.error).toMatch(/is a host of this account already/);
  });

  test.each([
    ['localhost', /a host name with a dot/],
    ['', /host/],
    ['go.example.com:8080', /a host name with a dot/],
    ['https://go.example.com', /a host name with a dot/],
    ['go.example.com/x', /a host name with a dot/],
    ['*.example.com', /a host name with a dot/],
    ['192.0.2.1', /a host name with a dot/],
    ['0x7f.1', /a host name with a dot/],
    ['1.2', /a host name with a dot/],
    ['[2001:db8::1]', /a host name with a dot/],
    ['go_1.example.com', /a host name with a dot/],
    ['-go.example.com', /a host name with a dot/],
    ['go..example.com', /a host name with a dot/],
    ['go example.com', /a host name with a dot/],
    ['user@example.com', /a host name with a dot/],
    [`${'a'.repeat(64)}.example.com`, /a host name with a dot/],
    ['go.example.com?x', /a host name with a dot/],
    ['go.example.com#x', /a host name with a dot/],
    ['go.example.com\\x', /a host name with a dot/],
    [`${'a.'.repeat(126)}com`, /1 to 253 characters/],
    [`${'a.'.repeat(117)}example.com`, /name of its TXT record, _waymark\.…: 244 characters/],
    [`${'ü'.repeat(120)}.example.com`, /a host name with a dot/],
    ['co.uk', /public suffix/],
    ['github.io', /public suffix/],
    ['Go.Example', /of this service itself/],
    ['go.example.', /of this service itself/],
    [7, /string/],
  ])('cannot be %j', async (host, error) => {
    const { live } = await service.createAccount();
    const { status, body } = await add(live, host);
    expect(body.error).toMatch(error);
    expect(status).toBe(422);
  });

  test('cannot be a host of a URL of the service with a port, a dot at its end, or letters of any script', async () => {
    const { live } = await service.createAccount();
    const path = `${PATH}`;
    for (const host of ['bücher.example', 'BÜCHER.example.', 'xn--bcher-kva.example']) {
      const { status, body } = await replica.request(live, 'POST', path, { body: { host } });
      expect([host, status, body.error]).toEqual([host, 422, '"host" must not be a host of this service itself.']);
      expect(await tlsAllowed(host, replica), host).toBe(host.startsWith('xn') ? 200 : 404);
      const link = await replica.createLink(live);
      expect((await replica.list(live, { host })).body.links.map(({ id }) => id)).toContain(link.id);
      expect((await replica.list(live, { q: `https://${host}:8443/${link.slug}` })).body.total).toBe(1);
    }
  });

  test('redirect to URLs with the rules of destinations, and never to themselves', async () => {
    const { live } = await service.createAccount();
    const host = await added(live);
    for (const name of ['root_url', 'not_found_url'])
      for (const url of [
        '/x',
        'ftp://x.example/',
        'https://go.example/sale',
        `https://${host.host}/x`,
        `https://${host.host.toUpperCase()}.:8443/x`,
        `https://x@y.de/`,
      ])
        expect(await update(live, host, { [name]: url }), url).toMatchObject({
          status: 422,
          body: { error: expect.stringContaining(`"${name}"`) },
        });
    expect((await update(live, host, { host: 'x.example.com' })).status).toBe(422);
    expect(await get(live, host)).toEqual(host);
  });

  test(`are at most ${HOSTS_MAX}, however many are added at once`, async () => {
    const { id, live } = await service.createAccount();
    await Promise.all(Array.from({ length: HOSTS_MAX - 2 }, () => added(live)));
    const last = await Promise.all(Array.from({ length: 4 }, () => add(live, newName())));
    expect(last.map(({ status }) => status).sort()).toEqual([201, 201, 422, 422]);
    expect(await service.database.collections.hosts.countDocuments({ account_id: id })).toBe(HOSTS_MAX);
  });

  test(`are added while the account has deleted fewer than ${RELEASED_HOSTS_MAX} in 90 days`, async () => {
    const { id, live } = await service.createAccount();
    const host = await added(live);
    // The same name counts once.
    for (let n = 0; n < 3; n++) {
      expect((await remove(live, n === 0 ? host : await added(live, host.host))).status).toBe(204);
      expect(await service.database.collections.releasedHosts.countDocuments({ account_id: id })).toBe(1);
    }
    const expires_at = new Date(Date.now() + DAY_MS);
    const records = Array.from({ length: RELEASED_HOSTS_MAX - 1 }, (_, n) => {
      const name = `r${n}.example.com`;
      return { _id: `${id}/${name}`, account_id: id, host: name, expires_at };
    });
    await service.database.collections.releasedHosts.insertMany(records);
    expect(await add(live, newName())).toMatchObject({
      status: 422,
      body: { error: expect.stringMatching(/deleted 1000 hosts in the last 90 days/) },
    });
    await service.database.collections.releasedHosts.deleteOne({ _id: records[0]!._id });
    await added(live);
  });

  test('are read by a Public Links Only key, which manages none', async () => {
    const { live, public: reader } = await service.createAccount();
    const host = await added(live);
    expect((await service.request<Hosts>(reader, 'GET', PATH)).body).toEqual({ hosts: [host] });
    expect(await get(reader, host)).toEqual(host);
    const refused = [add(reader, newName()), update(reader, host, {}), remove(reader, host), verify(reader, host)];
    for (const { status, body } of await Promise.all(refused)) {
      expect(status).toBe(403);
      expect(body!.error).toMatch(/Full Access/);
    }
  });

  test('are nowhere for another account', async () => {
    const [{ live }, other] = [await service.createAccount(), await service.createAccount()];
    const host = await added(live);
    expect((await service.request<Hosts>(other.live, 'GET', PATH)).body).toEqual({ hosts: [] });
    const answers = [get(other.live, host).then((body) => ({ status: 404, body }))];
    const changes = [update(other.live, host, {}), remove(other.live, host), verify(other.live, host)];
    for (const { status, body } of await Promise.all([...answers, ...changes]))
      expect({ status, error: body!.error }).toEqual({ status: 404, error: 'There is no such host.' });
    expect(await get(live, host)).toEqual(host);
  });

  test('are not deleted while links use them', async () => {
    const { id, live } = await service.createAccount();
    const host = await verified(live);
    const link = await service.createLink(live);
    await service.database.collections.links.updateOne(
      { _id: link.id, account_id: id },
      { $set: { host: host.host, host_id: host.id } },
    );
    expect(await remove(live, host)).toMatchObject({
      status: 422,
      body: { error: expect.stringMatching(/Links use/) },
    });
    await service.delete(live, link.id);
    expect((await remove(live, host)).status).toBe(204);
  });

  test('go with their account', async () => {
    const account = await service.createAccount();
    const host = await verified(account.live);
    await service.accounts.deleteAccount({ username: account.username }, await service.asService('admin'));
    expect(await service.database.collections.hosts.findOne({ _id: host.id })).toBeNull();
    const heir = await service.createAccount();
    await verified(heir.live, host.host);
  });
});

describe('a proof', () => {
  test('is the TXT record, also among others and in two strings', async () => {
    const account = await service.createAccount();
    const host = await added(account.live);
    expect((await verify(account.live, host)).body).toMatchObject({
      status: 'pending',
      checked_at: expect.any(String),
    });
    dns.records.set(host.txt.name, ['v=spf1 -all', `x${host.txt.value}`]);
    expect((await verify(account.live, host)).body.status).toBe('pending');
    prove(host, { ...host, txt: { ...host.txt, value: 'x'.repeat(700) } });
    const { body } = await verify(account.live, host);
    expect(body).toEqual({ ...host, status: 'verified', checked_at: expect.any(String) });
    expect((await verify(account.live, host)).body.status).toBe('verified');
    expect(await typesOf(account)).toEqual(['host.added', 'host.verified']);
  });

  test.each([
    ['"', '"'],
    [' ', ' '],
    ['\\"', '\\"'],
    ["'", "'"],
    ['“', '”'],
    ['„', '“ \n'],
    [' "', '" '],
  ])('may have quotes or spaces around its value: %j and %j', async (before, after) => {
    const { live } = await service.createAccount();
    const host = await added(live);
    dns.records.set(host.txt.name, ['v=spf1', `${before}${host.txt.value}${after}`]);
    expect((await verify(live, host)).body.status).toBe('verified');
    // The daily look finds it, too, and so does one for another account that has none.
    await dailyLook(host);
    expect((await get(live, host)).status).toBe('verified');
    const other = await service.createAccount();
    const second = await added(other.live, host.host);
    prove(second, { ...host, txt: { ...host.txt, value: `"${host.txt.value}"` } });
    expect((await verify(other.live, second)).status).toBe(422);
  });

  test('that is not found says what was found instead', async () => {
    const { live } = await service.createAccount();
    const host = await added(live);
    const notice = async () => {
      const { status, body } = await verify(live, host);
      expect([status, body.status]).toEqual([200, 'pending']);
      return (body as Host).notice;
    };
    expect(await notice()).toBe(
      `There is no TXT record at ${host.txt.name}. Name servers may keep an old answer for some minutes.`,
    );
    for (const [values, shown] of [
      [['v=spf1 -all'], '"v=spf1 -all"'],
      [['a "b"\u0007', 'c'], '"a \\"b\\"�", "c"'],
      [[`x${host.txt.value}`], `"x${host.txt.value}"`],
      [['a', 'b', 'c', 'd', 'e', 'f', 'g'], '"a", "b", "c", "d", "e" and 2 more'],
      [['x'.repeat(700)], `"${'x'.repeat(59)}…"`],
    ] as const) {
      dns.records.set(host.txt.name, [...values]);
      expect(await notice()).toBe(`The TXT record at ${host.txt.name} is ${shown}, not "${host.txt.value}".`);
    }
    dns.faults.set(host.txt.name, 'servfail');
    expect(await notice()).toBe(undefined);
    dns.faults.delete(host.txt.name);
    prove(host);
    expect((await verify(live, host)).body).not.toHaveProperty('notice');
    expect(await get(live, host)).not.toHaveProperty('notice');
  });

  test('may be an alias, and is missing if the name has no such record', async () => {
    const { live } = await service.createAccount();
    const host = await verified(live);
    const isMissing = async () =>
      (await service.database.collections.hosts.findOne({ _id: host.id }))!.missing_since !== null;
    dns.records.set(host.txt.name, []);
    await verify(live, host);
    expect(await isMissing()).toBe(true);
    dns.aliases.set(host.txt.name, `x${host.txt.name}`);
    dns.records.set(`x${host.txt.name}`, [host.txt.value]);
    await verify(live, host);
    expect(await isMissing()).toBe(false);
    dns.records.set(`x${host.txt.name}`, []);
    await verify(live, host);
    expect(await isMissing()).toBe(true);
  });

  const noAnswer: Fault[] = [
    'silent',
    'slow',
    'servfail',
    'refused',
    'reserved code',
    'referral',
    'echo',
    'other name',
    'garbage',
    'other id',
    'other question',
    'truncated, no TCP',
  ];
  test('is not missing because the name server is silent, slow, lies, fails or is cut short', async () => {
    const { live } = await service.createAccount();
    const hosts = await Promise.all(noAnswer.map(() => verified(live)));
    const results = await Promise.all(
      hosts.map(async (host, at) => {
        dns.faults.set(host.txt.name, noAnswer[at]!);
        dns.records.delete(host.txt.name);
        const { status, body } = await verify(live, host);
        expect(status, noAnswer[at]).toBe(200);
        return body;
      }),
    );
    expect(results).toEqual(hosts);
    for (const host of hosts)
      expect(await service.database.collections.hosts.findOne({ _id: host.id })).toMatchObject({ missing_since: null });
  });

  test('is read over TCP if it is truncated', async () => {
    const { live } = await service.createAccount();
    const host = await added(live);
    dns.faults.set(host.txt.name, 'truncated');
    prove(host);
    expect((await verify(live, host)).body.status).toBe('verified');
    expect(dns.asked.filter(({ name }) => name === host.txt.name).map(({ over }) => over)).toEqual(['udp', 'tcp']);
  });

  test('is asked for at most ten times a minute for each host', async () => {
    const { live } = await service.createAccount();
    const [host, other] = [await added(live), await added(live)];
    for (let i = 0; i < 10; i++) expect((await verify(live, host)).status).toBe(200);
    const refused = await verify(live, host);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await verify(live, other)).status).toBe(200);
  });
});

describe('a host that several accounts want', () => {
  test('is had by one of them if two verify it at once', async () => {
    const accounts = await Promise.all([1, 2, 3, 4].map(() => service.createAccount()));
    const name = newName();
    const hosts = await Promise.all(accounts.map(({ live }) => added(live, name)));
    prove(hosts[0]!, ...hosts.slice(1));
    const answers = await Promise.all(
      accounts.map(({ live }, at) => verify(live, hosts[at]!, at % 2 === 0 ? service : replica)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422]);
    for (const { status, body } of answers) if (status === 422) expect(body.error).toMatch(/Another account/);
    const statuses = await Promise.all(accounts.map(async ({ live }, at) => (await get(live, hosts[at]!)).status));
    expect(statuses.sort()).toEqual(['pending', 'pending', 'pending', 'verified']);
  });

  test('moves once the record of the first is gone, and comes back', async () => {
    const [first, second] = [await service.createAccount(), await service.createAccount()];
    const old = await verified(first.live);
    const host = await added(second.live, old.host);
    expect(host.txt.value).not.toBe(old.txt.value);
    expect((await verify(second.live, host)).body.status).toBe('pending');
    prove(host, old);
    expect((await verify(second.live, host)).status).toBe(422);
    expect((await get(first.live, old)).status).toBe('verified');
    prove(host);
    expect((await verify(second.live, host)).body.status).toBe('verified');
    expect((await get(first.live, old)).status).toBe('lost');
    expect(await typesOf(first)).toEqual(['host.added', 'host.verified', 'host.lost']);
    expect(await tlsAllowed(old.host)).toBe(200);
    prove(old, host);
    expect((await verify(first.live, old)).status).toBe(422);
    prove(old);
    expect((await verify(first.live, old)).body.status).toBe('verified');
    expect((await get(second.live, host)).status).toBe('lost');
    const [lost] = (await eventsOf(service.database, second.id)).slice(-1);
    expect(lost).toMatchObject({ type: 'host.lost', actor: { kind: 'system', scope: null } });
  });
});

describe('the daily look', () => {
  test('loses a host whose record was missing for 7 days, and finds it again', async () => {
    const account = await service.createAccount();
    const host = await verified(account.live);
    dns.records.set(host.txt.name, ['something else']);
    await dailyLook(host);
    expect((await get(account.live, host)).status).toBe('verified');
    const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);
    await change(host, { missing_since: daysAgo(6.9) });
    await dailyLook(host);
    expect((await get(account.live, host)).status).toBe('verified');
    await change(host, { missing_since: daysAgo(7.01) });
    await dailyLook(host);
    expect((await get(account.live, host)).status).toBe('lost');
    await vi.waitFor(async () => expect(await tlsAllowed(host.host)).toBe(404), { timeout: 30_000 });
    prove(host);
    await dailyLook(host);
    expect((await get(account.live, host)).status).toBe('verified');
    expect(await typesOf(account)).toEqual(['host.added', 'host.verified', 'host.lost', 'host.verified']);
  });

  test('begins the 7 days again once the record is there', async () => {
    const { live } = await service.createAccount();
    const host = await verified(live);
    await change(host, { missing_since: new Date(Date.now() - 8 * DAY_MS) });
    await dailyLook(host);
    dns.records.delete(host.txt.name);
    await dailyLook(host);
    expect((await get(live, host)).status).toBe('verified');
  });

  test('without an answer loses nothing, and is repeated within the hour', async () => {
    const { live } = await service.createAccount();
    const host = await verified(live);
    dns.faults.set(host.txt.name, 'servfail');
    await change(host, { missing_since: new Date(Date.now() - 8 * DAY_MS), look_at: new Date(0) });
    const asked = () => dns.asked.filter(({ name }) => name === host.txt.name).length;
    const before = asked();
    await vi.waitFor(() => expect(asked()).toBeGreaterThan(before), { timeout: 30_000 });
    const { look_at, status } = (await service.database.collections.hosts.findOne({ _id: host.id }))!;
    expect(status).toBe('verified');
    expect(look_at.getTime() - Date.now()).toBeGreaterThan(HOUR_MS / 2);
    expect(look_at.getTime() - Date.now()).toBeLessThanOrEqual(HOUR_MS);
  });

  test('is done by one replica', async () => {
    const { live } = await service.createAccount();
    const hosts = await Promise.all(Array.from({ length: 20 }, () => verified(live)));
    dns.asked.length = 0;
    await Promise.all(hosts.map(dailyLook));
    const looked = hosts.map(({ txt }) => dns.asked.filter(({ name }) => name === txt.name).length);
    expect(looked).toEqual(hosts.map(() => 1));
  });
});

describe('GET /internal/tls-allowed', () => {
  test('allows the default host and verified hosts, in any spelling, and on another replica', async () => {
    const { live } = await service.createAccount();
    const pending = await added(live);
    const host = await verified(live);
    for (const domain of ['go.example', 'GO.example.', host.host, host.host.toUpperCase()])
      expect(await tlsAllowed(domain), domain).toBe(200);
    for (const domain of [pending.host, `x.${host.host}`, 'example.com', '', '*', 'x'.repeat(300)])
      expect(await tlsAllowed(domain), domain).toBe(404);
    expect((await fetch(`${service.origin}/internal/tls-allowed`)).status).toBe(422);
    await vi.waitFor(async () => expect(await tlsAllowed(host.host, replica)).toBe(200), { timeout: 30_000 });
    expect((await remove(live, host)).status).toBe(204);
    expect(await tlsAllowed(host.host)).toBe(404);
    await vi.waitFor(async () => expect(await tlsAllowed(host.host, replica)).toBe(404), { timeout: 30_000 });
  });

  // A proxy keeps visitors from the path as it is sent. `fetch` would send some of these in another form.
  test.each([
    ['/internal/tls-allowed', 200],
    ['/internal/tls-allowed/', 200],
    ['/%69nternal/tls-allowed', 404],
    ['/interna%6C/tls-allowed', 404],
    ['/%69%6e%74%65%72%6e%61%6c/tls-allowed/', 404],
    ['//internal/tls-allowed', 404],
    ['/x/../internal/tls-allowed', 404],
    ['/./internal/tls-allowed', 404],
    ['/INTERNAL/tls-allowed', 404],
    ['/internal%2Ftls-allowed', 404],
    ['/internal;x/tls-allowed', 404],
    ['http://go.example/internal/tls-allowed', 404],
    ['http://go.example/%69nternal/tls-allowed', 404],
  ])('as %s is %i', async (path, status) => {
    const { hostname, port } = new URL(service.origin);
    const response = await new Promise<IncomingMessage>((resolve, reject) =>
      http.get({ hostname, port, path: `${path}?domain=go.example` }, resolve).on('error', reject),
    );
    response.resume();
    expect(response.statusCode).toBe(status);
  });
});
