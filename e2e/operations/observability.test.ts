import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, isIPv4 } from 'node:net';
import { dirname, join } from 'node:path';
import type { Link, Session } from '@waymark/contract';
import { createGrpcClient, healthV1 } from '@waymark/proto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePorts } from '../support/free-ports.ts';
import {
  createSignInToken,
  EMBEDDED_DATABASES,
  type OwnStack,
  readClickHouse,
  startOwnStack,
} from '../support/own-stack.ts';
import { BROWSER, eventually, request } from '../support/world.ts';

// What a stack keeps and says: clicks, files, traces, logs and metrics. All logs, metrics and traces are on, and visits
// come through a trusted proxy in front of the gateway. Services send traces to a collector in memory.

const SERVICES = ['gateway', 'links-svc', 'analytics-svc', 'mcp-svc'] as const;
const ROOT = join(import.meta.dirname, '../..');

interface Span {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  /** OTLP SpanKind: 2 for server, 3 for client. */
  kind: number;
}
interface ExportRequest {
  resourceSpans: {
    resource: { attributes: { key: string; value: { stringValue?: string } }[] };
    scopeSpans: { spans: Omit<Span, 'service'>[] }[];
  }[];
}

const spans: Span[] = [];
/** All traces as they were sent. */
let exported = '';
let collector: Server;
let own: OwnStack;
let ports: Record<(typeof SERVICES)[number], number>;
beforeAll(async () => {
  collector = createServer(async (incoming, answer) => {
    let text = '';
    for await (const part of incoming.setEncoding('utf8')) text += part;
    exported += text;
    for (const { resource, scopeSpans } of (JSON.parse(text) as ExportRequest).resourceSpans) {
      const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
      for (const scope of scopeSpans) spans.push(...scope.spans.map((span) => ({ ...span, service })));
    }
    answer.writeHead(incoming.url === '/v1/traces' ? 200 : 404, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  const { port } = collector.address() as AddressInfo;
  const free = await freePorts(SERVICES.length);
  ports = Object.fromEntries(SERVICES.map((name, i) => [name, free[i]!])) as typeof ports;
  own = await startOwnStack({
    ...EMBEDDED_DATABASES,
    env: { LOG_LEVEL: 'trace', OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` },
    serviceEnv: Object.fromEntries(
      SERVICES.map((name) => [name, { METRICS_PORT: String(ports[name]), TRUST_PROXY: '127.0.0.0/8' }]),
    ),
  });
});
afterAll(async () => {
  await own?.close();
  collector.closeAllConnections();
  collector.close();
});

// docs/api.md, Visitors: a click has a country and tells visitors apart, but the address is stored nowhere.
describe('visitors', () => {
  /** Addresses of universities, which rarely move. */
  const COUNTRIES: Record<string, string> = {
    '18.9.22.69': 'US',
    '141.20.1.31': 'DE',
    '129.67.242.154': 'GB',
    '133.11.0.1': 'JP',
    '129.132.1.1': 'CH',
    '130.237.28.1': 'SE',
    '147.32.1.1': 'CZ',
    '200.144.248.1': 'BR',
    '130.216.1.1': 'NZ',
    '2001:660:10a:7:1:2:3:4': 'FR',
  };
  const ADDRESSES = Object.keys(COUNTRIES);
  /** The visitor of a link with a password. */
  const WITH_PASSWORD = '161.53.72.1';
  /** A mark that is searched like an address, to show that the search finds what is there. */
  const MARK = 'Marked/4711';

  let link: Link;
  /** What the files contained while the clicks were in the spool. */
  let spooled: Buffer[];
  beforeAll(async () => {
    [link] = (await own.createLinks(['visited'])) as [Link];
    await own.createLinks(['vault'], { password: 'sesame' });
    const analytics = own.stack.processes['analytics-svc']!;
    process.kill(analytics.pid!, 'SIGSTOP');
    try {
      for (const address of ADDRESSES) expect(await visit('/visited', address)).toBe(302);
      expect(await visit('/vault', WITH_PASSWORD, 'password=sesame')).toBe(303);
      spooled = await readFiles(join(own.dataDir, 'spool'));
    } finally {
      process.kill(analytics.pid!, 'SIGCONT');
    }
    await eventually(async () => expect((await own.analytics()).clicks).toBe(ADDRESSES.length + 1));
  });
  /** Follows a short link as a visitor behind a proxy, or sends the password. Returns the status. */
  async function visit(path: string, address: string, form?: string): Promise<number> {
    const answer = await request(path, {
      base: own.stack.urls.gateway,
      headers: {
        'x-forwarded-for': address,
        'user-agent': `${BROWSER} ${MARK}`,
        ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(form !== undefined && { method: 'POST', body: form }),
    });
    return answer.status;
  }

  async function readFiles(folder: string): Promise<Buffer[]> {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    return Promise.all(
      entries.filter((entry) => entry.isFile()).map((entry) => readFile(join(entry.parentPath, entry.name))),
    );
  }

  /** Returns the bytes of an address, most significant first. */
  function bytesOf(address: string): Buffer {
    if (isIPv4(address)) return Buffer.from(address.split('.').map(Number));
    return Buffer.from(
      address
        .split(':')
        .map((word) => word.padStart(4, '0'))
        .join(''),
      'hex',
    );
  }

  test('a click of each of ten countries, by its address through a trusted proxy, is in `countries`', async () => {
    const { countries, clicks } = await own.analytics(`?include=countries&link_id=${link.id}`);
    const expected = Object.values(COUNTRIES).sort();
    expect(clicks).toBe(expected.length);
    expect(countries).toEqual(expected.map((country) => ({ country, clicks: 1 })));
    for (const country of ['DE', 'de']) {
      const { clicks: ofCountry, top_links } = await own.analytics(`?country=${country}`);
      expect([ofCountry, top_links.map(({ id }) => id)]).toEqual([1, [link.id]]);
    }
    expect((await own.analytics('?country=unknown')).clicks).toBe(0);
  });

  test('visitors at different addresses are different visitors', async () => {
    const { visitors, clicks_by_day } = await own.analytics('?days=2&include=visitors');
    expect(visitors).toBe(ADDRESSES.length + 1);
    expect(clicks_by_day.reduce((sum, day) => sum + day.visitors!, 0)).toBe(visitors);
  });

  test('no address is in a file of the stack, in a row of ClickHouse, in a log or in a trace', async () => {
    const files = await readFiles(own.dataDir);
    const tables = await readClickHouse<{ name: string }>(
      own,
      "SELECT name FROM system.tables WHERE database = currentDatabase() AND engine NOT LIKE '%View'",
    );
    const rows: string[] = [];
    for (const { name } of tables) rows.push(JSON.stringify(await readClickHouse(own, `SELECT * FROM \`${name}\``)));
    await eventually(async () => expect(exported).toContain('links-svc'));
    const everything = [...spooled, ...files, ...rows.map((text) => Buffer.from(text)), Buffer.from(exported)];
    const has = (what: Buffer | string) => everything.some((bytes) => bytes.includes(what));

    // The search finds what is there: in the spool, in MongoDB's file, in ClickHouse's rows and in the traces.
    expect(spooled.some((bytes) => bytes.includes(MARK))).toBe(true);
    expect(files.some((bytes) => bytes.includes(link.id))).toBe(true);
    expect(rows.some((text) => text.includes(link.id))).toBe(true);
    expect(exported).toContain('/:slug');

    const addresses = [...ADDRESSES, WITH_PASSWORD];
    for (const address of addresses) expect(has(address), address).toBe(false);
    const raw = addresses.map(bytesOf).flatMap((bytes) => [bytes, Buffer.from(bytes).reverse()]);
    for (const bytes of raw.filter(({ length }) => length === 16))
      expect(has(bytes), bytes.toString('hex')).toBe(false);
    // Four bytes may occur by chance, but not those of most addresses.
    const short = raw.filter(({ length }) => length === 4);
    expect(short.filter(has).length).toBeLessThan(short.length / 4);
  });
});

describe('traces', () => {
  /** Returns the path from the root of the trace down to the span, as `service: name`. */
  function pathOf(span: Span): string[] {
    const path: string[] = [];
    for (let one: Span | undefined = span; one !== undefined; ) {
      path.unshift(`${one.service}: ${one.name}`);
      const parent: string | undefined = one.parentSpanId;
      one = spans.find(({ spanId }) => spanId === parent);
    }
    return path;
  }

  test('one create_link over MCP is one trace through gateway, mcp-svc, links-svc and MongoDB', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const fields = { destination_url: 'https://example.com/', slug: 'traced', note: 'a-note-4711' };
    const json = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'create_link', arguments: fields } };
    const headers = {
      accept: 'application/json, text/event-stream',
      traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
    };
    const answer = await request<{ result: { structuredContent: { slug: string } } }>('/mcp', {
      method: 'POST',
      key: own.key,
      json,
      headers,
      base: own.stack.urls.gateway,
    });
    expect(answer.body.result.structuredContent.slug).toBe('traced');

    await eventually(async () => {
      const written = spans.find((span) => span.traceId === traceId && span.name === 'bulkWrite');
      expect(
        written && pathOf(written),
        spans.map((span) => `${span.traceId} ${span.service}: ${span.name}`).join('\n'),
      ).toEqual([
        'gateway: POST /mcp',
        'gateway: POST',
        'mcp-svc: POST /mcp',
        'mcp-svc: links.v1.LinksService/CreateLink',
        'links-svc: links.v1.LinksService/CreateLink',
        'links-svc: bulkWrite',
      ]);
    });
    const log = own.stack.processes['mcp-svc']!.log();
    expect(log).toContain(`"trace_id":"${traceId}"`);
    for (const secret of [own.key, 'a-note-4711', 'eyJ']) expect(exported).not.toContain(secret);
  });

  test('no trace has the token of a sign-in link or a session, even if a client sends it as its request id', async () => {
    const token = await createSignInToken(own.stack);
    const base = own.stack.urls.gateway;
    const options = { method: 'POST', json: { token }, headers: { 'x-request-id': token }, base };
    const session = (await request<Session>('/api/v1/sessions', options)).body.token;
    await request(`/api/v1/links/${session}`, { key: session, headers: { 'x-request-id': session }, base });
    await request('/api/v1/sessions/current', { method: 'DELETE', key: session, base });
    await eventually(async () => expect(spans.map(({ name }) => name)).toContain('DELETE /api/v1/sessions/current'));
    for (const secret of [token, session]) expect(exported).not.toContain(secret.split('_')[1]);
  });

  test('a REST request that reads analytics is one trace into ClickHouse', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
    await request('/api/v1/analytics', { key: own.key, headers, base: own.stack.urls.gateway });
    await eventually(async () => {
      const query = spans.find((span) => span.traceId === traceId && span.name === 'clickhouse query');
      expect(query && pathOf(query)).toEqual([
        'gateway: GET /api/v1/analytics',
        'gateway: GET',
        'analytics-svc: GET /api/v1/analytics',
        'analytics-svc: clickhouse query',
      ]);
    });
  });
});

// Every local user and web page can connect to a port, so the databases of `start` need protection.
describe('the embedded databases', () => {
  test('the services of a stack log in to its databases', async () => {
    await own.createLinks(['embedded']);
    await own.analytics();
    expect(await readClickHouse(own, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test('a client without the password of the stack reads nothing from ClickHouse', async () => {
    const answer = await fetch(own.stack.clickhouseUrl, { method: 'POST', body: 'SHOW DATABASES' });
    expect([answer.status, await answer.text()]).toEqual([403, expect.stringMatching(/^Code: 516\. /)]);
  });

  test('MongoDB listens on no port, and only the user of the stack reaches its socket and its files', () => {
    const socket = decodeURIComponent(new URL(own.stack.mongodbUrl).hostname);
    expect(own.stack.processes.mongodb!.ports).toEqual({});
    expect(statSync(socket).isSocket()).toBe(true);
    for (const folder of [dirname(socket), join(own.dataDir, 'mongodb')])
      expect(statSync(folder).mode & 0o777, folder).toBe(0o700);
  });

  test('the password of a stack is new each time, and in no file and on no command line', async () => {
    const password = own.stack.clickhouseLogin.CLICKHOUSE_PASSWORD;
    expect(password).toMatch(/^[\w-]{43}$/);
    const files = readdirSync(own.dataDir, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    expect(files.map(({ name }) => name)).toContain('clickhouse.log');
    for (const { parentPath, name } of files) {
      const path = join(parentPath, name);
      expect(readFileSync(path).includes(password), path).toBe(false);
    }
    for (const { name, pid } of Object.values(own.stack.processes)) {
      const commandLine = execFileSync('ps', ['-ww', '-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
      expect(commandLine, name).toContain('node');
      expect(commandLine.includes(password), name).toBe(false);
    }
  });
});

describe('logs and metrics, after every endpoint was used once', () => {
  const NOTE = 'note-that-nobody-may-read-4711';
  const PASSWORD = 'correct-horse-battery-4711';
  const WRONG_PASSWORD = 'wrong-horse-battery-4711';
  const WRONG_KEY = `key_live_${'W'.repeat(40)}`;

  /** The tokens of a sign-in link and of its session. */
  let tokens: string[];
  beforeAll(useEverything);

  /** Sends valid and invalid requests of every kind, with secrets wherever a client might put one. */
  async function useEverything(): Promise<void> {
    const { key, publicKey } = own;
    const base = own.stack.urls.gateway;
    const json = { destination_url: 'https://example.com/', slug: 'seen', note: NOTE, password: PASSWORD };
    const created = await request<Link>('/api/v1/links', {
      method: 'POST',
      key,
      json,
      base,
      headers: { 'idempotency-key': 'once' },
    });
    expect(created.status, JSON.stringify(created.body)).toBe(201);
    const link = `/api/v1/links/${created.body.id}`;
    const wrong = { ...json, slug: 'another', note: [NOTE], unknown: PASSWORD };
    const signInToken = await createSignInToken(own.stack);
    const exchange = { method: 'POST', json: { token: signInToken }, base };
    const session = (await request<Session>('/api/v1/sessions', exchange)).body.token;
    tokens = [signInToken, session];
    const everything: [string, Parameters<typeof request>[1]][] = [
      ['/api/v1/links', { method: 'POST', key, json: wrong }],
      [
        '/api/v1/links',
        { method: 'POST', key, body: `{"password":"${PASSWORD}"`, headers: { 'content-type': 'application/json' } },
      ],
      ['/api/v1/links', { method: 'POST', key, json, headers: { 'idempotency-key': 'once' } }],
      [link, { method: 'PUT', key, json: { note: `${NOTE} and more`, password: PASSWORD } }],
      [link, { key: publicKey }],
      [`/api/v1/links?q=${NOTE}`, { key }],
      ['/api/v1/me', { key: WRONG_KEY }],
      [`/api/v1/links/${WRONG_KEY}`, { key }],
      [`/api/v1/me?key=${WRONG_KEY}`, { headers: { authorization: `Basic ${WRONG_KEY}`, 'x-request-id': WRONG_KEY } }],
      ['/api/v1/me', { key, headers: { 'x-waymark-identity': 'eyJhbGciOiJIUzI1NiJ9.eyJhIjoxfQ.c2lnbmF0dXJl' } }],
      ['/api/v1/analytics', { key }],
      ['/api/v1/sessions', exchange],
      [`/api/v1/sessions/${signInToken}?token=${session}`, { key: session }],
      ['/api/v1/me/keys', { key: session, headers: { 'x-request-id': session } }],
      ['/api/v1/me/keys/public_links_only', { method: 'DELETE', key: session }],
      ['/mcp', { method: 'POST', key: session, json: { jsonrpc: '2.0', id: 1, method: 'ping' } }],
      ['/api/v1/sessions/current', { method: 'DELETE', key: session }],
      ['/seen', { headers: { 'user-agent': BROWSER } }],
    ];
    for (const [path, options] of everything) await request(path, { ...options, base });
    for (const password of [WRONG_PASSWORD, PASSWORD]) {
      const headers = { 'user-agent': BROWSER, 'content-type': 'application/x-www-form-urlencoded' };
      await request('/seen', { method: 'POST', base, headers, body: `password=${password}` });
    }
    const headers = { accept: 'application/json, text/event-stream' };
    for (const args of [{ ...json, slug: 'by-an-agent' }, wrong]) {
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'create_link', arguments: args } };
      await request('/mcp', { method: 'POST', key, json: call, headers, base });
    }
    await eventually(async () => {
      expect((await own.analytics(`?link_id=${created.body.id}`)).clicks).toBe(1);
    });
  }

  test('docs/api.md, Logs: “Logs never hold a key, a password or a note.”', () => {
    const secrets = {
      'a key': own.key.slice('key_live_'.length),
      'a public key': own.publicKey.slice('key_pub_'.length),
      'a sign-in token': tokens[0]!.slice('signin_'.length),
      'a session token': tokens[1]!.slice('sess_'.length),
      'a wrong key': WRONG_KEY.slice('key_live_'.length),
      'a password': PASSWORD,
      'a wrong password': WRONG_PASSWORD,
      'a note': NOTE,
      'the signing key': own.stack.signingKey,
      'a signed identity': 'eyJ',
    };
    for (const name of SERVICES) {
      const log = own.stack.processes[name]!.log();
      expect(log, `${name} logs its requests`).toContain('"msg":"request"');
      const found = Object.entries(secrets).filter(([, secret]) => log.includes(secret));
      expect(
        found.map(([what]) => what),
        `in the log of ${name}`,
      ).toEqual([]);
    }
  });

  test('docs/api.md, Errors: “the same id is in every service’s log lines”', async () => {
    const base = own.stack.urls.gateway;
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_links', arguments: {} } };
    const mcp = { method: 'POST', json: call, headers: { accept: 'application/json, text/event-stream' } };
    for (const [service, path, options] of [
      ['links-svc', '/api/v1/links', {}],
      ['analytics-svc', '/api/v1/analytics', {}],
      ['mcp-svc', '/mcp', mcp],
    ] as const) {
      const id = `followed-to-${service}`;
      const headers = { ...('headers' in options ? options.headers : {}), 'x-request-id': id };
      const answer = await request(path, { ...options, key: own.key, base, headers });
      expect([answer.status, answer.headers.get('x-request-id')]).toEqual([200, id]);
      await eventually(async () => {
        for (const name of ['gateway', service])
          expect(own.stack.processes[name]!.log(), name).toContain(`"request_id":"${id}"`);
      });
    }
  });

  test('docs/security.md, The gRPC ports: a limit that a client without an identity reaches is in the log', async () => {
    for (const [name, address] of [
      ['links-svc', own.stack.urls.linksGrpc],
      ['analytics-svc', own.stack.urls.analyticsGrpc],
    ] as const) {
      const health = createGrpcClient(healthV1.Health, { address });
      const check = (service: string) => health.check({ service }, { timeoutMs: 30_000 });
      expect((await check('')).status).toBe(healthV1.HealthCheckResponse_ServingStatus.SERVING);
      await expect(check('x'.repeat(5_000))).rejects.toThrow();
      health.close();
      await eventually(async () => expect(own.stack.processes[name]!.log()).toContain('"limit":"health"'));
    }
  });

  describe('the alerts and dashboards use only metrics that the services have', () => {
    async function metricsOf(name: (typeof SERVICES)[number]): Promise<string[]> {
      const text = await (await fetch(`http://127.0.0.1:${ports[name]}/metrics`)).text();
      return [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, metric, type]) =>
        type === 'histogram' || type === 'summary'
          ? [`${metric}_count`, `${metric}_sum`, ...(type === 'histogram' ? [`${metric}_bucket`] : [])]
          : [metric!],
      );
    }

    /** Returns the metrics that a PromQL expression reads: names that are not functions, keywords or labels. */
    function metricsIn(expression: string): string[] {
      const bare = expression
        .replace(/"(?:[^"\\]|\\.)*"/g, '')
        .replace(/\{[^}]*\}|\[[^\]]*\]/g, '')
        .replace(/\b(by|without|on|ignoring)\s*\([^)]*\)/g, '');
      return [...bare.matchAll(/\b[a-z_:][a-z0-9_:]*\b(?!\s*\()/gi)]
        .map(([name]) => name)
        .filter((name) => !['or', 'and', 'unless', 'bool', 'sum', 'max'].includes(name));
    }

    const alerts = readFileSync(join(ROOT, 'deploy/helm/waymark/files/alerts.yaml'), 'utf8');
    const dashboard = JSON.parse(readFileSync(join(ROOT, 'deploy/helm/waymark/files/dashboard.json'), 'utf8')) as {
      panels: { targets?: { expr: string }[] }[];
    };
    const expressions = {
      'the alert rules': alerts
        .split(/^ {6}- alert: /m)
        .slice(1)
        .map((rule) => /expr:(?: >-\n((?: {10}.*\n)+)|(.*)\n)/.exec(rule))
        .map((match) => (match?.[1] ?? match?.[2] ?? '').trim()),
      'the dashboard': dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    };

    test.each(Object.entries(expressions))('%s', async (_file, texts) => {
      const known = new Set((await Promise.all(SERVICES.map(metricsOf))).flat());
      expect(texts.length).toBeGreaterThan(10);
      for (const text of texts) {
        const names = metricsIn(text);
        expect(names, text).not.toEqual([]);
        expect(
          names.filter((name) => !known.has(name)),
          text,
        ).toEqual([]);
      }
    });
  });
});
