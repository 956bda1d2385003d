import { randomBytes } from 'node:crypto';
import { createSigner } from '@waymark/auth';
import { type Client, createClient } from '@waymark/client';
import type { Analytics, BulkResults, Job, Link, LinkList, Plan, Session } from '@waymark/contract';
import { accountsV1, createGrpcClient } from '@waymark/proto';
import { expect, inject } from 'vitest';

export const stack = inject('stack');

/** The User-Agent of a real browser, whose visits count as clicks. */
export const BROWSER =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

export interface Answer<Body = unknown> {
  status: number;
  headers: Headers;
  body: Body;
}

interface RequestOptions {
  method?: string;
  key?: string;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent unchanged. */
  body?: string;
  headers?: Record<string, string>;
  base?: string;
}

/**
 * Sends an HTTP request, by default to the gateway of the shared stack. Does not follow redirects. Parses a JSON body.
 * Nothing stops in the shared stack: it answers a read with 503 if the machine was too busy, and the read is sent again.
 */
export async function request<Body = unknown>(path: string, options: RequestOptions = {}): Promise<Answer<Body>> {
  const { method = 'GET', base = stack.publicUrl } = options;
  if (base !== stack.publicUrl || !['GET', 'HEAD'].includes(method)) return sendOnce<Body>(path, options);
  return whileUnavailable(
    () => sendOnce<Body>(path, options),
    ({ status }) => status === 503,
  );
}

/** Repeats a read while it gets the answer that a part of the service is unavailable. Throws after 90 seconds. */
export async function whileUnavailable<Result>(
  read: () => Promise<Result>,
  isUnavailable: (result: Result) => boolean,
): Promise<Result> {
  let result = await read();
  if (!isUnavailable(result)) return result;
  await eventually(async () => {
    console.log('The machine was too busy for a read, which is sent again.');
    result = await read();
    expect(isUnavailable(result), 'a part of the service is unavailable').toBe(false);
  });
  return result;
}

async function sendOnce<Body>(path: string, options: RequestOptions): Promise<Answer<Body>> {
  const { key, json, base = stack.publicUrl } = options;
  const body = json === undefined ? options.body : JSON.stringify(json);
  const response = await fetch(new URL(path, base), {
    method: options.method ?? 'GET',
    redirect: 'manual',
    headers: {
      ...(key ? { authorization: `Bearer ${key}` } : {}),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const isJson = text !== '' && response.headers.get('content-type')?.startsWith('application/json');
  return { status: response.status, headers: response.headers, body: (isJson ? JSON.parse(text) : text) as Body };
}

/** Returns the REST API with a key. */
export function api(key: string, base = stack.publicUrl) {
  const send = <Body>(path: string, options: Omit<RequestOptions, 'key' | 'base'> = {}) =>
    request<Body>(path, { ...options, key, base });
  return {
    me: () => send('/api/v1/me'),
    list: (query = '') => send<LinkList>(`/api/v1/links${query}`),
    get: (id: string) => send<Link>(`/api/v1/links/${id}`),
    create: (json: unknown, headers: Record<string, string> = {}) =>
      send<Link>('/api/v1/links', { method: 'POST', json, headers }),
    update: (id: string, json: unknown) => send<Link>(`/api/v1/links/${id}`, { method: 'PUT', json }),
    delete: (id: string) => send(`/api/v1/links/${id}`, { method: 'DELETE' }),
    bulk: (operations: unknown) => send<BulkResults>('/api/v1/links/bulk', { method: 'POST', json: { operations } }),
    analytics: (query = '') => send<Analytics>(`/api/v1/analytics${query}`),
  };
}

/** Returns the client that users get, for what a test only needs: it repeats what may pass, and throws all else. */
export function clientOf(key: string): Client {
  return createClient({ url: stack.publicUrl, key });
}

/** Creates a link. */
export function createLink(key: string, json: Record<string, unknown>): Promise<Link> {
  return clientOf(key).post('/api/v1/links', { body: { destination_url: 'https://example.com/', ...json } });
}

/** Returns the jobs of the account, newest first. */
export async function jobsOf(key: string): Promise<Job[]> {
  return (await clientOf(key).get('/api/v1/jobs')).jobs;
}

/** Requests a short link with the headers of a browser, and returns the response. */
export function follow(slug: string, headers: Record<string, string> = {}): Promise<Answer> {
  return request(`/${slug}`, { headers: { 'user-agent': BROWSER, ...headers } });
}

/** The gRPC client for accounts, as the admin command line uses it. */
export const accounts = createGrpcClient(accountsV1.AccountsService, { address: stack.linksGrpc });
const signer = createSigner({ current: stack.signingKey });
/** Returns call options with the admin command line's identity. */
export async function asAdmin(): Promise<{ timeoutMs: number; identity: string }> {
  return { timeoutMs: 30_000, identity: await signer.mint({ kind: 'service', service: 'admin' }) };
}

/** Signs in to the dashboard and returns the token of the session. */
export async function signIn(username: string): Promise<string> {
  const { url } = await accounts.createSignInLink({ username }, await asAdmin());
  const json = { token: url.split('#token=')[1] };
  const { status, body } = await request<Session>('/api/v1/sessions', { method: 'POST', json });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.token;
}

/** Waits until a gateway, or another service, is ready. */
export async function untilReady(base: string): Promise<void> {
  await eventually(async () => expect((await request('/readyz', { base })).status).toBe(200));
}

export interface TestAccount {
  username: string;
  live: string;
  public: string;
}

/** Creates a new account, so that tests do not see each other's links. */
export async function createAccount(plan: Plan = 'developer'): Promise<TestAccount> {
  const username = `t${randomBytes(6).toString('hex')}`;
  const made = await accounts.createAccount({ username, plan }, await asAdmin());
  return { username, live: made.liveKey, public: made.publicKey };
}

/**
 * Repeats a check until it passes, and returns the elapsed milliseconds. Throws its last error after 90 seconds. The pause
 * grows with the wait, so that a check of much data does not itself keep the machine busy.
 */
export async function eventually(check: () => Promise<void>): Promise<number> {
  const started = performance.now();
  for (;;) {
    try {
      await check();
      return performance.now() - started;
    } catch (error) {
      const elapsed = performance.now() - started;
      if (elapsed > 90_000) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.max(100, elapsed / 10)));
    }
  }
}
