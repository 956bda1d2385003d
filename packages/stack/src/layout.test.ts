import { expect, test } from 'vitest';
import {
  ALL_IN_ONE,
  DATABASE_NAMES,
  grpcTarget,
  SERVICE_NAMES,
  STOP_ORDER,
  serviceEnv,
  type Wiring,
} from './layout.ts';

const wiring: Wiring = {
  host: '127.0.0.1',
  publicUrl: 'http://localhost:8080',
  apiUrl: 'http://localhost:8080',
  signingKey: 's'.repeat(40),
  dataDir: '/data',
  admin: 'admin',
  mongodbUrl: 'mongodb://m',
  clickhouseUrl: 'http://c',
  clickhouseLogin: { CLICKHOUSE_USER: 'u', CLICKHOUSE_PASSWORD: 'p' },
  gatewayHost: '127.0.0.1',
  replicas: {
    'links-svc': [
      { http: 1, grpc: 2 },
      { http: 3, grpc: 4 },
    ],
    'analytics-svc': [{ http: 5, grpc: 6 }],
    'mcp-svc': [{ http: 7 }],
    gateway: [{ http: 8080 }, { http: 8 }],
  },
};

test('only links-svc gets the address of MongoDB, and only analytics-svc that of ClickHouse', () => {
  const env = Object.fromEntries(SERVICE_NAMES.map((name) => [name, serviceEnv(name, 0, wiring)]));
  expect(SERVICE_NAMES.filter((name) => env[name]!.MONGODB_URL)).toEqual(['links-svc']);
  expect(SERVICE_NAMES.filter((name) => env[name]!.CLICKHOUSE_URL)).toEqual(['analytics-svc']);
  expect(SERVICE_NAMES.filter((name) => env[name]!.CLICKHOUSE_PASSWORD)).toEqual(['analytics-svc']);
  for (const name of SERVICE_NAMES) expect(env[name]).toMatchObject({ SIGNING_KEY: wiring.signingKey });
});

test('each replica has its own ports and spool, and gRPC clients use all replicas', () => {
  expect([0, 1].map((index) => serviceEnv('gateway', index, wiring).GATEWAY_PORT)).toEqual(['8080', '8']);
  expect(serviceEnv('links-svc', 0, wiring)).toMatchObject({
    HTTP_PORT: '1',
    GRPC_PORT: '2',
    SPOOL_DIR: '/data/spool/1',
  });
  expect(serviceEnv('links-svc', 1, wiring)).toMatchObject({
    HTTP_PORT: '3',
    GRPC_PORT: '4',
    SPOOL_DIR: '/data/spool/2',
  });
  expect(grpcTarget(wiring, 'links-svc')).toBe('ipv4:127.0.0.1:2,127.0.0.1:4');
  expect(grpcTarget(wiring, 'analytics-svc')).toBe('127.0.0.1:6');
});

test('all processes are stopped, the gateway first and the databases last', () => {
  expect(STOP_ORDER.flat().toSorted()).toEqual([ALL_IN_ONE, ...SERVICE_NAMES, ...DATABASE_NAMES].toSorted());
  expect(STOP_ORDER.slice(0, 2).flat()).toEqual([ALL_IN_ONE, 'gateway', 'mcp-svc']);
  expect(STOP_ORDER.at(-1)).toEqual(DATABASE_NAMES);
  expect(STOP_ORDER.findIndex((names) => names.includes('links-svc'))).toBeLessThan(
    STOP_ORDER.findIndex((names) => names.includes('analytics-svc')),
  );
});
