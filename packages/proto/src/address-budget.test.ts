import { expect, test } from 'vitest';
import { AddressBudget } from './address-budget.ts';

const LIMITS = { burst: 10, perSecond: 2 };

function spend(budget: AddressBudget, address: string, times: number): boolean[] {
  return Array.from({ length: times }, () => budget.acquire(address));
}

test('an address spends its burst at once, and then what it gets back each second', () => {
  let now = 0;
  const budget = new AddressBudget(LIMITS, () => now);
  expect(spend(budget, 'a', 11)).toEqual([...Array(10).fill(true), false]);
  now = 499;
  expect(budget.acquire('a')).toBe(false);
  now = 500;
  expect(spend(budget, 'a', 2)).toEqual([true, false]);
  now = 60_000;
  expect(spend(budget, 'a', 11).filter(Boolean)).toHaveLength(10);
});

test('what is refunded can be spent again, but never more than the burst', () => {
  const budget = new AddressBudget(LIMITS, () => 0);
  spend(budget, 'a', 10);
  budget.refund('a', 3);
  expect(spend(budget, 'a', 4)).toEqual([true, true, true, false]);
  budget.refund('a', 100);
  expect(spend(budget, 'a', 11).filter(Boolean)).toHaveLength(10);
});

test('addresses do not share their budgets', () => {
  const budget = new AddressBudget(LIMITS, () => 0);
  spend(budget, 'a', 10);
  expect(budget.acquire('b')).toBe(true);
});
