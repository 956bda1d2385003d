import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Type from 'typebox';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthority } from '../../../proto/test/certificates.ts';
import { grpcClientTlsConfig, grpcClientTlsRules, grpcServerTlsRules } from '../grpc/grpc-tls.ts';
import { limitsConfig } from '../limits/limits-config.ts';
import { baseConfig, grpcConfig } from './base-config.ts';
import { ConfigError, configTable, loadConfig } from './config.ts';
import type { Format } from './formats.ts';

const schema = Type.Object({
  ...baseConfig,
  ...grpcConfig,
  MONGODB_URL: Type.String({ format: 'mongodb-url', writeOnly: true, description: 'Where MongoDB is.' }),
  PUBLIC_URL: Type.String({
    format: 'http-origin',
    default: 'http://localhost:8080',
    description: 'The public address.',
  }),
  LINKS_GRPC: Type.Optional(Type.String({ format: 'host-port', description: 'Where links-svc is.' })),
  ALLOW: Type.Array(Type.String({ format: 'network' }), { default: [], description: 'Networks to permit.' }),
  TRUST: Type.Array(Type.String({ format: 'proxy' }), { default: [], description: 'Proxies to trust.' }),
  DNS: Type.Array(Type.String({ format: 'name-server' }), { default: [], description: 'Name servers.' }),
  ORIGINS: Type.Array(Type.String({ format: 'http-origin' }), { default: [], description: 'Origins to permit.' }),
  ...limitsConfig,
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
      TRUST: [],
      DNS: [],
      ORIGINS: [],
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
      'MONGODB_URL (or MONGODB_URL_FILE) is not set; it must be a URL that begins with mongodb:// or mongodb+srv://, with user and password percent-encoded.',
      'PUBLIC_URL must be an http or https URL without user, path, query and fragment.',
      'SHUTDOWN_TIMEOUT_MS must be a whole number from 100 to 600000.',
      'SIGNING_KEY (or SIGNING_KEY_FILE) must be text of at least 32 characters.',
    ]);
    expect(problems.join()).not.toContain('hunter2');
  });

  test('reads a secret from the file that NAME_FILE names', () => {
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

describe('white space around a value is ignored', () => {
  const SPACES = ['\n', '\r\n', ' ', '\t', '\uFEFF', '\u00A0', ' \n '];
  const VALUES = {
    HOST: '127.0.0.1',
    HTTP_PORT: '8081',
    FAST: 'true',
    LOG_LEVEL: 'warn',
    SIGNING_KEY: 'a key with spaces in its middle of over 32 characters',
    MONGODB_URL: 'mongodb://app:secret@db/waymark',
    PUBLIC_URL: 'https://go.example.com',
    LINKS_GRPC: 'links-svc:50051',
    ALLOW: '10.0.0.0/8,::1',
    TRUST: '10.0.0.0/8',
    ORIGINS: 'https://a.example,https://b.example',
    REDIS_URL: 'redis://redis',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318',
  };
  const expected = loadConfig(schema, VALUES);

  test('of each kind of value', () => {
    for (const name of Object.keys(VALUES) as (keyof typeof VALUES)[])
      for (const space of SPACES) {
        const env = { ...VALUES, [name]: `${space}${VALUES[name].replaceAll(',', `${space},${space}`)}${space}` };
        expect(loadConfig(schema, env)).toEqual(expected);
      }
  });

  test('also of a file, and of its name', () => {
    const SIGNING_KEY_FILE = ` ${file('padded', `\uFEFF ${VALUES.SIGNING_KEY}\r\n\r\n`)}\n`;
    const { SIGNING_KEY: _key, ...rest } = VALUES;
    expect(loadConfig(schema, { ...rest, SIGNING_KEY_FILE })).toEqual(expected);
  });

  test('what is only white space is not set', () => {
    expect(loadConfig(schema, { ...VALUES, SIGNING_KEY_PREVIOUS: ' \n', HOST: '\n', ORIGINS: ' , ' })).toMatchObject({
      HOST: '::',
      ORIGINS: [],
    });
    const { SIGNING_KEY: _key, ...rest } = VALUES;
    expect(problemsOf({ ...rest, SIGNING_KEY_FILE: file('blank', ' \n') })).toEqual([
      'SIGNING_KEY (or SIGNING_KEY_FILE) is not set; it must be text of at least 32 characters.',
    ]);
  });

  test.each([
    ['PUBLIC_URL', 'https://go.exa\nmple.com'],
    ['PUBLIC_URL', 'https://go.example.com\t.evil.example'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'http://collector:4318/a b'],
    ['MONGODB_URL', 'mongodb://app:pass word@db/'],
    ['REDIS_URL', 'redis://:pass word@redis'],
    ['LINKS_GRPC', 'links svc:50051'],
    ['HTTP_PORT', '80 81'],
    ['HOST', 'a b'],
  ])('but not inside of it: %s', (name, value) => {
    expect(problemsOf({ ...good, [name]: value })).toEqual([expect.stringMatching(`^${name} .*must be `)]);
  });
});

const ORIGINS = [
  ['https://go.example.com', 'https://go.example.com'],
  ['https://go.example.com/', 'https://go.example.com'],
  ['HTTPS://Go.Example.COM', 'https://go.example.com'],
  ['https://go.example.com:443', 'https://go.example.com'],
  ['http://localhost:8080/', 'http://localhost:8080'],
  ['http://[2001:DB8::1]:8080', 'http://[2001:db8::1]:8080'],
  ['https://bücher.example', 'https://xn--bcher-kva.example'],
] as const;
test('an origin is folded to its usual form', () => {
  for (const [value, origin] of ORIGINS)
    expect(loadConfig(schema, { ...good, PUBLIC_URL: value, ORIGINS: `${value}, ${value}` })).toMatchObject({
      PUBLIC_URL: origin,
      ORIGINS: [origin, origin],
    });
});

test('what is more or less than an origin is refused', () => {
  for (const value of [
    ...['/x', '/?', '?x=1', '/#a', '#', '//', '/%20'].map((end) => `https://go.example.com${end}`),
    ...['ops:hunter2@', 'ops@', ':hunter2@', '@', ':@'].map((user) => `https://${user}go.example.com`),
    ...['go.example.com', 'ftp://go.example.com', 'https://', 'https:go.example.com', 'https:\\\\go.example.com'],
    ...['https://go.example.com:99999', 'https://[::1', 'https://a b', '*', 'null'],
  ])
    expect(problemsOf({ ...good, PUBLIC_URL: value, ORIGINS: `https://a.example,${value}` })).toEqual([
      'ORIGINS must be a comma-separated list, each an http or https URL without user, path, query and fragment.',
      'PUBLIC_URL must be an http or https URL without user, path, query and fragment.',
    ]);
});

/** Values of each format that are accepted and that are refused. Passwords are made of these words. */
const SECRETS = /hun|ter2|sure|Spring|Meadow|2026/;
const FORMATS: Record<string, { accepted: string[]; refused: string[] }> = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    accepted: ['http://collector:4318', 'https://otlp.example.com/tenant/otlp/'],
    refused: [
      ...['http://collector:4318/?x=1', 'http://collector:4318/#x', 'http://ops:hunter2@collector:4318'],
      ...['collector:4318', 'grpc://collector:4317'],
    ],
  },
  REDIS_URL: {
    accepted: ['redis://redis', 'rediss://user:pa%40ss@redis:6380/3', 'redis://:hunter2@redis', 'redis://[::1]:6379'],
    refused: [
      ...['redis://:hun/ter2@redis', 'redis://user:12/ter2@redis', 'redis://user:12?ter2@redis'],
      ...['redis://:hun#ter2@redis', 'redis://:100%sure@redis', 'redis://redis/x', 'redis://redis?db=1', 'redis://'],
      ...['http://redis', 'redis:6379'],
    ],
  },
  MONGODB_URL: {
    accepted: [
      ...['mongodb://db', 'mongodb://app:p%40ss@db1:27017,db2:27017/waymark?replicaSet=rs0'],
      ...['mongodb+srv://app:secret@cluster.example/?retryWrites=true', 'mongodb://%2Ftmp%2Fmongodb.sock'],
    ],
    refused: [
      ...['mongodb://app:Spring@Meadow/2026@db/', 'mongodb://app:Spring@Meadow:x/2026@db:27017/'],
      ...['mongodb://app:Spring@Meadow@db/', 'mongodb://app:Spring@db/a/b', 'mongodb://', 'mongo://db'],
    ],
  },
  TRUST: {
    accepted: ['10.0.0.0/8', '::ffff:10.0.0.1', 'fd00::/8'],
    refused: ['0.0.0.0/0', '::/0', '10.0.0.0/0', 'fe80::1%eth0', 'loopback', '10.0.0.0/255.0.0.0'],
  },
  ALLOW: {
    accepted: ['10.0.0.0/8', '192.168.0.1', 'fd00::/8', '::1', '0.0.0.0/0'],
    refused: ['10.0.0.0/33', 'fd00::/129', 'fe80::1%eth0', '10.0.0.0/', '10.0.0.0/8/8', 'localhost'],
  },
  DNS: {
    accepted: ['192.0.2.53', '192.0.2.53:5353', '2001:db8::53', '[2001:db8::53]', '[2001:db8::53]:53'],
    refused: [
      ...['192.0.2.53:0', '192.0.2.53:65536', '192.0.2.53:', '192.0.2.256', '[192.0.2.53]:53', 'fe80::1%eth0'],
      ...['dns.example', 'udp://192.0.2.53'],
    ],
  },
  LINKS_GRPC: {
    accepted: [
      ...['links-svc:50051', '127.0.0.1:1', '[::1]:50051', 'ipv4:127.0.0.1:1,127.0.0.1:2', 'dns:///links:50051'],
      ...['ipv6:[::1]:1,[::2]:1', 'dns:links-svc:50051'],
    ],
    refused: [
      ...['links-svc', 'links-svc:0', 'links-svc:65536', 'links-1:50051,links-2:50051', 'ipv4:links-svc:50051'],
      ...['ipv6:127.0.0.1:1', 'xds:///links-svc:50051', '[links-svc]:50051', 'http://links-svc:50051'],
    ],
  },
};

test.each(Object.entries(FORMATS))('%s is refused in words of its own, without its value', (name, values) => {
  for (const value of values.accepted) expect.soft(problemsOf({ ...good, [name]: value }), value).toEqual([]);
  for (const value of values.refused) {
    const problems = problemsOf({ ...good, [name]: value });
    expect.soft(problems, value).toEqual([expect.stringMatching(new RegExp(`^${name} .*must be `))]);
    expect(problems.join()).not.toMatch(SECRETS);
  }
});

test('`accepts` in a schema decides beyond the format, in its own words', () => {
  const accepts: Format = { words: 'an even port of localhost', test: (text) => /[02468]$/.test(text) };
  const own = Type.Object({ TARGET: Type.String({ format: 'host-port', accepts, description: 'An address.' }) });
  expect(loadConfig(own, { TARGET: 'localhost:2 ' })).toEqual({ TARGET: 'localhost:2' });
  for (const TARGET of ['localhost:1', 'nonsense'])
    expect(() => loadConfig(own, { TARGET })).toThrow(/^TARGET must be an even port of localhost\.$/);
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

  test('a key that is not that of the certificate is reported', () => {
    const authority = createAuthority('authority');
    const leaf = authority.issue('leaf');
    const tls = { GRPC_TLS_CA: authority.cert, GRPC_TLS_CERT: leaf.cert, GRPC_TLS_KEY: leaf.key };
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const GRPC_TLS_KEY = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    for (const one of [server, client]) {
      expect(problems(one, tls)).toEqual([]);
      expect(problems(one, { ...tls, GRPC_TLS_KEY })).toEqual([
        'GRPC_TLS_KEY (or GRPC_TLS_KEY_FILE) must be the key of GRPC_TLS_CERT.',
      ]);
    }
  });

  test('an invalid PEM is reported without its value', () => {
    expect(problems(client, { GRPC_TLS_CA: 'hunter2', GRPC_TLS_CERT: 'hunter2', GRPC_TLS_KEY: 'hunter2' })).toEqual([
      'GRPC_TLS_CA (or GRPC_TLS_CA_FILE) must be a PEM certificate.',
      'GRPC_TLS_CERT (or GRPC_TLS_CERT_FILE) must be a PEM certificate.',
      'GRPC_TLS_KEY (or GRPC_TLS_KEY_FILE) must be a PEM private key.',
    ]);
  });
});
