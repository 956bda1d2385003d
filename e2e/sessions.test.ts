import type { Account, AccountKeys, Link, NewKey, Session } from '@waymark/contract';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSignInToken, type OwnStack, setPlan, signOut, startOwnStack } from './support/own-stack.ts';
import { type Answer, eventually, request } from './support/world.ts';

// docs/api.md, Sessions and Keys, through two gateways in front of two replicas of links-svc.

const FAILURES_PER_MINUTE = 8;
const MCP_PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

let own: OwnStack;
/** The origins of the two gateways. */
let gateways: [string, string];
beforeAll(async () => {
  own = await startOwnStack({
    replicas: { gateway: 2, 'links-svc': 2 },
    env: { AUTH_FAILURES_PER_MINUTE: String(FAILURES_PER_MINUTE) },
    // Each test comes from an address of its own, so that they do not use up each other's failures.
    serviceEnv: { gateway: { TRUST_PROXY: '127.0.0.0/8' } },
  });
  const { processes, urls } = own.stack;
  gateways = [urls.gateway, `http://127.0.0.1:${processes['gateway-2']!.ports.http}`];
});
afterAll(() => own?.close());

let addresses = 0;
/** Returns the headers of a client with an address of its own. */
function newClient(): Record<string, string> {
  addresses += 1;
  return { 'x-forwarded-for': `203.0.113.${addresses}` };
}

function exchange(token: string, { base = gateways[0], headers = newClient() } = {}): Promise<Answer<Session>> {
  return request<Session>('/api/v1/sessions', { method: 'POST', json: { token }, base, headers });
}

async function signIn(): Promise<string> {
  const { status, body } = await exchange(await createSignInToken(own.stack));
  expect(status, JSON.stringify(body)).toBe(201);
  return body.token;
}

/** Sends requests below `/api/` with a key or session. */
function client(key: string, base = gateways[0]) {
  const headers = newClient();
  const send = <Body>(method: string, path: string, json?: unknown) =>
    request<Body>(path, { method, key, base, headers, json });
  return {
    send,
    me: () => send<Account>('GET', '/api/v1/me'),
    keys: async () => (await send<AccountKeys>('GET', '/api/v1/me/keys')).body.keys,
  };
}

describe('sign-in', () => {
  test('the token of a sign-in link works once: of 10 parallel exchanges at two gateways exactly one is 201', async () => {
    const token = await createSignInToken(own.stack);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) => exchange(token, { base: gateways[n % 2]! })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 9 }, () => 401)]);
    const { body } = answers.find(({ status }) => status === 201)!;
    expect(body.token).toMatch(/^sess_[0-9A-Za-z]{40}$/);
    const hours = (Date.parse(body.expires_at) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(11.9);
    expect(hours).toBeLessThanOrEqual(12.1);
  });

  test('failed exchanges count as failed authentications of the address: 429 after the limit', async () => {
    const headers = newClient();
    for (let n = 0; n < FAILURES_PER_MINUTE; n++)
      expect((await exchange(`signin_${'x'.repeat(40)}`, { headers })).status).toBe(401);
    const token = await createSignInToken(own.stack);
    const refused = await exchange(token, { headers });
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await request('/api/v1/me', { base: gateways[0], headers })).status).toBe(429);
    expect((await exchange(token)).status).toBe(201);
  });

  test('a link and a session stop working at their stored times', async () => {
    const database = new MongoClient(own.stack.mongodbUrl);
    try {
      const db = database.db(own.database);
      const past = { $set: { expires_at: new Date(Date.now() - 1_000) } };
      const token = await createSignInToken(own.stack);
      await db.collection('sign_in_links').updateMany({}, past);
      expect((await exchange(token)).status).toBe(401);
      const { me } = client(await signIn());
      expect((await me()).status).toBe(200);
      await db.collection('sessions').updateMany({}, past);
      await eventually(async () => expect((await me()).status).toBe(401));
    } finally {
      await database.close();
    }
  });
});

describe('a session', () => {
  test('acts as a Full Access key below /api/, and not on /mcp', async () => {
    const session = await signIn();
    const { me, send } = client(session, gateways[1]);
    expect((await me()).body).toEqual({ username: 'owner', plan: 'developer', key_scope: 'full_access' });
    const json = { destination_url: 'https://example.com/', visibility: 'private' };
    const made = await send<Link>('POST', '/api/v1/links', json);
    expect(made.status).toBe(201);
    expect((await client(own.key).send('GET', `/api/v1/links/${made.body.id}`)).status).toBe(200);
    const bulk = { operations: [{ op: 'delete', id: made.body.id }] };
    expect((await send('POST', '/api/v1/links/bulk', bulk)).body).toEqual({ results: [{ status: 204 }] });
    expect((await send('GET', '/api/v1/analytics')).status).toBe(200);
    expect((await send('GET', '/api/v1/links/export')).status).toBe(200);

    const mcp = await send<object>('POST', '/mcp', MCP_PING);
    expect(mcp.status).toBe(401);
    expect(mcp.headers.get('www-authenticate')).toContain('error="invalid_token"');
    expect(mcp.body).toEqual({ error: expect.any(String) });
    const direct = await request('/api/v1/me', { base: own.stack.urls.linksHttp, key: session });
    expect(direct.status).toBe(401);
  });

  test('ends with DELETE /api/v1/sessions/current everywhere within 5 seconds, and no other session does', async () => {
    const [ended, other] = [await signIn(), await signIn()];
    for (const base of gateways) expect((await client(ended, base).me()).status).toBe(200);
    expect((await client(ended).send('DELETE', '/api/v1/sessions/current')).status).toBe(204);
    for (const base of gateways) {
      const { me } = client(ended, base);
      await eventually(async () => expect((await me()).status).toBe(401), 5_000);
      expect((await client(other, base).me()).status).toBe(200);
    }
  });

  test('ends with a sign-out of the account everywhere within 5 seconds, and keys keep working', async () => {
    const session = await signIn();
    for (const base of gateways) expect((await client(session, base).me()).status).toBe(200);
    await signOut(own.stack);
    for (const base of gateways) {
      const { me } = client(session, base);
      await eventually(async () => expect((await me()).status).toBe(401), 5_000);
      expect((await client(own.key, base).me()).status).toBe(200);
    }
  });

  test('below the Developer plan may see /me and sign out, and all else is 403, also with a key', async () => {
    const session = await signIn();
    const { me, send } = client(session);
    await setPlan(own.stack, 'free');
    try {
      await eventually(async () => expect((await me()).body).toMatchObject({ plan: 'free' }));
      for (const path of ['/api/v1/links', '/api/v1/analytics', '/api/v1/me/keys', '/api/v1/nothing'])
        expect((await send('GET', path)).status, path).toBe(403);
      expect((await send('POST', '/api/v1/me/keys/full_access/rotate')).status).toBe(403);
      await eventually(async () => expect((await client(own.key).me()).status).toBe(403));
      const again = client(await signIn());
      expect((await again.me()).status).toBe(200);
      expect((await again.send('DELETE', '/api/v1/sessions/current')).status).toBe(204);
    } finally {
      await setPlan(own.stack, 'developer');
    }
    await eventually(async () => expect((await send('GET', '/api/v1/links')).status).toBe(200));
    await eventually(async () => expect((await client(own.key).me()).status).toBe(200));
  });
});

describe('keys', () => {
  test.each([
    ['GET', '/api/v1/me/keys'],
    ['POST', '/api/v1/me/keys/full_access/rotate'],
    ['POST', '/api/v1/me/keys/unknown/rotate'],
    ['DELETE', '/api/v1/me/keys/full_access'],
    ['DELETE', '/api/v1/me/keys/unknown'],
    ['DELETE', '/api/v1/sessions/current'],
  ])('%s %s: 403 with either key, 401 without', async (method, path) => {
    for (const key of [own.key, own.publicKey]) {
      const { status, body } = await client(key).send<object>(method, path);
      expect([status, Object.keys(body)]).toEqual([403, ['error']]);
    }
    expect((await request(path, { method, base: gateways[0], headers: newClient() })).status).toBe(401);
  });

  test('an unknown scope is 404', async () => {
    const { send } = client(await signIn());
    for (const scope of ['live', 'all', 'FULL_ACCESS', '%00']) {
      expect((await send('POST', `/api/v1/me/keys/${scope}/rotate`)).status, scope).toBe(404);
      expect((await send('DELETE', `/api/v1/me/keys/${scope}`)).status, scope).toBe(404);
    }
  });

  test('are shown with hint and last use, and a rotated or revoked key dies within 5 seconds while the session lives', async () => {
    const { send, keys, me } = client(await signIn());
    const rotate = async (scope: string) => {
      const { status, body } = await send<NewKey>('POST', `/api/v1/me/keys/${scope}/rotate`);
      expect(status, JSON.stringify(body)).toBe(200);
      return body.key;
    };
    const first = await rotate('public_links_only');
    const [live, pub] = await keys();
    expect([live!.scope, live!.hint]).toEqual(['full_access', `…${own.key.slice(-4)}`]);
    expect([pub!.scope, pub!.hint, pub!.last_used_at]).toEqual(['public_links_only', `…${first.slice(-4)}`, null]);

    const before = Date.now();
    const user = client(first, gateways[1]);
    expect((await user.me()).body).toMatchObject({ key_scope: 'public_links_only' });
    const after = Date.now();
    await eventually(async () => expect((await keys())[1]!.last_used_at).not.toBeNull(), 5_000);
    const usedAt = Date.parse((await keys())[1]!.last_used_at!);
    expect(usedAt).toBeGreaterThanOrEqual(before);
    expect(usedAt).toBeLessThanOrEqual(after);

    const second = await rotate('public_links_only');
    expect((await client(second, gateways[1]).me()).status).toBe(200);
    await eventually(async () => expect((await user.me()).status).toBe(401), 5_000);
    expect((await send('DELETE', '/api/v1/me/keys/public_links_only')).status).toBe(204);
    const revoked = client(second, gateways[1]);
    await eventually(async () => expect((await revoked.me()).status).toBe(401), 5_000);
    expect((await keys()).map(({ scope }) => scope)).toEqual(['full_access']);
    expect((await me()).status).toBe(200);
    expect((await client(own.key).me()).status).toBe(200);
  });
});
