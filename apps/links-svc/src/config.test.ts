import { loadConfig } from '@waymark/service-kit';
import { expect, test } from 'vitest';
import { configSchema } from './config.ts';

const ENV = { SIGNING_KEY: 'x'.repeat(32), ANALYTICS_GRPC: 'analytics:50051' };

test.each([
  'mongodb://db',
  'mongodb://app:Spring%40Meadow%2F2026@db1:27017,db2:27017/?replicaSet=rs0&authSource=admin',
  'mongodb+srv://app:Spring@cluster.example/waymark?retryWrites=true',
  'mongodb://db/?tls=true&appName=links',
])('the driver accepts %s', (MONGODB_URL) => {
  expect(loadConfig(configSchema, { ...ENV, MONGODB_URL: ` ${MONGODB_URL}\n` }).MONGODB_URL).toBe(MONGODB_URL);
});

test.each([
  'mongodb://app:Spring@Meadow:x/2026@db:27017/',
  'mongodb://app:Spring@Meadow/2026@db:27017/',
  'mongodb://app:Spring@Meadow@db/',
  'mongodb://app:Spring:Meadow@db/',
  'mongodb://app:Spring/Meadow@db/',
  'mongodb://app:Spring?Meadow@db/',
  'mongodb://app:Spring#Meadow@db/',
  'mongodb://app:Spring[Meadow@db/',
  'mongodb://app:100%Spring@db/',
  'mongodb://Spring@Meadow:x@db/',
  'mongodb://db:Spring/',
  'mongodb://db/?retryWritess=Spring',
  'mongodb://db/?retryWrites=Spring',
  'mongodb://db/?maxPoolSize=Spring',
  'mongodb://db1,db2/?directConnection=true&appName=Spring',
  'mongodb+srv://cluster.example:27017/?appName=Spring',
])('it does not accept %s, and the error has nothing of it', (MONGODB_URL) => {
  expect(() => loadConfig(configSchema, { ...ENV, MONGODB_URL })).toThrow(
    /^MONGODB_URL \(or MONGODB_URL_FILE\) must be a URL that begins with mongodb:\/\/ or mongodb\+srv:\/\/, with options that the driver knows, and with user and password percent-encoded\.$/,
  );
});

test.each(['localhost', '10.0.0.0/33', '10.0.0.0/8/8', '::/129'])('AUTO_META_ALLOW=%s stops the start', (network) => {
  const env = { ...ENV, MONGODB_URL: 'mongodb://db', AUTO_META_ALLOW: `127.0.0.0/8,${network}` };
  expect(() => loadConfig(configSchema, env)).toThrow(
    /^AUTO_META_ALLOW must be a comma-separated list, each an IP address, or a network such as 10\.0\.0\.0\/8\.$/,
  );
});

test('GEOIP_DATABASE is read when settings are', () => {
  const env = { ...ENV, MONGODB_URL: 'mongodb://db' };
  for (const GEOIP_DATABASE of [import.meta.filename, import.meta.dirname, '/nowhere.mmdb'])
    expect(() => loadConfig(configSchema, { ...env, GEOIP_DATABASE })).toThrow(
      /^GEOIP_DATABASE must be the path of a readable file in MMDB format\.$/,
    );
});
