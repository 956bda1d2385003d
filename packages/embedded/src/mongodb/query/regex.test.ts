import { BSONRegExp } from 'bson';
import { describe, expect, it } from 'vitest';
import { literalPrefix } from './intervals.ts';
import { compileRegex } from './regex.ts';

describe('compileRegex', () => {
  it.each<[string, string, string, boolean]>([
    ['a\\.b\\-c\\_d\\"', '', 'a.b-c_d"', true],
    ['[\\-_]x', '', '-x', true],
    ['^b', 'm', 'a\nb', true],
    ['a.b', 's', 'a\nb', true],
    ['(?i)abc', '', 'xABC', true],
    ['straße', 'i', 'STRASSE', false],
    ['ΣΊΣΥΦΟΣ', 'i', 'σίσυφος', true],
    ['^.$', '', '🦊', true],
  ])('%s with %j on %j', (pattern, options, text, matches) => {
    expect(compileRegex(pattern, options).test(text)).toBe(matches);
  });

  it.each(['(', '\\Aabc', '\\Qabc\\E', '[[:alpha:]]', 'a++', '(?>a)'])(
    'refuses %s, which JavaScript would read differently',
    (pattern) => {
      expect(() => compileRegex(pattern, '')).toThrow(expect.objectContaining({ code: 51091 }));
    },
  );

  it('refuses options that it does not have', () => {
    expect(() => compileRegex('a', 'x')).toThrow(expect.objectContaining({ code: 51108 }));
  });
});

describe('literalPrefix', () => {
  it.each([
    ['^abc', 'abc'],
    ['^ab?c', 'a'],
    ['^ab*', 'a'],
    ['^ab+c', 'ab'],
    ['^a\\.b.c', 'a.b'],
    ['^a\\d', 'a'],
    ['^🦊?x', ''],
    ['^🦊x', '🦊x'],
    ['^a|b', ''],
    ['abc', ''],
  ])('of %s is %j', (pattern, prefix) => {
    expect(literalPrefix(new BSONRegExp(pattern))).toBe(prefix);
  });

  it('is empty where the case does not matter', () => {
    expect(literalPrefix(new BSONRegExp('^abc', 'i'))).toBe('');
  });
});
