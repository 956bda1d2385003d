import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseQueryString, queryOf } from './query-string.ts';

test('parseQueryString reads what URLSearchParams reads, with repeated parameters as arrays in order', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ unit: 'binary' }), fc.string())), (pairs) => {
      const text = new URLSearchParams(pairs.map(([name, value]) => [name, value] as [string, string])).toString();
      const parsed = parseQueryString(text);
      const expected = new URLSearchParams(text);
      expect(new Set(Object.keys(parsed))).toEqual(new Set(expected.keys()));
      for (const name of expected.keys()) {
        const all = expected.getAll(name);
        expect(parsed[name]).toEqual(all.length === 1 ? all[0] : all);
      }
    }),
  );
});

test.each(['a=%', '%zz=%', '&&=&', 'a=%ff', '__proto__=1&__proto__=2', 'constructor=x', 'a[b]=c'])(
  'parseQueryString never throws, and %s reaches no prototype',
  (text) => {
    const parsed = parseQueryString(text);
    expect(Object.getPrototypeOf(parsed)).toBeNull();
    expect(Object.keys({})).toEqual([]);
    expect(({} as Record<string, unknown>).b).toBeUndefined();
  },
);

test('queryOf returns the raw query of a request target', () => {
  expect(queryOf('/a?b=1?c')).toBe('b=1?c');
  expect(queryOf('/a?')).toBe('');
  expect(queryOf('/a')).toBe('');
});
