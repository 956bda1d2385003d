import fc from 'fast-check';
import Type from 'typebox';
import { expect, test } from 'vitest';
import { foldText, text } from './text.ts';
import { validator } from './validate.ts';

test('control characters other than line breaks and unpaired surrogates are refused', () => {
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

/** Unassigned and private code points, three quarters of all, which nothing changes. */
const UNASSIGNED = /[\p{Cn}\p{Co}]/u;

test('folding folded text changes nothing, for all of Unicode', () => {
  for (let code = 0; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code);
    if (UNASSIGNED.test(character)) continue;
    const folded = foldText(character);
    if (foldText(folded) !== folded) expect.fail(`U+${code.toString(16)}`);
  }
  const character = fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code));
  const mark = character.filter((text) => /\p{M}/u.test(text));
  const capital = character.filter((text) => text.toLowerCase() !== text);
  // Lower-casing can undo the normalization of these characters.
  const unstable = fc.constantFrom(...'HJTWYİΣ\u0331\u030c\u0308\u030a\u0345');
  fc.assert(
    fc.property(fc.string({ unit: fc.oneof(character, mark, capital, unstable), maxLength: 12 }), (text) => {
      expect(foldText(foldText(text))).toBe(foldText(text));
    }),
    { numRuns: 5_000 },
  );
});

test('folding ignores case and canonical normalization, and nothing else', () => {
  for (const [one, other] of [
    ['É', 'e\u0301'],
    ['H\u0331', 'ẖ'],
    ['한국', '한국'.normalize('NFD')],
    ['\u212b', 'å'],
    ['ẹ̇', 'e\u0307\u0323'],
  ])
    expect(foldText(one!)).toBe(foldText(other!));
  for (const [one, other] of [
    ['é', 'e'],
    ['ﬁ', 'fi'],
    ['Ａ', 'a'],
    ['ı', 'i'],
  ])
    expect(foldText(one!)).not.toBe(foldText(other!));
});
