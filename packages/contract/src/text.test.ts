import { expect, test } from 'vitest';
import { text } from './text.ts';

test('"control characters other than line breaks are refused", in a pattern that other languages can read too', () => {
  const { pattern } = text(0, 1, { description: '' }) as unknown as { pattern: string };
  // Python's regular expressions, and so its clients of our documents, know no Unicode classes.
  expect(pattern).not.toContain('\\p');
  const isText = new RegExp(pattern, 'u');
  for (let code = 0; code <= 0x10ffff; code += code < 0x3000 || code > 0xd700 ? 1 : 97) {
    const character = String.fromCodePoint(code);
    const isAllowed = character === '\n' || character === '\r' || !/[\p{Cc}\p{Cs}]/u.test(character);
    if (isText.test(character) !== isAllowed) expect(code).toBe(isAllowed ? 'allowed' : 'refused');
    if (code > 0x11000) code += 997;
  }
});
