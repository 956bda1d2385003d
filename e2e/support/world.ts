import { randomBytes } from 'node:crypto';
import { createSigner } from '@waymark/auth';
import type { Analytics, Link, LinkList, Plan } from '@waymark/contract';
import { accountsV1, createGrpcClient } from '@waymark/proto';
import { expect, inject } from 'vitest';

export const stack = inject('stack');

/** A User-Agent of a browser that people use. */
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
  /** Sent as it is. */
  body?: string;
  headers?: Record<string, string>;
  base?: string;
}

/** One HTTP request to the gateway; redirects are not followed, a JSON body is parsed. */
export async function request<Body = unknown>(path: string, options: RequestOptions = {}): Promise<Answer<Body>> {
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

/** The REST API with one key. */
export function api(key: string) {
  return {
    me: () => request('/api/v1/me', { key }),
    list: (query = '') => request<LinkList>(`/api/v1/links${query}`, { key }),
    get: (id: string) => request<Link>(`/api/v1/links/${id}`, { key }),
    create: (json: unknown, headers: Record<string, string> = {}) =>
      request<Link>('/api/v1/links', { method: 'POST', key, json, headers }),
    update: (id: string, json: unknown) => request<Link>(`/api/v1/links/${id}`, { method: 'PUT', key, json }),
    delete: (id: string) => request(`/api/v1/links/${id}`, { method: 'DELETE', key }),
    analytics: (query = '') => request<Analytics>(`/api/v1/analytics${query}`, { key }),
  };
}

/** A link that must come out of it. */
export async function createLink(key: string, json: Record<string, unknown>): Promise<Link> {
  const answer = await api(key).create({ destination_url: 'https://example.com/', ...json });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  return answer.body;
}

/** Follows a short link as a browser does, and gives the answer. */
export function follow(slug: string, headers: Record<string, string> = {}): Promise<Answer> {
  return request(`/${slug}`, { headers: { 'user-agent': BROWSER, ...headers } });
}

/** The accounts' side of links-svc, as the command line sees it. */
export const accounts = createGrpcClient(accountsV1.AccountsService, { address: stack.linksGrpc });
const signer = createSigner({ current: stack.signingKey });
/** Call options of the command line's identity. */
export async function asAdmin(): Promise<{ timeoutMs: number; identity: string }> {
  return { timeoutMs: 5_000, identity: await signer.mint({ kind: 'service', service: 'admin' }) };
}

export interface TestAccount {
  username: string;
  live: string;
  public: string;
}

/** A new account of its own, so that tests do not see each other's links. */
export async function createAccount(plan: Plan = 'developer'): Promise<TestAccount> {
  const username = `t${randomBytes(6).toString('hex')}`;
  const made = await accounts.createAccount({ username, plan }, await asAdmin());
  return { username, live: made.liveKey, public: made.publicKey };
}

/** Repeats a check until it passes; fails with its last failure after `withinMs`. Gives the milliseconds it took. */
export async function eventually(check: () => Promise<void>, withinMs = 15_000): Promise<number> {
  const started = performance.now();
  for (;;) {
    try {
      await check();
      return performance.now() - started;
    } catch (error) {
      if (performance.now() - started > withinMs) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}
