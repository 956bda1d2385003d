import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ACCOUNT_ID_LENGTH, createdAtOfLinkId, newAccountId, newLinkId } from './ids.ts';

const moment = fc.integer({ min: 0, max: 4e12 });

test('ids sort by their time of creation', () => {
  fc.assert(
    fc.property(moment, moment, (a, b) => {
      fc.pre(a < b);
      const account = newAccountId(a);
      expect(account).toHaveLength(ACCOUNT_ID_LENGTH);
      expect(account < newAccountId(b)).toBe(true);
      expect(newLinkId(account, a) < newLinkId(account, b)).toBe(true);
    }),
  );
});

test('a link’s id contains its time of creation in milliseconds and its account', () => {
  fc.assert(
    fc.property(moment, moment, (a, b) => {
      const account = newAccountId(a);
      const id = newLinkId(account, b);
      expect(createdAtOfLinkId(id)).toBe(b);
      expect(id.startsWith(account)).toBe(true);
      expect(id.length).toBeLessThanOrEqual(64);
    }),
  );
});

test('ids created in the same millisecond differ', () => {
  expect(new Set(Array.from({ length: 1_000 }, () => newLinkId('a'.repeat(16), 1))).size).toBe(1_000);
});
