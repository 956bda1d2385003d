import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccountIdentity, createSigner } from '@waymark/auth';
import { ACTIONS, type Analytics, type CreateRestrictedKeyInput, type Link, type Plan } from '@waymark/contract';
import { accountsV1, type CallOptions, createGrpcClient, type GrpcClient } from '@waymark/proto';
import { type Stack, type StackOptions, startStack } from '@waymark/stack';
import { expect } from 'vitest';
import { dropGivenDatabases } from './given-databases.ts';
import { request } from './world.ts';

/** The only account of a stack. */
export interface Owner {
  key: string;
  publicKey: string;
  /** The identity that the gateway sends for requests with `key`. */
  identity: AccountIdentity;
}

/** A separate stack with one account, for tests that would disturb others. */
export interface OwnStack extends Owner {
  stack: Stack;
  dataDir: string;
  /** The name of the database in MongoDB and in ClickHouse. */
  database: string;
  createLinks(slugs: readonly string[], fields?: Record<string, unknown>): Promise<Link[]>;
  analytics(query?: string, key?: string): Promise<Analytics>;
  close(): Promise<void>;
}

const USERNAME = 'owner';

/** Creates an account of a stack. */
export async function createOwner(stack: Stack, username = USERNAME): Promise<Owner> {
  const made = await asAdmin(stack, (accounts, options) =>
    accounts.createAccount({ username, plan: 'developer' }, options),
  );
  return {
    key: made.liveKey,
    publicKey: made.publicKey,
    identity: {
      kind: 'account',
      accountId: made.account!.id,
      username,
      plan: 'developer',
      scope: 'full_access',
    },
  };
}

/** Makes a restricted key of an account, and returns it. */
export async function createRestrictedKey(
  stack: Stack,
  username: string,
  key: Pick<CreateRestrictedKeyInput, 'scope'> & Partial<CreateRestrictedKeyInput>,
): Promise<string> {
  const { hashtag, expires_at: expiresAt, name = 'agent', actions = [...ACTIONS], scope } = key;
  const request = { username, name, scope, actions, ...(hashtag && { hashtag }), ...(expiresAt && { expiresAt }) };
  return (await asAdmin(stack, (accounts, options) => accounts.createRestrictedKey(request, options))).secret;
}

/** Rotates the public key of a stack's account. Returns the new key. */
export async function rotatePublicKey(stack: Stack): Promise<string> {
  const request = { username: USERNAME, scope: 'public_links_only' };
  return (await asAdmin(stack, (accounts, options) => accounts.rotateKey(request, options))).key;
}

/** Makes a sign-in link of a stack's account and returns its token. */
export async function createSignInToken(stack: Stack): Promise<string> {
  const link = await asAdmin(stack, (accounts, options) => accounts.createSignInLink({ username: USERNAME }, options));
  return link.url.split('#token=')[1]!;
}

/** Changes the plan of a stack's account. */
export async function setPlan(stack: Stack, plan: Plan): Promise<void> {
  await asAdmin(stack, (accounts, options) => accounts.setPlan({ username: USERNAME, plan }, options));
}

async function asAdmin<Result>(
  stack: Stack,
  call: (accounts: GrpcClient<typeof accountsV1.AccountsService>, options: CallOptions) => Promise<Result>,
): Promise<Result> {
  const accounts = createGrpcClient(accountsV1.AccountsService, { address: stack.urls.linksGrpc });
  const identity = await createSigner({ current: stack.signingKey }).mint({ kind: 'service', service: 'admin' });
  try {
    return await call(accounts, { timeoutMs: 30_000, identity });
  } finally {
    accounts.close();
  }
}

/** Options for embedded databases even if others are given, for tests that stop or copy databases. */
export const EMBEDDED_DATABASES = { mongodbUrl: undefined, clickhouseUrl: undefined };

/** Starts a stack on the given databases, or on its own embedded ones if none are given. */
export async function startOwnStack(options: Partial<StackOptions> = {}): Promise<OwnStack> {
  const dataDir = await mkdtemp(join(tmpdir(), 'waymark-own-'));
  const database = `waymark_own_${randomBytes(4).toString('hex')}`;
  const stack = await startStack({
    dataDir,
    ...options,
    env: {
      RATE_LIMIT_PER_MINUTE: '0',
      // Tests fetch nothing by accident.
      HEALTH_CHECK_HOURS: '0',
      MONGODB_DATABASE: database,
      CLICKHOUSE_DATABASE: database,
      ...options.env,
    },
  });
  const owner = await createOwner(stack);
  const base = stack.urls.gateway;
  return {
    stack,
    dataDir,
    database,
    ...owner,
    async createLinks(slugs, fields = {}) {
      const links: Link[] = [];
      for (const slug of slugs) {
        const json = { destination_url: 'https://example.com/', slug, ...fields };
        const created = await request<Link>('/api/v1/links', { method: 'POST', key: owner.key, json, base });
        expect(created.status, JSON.stringify(created.body)).toBe(201);
        links.push(created.body);
      }
      return links;
    },
    async analytics(query = '', key = owner.key) {
      const { status, body } = await request<Analytics>(`/api/v1/analytics${query}`, { key, base });
      expect(status, JSON.stringify(body)).toBe(200);
      return body;
    },
    async close() {
      await stack.close();
      if (process.env.KEEP) console.log(dataDir);
      else await rm(dataDir, { recursive: true, force: true });
      await dropGivenDatabases(database);
    },
  };
}

/** Runs a statement directly on a stack's ClickHouse and returns its rows. */
export async function readClickHouse<Row>(
  { stack, database }: { stack: Pick<Stack, 'clickhouseUrl' | 'clickhouseLogin'>; database: string },
  sql: string,
): Promise<Row[]> {
  const url = `${stack.clickhouseUrl}/?database=${database}&default_format=JSONEachRow&output_format_json_quote_64bit_integers=0`;
  const { CLICKHOUSE_USER, CLICKHOUSE_PASSWORD } = stack.clickhouseLogin;
  const headers = { 'X-ClickHouse-User': CLICKHOUSE_USER, 'X-ClickHouse-Key': CLICKHOUSE_PASSWORD };
  const response = await fetch(url, { method: 'POST', headers, body: sql });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}
