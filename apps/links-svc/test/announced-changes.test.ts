import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { Service, type TestAccount } from './support/service.ts';

// ADR 6: a change of what is hidden is written within 5 seconds of its announcement, or not at all.

let service: Service;
beforeAll(async () => {
  service = await Service.start();
});
afterAll(() => service.close());
afterEach(() => vi.restoreAllMocks());

/** Lets this time pass whenever a change has been announced. */
function waitAfterAnnouncements(ms: number): void {
  const now = performance.now.bind(performance);
  let passedMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now() + passedMs);
  const { accounts } = service.database;
  const updateOne = accounts.updateOne.bind(accounts);
  vi.spyOn(accounts, 'updateOne').mockImplementation(async (filter, update, ...rest) => {
    const result = await updateOne(filter, update, ...rest);
    if ('$inc' in update && 'hidden_revision' in (update.$inc ?? {})) passedMs += ms;
    return result;
  });
}

const destination_url = 'https://example.com/';
const hidden = { destination_url, visibility: 'private' } as const;

type Change = (account: TestAccount, id: string) => Promise<{ status: number; body: unknown }>;

const CHANGES: [name: string, change: Change, status: number][] = [
  ['an update', ({ live }, id) => service.update(live, id, { visibility: 'private' }), 200],
  [
    'an update of the slug too',
    ({ live, username }, id) => service.update(live, id, { visibility: 'private', slug: username }),
    200,
  ],
  ['archiving', ({ live }, id) => service.update(live, id, { archived: true }), 200],
  ['a deletion', ({ live }, id) => service.delete(live, id), 204],
  ['a creation', ({ live }) => service.create(live, hidden), 201],
  ['a creation for a key', ({ live }) => service.create(live, hidden, { 'idempotency-key': 'once' }), 201],
  ['a bulk', ({ live }) => bulk(live), 201],
];

async function bulk(identity: TestAccount['live']) {
  const operations = [1, 2].map(() => ({ op: 'create', link: hidden }));
  const { body } = await service.request<{ results: { status: number }[] }>(identity, 'POST', '/api/v1/links/bulk', {
    body: { operations },
  });
  expect(body.results[1]).toMatchObject({ status: body.results[0]!.status });
  return { status: body.results[0]!.status, body };
}

async function linksOf({ live }: TestAccount) {
  const { body } = await service.list(live, { archived: 'any' });
  return body.links.map(({ id, visibility, archived }) => ({ id, visibility, archived }));
}

test.each(CHANGES)('%s is not written 6 seconds after its announcement', async (_, change) => {
  const account = await service.createAccount();
  const link = await service.createLink(account.live);
  waitAfterAnnouncements(6_000);
  expect(await change(account, link.id)).toMatchObject({ status: 503 });
  vi.restoreAllMocks();
  expect(await linksOf(account)).toEqual([{ id: link.id, visibility: 'public', archived: false }]);
});

test.each(CHANGES)('%s is written 4 seconds after its announcement', async (_, change, status) => {
  const account = await service.createAccount();
  const link = await service.createLink(account.live);
  waitAfterAnnouncements(4_000);
  expect(await change(account, link.id)).toMatchObject({ status });
});
