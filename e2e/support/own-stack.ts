import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccountIdentity, createSigner } from '@waymark/auth';
import type { Analytics, Link } from '@waymark/contract';
import { accountsV1, createGrpcClient } from '@waymark/proto';
import { type Stack, type StackOptions, startStack } from '@waymark/stack';
import { expect } from 'vitest';
import { request } from './world.ts';

/** A stack of a test file's own, for what would disturb others, with one account. */
export interface OwnStack {
  stack: Stack;
  key: string;
  publicKey: string;
  /** What the gateway says of a request with `key`. */
  identity: AccountIdentity;
  createLinks(slugs: readonly string[], fields?: Record<string, unknown>): Promise<Link[]>;
  analytics(query?: string, key?: string): Promise<Analytics>;
  close(): Promise<void>;
}

/** Starts a stack on embedded databases of its own: a database that others use must not be killed. */
export async function startOwnStack(options: Partial<StackOptions> = {}): Promise<OwnStack> {
  const dataDir = await mkdtemp(join(tmpdir(), 'waymark-own-'));
  const stack = await startStack({
    dataDir,
    mongodbUrl: undefined,
    clickhouseUrl: undefined,
    ...options,
    env: { RATE_LIMIT_PER_MINUTE: '0', CLICKHOUSE_DATABASE: 'waymark', ...options.env },
  });
  const accounts = createGrpcClient(accountsV1.AccountsService, { address: stack.urls.linksGrpc });
  const admin = await createSigner({ current: stack.signingKey }).mint({ kind: 'service', service: 'admin' });
  const username = 'owner';
  const made = await accounts.createAccount({ username, plan: 'developer' }, { timeoutMs: 5_000, identity: admin });
  accounts.close();
  const base = stack.urls.gateway;
  return {
    stack,
    key: made.liveKey,
    publicKey: made.publicKey,
    identity: {
      kind: 'account',
      accountId: made.account!.id,
      username,
      plan: 'developer',
      scope: 'full_access',
    },
    async createLinks(slugs, fields = {}) {
      const links: Link[] = [];
      for (const slug of slugs) {
        const json = { destination_url: 'https://example.com/', slug, ...fields };
        const created = await request<Link>('/api/v1/links', { method: 'POST', key: made.liveKey, json, base });
        expect(created.status, JSON.stringify(created.body)).toBe(201);
        links.push(created.body);
      }
      return links;
    },
    async analytics(query = '', key = made.liveKey) {
      const { status, body } = await request<Analytics>(`/api/v1/analytics${query}`, { key, base });
      expect(status, JSON.stringify(body)).toBe(200);
      return body;
    },
    async close() {
      await stack.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** The rows of a statement, read from a stack's embedded ClickHouse itself. */
export async function readClickHouse<Row>(stack: Stack, sql: string): Promise<Row[]> {
  const url = `${stack.clickhouseUrl}/?database=waymark&default_format=JSONEachRow&output_format_json_quote_64bit_integers=0`;
  const response = await fetch(url, { method: 'POST', body: sql });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}
