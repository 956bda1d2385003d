// Checks that imports lead one way, between files and between the folders below each `src`: where one imports from another,
// nothing leads back. Types count, too. Tests may import anything. Prints the shortest circle of each folder and file that
// is in one, and exits with 1.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

type Graph = Map<string, Set<string>>;

/** Returns the folder directly below `src` that a file is in. Null for a file in `src` itself. */
const folderOf = (path: string) => /^\w+\/[^/]+\/src\/[^/]+(?=\/)/.exec(path)?.[0] ?? null;

const files: Graph = new Map();
const folders: Graph = new Map();
for (const path of globSync('{apps,packages}/*/src/**/*.{ts,tsx}')) {
  if (path.includes('.test.')) continue;
  for (const [, target] of readFileSync(path, 'utf8').matchAll(/(?: from |\bimport\()'(\.[^']+)'/g)) {
    const imported = join(dirname(path), target!);
    add(files, path, imported);
    const [folder, other] = [folderOf(path), folderOf(imported)];
    if (folder !== null && other !== null) add(folders, folder, other);
  }
}

function add(graph: Graph, from: string, to: string): void {
  if (from !== to) graph.set(from, (graph.get(from) ?? new Set()).add(to));
}

/** Returns the shortest way from a place back to itself, or null. */
function circleOf(graph: Graph, start: string): string[] | null {
  const ways = [[start]];
  const seen = new Set<string>();
  for (const way of ways) {
    for (const next of graph.get(way.at(-1)!) ?? []) {
      if (next === start) return [...way, next];
      if (!seen.has(next)) ways.push([...way, next]);
      seen.add(next);
    }
  }
  return null;
}

const circles = new Map<string, string[]>();
for (const graph of [folders, files]) {
  for (const start of graph.keys()) {
    const circle = circleOf(graph, start);
    // The same circle is found from each of its places.
    if (circle !== null) circles.set(circle.slice(1).toSorted().join(), circle);
  }
}
for (const circle of circles.values()) console.error(`A circle: ${circle.join(' → ')}`);
if (circles.size > 0) process.exitCode = 1;
