import { expect, test } from 'vitest';
import { craftedUserAgent } from './crafted-user-agents.ts';

test('crafted User-Agents are valid headers of 500 characters that differ in their first characters', () => {
  const all = Array.from({ length: 5_000 }, (_, n) => craftedUserAgent(n));
  for (const text of all) expect(text).toMatch(/^[ -~]{500}$/);
  expect(new Set(all.map((text) => text.slice(0, 40))).size).toBe(all.length);
});
