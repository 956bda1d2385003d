import { type ConfigError, configTable, loadConfig } from '@waymark/service-kit';
import { describe, expect, test } from 'vitest';
import { configSchema as analytics } from '../apps/analytics-svc/src/config.ts';
import { configSchema as gateway } from '../apps/gateway/src/config.ts';
import { configSchema as links } from '../apps/links-svc/src/config.ts';
import { configSchema as mcp } from '../apps/mcp-svc/src/config.ts';

// A wrong value in each variable of each service is told in one clear line that names it and never shows the value.

/** What each service must be given. */
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
/** Variables for which every text is right. */
const ANY_TEXT = [
  'HOST',
  'GATEWAY_HOST',
  'MONGODB_DATABASE',
  'SPOOL_DIR',
  'CLICKHOUSE_USER',
  'CLICKHOUSE_PASSWORD',
  'CLICKHOUSE_DATABASE',
];
const WRONG = 'hunter2 hunter2';

describe.each([
  ['gateway', gateway],
  ['links-svc', links],
  ['analytics-svc', analytics],
  ['mcp-svc', mcp],
] as const)('%s', (_name, schema) => {
  const problemsOf = (env: Record<string, string>): readonly string[] => {
    try {
      loadConfig(schema, env);
      return [];
    } catch (error) {
      return (error as ConfigError).problems;
    }
  };
  const rows = configTable(schema);

  test('starts with nothing but what it must be given', () => {
    expect(problemsOf(GOOD)).toEqual([]);
  });

  test.each(rows.filter(({ name }) => !ANY_TEXT.includes(name)).map(({ name }) => name))('%s', (name) => {
    const problems = problemsOf({ ...GOOD, [name]: WRONG }).filter((problem) => problem.startsWith(`${name} `));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/ must be .+\.$/);
    expect(problems[0]).not.toContain('hunter2');
  });

  test.each(rows.filter(({ required }) => required).map(({ name }) => name))('%s missing', (name) => {
    const { [name]: _left, ...rest } = GOOD;
    expect(problemsOf(rest)).toEqual([
      expect.stringMatching(new RegExp(`^${name}\\b.* is not set; it must be .+\\.$`)),
    ]);
  });

  test('everything wrong at once is told at once', () => {
    const names = rows.map(({ name }) => name).filter((name) => !ANY_TEXT.includes(name));
    const problems = problemsOf(Object.fromEntries(names.map((name) => [name, WRONG])));
    for (const name of names)
      expect(
        problems.filter((one) => one.startsWith(`${name} `)),
        name,
      ).toHaveLength(1);
  });
});
