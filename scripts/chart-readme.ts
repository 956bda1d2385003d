// Generates the table of values in the chart's README.md from values.yaml: its comments become the descriptions.
// With --check, changes nothing and fails if the table is not up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isCollection, isMap, isScalar, type Node, parseDocument, YAMLMap } from 'yaml';

const CHART = join(import.meta.dirname, '../deploy/helm/waymark');
const BLOCK = /(<!-- values:begin[^\n]*-->\n)[\s\S]*?(<!-- values:end -->)/;
/** The service whose settings stand for those of all four. */
const SHOWN_SERVICE = 'gateway';

const rows: string[] = [];
addRows(parseDocument(readFileSync(join(CHART, 'values.yaml'), 'utf8')).contents as YAMLMap<Node, Node>, [], '');

const path = join(CHART, 'README.md');
const before = readFileSync(path, 'utf8');
const table = ['| value | default | meaning |', '| --- | --- | --- |', ...rows, ''].join('\n');
const after = before.replace(BLOCK, (_block, begin: string, end: string) => `${begin}\n${table}\n${end}`);
if (!process.argv.includes('--check')) writeFileSync(path, after);
else if (after !== before) {
  console.error('The table of values in the chart’s README.md is not up to date. Run `pnpm generate`.');
  process.exitCode = 1;
}

/** Adds a row for each value. The comment before a group of values is in the row of the first one. */
function addRows(map: YAMLMap<Node, Node>, path: string[], commentOfGroup: string): void {
  let group = commentOfGroup;
  for (const [index, { key, value }] of map.items.entries()) {
    const name = String(key);
    const keys = [...path, name];
    // The comment before the first key belongs to the map.
    const own = key.commentBefore ?? (index === 0 ? map.commentBefore : undefined) ?? '';
    const comment = [group, textOf(own)].filter((text) => text !== '').join(' ');
    group = '';
    if (isMap(value) && !value.flow && value.items.length > 0) {
      if (path[0] === 'services' && path.length === 1) addService(value as YAMLMap<Node, Node>, name, comment);
      else addRows(value as YAMLMap<Node, Node>, keys, comment);
    } else {
      rows.push(`| \`${keys.join('.')}\` | ${value === null ? '' : `\`${defaultOf(value!)}\``} | ${comment} |`);
    }
  }
}

function addService(service: YAMLMap<Node, Node>, name: string, comment: string): void {
  if (name === SHOWN_SERVICE) addRows(service, ['services', 'NAME'], comment);
  if (name === 'links-svc') addOnly('spool', service, ['services', name]);
  if (name === 'analytics-svc')
    addOnly('oldestClick', service.get('autoscaling') as YAMLMap<Node, Node>, ['services', name, 'autoscaling']);
}

function addOnly(key: string, map: YAMLMap<Node, Node>, path: string[]): void {
  const part = new YAMLMap<Node, Node>();
  part.items = map.items.filter((pair) => String(pair.key) === key);
  addRows(part, path, '');
}

/** Returns a value in one line, as JSON without the quotation marks of names. */
function defaultOf(value: Node): string {
  if (isScalar(value)) return typeof value.value === 'string' ? `"${value.value}"` : String(value.value);
  if (!isCollection(value)) return String(value);
  return JSON.stringify(value.toJSON()).replaceAll('|', '\\|');
}

function textOf(comment: string): string {
  return comment
    .split('\n')
    .map((line) => line.trim())
    .join(' ')
    .replaceAll('|', '\\|');
}
