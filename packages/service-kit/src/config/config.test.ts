import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Type from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { grpcClientTlsConfig, grpcClientTlsRules, grpcServerTlsRules } from '../grpc/grpc-tls.ts';
import { baseConfig, grpcConfig } from './base-config.ts';
import { ConfigError, configTable, loadConfig } from './config.ts';

const schema = Type.Object({
  ...baseConfig,
  ...grpcConfig,
  MONGODB_URL: Type.String({ format: 'mongodb-url', writeOnly: true, description: 'Where MongoDB is.' }),
  PUBLIC_URL: Type.String({ format: 'http-url', default: 'http://localhost:8080', description: 'The public address.' }),
  LINKS_GRPC: Type.Optional(Type.String({ format: 'host-port', description: 'Where links-svc is.' })),
  ALLOW: Type.Array(Type.String({ format: 'network' }), { default: [], description: 'Networks to permit.' }),
  FAST: Type.Boolean({ default: false, description: 'Whether to hurry.' }),
});
const good = { SIGNING_KEY: 's'.repeat(32), MONGODB_URL: 'mongodb://db/waymark' };

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'config-'));
});
afterAll(() => rmSync(directory, { recursive: true }));

function file(name: string, text: string): string {
  const path = join(directory, name);
  writeFileSync(path, text);
  return path;
}

function problemsOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig(schema, env);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).problems;
  }
  return [];
}

describe('loadConfig', () => {
  test('fills in defaults and reads integers, booleans and lists from text', () => {
    const config = loadConfig(schema, {
      ...good,
      HTTP_PORT: '8081',
      FAST: '1',
      ALLOW: '10.0.0.0/8, ::1,',
      LINKS_GRPC: 'dns:///links-svc:50051',
      UNKNOWN: 'ignored',
    });
    expect(config).toEqual({
      ...good,
      HOST: '::',
      HTTP_PORT: 8081,
      GRPC_PORT: 50_051,
      GRPC_TLS_CLIENT_CERTIFICATES: true,
      METRICS_PORT: 0,
      LOG_LEVEL: 'info',
      SHUTDOWN_DELAY_MS: 0,
      SHUTDOWN_TIMEOUT_MS: 20_000,
      PUBLIC_URL: 'http://localhost:8080',
      LINKS_GRPC: 'dns:///links-svc:50051',
      ALLOW: ['10.0.0.0/8', '::1'],
      FAST: true,
    });
  });

  test('treats an empty variable as not set', () => {
    expect(loadConfig(schema, { ...good, HTTP_PORT: '', SIGNING_KEY_PREVIOUS: '' }).HTTP_PORT).toBe(3000);
  });

  test('names every invalid variable at once, and no values', () => {
    const problems = problemsOf({
      HTTP_PORT: '80800',
      GRPC_PORT: 'hunter2',
      FAST: 'hunter2',
      LOG_LEVEL: 'hunter2',
      PUBLIC_URL: 'hunter2',
      LINKS_GRPC: 'hunter2',
      ALLOW: '10.0.0.0/8,hunter2',
      SIGNING_KEY: 'hunter2',
      SHUTDOWN_TIMEOUT_MS: '-1',
    });
    expect(problems).toEqual([
      'ALLOW must be a comma-separated list, each an IP address, or a network such as 10.0.0.0/8.',
      'FAST must be true or false.',
      'GRPC_PORT must be a whole number from 0 to 65535.',
      'HTTP_PORT must be a whole number from 0 to 65535.',
      'LINKS_GRPC must be HOST:PORT, or a gRPC target such as dns:///HOST:PORT.',
      'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent.',
      'MONGODB_URL (or MONGODB_URL_FILE) is not set; it must be a URL that begins with mongodb:// or mongodb+srv://.',
      'PUBLIC_URL must be an absolute http or https URL.',
      'SHUTDOWN_TIMEOUT_MS must be a whole number from 100 to 600000.',
      'SIGNING_KEY (or SIGNING_KEY_FILE) must be text of at least 32 characters.',
    ]);
    expect(problems.join()).not.toContain('hunter2');
  });

  test('reads a secret from the file that NAME_FILE names, without its last line break', () => {
    const { MONGODB_URL } = good;
    const SIGNING_KEY_FILE = file('signing-key', `${'k'.repeat(40)}\n`);
    expect(loadConfig(schema, { MONGODB_URL, SIGNING_KEY_FILE }).SIGNING_KEY).toBe('k'.repeat(40));
  });

  test('reads only secrets from files', () => {
    expect(loadConfig(schema, { ...good, HTTP_PORT_FILE: file('port', '1') }).HTTP_PORT).toBe(3000);
  });

  test('reports a secret that is set twice or whose file cannot be read, without its value', () => {
    expect(problemsOf({ ...good, SIGNING_KEY_FILE: file('twice', 'x'), SHUTDOWN_DELAY_MS: 'x' })).toEqual([
      'SHUTDOWN_DELAY_MS must be a whole number from 0 to 120000.',
      'SIGNING_KEY and SIGNING_KEY_FILE are both set; set one of them.',
    ]);
    const { MONGODB_URL } = good;
    expect(problemsOf({ MONGODB_URL, SIGNING_KEY_FILE: join(directory, 'nowhere') })).toEqual([
      'SIGNING_KEY_FILE names a file that cannot be read (ENOENT).',
    ]);
  });
});

test.each([
  ['10.0.0.0/8', true],
  ['192.168.0.1', true],
  ['fd00::/8', true],
  ['::1', true],
  ['10.0.0.0/33', false],
  ['fd00::/129', false],
  ['10.0.0.0/', false],
  ['10.0.0.0/8/8', false],
  ['localhost', false],
])('the network %s is accepted: %s', (network, accepted) => {
  expect(problemsOf({ ...good, ALLOW: network })).toHaveLength(accepted ? 0 : 1);
});

test.each([
  ['links-svc:50051', true],
  ['127.0.0.1:1', true],
  ['[::1]:50051', true],
  ['ipv4:127.0.0.1:1,127.0.0.1:2', true],
  ['dns:///links:50051', true],
  ['links-svc', false],
  ['http://links-svc/x', false],
])('the gRPC address %s is accepted: %s', (address, accepted) => {
  expect(problemsOf({ ...good, LINKS_GRPC: address })).toHaveLength(accepted ? 0 : 1);
});

test('configTable has a described row for each variable, in the order of the schema', () => {
  const rows = configTable(schema);
  expect(rows.map(({ name }) => name)).toEqual(Object.keys(schema.properties));
  expect(rows.every(({ description }) => description.endsWith('.'))).toBe(true);
  expect(rows.find(({ name }) => name === 'SIGNING_KEY')).toEqual({
    name: 'SIGNING_KEY',
    type: 'string',
    default: null,
    required: true,
    secret: true,
    description: expect.any(String),
  });
  expect(rows.find(({ name }) => name === 'SIGNING_KEY_PREVIOUS')).toMatchObject({ required: false, secret: true });
  expect(rows.find(({ name }) => name === 'HTTP_PORT')).toMatchObject({ type: 'integer', default: '3000' });
  expect(rows.find(({ name }) => name === 'ALLOW')).toMatchObject({ type: 'list', required: false });
});

describe('TLS on gRPC', () => {
  const server = Type.Object({ ...grpcConfig }, grpcServerTlsRules);
  const client = Type.Object({ ...grpcClientTlsConfig }, grpcClientTlsRules);
  const problems = (one: typeof server | typeof client, env: Record<string, string>) => {
    try {
      loadConfig(one, env);
      return [];
    } catch (error) {
      return (error as ConfigError).problems;
    }
  };

  test('a certificate without its key, and a server that calls with TLS but serves without it, are reported', () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const GRPC_TLS_KEY = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(problems(server, { GRPC_TLS_KEY })).toEqual([
      'GRPC_TLS_CERT (or GRPC_TLS_CERT_FILE) is not set, but GRPC_TLS_KEY requires it.',
    ]);
    expect(problems(client, { GRPC_TLS_KEY })).toEqual([
      'GRPC_TLS_CERT (or GRPC_TLS_CERT_FILE) is not set, but GRPC_TLS_KEY requires it.',
    ]);
    expect(problems(server, {})).toEqual([]);
  });

  test('an invalid PEM is reported without its value', () => {
    expect(problems(client, { GRPC_TLS_CA: 'hunter2', GRPC_TLS_CERT: 'hunter2', GRPC_TLS_KEY: 'hunter2' })).toEqual([
      'GRPC_TLS_CA (or GRPC_TLS_CA_FILE) must be a PEM certificate.',
      'GRPC_TLS_CERT (or GRPC_TLS_CERT_FILE) must be a PEM certificate.',
      'GRPC_TLS_KEY (or GRPC_TLS_KEY_FILE) must be a PEM private key.',
    ]);
  });
});
