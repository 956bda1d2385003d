import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ConfigError, configTable, loadConfig } from '@waymark/service-kit';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { configSchema as admin } from '../../apps/admin/src/config.ts';
import { configSchema as analytics } from '../../apps/analytics-svc/src/config.ts';
import { configSchema as gateway } from '../../apps/gateway/src/config.ts';
import { configSchema as links } from '../../apps/links-svc/src/config.ts';
import { configSchema as mcp } from '../../apps/mcp-svc/src/config.ts';
import { startSchema as start } from '../../packages/stack/src/start-config.ts';

// A wrong value of any variable of a service, the command line or `start` is reported in one line that names the
// variable and never shows the value.

/** The variables that services require. */
const GOOD: Record<string, string> = {
  SIGNING_KEY: 's'.repeat(32),
  LINKS_GRPC: 'links-svc:50051',
  ANALYTICS_GRPC: 'analytics-svc:50051',
  LINKS_URL: 'http://links-svc:3000',
  ANALYTICS_URL: 'http://analytics-svc:3000',
  MCP_URL: 'http://mcp-svc:3000',
  MONGODB_URL: 'mongodb://mongodb/waymark',
  CLICKHOUSE_URL: 'http://clickhouse:8123',
};
/** Variables that accept any text. */
const ANY_TEXT = [
  ...['CLICKHOUSE_USER', 'CLICKHOUSE_PASSWORD', 'CLICKHOUSE_DATABASE', 'SIGN_IN_COMMAND'],
  ...['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_GROUPS_CLAIM'],
  // They have a length.
  ...['BRAND_NAME', 'BRAND_TEXT', 'BRAND_LINK_TEXT'],
];
/** Folders that are checked only when the process uses them. */
const LOOKED_AT_LATER: Record<string, string> = { 'links-svc': 'SPOOL_DIR', admin: 'DATA_DIR' };
const SECRET = 'hunter2';
/** Values that a library would refuse in words of its own and with a stack. */
const REFUSED_LATER: Record<string, [name: string, value: string][]> = {
  'links-svc': [
    ['MONGODB_URL', `mongodb://app:Spring@${SECRET}/2026@db:27017/`],
    ['MONGODB_URL', `mongodb://app:100%${SECRET}@db/`],
    ['MONGODB_URL', `mongodb://db/?${SECRET}=true`],
    ['REDIS_URL', `redis://user:12/${SECRET}@redis`],
    ['TRUST_PROXY', '0.0.0.0/0'],
    ['PUBLIC_URL', `https://ops:${SECRET}@go.example.com`],
    ['PUBLIC_URL', 'https://go.example.com/?x=1'],
    ['GEOIP_DATABASE', import.meta.filename],
    ['BRAND_LOGO', import.meta.filename],
    ['BRAND_NAME', `${SECRET}${'x'.repeat(60)}`],
    ['BRAND_TEXT', `${SECRET}\0`],
    ['BRAND_LINK', `http://${SECRET}.example`],
    ['BRAND_LINK', `https://ops:${SECRET}@example.com`],
    ['BRAND_COLOR', '#12345'],
  ],
  'analytics-svc': [
    ['CLICKHOUSE_URL', 'http://clickhouse:8123/other'],
    ['CLICKHOUSE_URL', 'http://clickhouse:8123/?database=other'],
    ['PUBLIC_URL', 'https://go.example.com/#a'],
  ],
  gateway: [
    ['TRUST_PROXY', '::/0'],
    ['API_URL', `https://ops:${SECRET}@api.example.com`],
    ['LINKS_URL', `http://ops:${SECRET}@links-svc:3000`],
    ['LINKS_GRPC', 'http:links-svc:50051'],
  ],
};
/** Checks schemas by the schema of schemas, as no start does. */
const ajv = new Ajv2020();
/** Returns an invalid value. For a folder, a path below a file, which cannot be created. */
const wrongValueOf = (name: string) => (name.endsWith('_DIR') ? `/dev/null/${SECRET}` : `${SECRET} ${SECRET}`);

describe.each([
  ['gateway', gateway],
  ['links-svc', links],
  ['analytics-svc', analytics],
  ['mcp-svc', mcp],
  ['admin', admin],
  ['start', start],
] as const)('%s', (service, schema) => {
  const problemsOf = (env: Record<string, string>): readonly string[] => {
    try {
      loadConfig(schema, env);
      return [];
    } catch (error) {
      return (error as ConfigError).problems;
    }
  };
  const rows = configTable(schema);
  const canBeWrong = rows
    .map(({ name }) => name)
    .filter((name) => !ANY_TEXT.includes(name) && LOOKED_AT_LATER[service] !== name);

  test('has a schema that is valid JSON Schema', () => {
    expect(ajv.validateSchema(schema), ajv.errorsText()).toBe(true);
  });

  test('starts with its required variables only', () => {
    expect(problemsOf(GOOD)).toEqual([]);
  });

  test('reports a wrong value of any variable', () => {
    for (const name of canBeWrong) {
      const problems = problemsOf({ ...GOOD, [name]: wrongValueOf(name) }).filter((one) => one.startsWith(`${name} `));
      expect(problems, name).toEqual([expect.stringMatching(/ must be .+\.$/)]);
      expect(problems[0]).not.toContain(SECRET);
    }
  });

  test('reports each required variable that is missing', () => {
    for (const { name } of rows.filter(({ required }) => required)) {
      const { [name]: _left, ...rest } = GOOD;
      expect(problemsOf(rest)).toEqual([
        expect.stringMatching(new RegExp(`^${name}\\b.* is not set; it must be .+\\.$`)),
      ]);
    }
  });

  test('reports values that a library would refuse later, or would take for something else', () => {
    for (const [name, value] of REFUSED_LATER[service] ?? []) {
      const problems = problemsOf({ ...GOOD, [name]: value });
      expect(problems, `${name}=${value}`).toEqual([
        expect.stringMatching(new RegExp(`^${name} (\\(or ${name}_FILE\\) )?must be .*\\.$`)),
      ]);
      expect(problems.join()).not.toContain(SECRET);
    }
  });

  test('reports all problems at once', () => {
    const problems = problemsOf(Object.fromEntries(canBeWrong.map((name) => [name, wrongValueOf(name)])));
    for (const name of canBeWrong)
      expect(
        problems.filter((one) => one.startsWith(`${name} `)),
        name,
      ).toHaveLength(1);
  });
});

test.each([
  ['links-svc', 'SPOOL_DIR', [], /^links-svc: SPOOL_DIR must be a folder that is writable or can be created\.\n$/],
  ['admin', 'DATA_DIR', ['account', 'list'], /^No stack runs in \/dev\/null\/hunter2, the value of DATA_DIR; .*\n$/],
] as const)('%s: %s', async (service, name, args, said) => {
  const main = join(import.meta.dirname, '../../apps', service, 'dist/main.js');
  const env = service === 'admin' ? {} : { ...GOOD, LOG_LEVEL: 'silent' };
  const run = promisify(execFile)(process.execPath, [main, ...args], { env: { ...env, [name]: wrongValueOf(name) } });
  await expect(run).rejects.toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(said) });
});

test.each([
  ['links-svc', 'MONGODB_URL', `mongodb://app:Spring@${SECRET}:x/2026@db:27017/`],
  ['analytics-svc', 'CLICKHOUSE_URL', `http://ops:${SECRET}@clickhouse:8123`],
  ['gateway', 'PUBLIC_URL', 'https://go.example.com/path'],
  ['mcp-svc', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector:4318/?x=1'],
  ['admin', 'LINKS_GRPC', 'links-svc:65536'],
  ['start', 'API_URL', `https://ops:${SECRET}@api.example.com`],
] as const)('%s with %s=%s exits with 1 and prints one line', async (service, name, value) => {
  const root = join(import.meta.dirname, '../..');
  const main = join(root, service === 'start' ? 'packages/stack/dist/start.js' : `apps/${service}/dist/main.js`);
  const args = service === 'admin' ? ['account', 'list'] : [];
  const env = service === 'start' ? { PATH: process.env.PATH } : GOOD;
  const run = promisify(execFile)(process.execPath, [main, ...args], { env: { ...env, [name]: value } });
  const prefix = ['admin', 'start'].includes(service) ? '' : `${service}: `;
  const said = new RegExp(`^${prefix}${name} (\\(or ${name}_FILE\\) )?must be .*\\.\\n$`);
  const ended = await run.catch((error: unknown) => error);
  expect(ended).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(said) });
  expect((ended as { stderr: string }).stderr).not.toContain(SECRET);
});
