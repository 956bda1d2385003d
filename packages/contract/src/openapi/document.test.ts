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

test('every format that generators do not know has a pattern beside it', () => {
  const formats = objectsIn(document).filter(({ type, format }) => type !== undefined && typeof format === 'string');
  const alone = formats.filter(({ pattern }) => pattern === undefined).map(({ format }) => format);
  expect(new Set(alone)).toEqual(new Set(['binary', 'uri']));
});

test('the server is the base URL, or where the document comes from if that names the machine of its reader', () => {
  const server = (url: string) => (openApiDocument(url).servers as { url: string }[])[0]!.url;
  expect(server('https://go.example/')).toBe('https://go.example');
  for (const url of ['http://localhost:8080', 'http://127.0.0.1:8080', 'http://[::1]:8080', 'http://go.localhost'])
    expect(server(url)).toBe('/');
  expect(server('https://localhost.example')).toBe('https://localhost.example');
});

test('short URLs can have another server: their operations and all examples say so', () => {
  expect(objectsIn(document.paths).filter(({ servers }) => servers)).toEqual([]);
  const two = openApiDocument('https://api.example', 'https://go.example');
  expect(two.servers).toMatchObject([{ url: 'https://api.example' }]);
  expect(two.paths['/{slug}']!.servers).toMatchObject([{ url: 'https://go.example' }]);
  const text = JSON.stringify(two);
  expect(text).toContain('<https://api.example/api/v1/links?page=2>');
  expect(text).toContain('"short_url":"https://go.example/');
  expect(text).not.toMatch(/https:\/\/go\.example\/api|https:\/\/api\.example\/(?!api)/);
});

test('no body has a default, or a list that is optional and not nullable: clients would send it', () => {
  const { schemas } = document.components as { schemas: Record<string, Json> };
  const inputs = Object.entries(schemas).filter(([name]) => /Input$|Operation$/.test(name));
  expect(inputs.length).toBeGreaterThan(5);
  for (const [name, schema] of inputs) {
    expect(
      objectsIn(schema).filter((part) => 'default' in part && typeof part.default !== 'object'),
      name,
    ).toEqual([]);
    const required = (schema.required ?? []) as string[];
    for (const [field, { type }] of Object.entries((schema.properties ?? {}) as Record<string, Json>))
      if (!required.includes(field)) expect(type, `${name}.${field}`).not.toBe('array');
  }
});

test('no two names that generators make of the document are the same', () => {
  const { schemas } = document.components as { schemas: Record<string, Json> };
  const pascal = (name: string) => name.replace(/(?:^|[^A-Za-z0-9]+)([a-z0-9])/gi, (_, letter) => letter.toUpperCase());
  /** The names of a schema and of what it defines in place, which generators name after the path to it. */
  const namesOf = (name: string, schema: Json): string[] => [
    ...('enum' in schema || 'properties' in schema || 'oneOf' in schema ? [name] : []),
    ...Object.entries((schema.properties ?? {}) as Record<string, Json>).flatMap(([field, inner]) =>
      namesOf(name + pascal(field), inner),
    ),
    ...(schema.items === undefined ? [] : namesOf(`${name}Item`, schema.items as Json)),
  ];
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path) as Json[]);
  const names = [
    ...Object.entries(schemas).flatMap(([name, schema]) => namesOf(name, schema)),
    ...Object.keys((document.components as { responses: object }).responses),
    ...operations.flatMap(({ operationId, parameters }) => {
      const id = pascal(String(operationId ?? ''));
      if (id === '') return [];
      const inQuery = ((parameters ?? []) as { name: string; schema: Json }[]).flatMap(({ name, schema }) =>
        namesOf(id + pascal(name), schema),
      );
      return [id, `${id}Request`, `${id}Response`, `${id}Params`, ...inQuery];
    }),
  ].map((name) => name.toLowerCase());
  expect(names.length).toBeGreaterThan(80);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
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

test('no field is readOnly or writeOnly, because generators make such fields optional', () => {
  expect(objectsIn(document).filter((part) => part.readOnly === true || part.writeOnly === true)).toEqual([]);
});

test('the document has a contact', () => {
  expect(document.info).toMatchObject({ contact: { url: 'https://go.example' } });
});

test('each way to ask for a short URL says what it gets of a link with max_clicks', () => {
  const { get, head, post } = document.paths['/{slug}'] as Record<string, Json>;
  for (const operation of [get, head, post, document.paths['/{slug}+']!.get])
    expect((operation as Json).responses).toMatchObject({
      200: { description: expect.stringMatching(/`max_clicks`.*without|without.*`max_clicks`/) },
    });
});
