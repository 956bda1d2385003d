import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ACCOUNT_ID_LENGTH, createdAtOfLinkId, linkIdRange, newAccountId, newLinkId } from './ids.ts';

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

test('the range of a period has the ids of links that were created in it, and of no other account', () => {
  const time = fc.oneof(moment, fc.integer({ min: 1_000, max: 1_003 }));
  const bound = fc.option(fc.oneof(time, fc.constantFrom(-1, -62e12, 253_402_300_799_999)), { nil: undefined });
  fc.assert(
    fc.property(time, bound, bound, (createdAt, after, before) => {
      const [account, other] = ['a'.repeat(16), 'b'.repeat(16)];
      const { $gt, $lt } = linkIdRange(account, {
        ...(after !== undefined && { after: new Date(after) }),
        ...(before !== undefined && { before: new Date(before) }),
      });
      const isIn = (id: string) => id > $gt && id < $lt;
      const isInPeriod = createdAt >= (after ?? 0) && createdAt < (before ?? Infinity);
      expect(isIn(newLinkId(account, createdAt))).toBe(isInPeriod);
      expect(isIn(newLinkId(other, createdAt))).toBe(false);
    }),
  );
});

test('ids created in the same millisecond differ', () => {
  expect(new Set(Array.from({ length: 1_000 }, () => newLinkId('a'.repeat(16), 1))).size).toBe(1_000);
});
