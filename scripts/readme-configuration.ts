// Generates the configuration table of README.md from the configuration schemas of the services.
// With --check, changes nothing and fails if the table is not up to date.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ConfigRow, configTable } from '@waymark/service-kit';
import { configSchema as analytics } from '../apps/analytics-svc/src/config.ts';
import { configSchema as gateway } from '../apps/gateway/src/config.ts';
import { configSchema as links } from '../apps/links-svc/src/config.ts';
import { configSchema as mcp } from '../apps/mcp-svc/src/config.ts';
import { startSchema } from '../packages/stack/src/start-config.ts';

const SERVICES = { gateway, 'links-svc': links, 'analytics-svc': analytics, 'mcp-svc': mcp };
/** The defaults of `pnpm start`, by variable. They can differ from those of the services. */
const startDefaults = new Map(configTable(startSchema).map((row) => [row.name, row.default]));
const BLOCK = /(<!-- configuration:begin[^\n]*-->\n)[\s\S]*?(<!-- configuration:end -->)/;

const variables = new Map<string, { row: ConfigRow; services: string[] }>();
for (const [service, schema] of Object.entries(SERVICES)) {
  for (const row of configTable(schema)) {
    const known = variables.get(row.name);
    if (known) known.services.push(service);
    else variables.set(row.name, { row, services: [service] });
  }
}

const lines = [...variables.values()].map(({ row, services }) => {
  const name = row.secret ? `\`${row.name}\` (or \`${row.name}_FILE\`)` : `\`${row.name}\``;
  const value = row.required ? 'required' : row.default === null || row.default === '' ? '' : defaultOf(row);
  const who = services.length === Object.keys(SERVICES).length ? 'all' : services.join(', ');
  return `| ${name} | ${who} | ${value} | ${row.description} |`;
});
const table = ['| variable | of | default | meaning |', '| --- | --- | --- | --- |', ...lines, ''].join('\n');

/** Returns the default of a service, followed by the default of `pnpm start` if it differs. */
function defaultOf({ name, default: value }: ConfigRow): string {
  const ofStart = startDefaults.get(name);
  return ofStart == null || ofStart === value ? `\`${value}\`` : `\`${value}\`; with \`start\` \`${ofStart}\``;
}

const path = join(import.meta.dirname, '../README.md');
const before = readFileSync(path, 'utf8');
const after = before.replace(BLOCK, (_block, begin: string, end: string) => `${begin}\n${table}\n${end}`);
if (!process.argv.includes('--check')) writeFileSync(path, after);
else if (after !== before) {
  console.error('README.md: the configuration table is not up to date. Run `pnpm generate`.');
  process.exitCode = 1;
}
