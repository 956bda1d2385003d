import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { request } from '../support/world.ts';
import { GENERATORS, LANGUAGES } from './generated-clients/languages.ts';

// The programs of the long tests of generated clients are complete, and the page about clients is up to date.

test.each(LANGUAGES)('the program in $name calls every operation below /api/', async ({ name, program }) => {
  const { body } = await request<{ paths: Record<string, Record<string, { operationId?: string }>> }>('/openapi.json');
  const operations = Object.entries(body.paths)
    .filter(([path]) => path.startsWith('/api/'))
    .flatMap(([, item]) => Object.values(item).flatMap(({ operationId }) => operationId ?? []));
  expect(operations.length).toBeGreaterThan(14);
  const source = (await readFile(join(import.meta.dirname, 'generated-clients', name, program), 'utf8'))
    .replaceAll('_', '')
    .toLowerCase();
  const calls = (id: string) =>
    new RegExp(`\\b${id}((withbody)?withresponse|\\.sync|\\.syncdetailed)?\\(`, 'i').test(source);
  expect(operations.filter((id) => !calls(id))).toEqual([]);
});

test('the program of openapi-fetch calls every operation', async () => {
  const { body } = await request<{ paths: Record<string, object> }>('/openapi.json');
  const operations = Object.entries(body.paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((name) => name !== 'parameters')
      .map((method) => `${method.toUpperCase()} ${path}`),
  );
  const program = join(import.meta.dirname, 'openapi-fetch/generated-client.long.test.ts');
  const called = [...(await readFile(program, 'utf8')).matchAll(/client\.([A-Z]+)\('([^']+)'/g)];
  expect(operations.sort()).toEqual([...new Set(called.map(([, method, path]) => `${method} ${path}`))].sort());
});

test('docs/clients.md has the versions that are tested', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/clients.md'), 'utf8');
  for (const version of Object.values(GENERATORS)) expect(page).toContain(version);
});
