import Type from 'typebox';
import { expect, test } from 'vitest';
import { text } from './text.ts';
import { validator } from './validate.ts';

test('"control characters other than line breaks are refused", and so are unpaired surrogates', () => {
  const check = validator(Type.Object({ value: text(0, 1, { description: '' }) }));
  const isText = (value: string) => {
    try {
      check({ value });
      return true;
    } catch {
      return false;
    }
  };
  for (let code = 0; code <= 0x10ffff; code += code < 0x3000 || code > 0xd700 ? 1 : 97) {
    const character = String.fromCodePoint(code);
    const isAllowed = character === '\n' || character === '\r' || !/[\p{Cc}\p{Cs}]/u.test(character);
    if (isText(character) !== isAllowed) expect(code).toBe(isAllowed ? 'allowed' : 'refused');
    if (code > 0x11000) code += 997;
  }
});
