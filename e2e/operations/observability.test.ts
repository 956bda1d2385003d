import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Link, Session } from '@waymark/contract';
import { createGrpcClient, healthV1 } from '@waymark/proto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePorts } from '../support/free-ports.ts';
import { createSignInToken, type OwnStack, startOwnStack } from '../support/own-stack.ts';
import { BROWSER, eventually, request } from '../support/world.ts';

// Uses every endpoint once, with all logs and metrics enabled. The logs must contain no secrets, and every metric that
// the dashboard and the alerts query must exist.

const SERVICES = ['gateway', 'links-svc', 'analytics-svc', 'mcp-svc'] as const;
const ROOT = join(import.meta.dirname, '../..');
const NOTE = 'note-that-nobody-may-read-4711';
const PASSWORD = 'correct-horse-battery-4711';
const WRONG_PASSWORD = 'wrong-horse-battery-4711';
const WRONG_KEY = `key_live_${'W'.repeat(40)}`;

let own: OwnStack;
/** The tokens of a sign-in link and of its session. */
let tokens: string[];
let ports: Record<(typeof SERVICES)[number], number>;
beforeAll(async () => {
  const free = await freePorts(SERVICES.length);
  ports = Object.fromEntries(SERVICES.map((name, i) => [name, free[i]!])) as typeof ports;
  own = await startOwnStack({
    env: { LOG_LEVEL: 'trace' },
    serviceEnv: Object.fromEntries(SERVICES.map((name) => [name, { METRICS_PORT: String(ports[name]) }])),
  });
  await useEverything();
});
afterAll(() => own?.close());

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
    const { body } = await request<{ clicks: number }>('/api/v1/analytics', { key, base });
    expect(body.clicks).toBe(1);
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
