import { afterAll, beforeAll, expect, test } from 'vitest';
import { AccountsStore } from '../src/accounts/accounts.store.ts';
import type { ChangePosition } from '../src/events/event.ts';
import { Service } from './support/service.ts';

// What the follower of the logs reads of the accounts, on the real database.

let service: Service;
beforeAll(async () => {
  service = await Service.start();
});
afterAll(() => service.close());

test('pages of changed accounts have each of them once, also if many changed at the same moment', async () => {
  const { accounts } = service.database.collections;
  const at = new Date('2020-01-01T00:00:00Z');
  const documents = Array.from({ length: 2_500 }, (_, n) => ({
    _id: `changed-${String(n).padStart(4, '0')}`,
    username_key: `changed-${n}`,
    revision: n,
    // Thousands in three milliseconds.
    changed_at: new Date(at.getTime() + (n % 3)),
  }));
  for (let from = 0; from < documents.length; from += 500)
    await accounts.insertMany(documents.slice(from, from + 500) as never);
  const store = new AccountsStore(service.database);
  const read: string[] = [];
  let after: ChangePosition = { changedAt: new Date(at.getTime() - 1), accountId: '' };
  for (;;) {
    const position = after;
    const page = await service.database.inSnapshot((session) => store.changedAfter(position, 1_000, session));
    read.push(...page.map(({ _id }) => _id));
    const last = page.at(-1);
    if (last === undefined || page.length < 1_000) break;
    after = { changedAt: last.changed_at, accountId: last._id };
  }
  expect(read).toHaveLength(2_500);
  expect(new Set(read)).toEqual(new Set(documents.map(({ _id }) => _id)));
  const last = await service.database.inSnapshot((session) => store.lastChanged(session));
  expect(last?.changed_at).toEqual(new Date(at.getTime() + 2));
});

test('what is read in a snapshot is of one moment, whatever is written in between', async () => {
  const store = new AccountsStore(service.database);
  await service.database.inSnapshot(async (session) => {
    const before = await store.lastChanged(session);
    await service.createLink((await service.createAccount()).live);
    expect(await store.lastChanged(session)).toEqual(before);
  });
});
