import { loadConfig } from '@waymark/service-kit';
import { expect, test } from 'vitest';
import { configSchema } from './config.ts';

const ENV = { SIGNING_KEY: 'x'.repeat(32), LINKS_GRPC: 'links:50051' };

test.each([
  ['http://clickhouse:8123', 'http://clickhouse:8123'],
  [' https://clickhouse:8443/\n', 'https://clickhouse:8443'],
  ['http://[::1]:8123', 'http://[::1]:8123'],
])('CLICKHOUSE_URL=%j is %s', (CLICKHOUSE_URL, origin) => {
  expect(loadConfig(configSchema, { ...ENV, CLICKHOUSE_URL }).CLICKHOUSE_URL).toBe(origin);
});

// The client would take a path for a database, and options and a user from the rest.
test.each([
  ...['/other', '/other/', '/?database=other', '?database=other', '/?secure=true', '/#other'],
  ...['/?', '/other?clickhouse_setting_readonly=1'],
])('CLICKHOUSE_URL with %s is refused', (end) => {
  expect(() => loadConfig(configSchema, { ...ENV, CLICKHOUSE_URL: `http://clickhouse:8123${end}` })).toThrow(
    /^CLICKHOUSE_URL must be an http or https URL without user, path, query and fragment\.$/,
  );
});

test('CLICKHOUSE_URL with a user is refused, and the error has nothing of it', () => {
  for (const CLICKHOUSE_URL of ['http://ops:hunter2@clickhouse:8123', 'http://ops@clickhouse:8123'])
    expect(() => loadConfig(configSchema, { ...ENV, CLICKHOUSE_URL })).toThrow(
      /^CLICKHOUSE_URL must be an http or https URL without user, path, query and fragment\.$/,
    );
});

test('white space around user, password and database of ClickHouse is ignored', () => {
  const env = {
    CLICKHOUSE_URL: 'http://clickhouse:8123',
    CLICKHOUSE_DATABASE: 'waymark\n',
    CLICKHOUSE_USER: ' app ',
    CLICKHOUSE_PASSWORD: 'pass word\r\n',
    CLICKHOUSE_CLUSTER: '\tmain',
  };
  expect(loadConfig(configSchema, { ...ENV, ...env })).toMatchObject({
    CLICKHOUSE_DATABASE: 'waymark',
    CLICKHOUSE_USER: 'app',
    CLICKHOUSE_PASSWORD: 'pass word',
    CLICKHOUSE_CLUSTER: 'main',
  });
});
