import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { openApiDocument } from './document.ts';
import type { Json } from './schemas.ts';

const document = openApiDocument('https://go.example');

/** Returns every object in a JSON value, at any depth. */
function objectsIn(node: unknown): Json[] {
  if (typeof node !== 'object' || node === null) return [];
  const inner = Object.values(node).flatMap(objectsIn);
  return Array.isArray(node) ? inner : [node as Json, ...inner];
}

test('every pattern means the same in the regular expressions of all languages', () => {
  const patterns = objectsIn(document).flatMap(({ pattern }) => (typeof pattern === 'string' ? [pattern] : []));
  expect(new Set(patterns).size).toBeGreaterThan(3);
  for (const pattern of new Set(patterns)) {
    // Not every language supports Unicode classes, `\uFFFF` escapes or groups that begin with `(?`.
    expect(pattern).not.toMatch(/\\[pPuU]|\(\?/);
    expect(() => new RegExp(pattern)).not.toThrow();
    expect(() => new RegExp(pattern, 'u')).not.toThrow();
  }
});

test('every example is valid by its schema, also for a validator without formats and the Unicode flag', () => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false, unicodeRegExp: false });
  ajv.addSchema(document, 'document');
  let checked = 0;
  for (const { schema, example, examples } of objectsIn(document)) {
    if (schema === undefined) continue;
    const { $ref } = schema as { $ref?: string };
    const check = ajv.compile($ref === undefined ? (schema as Json) : { $ref: `document${$ref}` });
    const named = Object.values((examples ?? {}) as Record<string, { value: unknown }>).map(({ value }) => value);
    for (const value of [...(example === undefined ? [] : [example]), ...named]) {
      expect(check(value), `${JSON.stringify(value)}: ${ajv.errorsText(check.errors)}`).toBe(true);
      checked += 1;
    }
  }
  expect(checked).toBeGreaterThan(30);
});

test('no field of a response is readOnly, because generators make such fields optional', () => {
  expect(objectsIn(document).filter(({ readOnly }) => readOnly === true)).toEqual([]);
});

test('the document has a contact', () => {
  expect(document.info).toMatchObject({ contact: { url: 'https://go.example' } });
});
