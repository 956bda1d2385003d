import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

/** What a file imports, apart from types. */
const IMPORT = /^(?:import|export) (?!type )(?:[^;'=]+ from )?'([^']+)';$/gm;

/** Returns everything that a file loads, itself or through files of this package, that is not in this package. */
function loadedBy(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  return [...readFileSync(file, 'utf8').matchAll(IMPORT)].flatMap(([, name]) =>
    name!.startsWith('.') ? loadedBy(join(dirname(file), name!), seen) : [name!],
  );
}

test('the process that runs as long as the stack loads no library, to take little memory', () => {
  const loaded = loadedBy(join(import.meta.dirname, 'start.ts'));
  expect(loaded).toContain('node:child_process');
  expect(loaded.filter((name) => !name.startsWith('node:'))).toEqual([]);
});
