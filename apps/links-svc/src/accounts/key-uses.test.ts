import { createLogger } from '@waymark/service-kit';
import { expect, test } from 'vitest';
import type { StoredKey } from '../database/documents/account.ts';
import { createKeyUses } from './key-uses.ts';

const KEY: StoredKey = { scope: 'full_access', hash: 'h', hint: 'x9Kd', created_at: new Date(0) };

function setUp() {
  const writes: { at: Date; ended: PromiseWithResolvers<void> }[] = [];
  const log: string[] = [];
  const uses = createKeyUses({
    accounts: {
      setLastUsed(_key, at) {
        const ended = Promise.withResolvers<void>();
        writes.push({ at, ended });
        return ended.promise;
      },
    },
    now: () => 100_000,
    logger: createLogger({ service: 'test', level: 'info' }, { write: (line) => void log.push(line) }),
  });
  return { uses, writes, log };
}

test('a use is written if the recorded one is a minute old, and not if it is younger', () => {
  const { uses, writes } = setUp();
  uses.record({ ...KEY, last_used_at: new Date(40_001) });
  expect(writes).toHaveLength(0);
  uses.record({ ...KEY, last_used_at: new Date(40_000) });
  expect(writes.map(({ at }) => at.getTime())).toEqual([100_000]);
});

test('while a use is being written, further uses of the key write nothing, however slow the database is', async () => {
  const { uses, writes } = setUp();
  for (let i = 0; i < 5; i++) uses.record(KEY);
  uses.record({ ...KEY, hash: 'other' });
  expect(writes).toHaveLength(2);
});

test('a write that fails is logged, and the next use writes again', async () => {
  const { uses, writes, log } = setUp();
  uses.record(KEY);
  writes[0]!.ended.reject(new Error('down'));
  await expect.poll(() => log.length).toBe(1);
  expect(log[0]).toContain('could not record the use of a key');
  uses.record(KEY);
  expect(writes).toHaveLength(2);
});
