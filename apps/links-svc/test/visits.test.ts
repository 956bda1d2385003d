import type { Identity } from '@waymark/auth';
import {
  type analyticsV1,
  clicksFromMessage,
  type ReportedClick,
  VISITS_PATH,
  type Visit,
  type VisitsResponse,
} from '@waymark/proto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type FakeAnalytics, Service, type TestAccount } from './support/service.ts';

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

async function ask(visits: Visit[]): Promise<VisitsResponse['answers']> {
  const { status, body } = await service.request<VisitsResponse>(GATEWAY, 'POST', VISITS_PATH, { body: { visits } });
  expect(status).toBe(200);
  return body.answers;
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

describe('only the gateway may ask', () => {
  test.each<[string, () => Identity | null, number]>([
    ['nobody', () => null, 401],
    ['an account', () => account.live, 403],
    ['another service', () => ({ kind: 'service', service: 'mcp-svc' }), 403],
  ])('%s', async (_who, identity, status) => {
    const answer = await service.request(identity(), 'POST', VISITS_PATH, { body: { visits: [] } });
    expect(answer.status).toBe(status);
  });
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
