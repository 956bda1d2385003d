import { STATUS_CODES } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { IDENTITY_HEADER, type RedirectHeaders, VISITS_PATH, type Visit } from '@waymark/proto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
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
  gateway.links.onVisits(({ visits }) => {
    batches.push(visits);
    return visits.map(answer);
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
  const { headers, url } = gateway.links.visits[0]!.request;
  expect(url).toBe(VISITS_PATH);
  const identity = headers[IDENTITY_HEADER] as string;
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
  ['refuses the gateway', 401],
  ['has no such connections', 404],
  ['is stopping', 503],
])('where links-svc %s, each visit is passed on alone, and it is not asked again at once', async (_why, status) => {
  const asked = vi.fn();
  gateway.links.onUpgrade((_request, socket) => {
    asked();
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Length: 2\r\n\r\n{}`);
  });
  for (let n = 0; n < 5; n++) expect(await (await follow('/abc')).json()).toMatchObject({ url: '/abc' });
  expect(asked).toHaveBeenCalledTimes(1);
});

test('where links-svc opens no connection in time, the visit is passed on alone, within 5 seconds', async () => {
  gateway.links.onUpgrade((_request, socket) => void socket.on('end', () => socket.end()).resume());
  const beganAt = performance.now();
  expect(await (await follow('/abc')).json()).toMatchObject({ url: '/abc' });
  expect(performance.now() - beganAt).toBeLessThan(5_000);
});

test('a visit whose connection broke is 503 and not sent again: it may have been counted', async () => {
  gateway.links.onVisits((_batch, { socket }) => void socket.destroy());
  const answer = await follow('/abc');
  expect(answer.status).toBe(503);
  expect(answer.headers.get('retry-after')).not.toBeNull();
  await errorOf(answer);
  expect(gateway.links.visits).toHaveLength(1);
  expect(gateway.links.received).toEqual([]);
});

test('the next visit after a connection broke goes on another one', async () => {
  gateway.links.onVisits((_batch, { socket }) => void socket.destroy());
  expect((await follow('/abc')).status).toBe(503);
  answerVisits(() => ({ location: 'https://example.com/' }));
  expect((await follow('/abc')).status).toBe(302);
});

test('what is no answer breaks the connection, and not the gateway', async () => {
  gateway.links.onVisits((_batch, { socket }) => void socket.write(Buffer.from([0, 0, 0, 1, 123])));
  expect((await follow('/abc')).status).toBe(503);
});

test('never a hang: 503 within 5 seconds', async () => {
  gateway.links.onVisits(() => undefined);
  const beganAt = performance.now();
  expect((await follow('/abc')).status).toBe(503);
  expect(performance.now() - beganAt).toBeLessThan(5_000);
});

describe('a links-svc that is about to stop', () => {
  test('gets no more visits on a connection that it asks to end, but answers those that it has', async () => {
    const ended = vi.fn();
    gateway.links.onVisits(({ id, visits }, { socket, send }) => {
      socket.removeAllListeners('end').on('end', () => {
        ended();
        send({ id, answers: visits.map(() => ({ location: 'https://example.com/late' })) });
        socket.end();
      });
      send({ stopping: true });
      return undefined;
    });
    expect((await follow('/abc')).headers.get('location')).toBe('https://example.com/late');
    expect(ended).toHaveBeenCalledTimes(1);
  });

  test('is left out while another replica serves', async () => {
    const other = await startGateway();
    const both = await startGateway({ LINKS_URL: [gateway.links.origin, other.links.origin] });
    const lead = (name: string) => (batch: { visits: Visit[] }) =>
      batch.visits.map(() => ({ location: `https://example.com/${name}` }));
    gateway.links.onVisits((batch, { send }) => {
      send({ stopping: true });
      return lead('stopping')(batch);
    });
    other.links.onVisits(lead('other'));
    try {
      const places: (string | null)[] = [];
      for (let n = 0; n < 6; n++)
        places.push((await fetch(`${both.url}/abc`, { redirect: 'manual' })).headers.get('location'));
      expect(places.filter((place) => place === 'https://example.com/stopping')).toHaveLength(1);
      expect(places.slice(2)).toEqual(Array(4).fill('https://example.com/other'));
    } finally {
      await both.close();
      await other.close();
    }
  });
});

test('visits go on several connections, since each may lead to another replica behind one name, and these stay', async () => {
  answerVisits(() => ({ location: 'https://example.com/' }));
  for (let n = 0; n < 8; n++) expect((await follow('/abc')).status).toBe(302);
  expect(gateway.links.visits).toHaveLength(4);
  // Longer than one may take to be opened.
  await sleep(500);
  for (let n = 0; n < 8; n++) expect((await follow('/abc')).status).toBe(302);
  expect(gateway.links.visits).toHaveLength(4);
  expect(gateway.links.visits.filter(({ socket }) => socket.destroyed)).toEqual([]);
});

test('a gateway that closes ends its connections', async () => {
  answerVisits(() => ({ location: 'https://example.com/' }));
  const other = await startGateway({ LINKS_URL: [gateway.links.origin] });
  expect((await fetch(`${other.url}/abc`, { redirect: 'manual' })).status).toBe(302);
  const { socket } = gateway.links.visits.at(-1)!;
  await other.close();
  await vi.waitFor(() => expect(socket.destroyed).toBe(true));
});
