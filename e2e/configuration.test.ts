import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type ConfigError, configTable, loadConfig } from '@waymark/service-kit';
import { describe, expect, test } from 'vitest';
import { configSchema as admin } from '../apps/admin/src/config.ts';
import { configSchema as analytics } from '../apps/analytics-svc/src/config.ts';
import { configSchema as gateway } from '../apps/gateway/src/config.ts';
import { configSchema as links } from '../apps/links-svc/src/config.ts';
import { configSchema as mcp } from '../apps/mcp-svc/src/config.ts';
import { startSchema as start } from '../packages/stack/src/start-config.ts';

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
const ANY_TEXT = ['CLICKHOUSE_USER', 'CLICKHOUSE_PASSWORD', 'CLICKHOUSE_DATABASE'];
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
  const main = join(import.meta.dirname, '../apps', service, 'dist/main.js');
  const env = service === 'admin' ? {} : { ...GOOD, LOG_LEVEL: 'silent' };
  const run = promisify(execFile)(process.execPath, [main, ...args], { env: { ...env, [name]: wrongValueOf(name) } });
  await expect(run).rejects.toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(said) });
});
