import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { ADDED_QUERY_MAX_LENGTH, DESTINATION_MAX_LENGTH } from '@waymark/contract';
import { afterEach, describe, expect, test } from 'vitest';
import { findRedirects } from '../src/redirects/redirects.store.ts';
import { writeHost } from './support/hosts.ts';
import { startMongodbProxy } from './support/mongodb-proxy.ts';
import { mongodbUrl } from './support/mongodb-url.ts';
import { dropDatabase, Service, type ServiceOptions } from './support/service.ts';

// docs/api.md, Redirects: what redirects.test.ts cannot show, because it needs the database or a second replica.

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of cleanups.splice(0).reverse()) await end();
});

async function start(options: ServiceOptions = {}): Promise<Service> {
  const service = await Service.start(options);
  cleanups.push(() => service.close());
  return service;
}

/** Follows a slug as a visitor and returns the status and the `Location` header. */
async function visit(service: Service, slug: string) {
  const response = await fetch(`${service.origin}/${slug}`, { redirect: 'manual' });
  await response.body?.cancel();
  return { status: response.status, location: response.headers.get('location') };
}

test('one lookup for redirects reads many slugs of any accounts', async () => {
  const service = await start();
  const [ada, bob] = [await service.createAccount(), await service.createAccount()];
  const link = await service.createLink(ada.live, { slug: 'Ada', destination_url: 'https://example.com/ada' });
  await service.createLink(bob.live, { slug: 'bob', password: 'sesame' });
  const found = await findRedirects(service.database)(['/ada', '/bob', '/nobody', '$ne', '/Ada']);
  expect([...found.keys()].sort()).toEqual(['/ada', '/bob']);
  expect(found.get('/ada')).toEqual({
    _id: '/ada',
    link_id: link.id,
    account_id: ada.id,
    destination_url: 'https://example.com/ada',
    visibility: 'public',
    password_hash: null,
    expires_at: null,
    expired_url: null,
    redirect_code: 302,
    rules: [],
  });
  expect(found.get('/bob')).toMatchObject({ account_id: bob.id, visibility: 'password-protected' });
  expect(found.get('/bob')!.password_hash).toMatch(/^scrypt/);
  const many = Array.from({ length: 300 }, (_, i) => `/no-${i}`);
  expect((await findRedirects(service.database)([...many, '/ada'])).size).toBe(1);
});

describe('"A change of a link is seen by redirects at once on the replica that made it, and then on all others"', () => {
  test.each<[string, object, { status: number; location: string | null }]>([
    [
      'another destination',
      { destination_url: 'https://example.com/new' },
      { status: 302, location: 'https://example.com/new' },
    ],
    ['private', { visibility: 'private' }, { status: 404, location: null }],
    ['expired', { expires_at: '2026-01-31T12:00:00Z' }, { status: 410, location: null }],
    ['a password', { password: 'sesame' }, { status: 200, location: null }],
    ['another slug', { slug: 'elsewhere' }, { status: 404, location: null }],
  ])('%s', async (_name, change, expected) => {
    const one = await start();
    const other = await start({ databaseName: one.databaseName });
    const account = await one.createAccount();
    const link = await one.createLink(account.live, { slug: 'here', destination_url: 'https://example.com/old' });
    const old = { status: 302, location: 'https://example.com/old' };
    for (const replica of [one, other]) expect(await visit(replica, 'here')).toEqual(old);
    // A slug without a link is cached as well.
    for (const replica of [one, other]) expect((await visit(replica, 'elsewhere')).status).toBe(404);
    expect((await one.update(account.live, link.id, change)).status).toBe(200);
    expect(await visit(one, 'here')).toEqual(expected);
    if ('slug' in change) expect(await visit(one, 'elsewhere')).toEqual(old);
    // Visits continuously, because that is how a link in use behaves.
    await expect.poll(() => visit(other, 'here'), { interval: 1 }).toEqual(expected);
    if ('slug' in change) expect(await visit(other, 'elsewhere')).toEqual(old);
  });

  test('also when it is deleted and its slug goes to another link', async () => {
    const one = await start();
    const other = await start({ databaseName: one.databaseName });
    const account = await one.createAccount();
    const link = await one.createLink(account.live, { slug: 'here', destination_url: 'https://example.com/old' });
    for (const replica of [one, other]) expect((await visit(replica, 'here')).status).toBe(302);
    await one.delete(account.live, link.id);
    expect((await visit(one, 'here')).status).toBe(404);
    await one.createLink(account.live, { slug: 'HERE', destination_url: 'https://example.com/new' });
    expect(await visit(one, 'here')).toEqual({ status: 302, location: 'https://example.com/new' });
    await expect
      .poll(() => visit(other, 'here'), { interval: 20 })
      .toEqual({ status: 302, location: 'https://example.com/new' });
  });
});

test('the page of a link shows its title as it is now, on a short host too', async () => {
  const service = await start();
  const account = await service.createAccount();
  const { host } = await writeHost(service, account, 'plus.example', { not_found_url: 'https://example.com/none' });
  const destination_url = 'https://example.com/here';
  const link = await service.createLink(account.live, { host, slug: 'sale', title: 'Old', destination_url });
  const read = (path: string) =>
    new Promise<{ status: number | undefined; location: string | undefined; body: string }>((resolve, reject) => {
      const sent = request(service.origin + path, { headers: { host } }, async (response) => {
        const body = (await response.setEncoding('utf8').toArray()).join('');
        resolve({ status: response.statusCode, location: response.headers.location, body });
      });
      sent.on('error', reject).end();
    });
  await expect.poll(() => read('/sale+')).toMatchObject({ status: 200, body: expect.stringContaining('>Old</h1>') });
  await service.update(account.live, link.id, { title: 'New', visibility: 'unlisted' });
  const page = await read('/sale+');
  expect(page.body).toContain('>New</h1>');
  expect(page.body).toContain(destination_url);
  await service.update(account.live, link.id, { visibility: 'private' });
  expect(await read('/sale+')).toEqual({ status: 302, location: 'https://example.com/none', body: '' });
  expect(await visit(service, 'sale+')).toEqual({ status: 404, location: null });
});

test('a card is there once one of its texts is set, and gone with the last one', async () => {
  const service = await start();
  const account = await service.createAccount();
  const link = await service.createLink(account.live, { slug: 'card' });
  const preview = async () => {
    const headers = { 'user-agent': 'Twitterbot/1.0' };
    const response = await fetch(`${service.origin}/card`, { redirect: 'manual', headers });
    return [response.status, /og:title" content="([^"]*)/.exec(await response.text())?.[1]];
  };
  expect(await preview()).toEqual([302, undefined]);
  await service.update(account.live, link.id, { social_title: 'One' });
  expect(await preview()).toEqual([200, 'One']);
  await service.update(account.live, link.id, { social_title: 'Two' });
  expect(await preview()).toEqual([200, 'Two']);
  await service.update(account.live, link.id, { social_title: '' });
  expect(await preview()).toEqual([302, undefined]);
});

test('the longest destination redirects with any query that a gateway can forward', async () => {
  const service = await start();
  const account = await service.createAccount();
  const beginning = 'https://example.com/';
  const destination_url = beginning + '\u{1f600}'.repeat(DESTINATION_MAX_LENGTH - beginning.length);
  const { slug } = await service.createLink(account.live, { destination_url });
  const redirectOf = (query: string) =>
    new Promise<{ status: number | undefined; location: string }>((resolve, reject) => {
      const sent = request(`${service.origin}/${slug}?${query}`, { maxHeaderSize: 1e6 }, (response) => {
        response.resume();
        resolve({ status: response.statusCode, location: response.headers.location ?? '' });
      });
      sent.on('error', reject).end();
    });
  const longest = 'x'.repeat(ADDED_QUERY_MAX_LENGTH);
  const { href } = new URL(destination_url);
  expect(await redirectOf(longest)).toEqual({ status: 302, location: `${href}?${longest}` });
  expect(await redirectOf('|'.repeat(ADDED_QUERY_MAX_LENGTH))).toEqual({
    status: 302,
    location: `${href}?${'%7C'.repeat(ADDED_QUERY_MAX_LENGTH)}`,
  });
  // The gateway accepts 16 KiB and adds headers of its own.
  expect(await redirectOf('x'.repeat(16 * 1_024))).toEqual({ status: 302, location: href });
});

test('while MongoDB is down, visited links redirect and others are 503; after its return, changes are seen again', async () => {
  const proxy = await startMongodbProxy(mongodbUrl());
  cleanups.push(proxy.close);
  const databaseName = `waymark_test_${randomBytes(6).toString('hex')}`;
  cleanups.push(() => dropDatabase(mongodbUrl(), databaseName));
  const service = await start({ mongodbUrl: proxy.url, databaseName });
  const account = await service.createAccount();
  const link = await service.createLink(account.live, { slug: 'known', destination_url: 'https://example.com/old' });
  expect((await visit(service, 'known')).status).toBe(302);
  proxy.set('cut');
  for (let visits = 0; visits < 100; visits++) {
    expect(await visit(service, 'known')).toEqual({ status: 302, location: 'https://example.com/old' });
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const { status, headers, body } = await service.request(null, 'GET', '/never-visited');
  expect([status, Object.keys(body)]).toEqual([503, ['error']]);
  expect(headers.get('retry-after')).toBeTruthy();
  proxy.set('open');
  await expect.poll(async () => (await visit(service, 'never-visited')).status).toBe(404);
  await expect
    .poll(async () => (await service.update(account.live, link.id, { visibility: 'private' })).status)
    .toBe(200);
  expect((await visit(service, 'known')).status).toBe(404);
});
