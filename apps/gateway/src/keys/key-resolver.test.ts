import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createKeyResolver, type KeyOwner } from './key-resolver.ts';

const owner: KeyOwner = { accountId: '1', username: 'ada', plan: 'developer', scope: 'full_access' };
const hashOf = (text: string) => createHash('sha256').update(text).digest();

test('an answer is believed for two seconds from the moment it was asked for', async () => {
  let now = 0;
  let lookups = 0;
  let current: KeyOwner | null = owner;
  const keys = createKeyResolver(
    async () => {
      lookups++;
      const found = current;
      now += 500;
      return found;
    },
    () => now,
  );
  expect(await keys.resolve(hashOf('a'), 'r')).toBe(owner);
  current = null;
  now = 1999;
  expect(await keys.resolve(hashOf('a'), 'r')).toBe(owner);
  expect(lookups).toBe(1);
  now = 2000;
  expect(await keys.resolve(hashOf('a'), 'r')).toBeNull();
  expect(await keys.resolve(hashOf('a'), 'r')).toBeNull();
  expect(lookups).toBe(2);
  expect(keys.wasValid(hashOf('a'))).toBe(false);
});

test('a key that begins to exist is found within two seconds', async () => {
  let now = 0;
  let current: KeyOwner | null = null;
  const keys = createKeyResolver(
    async () => current,
    () => now,
  );
  expect(await keys.resolve(hashOf('a'), 'r')).toBeNull();
  current = owner;
  now = 2000;
  expect(await keys.resolve(hashOf('a'), 'r')).toBe(owner);
});

test('a failed lookup fails for all who wait for it, and is not remembered', async () => {
  let fail = true;
  const keys = createKeyResolver(async () => {
    if (fail) throw new Error('down');
    return owner;
  });
  const both = await Promise.allSettled([keys.resolve(hashOf('a'), '1'), keys.resolve(hashOf('a'), '2')]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  fail = false;
  expect(await keys.resolve(hashOf('a'), '3')).toBe(owner);
});

test('a flood of unknown keys displaces no valid one', async () => {
  let lookups = 0;
  const valid = hashOf('valid');
  const keys = createKeyResolver(
    async (hash) => {
      lookups++;
      return hash.equals(valid) ? owner : null;
    },
    () => 0,
  );
  await keys.resolve(valid, 'r');
  for (let i = 0; i < 60_000; i++) await keys.resolve(hashOf(`unknown ${i}`), 'r');
  lookups = 0;
  expect(await keys.resolve(valid, 'r')).toBe(owner);
  expect(lookups).toBe(0);
});
