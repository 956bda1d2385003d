import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventId } from '../events/event.ts';
import { RedirectChanges } from './redirect-changes.ts';

const HOUR_MS = 3_600_000;

/** Returns logs of accounts in a database whose clock is an hour behind, and a replica that polls them. */
function harness() {
  const state = {
    now: 10 * HOUR_MS,
    accounts: new Map<string, { revision: number; changed_at: Date; deleting_at?: Date }>(),
    events: new Map<string, string[]>(),
    isDown: false,
    forgotten: [] as string[],
    eventsRead: 0,
  };
  const answer = <Answer>(value: Answer) => (state.isDown ? Promise.reject(new Error('down')) : Promise.resolve(value));
  const changes = new RedirectChanges({
    source: {
      changedAccounts: (since) => {
        const all = [...state.accounts].map(([_id, account]) => ({ _id, ...account }));
        if (since !== undefined) return answer(all.filter(({ changed_at }) => changed_at > since));
        return answer(all.sort((a, b) => Number(b.changed_at) - Number(a.changed_at)).slice(0, 1));
      },
      redirectsOf: (ids) => {
        state.eventsRead += ids.length;
        return answer(
          ids.flatMap((_id) =>
            state.events.has(_id) ? [{ _id, type: 'link.updated', redirect_ids: state.events.get(_id)! }] : [],
          ),
        );
      },
    },
    onRedirects: (ids) => state.forgotten.push(...ids),
    onHosts: () => {},
    onStale: () => {},
    now: () => state.now,
  });
  const change = (accountId: string, ...redirectIds: string[]) => {
    const revision = (state.accounts.get(accountId)?.revision ?? 0) + 1;
    state.accounts.set(accountId, { revision, changed_at: new Date(state.now - HOUR_MS) });
    state.events.set(eventId(accountId, revision), redirectIds);
    return revision;
  };
  return { changes, state, change };
}

test('what was read is known to be true as of the last poll, and what was read before the first one is not', async () => {
  const { changes, state } = harness();
  const early = state.now;
  expect(changes.trueUntil(early)).toBe(early);
  state.now += 10;
  await changes.poll();
  const readAt = state.now;
  state.now += 40_000;
  await changes.poll();
  expect(changes.trueUntil(readAt)).toBe(state.now);
  expect(changes.trueUntil(early)).toBe(early);
});

test('the first change of an account makes what was read of it stale, and later ones name their redirects', async () => {
  const { changes, state, change } = harness();
  change('a', '/x');
  await changes.poll();
  change('b', '/y');
  state.now += 500;
  await changes.poll();
  expect(changes.isStale('b', state.now - 1)).toBe(true);
  expect(changes.isStale('b', state.now)).toBe(false);
  change('a', '/x', '/z');
  change('b', '/y');
  const readAt = state.now;
  state.now += 500;
  await changes.poll();
  expect(state.forgotten).toEqual(['/x', '/z', '/y']);
  expect(changes.isStale('a', readAt)).toBe(false);
  await changes.poll();
  expect(state.forgotten).toHaveLength(3);
});

test('an event that has expired, too many of them, and a deletion of the account make what was read stale', async () => {
  const { changes, state, change } = harness();
  for (const id of ['expired', 'many', 'deleted']) change(id);
  await changes.poll();
  state.now += 500;
  await changes.poll();
  state.events.delete(eventId('expired', change('expired', '/x')));
  for (let n = 0; n < 1_001; n++) change('many', `/${n}`);
  change('deleted');
  state.accounts.get('deleted')!.deleting_at = new Date();
  const readAt = state.now;
  state.now += 500;
  await changes.poll();
  for (const id of ['expired', 'many', 'deleted']) expect([id, changes.isStale(id, readAt)]).toEqual([id, true]);
  expect(state.eventsRead).toBe(1);
});

test('the changes of this replica are not read again', async () => {
  const { changes, state, change } = harness();
  change('a');
  await changes.poll();
  changes.skip({ accountId: 'a', before: 1, after: change('a', '/x') });
  await changes.poll();
  expect([state.eventsRead, state.forgotten]).toEqual([0, []]);
  // One whose beginning is not known is read.
  changes.skip({ accountId: 'a', before: 3, after: 4 });
  change('a', '/y');
  await changes.poll();
  expect(state.forgotten).toEqual(['/y']);
});

test('after an outage, no change of it is missed', async () => {
  const { changes, state, change } = harness();
  change('a');
  await changes.poll();
  const readAt = state.now;
  state.isDown = true;
  state.now += 100_000;
  change('a', '/x');
  await expect(changes.poll()).rejects.toThrow('down');
  expect(changes.trueUntil(readAt)).toBe(readAt);
  state.isDown = false;
  await changes.poll();
  expect(state.forgotten).toEqual(['/x']);
});

test('whatever changes between polls, each changed redirect is forgotten or stale', async () => {
  const step = fc.oneof(
    fc.record({ account: fc.constantFrom('a', 'b', 'c'), redirect: fc.constantFrom('/1', '/2', '/3') }),
    fc.constant('poll' as const),
    fc.constant('fail' as const),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { changes, state, change } = harness();
      await changes.poll();
      const pending: { account: string; redirect: string; at: number }[] = [];
      for (const one of [...steps, 'poll' as const]) {
        state.now += 100;
        if (one === 'poll') {
          await changes.poll();
          for (const { account, redirect, at } of pending.splice(0))
            expect(state.forgotten.includes(redirect) || changes.isStale(account, at)).toBe(true);
          state.forgotten.length = 0;
        } else if (one === 'fail') {
          state.isDown = true;
          await changes.poll().catch(() => {});
          state.isDown = false;
        } else {
          change(one.account, one.redirect);
          pending.push({ ...one, at: state.now });
        }
      }
    }),
  );
});
