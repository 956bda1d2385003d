// Prints each field of the objects in the first file (of `kubectl create --dry-run=client -o json`) that the same object in
// the second file (of `kubectl get -o json`) does not have, and ends with 1 if there is one. Kubernetes drops, without a
// word, a field that it knows but whose feature is off. A field without a value is none.
//
//   node forgotten.mjs sent.json held.json
import { readFileSync } from 'node:fs';

const [sent, held] = process.argv.slice(2).map((file) => readFileSync(file, 'utf8'));
// kubectl prints one object after the other.
const objects = sent
  .split(/(?<=^})\n/m)
  .filter((text) => text.trim() !== '')
  .map((text) => JSON.parse(text));
const { items } = JSON.parse(held);
const forgotten = objects.flatMap((object, index) =>
  missing(object, items[index], `${object.kind}/${object.metadata.name}`),
);
if (objects.length !== items.length) forgotten.push(`${objects.length} objects sent, ${items.length} held`);
for (const path of forgotten) console.log(path);
process.exitCode = forgotten.length === 0 ? 0 : 1;

function missing(sent, held, path) {
  if (isEmpty(sent)) return [];
  if (held === undefined) return [path];
  if (typeof sent !== 'object') return [];
  return Object.entries(sent).flatMap(([key, value]) => missing(value, held[key], `${path}.${key}`));
}

function isEmpty(value) {
  if (value === null || value === '') return true;
  return typeof value === 'object' && Object.values(value).every(isEmpty);
}
