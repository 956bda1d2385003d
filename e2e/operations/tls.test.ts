import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSigner } from '@waymark/auth';
import type { Link } from '@waymark/contract';
import { accountsV1, createGrpcClient, type GrpcClientOptions } from '@waymark/proto';
import { type Stack, startStack } from '@waymark/stack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAuthority } from '../../packages/proto/test/certificates.ts';
import { freePorts } from '../support/free-ports.ts';
import { EMBEDDED_DATABASES } from '../support/own-stack.ts';
import { interrupt, paste, startCommand } from '../support/start-command.ts';
import { BROWSER, eventually, request } from '../support/world.ts';

// docs/security.md, Who may reach what: TLS and mTLS for gRPC. Each service reads its own certificate from files.

const authority = createAuthority('waymark-test');
let dataDir: string;
let stack: Stack;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'waymark-tls-'));
  await writeFile(join(dataDir, 'ca.crt'), authority.cert);
  const certificateOf = async (service: string) => {
    const { cert, key } = authority.issue(service);
    await writeFile(join(dataDir, `${service}.crt`), cert);
    await writeFile(join(dataDir, `${service}.key`), key, { mode: 0o600 });
    return {
      GRPC_TLS_CA_FILE: join(dataDir, 'ca.crt'),
      GRPC_TLS_CERT_FILE: join(dataDir, `${service}.crt`),
      GRPC_TLS_KEY_FILE: join(dataDir, `${service}.key`),
    };
  };
  stack = await startStack({
    dataDir,
    ...EMBEDDED_DATABASES,
    serviceEnv: {
      gateway: await certificateOf('gateway'),
      'links-svc': await certificateOf('links-svc'),
      'analytics-svc': await certificateOf('analytics-svc'),
      'mcp-svc': await certificateOf('mcp-svc'),
    },
  });
});
afterAll(async () => {
  await stack?.close();
  await rm(dataDir, { recursive: true, force: true });
});

async function createAccount(username: string, options: Omit<GrpcClientOptions, 'address'>) {
  const accounts = createGrpcClient(accountsV1.AccountsService, { address: stack.urls.linksGrpc, ...options });
  try {
    const identity = await createSigner({ current: stack.signingKey }).mint({ kind: 'service', service: 'admin' });
    return await accounts.createAccount({ username, plan: 'developer' }, { timeoutMs: 30_000, identity });
  } finally {
    accounts.close();
  }
}

test('with certificates configured, REST, MCP, redirects and clicks work over mTLS between all services', async () => {
  const base = stack.urls.gateway;
  const { liveKey: key } = await createAccount('tls', { tls: { ca: authority.cert, ...authority.issue('admin') } });
  const json = { destination_url: 'https://example.com/', slug: 'over-tls' };
  expect((await request<Link>('/api/v1/links', { method: 'POST', key, json, base })).status).toBe(201);
  expect((await request('/over-tls', { base, headers: { 'user-agent': BROWSER } })).status).toBe(302);
  await eventually(async () => {
    expect((await request<{ clicks: number }>('/api/v1/analytics', { key, base })).body.clicks).toBe(1);
  });
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_links', arguments: {} } };
  const headers = { accept: 'application/json, text/event-stream' };
  const tool = await request<{ result: { structuredContent: { total: number } } }>('/mcp', {
    method: 'POST',
    key,
    json: call,
    headers,
    base,
  });
  expect(tool.body.result.structuredContent.total).toBe(1);
});

test.each<[string, Omit<GrpcClientOptions, 'address'>]>([
  ['in plain text', {}],
  ['without a certificate', { tls: { ca: authority.cert } }],
  [
    'with a certificate of another authority',
    { tls: { ca: authority.cert, ...createAuthority('other').issue('admin') } },
  ],
])('a caller %s does not reach a service, whatever identity it signs', async (_how, options) => {
  await expect(createAccount('intruder', options)).rejects.toMatchObject({
    code: expect.stringMatching(/unavailable|deadline/),
  });
});

test('start with one certificate for all services creates its demo account over mTLS', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'waymark-tls-start-'));
  const [port] = await freePorts(1);
  const { cert, key } = authority.issue('waymark');
  const { child, curls } = await startCommand({
    DATA_DIR: folder,
    GATEWAY_PORT: String(port),
    GRPC_TLS_CA: authority.cert,
    GRPC_TLS_CERT: cert,
    GRPC_TLS_KEY: key,
  });
  try {
    expect(JSON.parse(paste(curls[0]!))).toMatchObject({ title: 'Hello', visibility: 'public' });
  } finally {
    expect(await interrupt(child)).toBe(0);
    await rm(folder, { recursive: true });
  }
});
