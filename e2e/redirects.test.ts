import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { api, BROWSER, createAccount, createLink, eventually, follow, request } from './support/world.ts';

// docs/api.md, Redirects.

const form = { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': BROWSER };

test('public and unlisted links give 302 with no-store, unlisted ones also noindex, and a slug is found in any case', async () => {
  const { live } = await createAccount();
  const open = await createLink(live, { destination_url: 'https://example.com/x?a=1#f' });
  const unlisted = await createLink(live, { visibility: 'unlisted' });
  const answer = await follow(open.slug.toUpperCase());
  expect(answer.status).toBe(302);
  expect(answer.headers.get('location')).toBe('https://example.com/x?a=1#f');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('x-robots-tag')).toBeNull();
  expect((await follow(unlisted.slug)).headers.get('x-robots-tag')).toBe('noindex');
});

test('query parameters of the short URL are added to the destination, whose own win', async () => {
  const { live } = await createAccount();
  const link = await createLink(live, { destination_url: 'https://example.com/?a=1#frag' });
  const location = new URL((await follow(`${link.slug}?a=2&b=3`)).headers.get('location')!);
  expect([...location.searchParams]).toEqual([
    ['a', '1'],
    ['b', '3'],
  ]);
  expect(location.hash).toBe('#frag');
});

test('the destination is sent as a valid header whatever its characters', async () => {
  const { live } = await createAccount();
  const link = await createLink(live, { destination_url: 'https://пример.рф/путь с пробелом?я=ж#ü' });
  expect((await follow(link.slug)).headers.get('location')).toMatch(
    /^https:\/\/xn--e1afmkfd\.xn--p1ai\/%D0%BF[\x21-\x7e]*$/,
  );
});

describe('an expired link', () => {
  const EXPIRED = { expires_at: '2026-01-31T12:00:00Z' };
  const visits = ['GET', 'HEAD', 'POST'].map((method) => ({ method, headers: form }));

  test('redirects every method to expired_url, adds nothing to it, and counts no click', async () => {
    const { live } = await createAccount();
    const expired_url = 'https://example.com/over?a=1';
    const link = await createLink(live, { ...EXPIRED, expired_url, password: 'secret' });
    for (const visit of visits) {
      const { status, headers } = await request(`/${link.slug}?b=2`, visit);
      expect([visit.method, status, headers.get('location')]).toEqual([visit.method, 302, expired_url]);
      expect(headers.get('cache-control')).toBe('no-store');
    }
    // A later click is counted, so the earlier ones would be too.
    const other = await createLink(live, {});
    await follow(other.slug);
    await eventually(async () => expect((await api(live).analytics()).body.clicks).toBe(1));
    expect((await api(live).get(link.id)).body.clicks).toBe(0);
  });

  test('without expired_url is 410: a page for a browser, JSON for others', async () => {
    const { live } = await createAccount();
    const { slug } = await createLink(live, { ...EXPIRED, title: 'Secret title' });
    for (const visit of visits) expect((await request(`/${slug}`, visit)).status).toBe(410);
    const json = await follow(slug, { accept: 'application/json' });
    expect([json.status, Object.keys(json.body as object)]).toEqual([410, ['error']]);
    const page = await follow(slug, { accept: 'text/html' });
    expect([page.status, page.headers.get('cache-control')]).toEqual([410, 'no-store']);
    expect(page.headers.get('content-type')).toMatch(/^text\/html/);
    expect(page.body).not.toMatch(/Secret title|example\.com/);
  });

  test('stays 404 if it is private', async () => {
    const { live } = await createAccount();
    const { slug } = await createLink(live, { ...EXPIRED, visibility: 'private' });
    expect((await follow(slug)).status).toBe(404);
  });
});

test('private, deleted and unknown links give identical responses', async () => {
  const { live } = await createAccount();
  const hidden = await createLink(live, { visibility: 'private' });
  const gone = await createLink(live, {});
  await api(live).delete(gone.id);
  for (const accept of ['text/html', '*/*', 'application/json']) {
    const answers = await Promise.all(
      [hidden.slug, gone.slug, 'never-was-there'].map((slug) => follow(slug, { accept })),
    );
    for (const answer of answers) {
      expect(answer.status).toBe(404);
      expect(answer.body).toEqual(answers[2]!.body);
      const names = [...answer.headers.keys()].filter((name) => name !== 'date');
      expect(names).toEqual([...answers[2]!.headers.keys()].filter((name) => name !== 'date'));
    }
    expect(answers[0]!.headers.get('content-type')).toMatch(
      accept === 'text/html' ? /^text\/html/ : /^application\/json/,
    );
  }
});

test('a password-protected link asks for its password, and only the right one counts as a click', async () => {
  const { live } = await createAccount();
  const link = await createLink(live, {
    destination_url: 'https://secret.example/',
    title: 'Top secret title',
    password: 'sesame',
  });
  const page = await follow(link.slug, { accept: 'text/html' });
  expect(page.status).toBe(200);
  expect(page.body).toMatch(/<form[^>]*method="post"/i);
  expect(page.body).not.toMatch(/secret\.example|Top secret|<script/);
  const wrong = await request(`/${link.slug}`, { method: 'POST', body: 'password=nope', headers: form });
  expect(wrong.status).toBe(403);
  expect(wrong.body).toMatch(/<form/);
  const right = await request(`/${link.slug}`, { method: 'POST', body: 'password=sesame', headers: form });
  expect(right.status).toBe(303);
  expect(right.headers.get('location')).toBe('https://secret.example/');
  await eventually(async () => expect((await api(live).get(link.id)).body.clicks).toBe(1));
});

test('wrong tries are limited for each link and address', async () => {
  const { live } = await createAccount();
  const link = await createLink(live, { password: 'sesame' });
  const statuses = [];
  for (let n = 0; n < 12; n += 1)
    statuses.push((await request(`/${link.slug}`, { method: 'POST', body: 'password=x', headers: form })).status);
  expect(statuses.slice(0, 10)).toEqual(Array(10).fill(403));
  expect(statuses.slice(10)).toEqual([429, 429]);
});

test('bots, previews, libraries, prefetches and HEAD are redirected and not counted', async () => {
  const { live } = await createAccount();
  const link = await createLink(live, {});
  const uncounted: Record<string, string>[] = [
    { 'user-agent': 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
    { 'user-agent': 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)' },
    { 'user-agent': 'curl/8.5.0' },
    { 'user-agent': 'python-requests/2.32.3' },
    { 'user-agent': '' },
    { 'sec-purpose': 'prefetch;prerender' },
    { purpose: 'prefetch' },
  ];
  for (const headers of uncounted) expect((await follow(link.slug, headers)).status).toBe(302);
  expect((await request(`/${link.slug}`, { method: 'HEAD', headers: { 'user-agent': BROWSER } })).status).toBe(302);
  expect((await follow(link.slug)).status).toBe(302);
  await eventually(async () => expect((await api(live).analytics()).body.clicks).toBe(1));
  // Clicks are delivered in order, so by now an earlier request would have been counted, too.
  expect((await api(live).get(link.id)).body.clicks).toBeLessThanOrEqual(1);
});

test('a source is utm_source, else the registrable domain of the referrer, else direct', async () => {
  const { live } = await createAccount();
  const link = await createLink(live, {});
  await follow(`${link.slug}?utm_source=NewsLetter`, { referer: 'https://x.com/' });
  await follow(link.slug, { referer: 'https://l.facebook.com/l.php?u=x' });
  await follow(link.slug, { referer: new URL('/other', link.short_url).href });
  await follow(link.slug);
  await eventually(async () => {
    expect((await api(live).analytics()).body.sources).toEqual([
      { source: 'direct', clicks: 2 },
      { source: 'facebook.com', clicks: 1 },
      { source: 'newsletter', clicks: 1 },
    ]);
  });
  const filtered = (await api(live).analytics('?source=facebook.com')).body;
  expect(filtered).toMatchObject({ source: 'facebook.com', clicks: 1, devices: [{ device: 'desktop', clicks: 1 }] });
  expect(filtered.top_links[0]).toMatchObject({ id: link.id, clicks: 1 });
  expect((await api(live).analytics('?source=never.example')).body).toMatchObject({
    clicks: 0,
    sources: [],
    top_links: [],
  });
});

test('a change of a link is seen by redirects', async () => {
  const { live } = await createAccount();
  const link = await createLink(live, { destination_url: 'https://example.com/old' });
  expect((await follow(link.slug)).headers.get('location')).toBe('https://example.com/old');
  await api(live).update(link.id, { destination_url: 'https://example.com/new' });
  expect((await follow(link.slug)).headers.get('location')).toBe('https://example.com/new');
  await api(live).update(link.id, { visibility: 'private' });
  expect((await follow(link.slug)).status).toBe(404);
});

test('the clicks of a deleted link leave the analytics of both keys at once', async () => {
  const account = await createAccount();
  const [stays, goes] = [await createLink(account.live, {}), await createLink(account.live, {})];
  for (const link of [stays, goes, goes]) await follow(link.slug);
  await eventually(async () => expect((await api(account.live).analytics()).body.clicks).toBe(3));
  await api(account.live).delete(goes.id);
  for (const key of [account.live, account.public]) {
    const { body } = await api(key).analytics();
    expect(body.clicks).toBe(1);
    expect(body.devices).toEqual([{ device: 'desktop', clicks: 1 }]);
    expect(body.top_links.map((link) => link.id)).toEqual([stays.id]);
  }
});

test('auto_meta reads title and description from the destination, and never makes the creation fail', async () => {
  const { live } = await createAccount();
  const site = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html; charset=windows-1251');
    response.end(
      Buffer.concat([
        Buffer.from('<title>'),
        Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]),
        Buffer.from(' &amp; co</title><meta name=description content="About it">'),
      ]),
    );
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const { port } = site.address() as AddressInfo;
  const read = await createLink(live, { destination_url: `http://127.0.0.1:${port}/`, auto_meta: true });
  expect(read).toMatchObject({ title: 'Привет & co', description: 'About it' });
  const kept = await createLink(live, { destination_url: `http://127.0.0.1:${port}/`, auto_meta: true, title: 'Mine' });
  expect(kept).toMatchObject({ title: 'Mine', description: 'About it' });
  const internal = await createLink(live, {
    destination_url: 'http://169.254.169.254/latest/meta-data',
    auto_meta: true,
  });
  expect(internal).toMatchObject({ title: null, description: null });
  await new Promise((resolve) => site.close(resolve));
});
