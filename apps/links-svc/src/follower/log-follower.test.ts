import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventId, type LoggedChange } from '../events/event.ts';
import { LogFollower } from './log-follower.ts';
import type { LogState } from './log-position.ts';

const HOUR_MS = 3_600_000;
/** How long the database takes: half of it before it looks, half of it after. */
const ANSWER_MS = 6;

/** Returns logs of accounts in a database whose clock is an hour behind, and a replica that follows them. */
function harness() {
  const state = {
    now: 10 * HOUR_MS,
    accounts: new Map<string, LogState & { changed_at: Date }>(),
    events: new Map<string, Pick<LoggedChange, 'change_id' | 'redirect_ids'>>(),
    isDown: false,
    forgotten: [] as string[],
    begunAgain: [] as string[],
    eventsRead: 0,
    largestRead: 0,
    /** Runs after the next question was sent and before the database looks. */
    whileAsked: undefined as (() => void) | undefined,
  };
  const answer = async <Answer>(look: () => Answer): Promise<Answer> => {
    await Promise.resolve();
    state.now += ANSWER_MS / 2;
    if (state.isDown) throw new Error('down');
    state.whileAsked?.();
    state.whileAsked = undefined;
    const found = look();
    await Promise.resolve();
    state.now += ANSWER_MS / 2;
    return found;
  };
  const inOrder = () =>
    [...state.accounts]
      .map(([_id, account]) => ({ _id, ...account }))
      .sort((a, b) => Number(a.changed_at) - Number(b.changed_at) || (a._id < b._id ? -1 : 1));
  const follower = new LogFollower({
    inSnapshot: (read) =>
      read({
        lastChanged: () => answer(() => inOrder().at(-1) ?? null),
        changedAfter: ({ changedAt, accountId }, limit) =>
          answer(() =>
            inOrder()
              .filter(
                ({ _id, changed_at }) =>
                  changed_at > changedAt || (+changed_at === +changedAt && accountId !== '' && _id > accountId),
              )
              .slice(0, limit),
          ),
        eventsBetween: (accountId, after, upTo) =>
          answer(() => {
            const ids = Array.from({ length: upTo - after }, (_, n) => eventId(accountId, after + 1 + n));
            state.eventsRead += ids.length;
            state.largestRead = Math.max(state.largestRead, ids.length);
            return ids.flatMap((_id) =>
              state.events.has(_id) ? [{ _id, type: 'link.updated' as const, ...state.events.get(_id)! }] : [],
            );
          }),
      }),
    consumers: [
      {
        apply: (_accountId, events) =>
          state.forgotten.push(...events.flatMap(({ redirect_ids }) => redirect_ids ?? [])),
        beginAgain: (accountId) => state.begunAgain.push(accountId),
      },
    ],
    now: () => state.now,
  });
  const change = (accountId: string, ...redirect_ids: string[]) => {
    const position = { revision: (state.accounts.get(accountId)?.revision ?? 0) + 1, change_id: randomUUID() };
    state.accounts.set(accountId, { ...position, changed_at: new Date(state.now - HOUR_MS) });
    state.events.set(eventId(accountId, position.revision), { change_id: position.change_id, redirect_ids });
    return position;
  };
  return { follower, state, change };
}

test('what was read is known to be true as of the last poll, and what was read before the first one is not', async () => {
  const { follower, state } = harness();
  const early = state.now;
  expect(follower.trueUntil(early)).toBe(early);
  await follower.poll();
  const readAt = state.now;
  state.now += 40_000;
  const askedAt = state.now;
  await follower.poll();
  expect(follower.trueUntil(readAt)).toBe(askedAt);
  expect(follower.trueUntil(early)).toBe(early);
});

test('the first change of an account makes what was read of it stale, and later ones name their redirects', async () => {
  const { follower, state, change } = harness();
  change('a', '/x');
  await follower.poll();
  change('b', '/y');
  await follower.poll();
  expect(follower.isStale('b', state.now - 1)).toBe(true);
  expect(follower.isStale('b', state.now)).toBe(false);
  change('a', '/x', '/z');
  change('b', '/y');
  const readAt = state.now;
  await follower.poll();
  expect(state.forgotten.toSorted()).toEqual(['/x', '/y', '/z']);
  expect(follower.isStale('a', readAt)).toBe(false);
  await follower.poll();
  expect(state.forgotten).toHaveLength(3);
});

test.each(['unknown', 'expired', 'many', 'deleted'])(
  'what was read while the poll ran, before a change that names no redirects (%s), is stale',
  async (kind) => {
    const { follower, state, change } = harness();
    change('other');
    if (kind !== 'unknown') change(kind);
    await follower.poll();
    await follower.poll();
    let readAt = 0;
    state.whileAsked = () => {
      readAt = state.now;
      for (let n = 0; n < (kind === 'many' ? 1_001 : 1); n++) change(kind, `/${n}`);
      if (kind === 'expired') state.events.clear();
      if (kind === 'deleted') state.accounts.get(kind)!.deleting_at = new Date();
    };
    await follower.poll();
    expect([follower.isStale(kind, readAt), state.begunAgain.at(-1)]).toEqual([true, kind]);
    expect(state.largestRead).toBeLessThan(1_001);
    // What is read from now on is true.
    expect(follower.isStale(kind, state.now)).toBe(false);
  },
);

/** Returns a harness whose accounts `a` and `b` are followed, and a backup of it, 100 seconds old. */
async function backedUp() {
  const { follower, state, change } = harness();
  for (const id of ['b', 'a']) change(id);
  await follower.poll();
  await follower.poll();
  const backup = structuredClone([state.accounts, state.events] as const);
  state.now += 100_000;
  return { follower, state, change, backup };
}

test.each([
  { as: 'it was', changes: {} },
  { as: 'it was, and another account has changed since', changes: { b: 1 } },
  { as: 'it was, and has changed since, but less than before', changes: { a: 1 } },
  { as: 'it was, and has changed since as often as before', changes: { a: 2 } },
  { as: 'it was, and has changed since more than before', changes: { a: 3 } },
  { as: 'it was, and has changed since more often than is worth reading', changes: { a: 1_003 } },
])('a restored backup makes everything begin again: the account is as $as', async ({ changes }) => {
  const { follower, state, change, backup } = await backedUp();
  change('b', '/y');
  state.now += 1;
  for (let n = 0; n < 2; n++) change('a', '/x');
  await follower.poll();
  [state.accounts, state.events] = backup;
  for (const [id, times] of Object.entries(changes)) for (let n = 0; n < times; n++) change(id);
  const readAt = state.now;
  await follower.poll();
  expect([follower.isStale('b', readAt), state.begunAgain.at(-1)]).toEqual([true, 'all']);
  // It begins once.
  const begun = state.begunAgain.length;
  await follower.poll();
  expect(state.begunAgain.slice(begun)).not.toContain('all');
});

test('a restored backup makes everything begin again, also if the poll that misses an account fails', async () => {
  const { follower, state, change, backup } = await backedUp();
  for (const id of ['b', 'a']) change(id);
  await follower.poll();
  [state.accounts, state.events] = backup;
  change('c');
  state.whileAsked = () => {
    state.isDown = true;
  };
  await expect(follower.poll()).rejects.toThrow('down');
  state.isDown = false;
  const readAt = state.now;
  await follower.poll();
  expect([follower.isStale('b', readAt), state.begunAgain.at(-1)]).toEqual([true, 'all']);
});

test('an account whose known event has expired begins again, and no other', async () => {
  const { follower, state, change } = harness();
  for (const id of ['b', 'a']) change(id);
  await follower.poll();
  change('b', '/x');
  await follower.poll();
  state.begunAgain.length = 0;
  state.events.delete(eventId('b', 2));
  change('b', '/y');
  const readAt = state.now;
  await follower.poll();
  expect([follower.isStale('b', readAt), follower.isStale('a', readAt), state.begunAgain]).toEqual([
    true,
    false,
    ['b'],
  ]);
});

test('the events of an account that was known before its first change are all of its log', async () => {
  const { follower, state, change } = harness();
  state.accounts.set('a', { revision: 0, change_id: 'none', changed_at: new Date(state.now - HOUR_MS) });
  await follower.poll();
  await follower.poll();
  change('a', '/x');
  change('a', '/y');
  await follower.poll();
  expect([state.forgotten, state.begunAgain]).toEqual([['/x', '/y'], ['all']]);
});

test('the changes of this replica are not read again', async () => {
  const { follower, state, change } = harness();
  change('a');
  await follower.poll();
  const before = state.accounts.get('a')!;
  follower.skip({ accountId: 'a', before, after: change('a', '/x') });
  await follower.poll();
  expect([state.eventsRead, state.forgotten]).toEqual([0, []]);
  // One whose beginning is not known is read.
  follower.skip({ accountId: 'a', before: change('a', '/y'), after: change('a', '/z') });
  await follower.poll();
  expect(state.forgotten).toEqual(['/y', '/z']);
});

test('after an outage, no change of it is missed, and no more is read at a time than ever', async () => {
  const { follower, state, change } = harness();
  for (let n = 0; n < 2_500; n++) change(`a${n}`);
  await follower.poll();
  await follower.poll();
  const readAt = state.now;
  state.isDown = true;
  state.now += HOUR_MS;
  for (let n = 0; n < 2_500; n++) change(`a${n}`, `/${n}`);
  await expect(follower.poll()).rejects.toThrow('down');
  expect(follower.trueUntil(readAt)).toBeLessThan(state.now - HOUR_MS / 2);
  state.isDown = false;
  await follower.poll();
  // The known event and the new one.
  expect([new Set(state.forgotten).size, state.largestRead]).toEqual([2_500, 2]);
});

test('whatever changes, also while a poll runs, each changed redirect is forgotten or stale', async () => {
  const one = fc.record({ account: fc.constantFrom('a', 'b', 'c'), redirect: fc.constantFrom('/1', '/2', '/3') });
  const step = fc.oneof(one, fc.record({ during: one }), fc.constant('poll' as const), fc.constant('fail' as const));
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { follower, state, change } = harness();
      await follower.poll();
      const pending: { account: string; redirect: string; at: number }[] = [];
      const changeAndNote = ({ account, redirect }: { account: string; redirect: string }) => {
        pending.push({ account, redirect, at: state.now });
        change(account, redirect);
      };
      const pollAndCheck = async () => {
        const askedAt = state.now;
        await follower.poll();
        const isSeen = ({ at }: { at: number }) => at <= askedAt || at <= follower.trueUntil(at);
        for (const { account, redirect, at } of pending.filter(isSeen))
          expect(state.forgotten.includes(redirect) || follower.isStale(account, at - 1)).toBe(true);
        pending.splice(0, pending.length, ...pending.filter((change) => !isSeen(change)));
        if (pending.length === 0) state.forgotten.length = 0;
      };
      for (const one of [...steps, 'poll' as const, 'poll' as const]) {
        state.now += 100;
        if (one === 'poll') await pollAndCheck();
        else if (one === 'fail') {
          state.isDown = true;
          await follower.poll().catch(() => {});
          state.isDown = false;
        } else if ('during' in one) {
          state.whileAsked = () => changeAndNote(one.during);
          await pollAndCheck();
        } else changeAndNote(one);
      }
    }),
  );
});
