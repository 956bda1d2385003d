import { IDENTITY_HEADER, type RedirectHeaders, VISITS_PATH, type Visit, type VisitsRequest } from '@waymark/proto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { errorOf, startGateway, type TestGateway, verifier } from './gateway.ts';

// Contract section 5, through the gateway: what links-svc can answer at once goes in batches.

let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startGateway();
});
afterEach(() => gateway.close());

const follow = (path: string, init: RequestInit = {}) => fetch(gateway.url + path, { redirect: 'manual', ...init });

/** Lets links-svc lead visitors, as `answer` says; gives the batches that it got. */
function answerVisits(answer: (visit: Visit) => RedirectHeaders | null): Visit[][] {
  const batches: Visit[][] = [];
  gateway.links.on(VISITS_PATH, (_request, response) => {
    const { visits } = JSON.parse(gateway.links.received.at(-1)!.body) as VisitsRequest;
    batches.push(visits);
    response.end(JSON.stringify({ answers: visits.map(answer) }));
  });
  return batches;
}

test('a visit carries what tells its click, under the gateway’s own identity; the answer is a redirect as it is', async () => {
  const [batch] = [
    answerVisits(() => ({
      location: 'https://example.com/?a=1',
      'cache-control': 'no-store',
      'x-robots-tag': 'noindex',
    })),
  ];
  const answer = await follow('/Summer-Sale?utm_source=x&a=%E4%B8%AD', {
    headers: {
      'user-agent': 'Mozilla/5.0',
      referer: 'https://a.example/',
      purpose: 'prefetch',
      'x-request-id': 'id-1',
    },
  });
  expect(answer.status).toBe(302);
  expect(answer.headers.get('location')).toBe('https://example.com/?a=1');
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('x-robots-tag')).toBe('noindex');
  expect(answer.headers.get('x-request-id')).toBe('id-1');
  expect(batch).toEqual([
    [
      {
        requestId: 'id-1',
        method: 'GET',
        slug: 'Summer-Sale',
        query: 'utm_source=x&a=%E4%B8%AD',
        headers: { 'user-agent': 'Mozilla/5.0', referer: 'https://a.example/', purpose: 'prefetch' },
      },
    ],
  ]);
  const identity = gateway.links.received[0]!.headers[IDENTITY_HEADER] as string;
  expect(await verifier.verify(identity)).toEqual({ kind: 'service', service: 'gateway' });
});

test('each of many visitors gets the answer to the own visit; those of one moment share an exchange', async () => {
  const batches = answerVisits(({ slug }) => ({ location: `https://example.com/${slug}` }));
  const slugs = Array.from({ length: 250 }, (_, n) => `s${n}`);
  const answers = await Promise.all(slugs.map((slug) => follow(`/${slug}`)));
  expect(answers.map(({ headers }) => headers.get('location'))).toEqual(
    slugs.map((slug) => `https://example.com/${slug}`),
  );
  expect(batches.flat()).toHaveLength(250);
  expect(batches.length).toBeLessThan(250);
});

test('HEAD is led as GET is', async () => {
  const batches = answerVisits(() => ({ location: 'https://example.com/' }));
  expect((await follow('/abc', { method: 'HEAD' })).status).toBe(302);
  expect(batches.flat()).toMatchObject([{ method: 'HEAD' }]);
});

test('what links-svc cannot answer at once is passed on alone, whole', async () => {
  answerVisits(({ slug }) => (slug === 'known' ? { location: 'https://example.com/' } : null));
  const [known, other] = await Promise.all([follow('/known'), follow('/other?a=b')]);
  expect(known.status).toBe(302);
  expect(await other.json()).toMatchObject({ method: 'GET', url: '/other?a=b' });
});

test('an escaped slug is passed on alone, as it is', async () => {
  const batches = answerVisits(() => ({ location: 'https://example.com/' }));
  expect(await (await follow('/Summer%2DSale')).json()).toMatchObject({ method: 'GET', url: '/Summer%2DSale' });
  expect(batches).toEqual([]);
});

test.each([
  ['refuses the batch', 401],
  ['does not know of batches', 404],
  ['is stopping', 503],
])('where links-svc %s, each visit is passed on alone', async (_why, status) => {
  gateway.links.on(VISITS_PATH, (_request, response) => void response.writeHead(status).end('{"error":"no"}'));
  expect(await (await follow('/abc')).json()).toMatchObject({ url: '/abc' });
});

test('a visit whose exchange broke is 503 and not sent again: it may have been counted', async () => {
  gateway.links.on(VISITS_PATH, (request) => request.socket.destroy());
  const answer = await follow('/abc');
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).not.toBeNull();
  await errorOf(answer);
  expect(gateway.links.received.map(({ url }) => url)).toEqual([VISITS_PATH]);
});

test('never a hang: 503 within 5 seconds', async () => {
  gateway.links.on(VISITS_PATH, () => {});
  const beganAt = performance.now();
  expect((await follow('/abc')).status).toBe(503);
  expect(performance.now() - beganAt).toBeLessThan(5_000);
});
