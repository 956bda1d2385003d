import { generateSessionToken, generateSignInToken, type Identity } from '@waymark/auth';
import {
  PLAN_FORBIDDEN_MESSAGE,
  type Session,
  SIGN_IN_REFUSED_MESSAGE,
  UNAUTHENTICATED_MESSAGE,
} from '@waymark/contract';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SESSION_ENDS, VALID_PASSKEY } from './fake-accounts.ts';
import { errorOf, startGateway, type TestGateway, verifier } from './gateway.ts';

// docs/api.md, Sessions: what the gateway adds. apps/links-svc/test/sessions.test.ts has what sessions are.

let gateway: TestGateway;
const others: TestGateway[] = [];
beforeEach(async () => {
  gateway = await startGateway();
});
afterEach(async () => {
  for (const other of others.splice(0)) await other.close();
  await gateway.close();
});

/** Replaces the gateway by one with other settings. */
async function restart(config: Parameters<typeof startGateway>[0]): Promise<void> {
  await gateway.close();
  gateway = await startGateway(config);
}

/** Sends a request with a body of JSON, without a key. */
function signIn(body: unknown, headers: Record<string, string> = {}, path = '/api/v1/sessions'): Promise<Response> {
  const sent = typeof body === 'string' ? body : JSON.stringify(body);
  return fetch(gateway.url + path, {
    method: 'POST',
    body: sent,
    headers: { 'content-type': 'application/json', ...headers },
  });
}

/** Returns the identity that links-svc received with its last request. */
async function lastIdentity(): Promise<Identity> {
  return verifier.verify(String(gateway.links.received.at(-1)!.headers['x-waymark-identity']));
}

describe('POST /api/v1/sessions', () => {
  test('exchanges a sign-in token for a session once, without a key, and the response may not be cached', async () => {
    const token = gateway.accounts.addSignInToken();
    const response = await signIn({ token });
    expect([response.status, response.headers.get('cache-control')]).toEqual([201, 'no-store']);
    const session = (await response.json()) as Session;
    expect(session).toEqual({
      token: expect.stringMatching(/^sess_[0-9A-Za-z]{40}$/),
      expires_at: SESSION_ENDS.toISOString(),
    });
    expect((await gateway.get('/api/v1/me', session.token)).status).toBe(200);
    const again = await signIn({ token });
    expect([again.status, again.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    expect(await errorOf(again)).toBe(SIGN_IN_REFUSED_MESSAGE);
  });

  test('the verifier of a sign-in at a provider is passed on', async () => {
    await signIn({ token: gateway.accounts.addSignInToken(), verifier: 'v'.repeat(43) });
    await signIn({ token: gateway.accounts.addSignInToken() });
    expect(gateway.accounts.verifiers).toEqual(['v'.repeat(43), '']);
  });

  test('an Authorization header is ignored, whether it is valid or not', async () => {
    for (const authorization of ['Bearer x', `Bearer ${gateway.accounts.addKey({ username: 'ada', plan: 'free' })}`]) {
      const token = gateway.accounts.addSignInToken();
      expect((await signIn({ token }, { authorization })).status).toBe(201);
    }
  });

  test.each([
    ['unknown', generateSignInToken()],
    ['malformed', 'x'],
    ['of a session', generateSessionToken()],
  ])('a token that is %s gets 401', async (_what, token) => {
    const response = await signIn({ token });
    expect(response.status).toBe(401);
    expect(await errorOf(response)).toBe(SIGN_IN_REFUSED_MESSAGE);
  });

  test('an invalid body or an unknown parameter gets 422, one that is too large 413, and the message shows no token', async () => {
    const secret = generateSignInToken();
    for (const body of [
      '',
      '{',
      '[]',
      '"x"',
      {},
      { token: 1 },
      { token: secret, verifier: 1 },
      { token: secret, verifier: '' },
      { token: '' },
      { token: `${secret}${'x'.repeat(200)}` },
    ]) {
      const response = await signIn(body);
      expect(response.status, JSON.stringify(body)).toBe(422);
      expect(await errorOf(response)).not.toContain(secret);
    }
    expect((await signIn({ token: secret, remember: true })).status).toBe(422);
    expect((await signIn({ token: secret }, {}, '/api/v1/sessions?token=x')).status).toBe(422);
    expect((await signIn({ token: 'x'.repeat(70_000) })).status).toBe(413);
    expect(gateway.accounts.lookups).toBe(0);
  });

  test('any origin may call it, and other methods of the path need a key and get 404', async () => {
    const token = gateway.accounts.addSignInToken();
    const response = await signIn({ token }, { origin: 'https://app.example' });
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect((await fetch(`${gateway.url}/api/v1/sessions`, { method: 'OPTIONS' })).status).toBe(204);
    expect((await gateway.get('/api/v1/sessions')).status).toBe(401);
    const key = gateway.accounts.addKey({ username: 'ada' });
    expect((await gateway.get('/api/v1/sessions', key)).status).toBe(404);
  });

  test('while links-svc fails, it is 503 and no failure of the address', async () => {
    await restart({ AUTH_FAILURES_PER_MINUTE: 1 });
    gateway.accounts.failing = true;
    for (let i = 0; i < 3; i++) expect((await signIn({ token: generateSignInToken() })).status).toBe(503);
    gateway.accounts.failing = false;
    expect((await signIn({ token: gateway.accounts.addSignInToken() })).status).toBe(201);
  });

  test('the log has no token', async () => {
    const token = gateway.accounts.addSignInToken();
    const session = ((await (await signIn({ token })).json()) as Session).token;
    await signIn({ token });
    await signIn({ token }, {}, `/api/v1/sessions/${token}`);
    await gateway.get(`/api/v1/links/${session}`, session);
    await gateway.get(`/${token}`, undefined, { 'x-request-id': session });
    const log = gateway.log.join('');
    expect(log).toContain('/api/v1/sessions');
    for (const secret of [token, session]) expect(log).not.toContain(secret.split('_')[1]);
  });
});

describe('sign-in with a passkey', () => {
  const PATH = '/api/v1/sessions/passkey';
  const valid = { response: { id: VALID_PASSKEY } };

  test('needs no key: the options, then the response for a session, and neither may be cached', async () => {
    for (const body of ['{}', undefined]) {
      const headers = body === undefined ? {} : { 'content-type': 'application/json' };
      const options = await fetch(`${gateway.url}${PATH}/options`, { method: 'POST', headers, ...(body && { body }) });
      expect([options.status, options.headers.get('cache-control')]).toEqual([200, 'no-store']);
      expect(await options.json()).toEqual({ challenge: 'AA', rpId: 'go.example' });
    }
    const response = await signIn(valid, { authorization: 'Bearer x' }, PATH);
    expect([response.status, response.headers.get('cache-control')]).toEqual([201, 'no-store']);
    const session = (await response.json()) as Session;
    expect(session).toEqual({
      token: expect.stringMatching(/^sess_[0-9A-Za-z]{40}$/),
      expires_at: SESSION_ENDS.toISOString(),
    });
    expect((await gateway.get('/api/v1/me', session.token)).status).toBe(200);
  });

  test('a response that links-svc refuses is 401 in the words of a refused link, and counts as a failure', async () => {
    await restart({ AUTH_FAILURES_PER_MINUTE: 3 });
    for (const response of [{}, { id: 'x' }]) {
      const refused = await signIn({ response }, {}, PATH);
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
      expect(await errorOf(refused)).toBe(SIGN_IN_REFUSED_MESSAGE);
    }
    for (let i = 0; i < 5; i++) expect((await signIn({}, {}, `${PATH}/options`)).status).toBe(200);
    expect((await signIn(valid, {}, PATH)).status).toBe(201);
    expect((await signIn({ token: generateSignInToken() })).status).toBe(401);
    for (const path of [PATH, `${PATH}/options`])
      expect((await signIn(path === PATH ? valid : {}, {}, path)).status, path).toBe(429);
  });

  test('an invalid body or an unknown parameter is 422, one that is too large 413, another method 404', async () => {
    for (const body of ['', '{', '[]', {}, { response: 'x' }, { response: [] }, { response: {}, name: 'x' }])
      expect((await signIn(body, {}, PATH)).status, JSON.stringify(body)).toBe(422);
    for (const body of ['{', '[]', { x: 1 }])
      expect((await signIn(body, {}, `${PATH}/options`)).status, JSON.stringify(body)).toBe(422);
    expect((await signIn(valid, {}, `${PATH}?x=1`)).status).toBe(422);
    expect((await signIn({ response: { id: 'x'.repeat(70_000) } }, {}, PATH)).status).toBe(413);
    expect(gateway.accounts.lookups).toBe(0);
    const key = gateway.accounts.addKey({ username: 'ada' });
    for (const path of [PATH, `${PATH}/options`]) {
      expect((await gateway.get(path)).status, path).toBe(401);
      expect((await gateway.get(path, key)).status, path).toBe(404);
    }
  });

  test('while links-svc fails, it is 503 and no failure of the address', async () => {
    await restart({ AUTH_FAILURES_PER_MINUTE: 1 });
    gateway.accounts.failing = true;
    for (const path of [PATH, `${PATH}/options`, PATH])
      expect((await signIn(path === PATH ? valid : {}, {}, path)).status).toBe(503);
    gateway.accounts.failing = false;
    expect((await signIn(valid, {}, PATH)).status).toBe(201);
  });
});

describe('failed exchanges', () => {
  test('count as failed authentications of the address, together with wrong keys, and 429 does not reach links-svc', async () => {
    await restart({ AUTH_FAILURES_PER_MINUTE: 4, TRUST_PROXY: ['127.0.0.1'] });
    const from = (address: string) => ({ 'x-forwarded-for': address });
    const here = from('203.0.113.1');
    for (const token of ['x', generateSignInToken(), generateSignInToken()])
      expect((await signIn({ token }, here)).status).toBe(401);
    expect((await gateway.get('/api/v1/me', undefined, here)).status).toBe(401);
    const lookups = gateway.accounts.lookups;
    const unused = gateway.accounts.addSignInToken();
    const refused = await signIn({ token: unused }, from('203.0.113.1:5001'));
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.headers.get('ratelimit')).toMatch(/^"address";r=0;t=\d+$/);
    expect((await gateway.get('/api/v1/me', undefined, here)).status).toBe(429);
    expect(gateway.accounts.lookups).toBe(lookups);
    expect((await signIn({ token: unused }, from('203.0.113.2'))).status).toBe(201);
  });

  test('at most AUTH_FAILURES_PER_MINUTE tokens of 300 concurrent requests are looked up', async () => {
    await restart({ AUTH_FAILURES_PER_MINUTE: 20 });
    gateway.accounts.delayMs = 20;
    const statuses = await Promise.all(
      Array.from({ length: 300 }, async () => (await signIn({ token: generateSignInToken() })).status),
    );
    expect(gateway.accounts.lookups).toBe(20);
    expect(statuses.filter((status) => status === 401)).toHaveLength(20);
    expect(statuses.filter((status) => status === 429)).toHaveLength(280);
  });

  test('sign-ins that work count no failures, however many arrive concurrently', async () => {
    await restart({ AUTH_FAILURES_PER_MINUTE: 2 });
    gateway.accounts.delayMs = 20;
    const tokens = Array.from({ length: 10 }, () => gateway.accounts.addSignInToken());
    const statuses = await Promise.all(tokens.map(async (token) => (await signIn({ token })).status));
    expect(statuses).toEqual(tokens.map(() => 201));
    for (const status of [401, 401, 429]) expect((await signIn({ token: generateSignInToken() })).status).toBe(status);
  });
});

describe('a session', () => {
  test('is forwarded as a Full Access identity with its id', async () => {
    const session = gateway.accounts.addSession({ username: 'ada' });
    for (const path of [
      '/api/v1/links',
      '/api/v1/me/keys',
      '/api/v1/me/keys/full_access',
      '/api/v1/me/passkeys',
      '/api/v1/me/passkeys/x',
      '/api/v1/me/filters',
      '/api/v1/me/filters/x',
      '/api/v1/sessions/current',
    ]) {
      expect((await gateway.get(path, session)).status, path).toBe(200);
      expect(await lastIdentity()).toEqual({
        kind: 'account',
        accountId: 'id-ada',
        username: 'ada',
        plan: 'developer',
        scope: 'full_access',
        sessionId: expect.stringMatching(/^[0-9a-f]{64}$/),
      });
      expect(gateway.links.received.at(-1)!.headers.authorization).toBeUndefined();
    }
    expect((await gateway.get('/api/v1/analytics', session)).status).toBe(200);
    expect((await gateway.get('/api/v1/nothing', session)).status).toBe(404);
    await gateway.get('/api/v1/links', gateway.accounts.addKey({ username: 'ada' }));
    expect(await lastIdentity()).not.toHaveProperty('sessionId');
  });

  test('is 401 on /mcp with the challenge and body of an unknown key, and counts as a failure', async () => {
    await restart({ AUTH_FAILURES_PER_MINUTE: 3 });
    const session = gateway.accounts.addSession({ username: 'ada' });
    expect((await gateway.get('/api/v1/me', session)).status).toBe(200);
    for (const status of [401, 401, 401, 429]) {
      const response = await fetch(`${gateway.url}/mcp`, {
        method: 'POST',
        headers: { authorization: `Bearer ${session}`, 'content-type': 'application/json' },
        body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      });
      expect(response.status).toBe(status);
      if (status === 429) continue;
      expect(response.headers.get('www-authenticate')).toBe('Bearer realm="waymark", error="invalid_token"');
      expect(await errorOf(response)).toBe(UNAUTHENTICATED_MESSAGE);
    }
    expect(gateway.mcp.received).toHaveLength(0);
    expect((await gateway.get('/api/v1/me', session)).status).toBe(200);
  });

  test.each([generateSessionToken(), 'sess_short', `sess_${'a'.repeat(41)}`, `SESS_${'a'.repeat(40)}`])(
    'that does not exist gets the same 401 as an unknown key (%#)',
    async (token) => {
      const response = await gateway.get('/api/v1/me', token);
      expect(response.status).toBe(401);
      expect(await errorOf(response)).toBe(UNAUTHENTICATED_MESSAGE);
    },
  );

  test.each(['free', 'starter'] as const)(
    'of an account with the plan %s may use /me and sign out, and nothing else; a key may not even do that',
    async (plan) => {
      const session = gateway.accounts.addSession({ username: 'ada', plan });
      const key = gateway.accounts.addKey({ username: 'ada', plan });
      for (const path of ['/api/v1/me', '/api/v1/sessions/current']) {
        expect((await gateway.get(path, session)).status, path).toBe(200);
        expect((await gateway.get(path, key)).status, path).toBe(403);
      }
      for (const path of [
        ...['/api/v1/links', '/api/v1/links/x', '/api/v1/analytics', '/api/v1/me/keys', '/api/v1/me/keys/full_access'],
        ...['/api/v1/me/passkeys', '/api/v1/me/passkeys/x', '/api/v1/me/filters'],
        ...['/api/v1/sessions/other', '/api/nothing', '/api/v1/links/export'],
      ]) {
        const response = await gateway.get(path, session);
        expect(response.status, path).toBe(403);
        expect(await errorOf(response)).toBe(PLAN_FORBIDDEN_MESSAGE);
      }
      const bulk = { method: 'POST', headers: { authorization: `Bearer ${session}` }, body: '{}' };
      expect((await fetch(`${gateway.url}/api/v1/links/bulk`, bulk)).status).toBe(403);
    },
  );

  test('that ended stops working on another gateway, and a new plan takes effect', async () => {
    const other = await startGateway({}, { replicaOf: gateway });
    others.push(other);
    const ended = gateway.accounts.addSession({ username: 'ada' });
    const lowered = gateway.accounts.addSession({ username: 'lowered' });
    for (const token of [ended, lowered]) expect((await other.get('/api/v1/links', token)).status).toBe(200);
    gateway.accounts.revoke(ended);
    gateway.accounts.setPlan('lowered', 'free');
    await new Promise((resolve) => setTimeout(resolve, 2_200));
    expect((await other.get('/api/v1/links', ended)).status).toBe(401);
    expect((await other.get('/api/v1/links', lowered)).status).toBe(403);
    expect((await other.get('/api/v1/me', lowered)).status).toBe(200);
  });

  test('has a rate limit of its own, and each operation of a bulk edit counts', async () => {
    await restart({ RATE_LIMIT_PER_MINUTE: 4 });
    const [session, another] = [1, 2].map(() => gateway.accounts.addSession({ username: 'ada' })) as [string, string];
    const key = gateway.accounts.addKey({ username: 'ada' });
    const bulk = await fetch(`${gateway.url}/api/v1/links/bulk`, {
      method: 'POST',
      headers: { authorization: `Bearer ${session}`, 'content-type': 'application/json' },
      body: JSON.stringify({ operations: [1, 2, 3].map((id) => ({ op: 'delete', id: String(id) })) }),
    });
    expect([bulk.status, bulk.headers.get('ratelimit')?.split(';t=')[0]]).toEqual([200, '"key";r=1']);
    expect((await gateway.get('/api/v1/me', session)).status).toBe(200);
    expect((await gateway.get('/api/v1/me', session)).status).toBe(429);
    for (const token of [another, key]) expect((await gateway.get('/api/v1/me', token)).status).toBe(200);
  });
});
