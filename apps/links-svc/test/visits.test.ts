import { once } from 'node:events';
import { connect } from 'node:net';
import type { Identity } from '@waymark/auth';
import {
  type analyticsV1,
  clicksFromMessage,
  frameOf,
  IDENTITY_HEADER,
  type ReportedClick,
  type Visit,
  type VisitAnswers,
} from '@waymark/proto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type FakeAnalytics, Service, signer, type TestAccount } from './support/service.ts';
import { openVisits, requestVisits } from './support/visits.ts';

// The gateway's door for visitors (contract section 5): what it answers is what a visitor would get alone.

const GATEWAY: Identity = { kind: 'service', service: 'gateway' };

let service: Service;
let account: TestAccount;
const recorded: ReportedClick[] = [];
beforeEach(async () => {
  recorded.length = 0;
  service = await Service.start({ withJobs: true, analytics: recordingAnalytics() });
  account = await service.createAccount();
});
afterEach(() => service.close());

function visitOf(slug: string, more: Partial<Visit> = {}): Visit {
  return { requestId: 'r', method: 'GET', slug, query: '', headers: { 'user-agent': 'Mozilla/5.0' }, ...more };
}

async function ask(visits: Visit[]): Promise<VisitAnswers> {
  const connection = await openVisits(service, GATEWAY);
  const answers = await connection.ask(visits);
  await connection.end();
  return answers;
}

/** Asks until the links are known; what is not known at once is looked up meanwhile. */
const askKnown = (visits: Visit[]) =>
  vi.waitFor(async () => {
    const answers = await ask(visits);
    expect(answers).not.toContain(null);
    return answers;
  });

test('a link that is not known yet is looked up, and not waited for, and no click is recorded', async () => {
  const link = await service.createLink(account.live, { destination_url: 'https://example.com/a' });
  expect(await ask([visitOf(link.slug)])).toEqual([null]);
  const [answer] = await askKnown([visitOf(link.slug)]);
  expect(answer).toEqual({ location: 'https://example.com/a', 'cache-control': 'no-store' });
  await vi.waitFor(() => expect(recorded).toHaveLength(1), 5_000);
});

test('each visit has its own answer and its own click', async () => {
  const open = await service.createLink(account.live, { destination_url: 'https://example.com/?a=1#f' });
  const unlisted = await service.createLink(account.live, { visibility: 'unlisted' });
  await askKnown([visitOf(open.slug), visitOf(unlisted.slug)]);
  await vi.waitFor(() => expect(recorded.length).toBeGreaterThanOrEqual(2), 5_000);
  recorded.length = 0;
  const [first, second, third] = await ask([
    visitOf(open.slug.toUpperCase(), { query: 'a=2&utm_source=News' }),
    visitOf(unlisted.slug, { method: 'HEAD' }),
    visitOf('nobody-has-this'),
  ]);
  expect(first!.location).toBe('https://example.com/?a=1&utm_source=News#f');
  expect(second).toMatchObject({ 'x-robots-tag': 'noindex' });
  expect(third).toBeNull();
  await vi.waitFor(() => expect(recorded).toHaveLength(2), 5_000);
  expect(recorded).toMatchObject([
    { linkId: open.id, prefetch: false, utmSource: 'News' },
    { linkId: unlisted.id, prefetch: true, utmSource: '' },
  ]);
});

test('private, protected, deleted and impossible slugs are answered alone', async () => {
  const hidden = await service.createLink(account.live, { visibility: 'private' });
  const vault = await service.createLink(account.live, { password: 'sesame' });
  const gone = await service.createLink(account.live, {});
  await askKnown([visitOf(gone.slug)]);
  await service.delete(account.live, gone.id);
  const visits = [hidden.slug, vault.slug, gone.slug, '__proto__', '../x', 'a'.repeat(100)].map((slug) =>
    visitOf(slug),
  );
  for (let i = 0; i < 3; i++) expect(await ask(visits)).toEqual(visits.map(() => null));
});

test('batches of one connection are answered, each its own, also when the gateway has ended its side', async () => {
  const links = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      service.createLink(account.live, { destination_url: `https://example.com/${n}` }),
    ),
  );
  await askKnown(links.map(({ slug }) => visitOf(slug)));
  const connection = await openVisits(service, GATEWAY);
  const answers = Promise.all(links.map(({ slug }) => connection.ask([visitOf(slug)])));
  const ended = connection.end();
  expect((await answers).map(([answer]) => answer!.location)).toEqual(links.map((_, n) => `https://example.com/${n}`));
  await ended;
});

test('a service that closes asks for the end of a connection, answers what it was sent, and closes then', async () => {
  const link = await service.createLink(account.live, { destination_url: 'https://example.com/a' });
  await askKnown([visitOf(link.slug)]);
  const connection = await openVisits(service, GATEWAY);
  const closing = service.closeDoors();
  await connection.stopping;
  expect(await connection.ask([visitOf(link.slug)])).toMatchObject([{ location: 'https://example.com/a' }]);
  await connection.end();
  await closing;
});

test('a gateway that does not end its connection does not keep the service from closing', async () => {
  const connection = await openVisits(service, GATEWAY);
  await service.closeDoors();
  await connection.closed;
});

test('a service that is about to stop opens no connection, and asks for the end of one with its next answer', async () => {
  const connection = await openVisits(service, GATEWAY);
  service.drain();
  expect((await requestVisits(service, GATEWAY)).status).toBe(503);
  await connection.ask([visitOf('any')]);
  await connection.stopping;
  await connection.end();
});

test.each([
  ['what is no JSON', Buffer.from([0, 0, 0, 1, 123])],
  ['what is no batch', Buffer.from('\0\0\0\x02[]', 'latin1')],
  ['more than a batch may have', Buffer.from([255, 255, 255, 255])],
])('%s ends the connection, and nothing else', async (_what, bytes) => {
  const [bad, good] = [await openVisits(service, GATEWAY), await openVisits(service, GATEWAY)];
  bad.socket.write(bytes);
  await bad.closed;
  expect(await good.ask([visitOf('any')])).toEqual([null]);
  await good.end();
});

describe('only the gateway may ask', () => {
  test.each<[string, () => Identity | null, number]>([
    ['nobody', () => null, 401],
    ['an account', () => account.live, 403],
    ['another service', () => ({ kind: 'service', service: 'mcp-svc' }), 403],
  ])('%s', async (_who, identity, status) => {
    const answer = await requestVisits(service, identity());
    expect(answer.status).toBe(status);
    expect(JSON.parse(answer.body)).toEqual({ error: expect.any(String) });
  });
});

test('who is refused does not keep the service from closing', async () => {
  const socket = connect({ port: Number(new URL(service.origin).port), host: '127.0.0.1', allowHalfOpen: true });
  socket.write('GET /-/visits HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: waymark-visits\r\n\r\n');
  const [answer] = await once(socket, 'data');
  expect(String(answer)).toMatch(/^HTTP\/1\.1 401 /);
  await service.closeDoors();
  socket.destroy();
});

test('one that breaks off at once harms nothing', async () => {
  const head = 'GET /-/visits HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: waymark-visits\r\n';
  const token = await signer.mint(GATEWAY);
  for (let n = 0; n < 50; n++) {
    const socket = connect(Number(new URL(service.origin).port), '127.0.0.1');
    await once(socket, 'connect');
    const whose = n % 2 === 0 ? '' : `${IDENTITY_HEADER}: ${token}\r\n`;
    await new Promise((resolve) => socket.write(`${head}${whose}\r\n`, resolve));
    socket.resetAndDestroy();
  }
  expect(await ask([visitOf('any')])).toEqual([null]);
});

test('what is sent right behind the request for a connection is a batch', async () => {
  const token = await signer.mint(GATEWAY);
  const socket = connect(Number(new URL(service.origin).port), '127.0.0.1');
  const head = ['GET /-/visits HTTP/1.1', 'Host: a', 'Connection: Upgrade', 'Upgrade: waymark-visits'];
  const batch = frameOf({ id: 1, visits: [visitOf('any')] });
  socket.write(
    Buffer.concat([Buffer.from(`${[...head, `${IDENTITY_HEADER}: ${token}`].join('\r\n')}\r\n\r\n`), batch]),
  );
  let got = '';
  socket.on('data', (chunk) => {
    got += chunk.toString('latin1');
  });
  await vi.waitFor(() => expect(got).toContain('{"id":1,"answers":[null]}'));
  socket.end();
});

test('a request that does not want a connection finds nothing there', async () => {
  expect((await service.request(GATEWAY, 'GET', '/-/visits')).status).toBe(404);
});

test('a request that names the protocol and does not ask to switch to it finds nothing there', async () => {
  const token = await signer.mint(GATEWAY);
  const socket = connect(Number(new URL(service.origin).port), '127.0.0.1');
  const head = ['GET /-/visits HTTP/1.1', 'Host: a', 'Upgrade: waymark-visits', `${IDENTITY_HEADER}: ${token}`];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  const [answer] = await once(socket, 'data');
  socket.destroy();
  expect(String(answer)).toMatch(/^HTTP\/1\.1 404 /);
});

test('a visitor who wants to upgrade to something else is led all the same', async () => {
  const link = await service.createLink(account.live, { destination_url: 'https://example.com/a' });
  const answer = await requestVisits(service, null, `/${link.slug}`, 'h2c');
  expect(answer.status).toBe(302);
});

function recordingAnalytics(): FakeAnalytics {
  return {
    recordClicks: async ({ clicks: message }: analyticsV1.RecordClicksRequest) => {
      const clicks = clicksFromMessage(message!);
      recorded.push(...clicks);
      return { counted: clicks.length, notCounted: 0 };
    },
    getLinkTotals: async () => ({ totals: [] }),
  };
}
