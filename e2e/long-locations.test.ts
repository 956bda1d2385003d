import { type OutgoingHttpHeaders, request } from 'node:http';
import { DESTINATION_MAX_LENGTH } from '@waymark/contract';
import { describe, expect, test } from 'vitest';
import { BROWSER, createAccount, createLink, stack } from './support/world.ts';

// docs/api.md, Redirects: `Location` is a valid header for any destination, even if it takes 70 KiB.

const START = 'https://example.com/';
const LONGEST = START + '😀'.repeat(DESTINATION_MAX_LENGTH - START.length);
const form = { 'content-type': 'application/x-www-form-urlencoded' };

interface Redirect {
  status: number;
  location: string;
}

function send(base: string, path: string, headers: OutgoingHttpHeaders = {}, form?: string): Promise<Redirect> {
  return new Promise((resolve, reject) => {
    const options = { method: form === undefined ? 'GET' : 'POST', agent: false, maxHeaderSize: 1e6 } as const;
    const sent = request(base + path, { ...options, headers: { 'user-agent': BROWSER, ...headers } }, (response) => {
      response.resume();
      resolve({ status: response.statusCode ?? 0, location: response.headers.location ?? '' });
    });
    sent.on('error', reject).end(form);
  });
}

/** A character that `URL` leaves as it is in a query, and a redirect escapes. */
const GROWING = '|';

/** Returns paths with queries that grow when escaped, beyond the longest request line that is accepted. */
const pathsOf = (slug: string) => [
  `/${slug}`,
  ...Array.from({ length: 20 }, (_, n) => `/${slug}?${GROWING.repeat(15_000 + n * 320)}`),
];

describe.each([
  ['through the gateway', stack.publicUrl],
  ['straight', stack.linksHttp],
])('the longest destination redirects %s', (_name, base) => {
  test('with any query, whether cached or not, alone or concurrently', async () => {
    const { live } = await createAccount();
    const { slug } = await createLink(live, { destination_url: LONGEST });
    const paths = pathsOf(slug);
    for (let round = 0; round < 3; round += 1) {
      const redirects = await Promise.all(paths.map((path) => send(base, path)));
      // A request line that is too long gets 431. Everything else redirects.
      expect(new Set(redirects.map(({ status }) => status))).toEqual(new Set([302, 431]));
      expect(redirects[0]).toEqual({ status: 302, location: new URL(LONGEST).href });
      const longest = Math.max(...redirects.map(({ location }) => location.length));
      expect(longest).toBeGreaterThan(70_000);
    }
  });

  test('after its password', async () => {
    const { live } = await createAccount();
    const { slug } = await createLink(live, { destination_url: LONGEST, password: 'sesame' });
    const path = `/${slug}?${GROWING.repeat(15_500)}`;
    const { status, location } = await send(base, path, form, 'password=sesame');
    expect([status, location.startsWith(new URL(LONGEST).href)]).toEqual([303, true]);
    expect(location.length).toBeGreaterThan(70_000);
  });
});
