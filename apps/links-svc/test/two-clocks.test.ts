import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { expectConsistent } from './support/log.ts';
import { Service, type TestAccount } from './support/service.ts';

// No promise hangs on the clocks of two machines: the clocks of these replicas differ by an hour.

const HOUR_MS = 3_600_000;
let early: Service;
let late: Service;
let account: TestAccount;
beforeAll(async () => {
  early = await Service.start();
  late = await Service.start({ databaseName: early.databaseName, now: () => Date.now() + HOUR_MS });
  account = await early.createAccount();
});
afterAll(async () => {
  await late.close();
  await early.close();
});

const replicas = () => [
  ['the late one changes', late, early] as const,
  ['the early one changes', early, late] as const,
];
const hiddenOf = async (service: Service, identity: TestAccount['live']) => {
  const ids: string[] = [];
  for await (const { linkIds } of service.links.getHiddenLinks({ knownRevision: '' }, await service.as(identity)))
    ids.push(...linkIds);
  return ids;
};

describe.each([0, 1])('two replicas whose clocks differ by an hour (%i)', (which) => {
  const pair = () => replicas()[which]!;

  test('a hidden or deleted link is hidden at once for the other, in lists, totals, searches and analytics', async () => {
    const [, writer, reader] = pair();
    const word = `clock${which}`;
    const [hidden, gone] = [
      await reader.createLink(account.live, { title: `${word} hidden` }),
      await writer.createLink(account.live, { title: `${word} gone` }),
    ];
    const seen = async (identity: TestAccount['live']) => {
      const { body } = await reader.list(identity, { q: word });
      return [body.total, ...body.links.map(({ id }) => id).sort()];
    };
    expect(await seen(account.public)).toEqual([2, ...[hidden.id, gone.id].sort()]);
    const before = (await reader.list(account.public)).body.total;
    for (let round = 0; round < 5; round++) {
      await writer.update(account.live, hidden.id, { visibility: 'private' });
      expect(await seen(account.public)).toEqual([1, gone.id]);
      expect((await reader.list(account.public)).body.total).toBe(before - 1);
      expect((await reader.get(account.public, hidden.id)).status).toBe(404);
      expect(await hiddenOf(reader, account.public)).toContain(hidden.id);
      await writer.update(account.live, hidden.id, { visibility: 'public' });
      expect(await seen(account.public)).toEqual([2, ...[hidden.id, gone.id].sort()]);
      expect(await hiddenOf(reader, account.public)).not.toContain(hidden.id);
    }
    await writer.delete(account.live, gone.id);
    expect(await seen(account.live)).toEqual([1, hidden.id]);
    expect(await hiddenOf(reader, account.live)).toContain(gone.id);
  });

  test('a link that one creates is counted and found by the other at once', async () => {
    const [, writer, reader] = pair();
    const word = `created${which}`;
    for (let count = 1; count <= 5; count++) {
      const before = (await reader.list(account.live)).body.total;
      await writer.createLink(account.live, { title: word });
      expect((await reader.list(account.live)).body.total).toBe(before + 1);
      expect((await reader.list(account.live, { q: word })).body.total).toBe(count);
    }
  });

  test('updates of different fields of one link by both all last, and the log has no gap', async () => {
    const link = await early.createLink(account.live);
    const fields = [{ title: 't' }, { description: 'd' }, { note: 'n' }, { hashtags: ['h'] }];
    await Promise.all(fields.map((one, n) => (n % 2 ? early : late).update(account.live, link.id, one)));
    expect((await early.get(account.live, link.id)).body).toMatchObject(Object.assign({}, ...fields));
    await expectConsistent(early.database, account.id);
  });
});
