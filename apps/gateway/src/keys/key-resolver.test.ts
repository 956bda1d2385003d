import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Credential } from './credential.ts';
import { type KeyOwner, KeyResolver } from './key-resolver.ts';

const owner: KeyOwner = { accountId: '1', username: 'ada', plan: 'developer', scope: 'full_access' };
const keyOf = (text: string): Credential => ({ kind: 'key', hash: createHash('sha256').update(text).digest('binary') });

test('a lookup result is valid for two seconds from the start of its lookup', async () => {
  let now = 0;
  let lookups = 0;
  let current: KeyOwner | null = owner;
  const keys = new KeyResolver(
    async () => {
      lookups++;
      const found = current;
      now += 500;
      return found;
    },
    () => now,
  );
  expect(await keys.resolve(keyOf('a'), 'r')).toBe(owner);
  current = null;
  now = 1999;
  expect(await keys.resolve(keyOf('a'), 'r')).toBe(owner);
  expect(lookups).toBe(1);
  now = 2000;
  expect(await keys.resolve(keyOf('a'), 'r')).toBeNull();
  expect(await keys.resolve(keyOf('a'), 'r')).toBeNull();
  expect(lookups).toBe(2);
  expect(keys.wasValid(keyOf('a'))).toBe(false);
});

test('a flood of unknown keys evicts no valid key', async () => {
  let lookups = 0;
  const valid = keyOf('valid');
  const keys = new KeyResolver(
    async ({ hash }) => {
      lookups++;
      return hash === valid.hash ? owner : null;
    },
    () => 0,
  );
  await keys.resolve(valid, 'r');
  for (let i = 0; i < 60_000; i++) await keys.resolve(keyOf(`unknown ${i}`), 'r');
  lookups = 0;
  expect(await keys.resolve(valid, 'r')).toBe(owner);
  expect(lookups).toBe(0);
});
