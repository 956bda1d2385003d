// Checks that the folders below each `src` import one way: where one imports from another, nothing leads back. Prints the
// folders of each circle and exits with 1. Tests may import anything, and types may be imported both ways: a collection has
// the types of all documents.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Packages that still have circles. */
const UNCHECKED = ['apps/web'];

/** Returns the folder directly below `src` that a file is in. */
const folderOf = (path: string) => path.split('/').slice(0, 4).join('/');

/** The folders that each folder imports from. */
const imports = new Map<string, Set<string>>();
for (const path of globSync('{apps,packages}/*/src/*/**/*.{ts,tsx}')) {
  if (path.includes('.test.') || UNCHECKED.some((name) => path.startsWith(`${name}/`))) continue;
  const folder = folderOf(path);
  const imported = imports.get(folder) ?? imports.set(folder, new Set()).get(folder)!;
  const source = readFileSync(path, 'utf8').replaceAll(/^import type [^;]*;/gm, '');
  for (const [, target] of source.matchAll(/ from '(\.[^']+)'/g)) {
    const other = folderOf(join(dirname(path), target!));
    if (other !== folder) imported.add(other);
  }
}

// Removes folders that import from no folder that is left. Those that remain are in circles, or lead to one.
const isFree = (imported: Set<string>) => [...imported].every((other) => !imports.has(other));
for (let before = -1; imports.size !== before; ) {
  before = imports.size;
  for (const [folder, imported] of imports) if (isFree(imported)) imports.delete(folder);
}
for (const [folder, imported] of imports)
  console.error(`${folder} imports ${[...imported].filter((other) => imports.has(other)).join(', ')}: a circle`);
if (imports.size > 0) process.exit(1);
