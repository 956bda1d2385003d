// Reads rendered workloads: a JSON array of Deployments, StatefulSets and Jobs. Fails if a container sets a variable
// twice, sets one that its service does not read, or lacks a required one.
import { readFileSync } from 'node:fs';
import { configTable } from '@waymark/service-kit';
import { configSchema as admin } from '../apps/admin/src/config.ts';
import { configSchema as analytics } from '../apps/analytics-svc/src/config.ts';
import { configSchema as gateway } from '../apps/gateway/src/config.ts';
import { configSchema as links } from '../apps/links-svc/src/config.ts';
import { configSchema as mcp } from '../apps/mcp-svc/src/config.ts';

interface Workload {
  kind: string;
  metadata: { name: string };
  spec: { template: { spec: { containers: { image: string; env: { name: string }[] }[] } } };
}

const TABLES = {
  gateway: configTable(gateway),
  'links-svc': configTable(links),
  'analytics-svc': configTable(analytics),
  'mcp-svc': configTable(mcp),
  admin: configTable(admin),
};
/** Variables that Node itself reads, and those of the command line for users, which is in the image of admin. */
const OTHER_VARIABLES = ['NODE_OPTIONS', 'WAYMARK_URL', 'WAYMARK_KEY'];

const problems: string[] = [];
const workloads = JSON.parse(readFileSync(process.argv[2]!, 'utf8')) as Workload[];
for (const { kind, metadata, spec } of workloads) {
  // The others are `extraContainers`.
  for (const { image, env } of spec.template.spec.containers.slice(0, 1)) {
    const table = TABLES[/\/([a-z-]+)[:@][^/]*$/.exec(image)?.[1] as keyof typeof TABLES];
    const where = `${kind} ${metadata.name}`;
    if (table === undefined) {
      problems.push(`${where}: ${image} is not an image of a service`);
      continue;
    }
    const known = table.flatMap(({ name, secret }) => (secret ? [name, `${name}_FILE`] : [name]));
    const set = env.map(({ name }) => name);
    for (const name of set) {
      if (![...known, ...OTHER_VARIABLES].includes(name)) problems.push(`${where}: ${name} is not read`);
      if (set.filter((other) => other === name).length > 1) problems.push(`${where}: ${name} is set twice`);
    }
    for (const { name, required } of table) {
      if (required && !set.includes(name) && !set.includes(`${name}_FILE`))
        problems.push(`${where}: ${name} is missing`);
    }
  }
}
if (workloads.length === 0) problems.push('no workloads');
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;
else console.log(`${workloads.length} workloads: each sets all required variables of its service, and no unknown ones`);
