import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ConfigError, configTable, loadConfig } from '@waymark/service-kit';
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
const ANY_TEXT = ['CLICKHOUSE_USER', 'CLICKHOUSE_PASSWORD', 'CLICKHOUSE_DATABASE', 'SIGN_IN_COMMAND'];
/** Folders that are checked only when the process uses them. */
const LOOKED_AT_LATER: Record<string, string> = { 'links-svc': 'SPOOL_DIR', admin: 'DATA_DIR' };
const SECRET = 'hunter2';
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

  test('starts with its required variables only', () => {
    expect(problemsOf(GOOD)).toEqual([]);
  });

  test.each(canBeWrong)('%s', (name) => {
    const problems = problemsOf({ ...GOOD, [name]: wrongValueOf(name) }).filter((problem) =>
      problem.startsWith(`${name} `),
    );
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/ must be .+\.$/);
    expect(problems[0]).not.toContain(SECRET);
  });

  test.each(rows.filter(({ required }) => required).map(({ name }) => name))('%s missing', (name) => {
    const { [name]: _left, ...rest } = GOOD;
    expect(problemsOf(rest)).toEqual([
      expect.stringMatching(new RegExp(`^${name}\\b.* is not set; it must be .+\\.$`)),
    ]);
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

/** Values that a library would refuse later, in words of its own and with a stack, or would take for something else. */
const REFUSED_LATER: [service: string, name: string, value: string][] = [
  ['links-svc', 'MONGODB_URL', `mongodb://app:Spring@${SECRET}:x/2026@db:27017/`],
  ['links-svc', 'MONGODB_URL', `mongodb://app:Spring@${SECRET}/2026@db:27017/`],
  ['links-svc', 'MONGODB_URL', `mongodb://app:100%${SECRET}@db/`],
  ['links-svc', 'MONGODB_URL', `mongodb://db/?${SECRET}=true`],
  ['links-svc', 'REDIS_URL', `redis://user:12/${SECRET}@redis`],
  ['links-svc', 'TRUST_PROXY', '0.0.0.0/0'],
  ['links-svc', 'PUBLIC_URL', `https://ops:${SECRET}@go.example.com`],
  ['links-svc', 'PUBLIC_URL', 'https://go.example.com/?x=1'],
  ['links-svc', 'PUBLIC_URL', 'https://go.example.com/path'],
  ['links-svc', 'GEOIP_DATABASE', import.meta.filename],
  ['analytics-svc', 'CLICKHOUSE_URL', 'http://clickhouse:8123/other'],
  ['analytics-svc', 'CLICKHOUSE_URL', 'http://clickhouse:8123/?database=other'],
  ['analytics-svc', 'CLICKHOUSE_URL', `http://ops:${SECRET}@clickhouse:8123`],
  ['analytics-svc', 'PUBLIC_URL', 'https://go.example.com/#a'],
  ['gateway', 'TRUST_PROXY', '::/0'],
  ['gateway', 'PUBLIC_URL', 'https://go.example.com/path'],
  ['gateway', 'API_URL', `https://ops:${SECRET}@api.example.com`],
  ['gateway', 'LINKS_URL', `http://ops:${SECRET}@links-svc:3000`],
  ['gateway', 'LINKS_GRPC', 'http:links-svc:50051'],
  ['mcp-svc', 'OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector:4318/?x=1'],
  ['admin', 'LINKS_GRPC', 'links-svc:65536'],
];

test.each(REFUSED_LATER)('%s with %s=%s exits with 1 and prints one line', async (service, name, value) => {
  const main = join(import.meta.dirname, '../../apps', service, 'dist/main.js');
  const args = service === 'admin' ? ['account', 'list'] : [];
  const run = promisify(execFile)(process.execPath, [main, ...args], { env: { ...GOOD, [name]: value } });
  const prefix = service === 'admin' ? '' : `${service}: `;
  const said = new RegExp(`^${prefix}${name} (\\(or ${name}_FILE\\) )?must be .*\\.\\n$`);
  const ended = await run.catch((error: unknown) => error);
  expect(ended).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(said) });
  expect((ended as { stderr: string }).stderr).not.toContain(SECRET);
});

test.each([
  ['MONGODB_URL', `mongodb://app:Spring@${SECRET}/2026@db/`],
  ['CLICKHOUSE_URL', `http://ops:${SECRET}@clickhouse:8123`],
  ['PUBLIC_URL', `https://ops:${SECRET}@go.example.com`],
  ['PUBLIC_URL', 'https://go.example.com/path'],
  ['API_URL', `https://ops:${SECRET}@api.example.com`],
])('start with %s=%s exits with 1 and prints one line', async (name, value) => {
  const main = join(import.meta.dirname, '../../packages/stack/dist/start.js');
  const run = promisify(execFile)(process.execPath, [main], { env: { PATH: process.env.PATH, [name]: value } });
  const ended = await run.catch((error: unknown) => error);
  const said = new RegExp(`^${name} (\\(or ${name}_FILE\\) )?must be .*\\.\\n$`);
  expect(ended).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(said) });
  expect((ended as { stderr: string }).stderr).not.toContain(SECRET);
});
