import { describe, expect, test } from 'vitest';
import { USER_AGENTS } from '../../test/user-agents.ts';
import { visitorOf } from './visitor.ts';

const DEVICES = ['desktop', 'mobile', 'tablet', 'other'] as const;
const REASONS = ['bot', 'preview', 'library', 'empty_user_agent'] as const;

for (const device of DEVICES) {
  describe(`a person on a device of the kind "${device}"`, () => {
    test.each(Object.entries(USER_AGENTS[device]))('%s', (_name, userAgent) => {
      expect(visitorOf(userAgent)).toEqual({ device, notCounted: null });
    });
  });
}

for (const reason of REASONS) {
  describe(`not counted: ${reason}`, () => {
    test.each(Object.entries(USER_AGENTS[reason]))('%s', (_name, userAgent) => {
      expect(visitorOf(userAgent).notCounted).toBe(reason);
    });
  });
}

test('the table has at least 80 real User-Agents, none of them twice', () => {
  const all = Object.values(USER_AGENTS).flatMap((table) => Object.values(table));
  expect(all.length).toBeGreaterThanOrEqual(80);
  expect(new Set(all).size).toBe(all.length);
});

test('a hostile User-Agent is told apart in no time', () => {
  const startedAt = performance.now();
  for (const piece of ['a', ' ', '(', 'Android ', 'Mozilla/5.0 ', 'compatible; ', '\u0000', '🦊'])
    visitorOf(piece.repeat(16_384 / piece.length));
  expect(performance.now() - startedAt).toBeLessThan(1_000);
});
