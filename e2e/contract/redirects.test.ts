import { request as httpRequest, type OutgoingHttpHeaders } from 'node:http';
import { DESTINATION_MAX_LENGTH } from '@waymark/contract';
import { expect, test } from 'vitest';
import { api, BROWSER, createAccount, createLink, follow, request, stack } from '../support/world.ts';

// docs/api.md, Redirects: what the gateway in front could spoil. apps/links-svc/test/redirects.test.ts has the rules.

const form = { 'content-type': 'application/x-www-form-urlencoded', 'user-agent': BROWSER };

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

test('wrong passwords are limited for each link and address: 10 in a minute by default, then 429', async () => {
  const { live } = await createAccount();
  const link = await createLink(live, { password: 'sesame' });
  const statuses = [];
  for (let n = 0; n < 12; n += 1)
    statuses.push((await request(`/${link.slug}`, { method: 'POST', body: 'password=x', headers: form })).status);
  expect(statuses.slice(0, 10)).toEqual(Array(10).fill(403));
  expect(statuses.slice(10)).toEqual([429, 429]);
});

const START = 'https://example.com/';
const LONGEST = START + '😀'.repeat(DESTINATION_MAX_LENGTH - START.length);
/** A character that `URL` leaves as it is in a query, and a redirect escapes. */
const GROWING = '|';

/** Sends a request and returns the redirect. Unlike `fetch`, it accepts long headers. */
function send(path: string, headers: OutgoingHttpHeaders = {}, body?: string) {
  return new Promise<{ status: number; location: string }>((resolve, reject) => {
    const options = { method: body === undefined ? 'GET' : 'POST', agent: false, maxHeaderSize: 1e6 } as const;
    const sent = httpRequest(
      stack.publicUrl + path,
      { ...options, headers: { 'user-agent': BROWSER, ...headers } },
      (response) => {
        response.resume();
        resolve({ status: response.statusCode ?? 0, location: response.headers.location ?? '' });
      },
    );
    sent.on('error', reject).end(body);
  });
}

test('the longest destination redirects with any query, whether cached or not, alone or concurrently', async () => {
  const { live } = await createAccount();
  const { slug } = await createLink(live, { destination_url: LONGEST });
  const paths = [
    `/${slug}`,
    // The longest query that is added, and longer ones, up to beyond the longest request line that is accepted.
    `/${slug}?${GROWING.repeat(2_048)}`,
    ...Array.from({ length: 20 }, (_, n) => `/${slug}?${GROWING.repeat(15_000 + n * 320)}`),
  ];
  for (let round = 0; round < 3; round += 1) {
    const redirects = await Promise.all(paths.map((path) => send(path)));
    // A request line that is too long gets 431. Everything else redirects.
    expect(new Set(redirects.map(({ status }) => status))).toEqual(new Set([302, 431]));
    expect(redirects[0]).toEqual({ status: 302, location: new URL(LONGEST).href });
    expect(Math.max(...redirects.map(({ location }) => location.length))).toBeGreaterThan(30_000);
  }
});

test('the longest destination redirects after its password', async () => {
  const { live } = await createAccount();
  const { slug } = await createLink(live, { destination_url: LONGEST, password: 'sesame' });
  const { status, location } = await send(`/${slug}?${GROWING.repeat(2_048)}`, form, 'password=sesame');
  expect([status, location.startsWith(new URL(LONGEST).href)]).toEqual([303, true]);
  expect(location.length).toBeGreaterThan(30_000);
});
