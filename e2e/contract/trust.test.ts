import { type AccountIdentity, createSigner, generateKey } from '@waymark/auth';
import { analyticsV1, createGrpcClient, IDENTITY_HEADER, linksV1 } from '@waymark/proto';
import { expect, test } from 'vitest';
import { accounts, api, asAdmin, createAccount, createLink, eventually, request, stack } from '../support/world.ts';

/** An identity that no gateway issued. */
const MALLORY: AccountIdentity = {
  kind: 'account',
  accountId: '000000000000000000000000',
  username: 'mallory',
  plan: 'business',
  scope: 'full_access',
};

test('the gateway ignores a forged identity header', async () => {
  const [victim, attacker] = [await createAccount(), await createAccount()];
  const secret = await createLink(victim.live, { visibility: 'private' });
  for (const token of await forgedTokens()) {
    const headers = { [IDENTITY_HEADER]: token };
    expect((await request(`/api/v1/links/${secret.id}`, { headers })).status).toBe(401);
    expect((await request(`/api/v1/links/${secret.id}`, { headers, key: attacker.live })).status).toBe(404);
    expect((await request('/api/v1/me', { headers, key: attacker.live })).body).toMatchObject({
      username: attacker.username,
    });
  }
});

test('a request sent directly to the port of a service gets 401, with or without forged headers', async () => {
  const { live } = await createAccount();
  const doors: [string, string, string][] = [
    [stack.linksHttp, '/api/v1/me', 'GET'],
    [stack.linksHttp, '/api/v1/links', 'GET'],
    [stack.linksHttp, '/api/v1/links', 'POST'],
    [stack.analyticsHttp, '/api/v1/analytics', 'GET'],
    [stack.mcpHttp, '/mcp', 'POST'],
  ];
  const tokens = [undefined, '', 'x', ...(await forgedTokens())];
  for (const [base, path, method] of doors) {
    for (const token of tokens) {
      const answer = await request(path, {
        base,
        method,
        key: live,
        ...(method === 'POST' ? { json: {} } : {}),
        headers: token === undefined ? {} : { [IDENTITY_HEADER]: token },
      });
      expect(answer.status, `${method} ${base}${path}`).toBe(401);
      expect(Object.keys(answer.body as object)).toEqual(['error']);
    }
  }
});

test('gRPC without a valid identity is UNAUTHENTICATED', async () => {
  const links = createGrpcClient(linksV1.LinksService, { address: stack.linksGrpc });
  const analytics = createGrpcClient(analyticsV1.AnalyticsService, { address: stack.analyticsGrpc });
  for (const identity of [undefined, 'x', ...(await forgedTokens())]) {
    const options = { timeoutMs: 2_000, ...(identity === undefined ? {} : { identity }) };
    const calls = [
      () => links.listLinks({ page: 1, per: 25, sort: 'created_at', dir: 'desc' }, options),
      () => links.deleteLink({ id: 'x' }, options),
      () => analytics.getAnalytics({ days: 1, tz: 'UTC' }, options),
      () => analytics.recordClicks({ batchToken: 'x' }, options),
      () => accounts.resolveKey({ keyHash: new Uint8Array(32) }, options),
      () => accounts.createAccount({ username: 'evil', plan: 'business' }, options),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'unauthenticated' });
  }
  links.close();
  analytics.close();
});

test('the identity of an account cannot use methods for services', async () => {
  const { username } = await createAccount();
  const identity = await createSigner({ current: stack.signingKey }).mint({ ...MALLORY, username });
  const options = { timeoutMs: 2_000, identity };
  await expect(accounts.createAccount({ username: 'evil2', plan: 'business' }, options)).rejects.toMatchObject({
    code: 'forbidden',
  });
  await expect(accounts.setPlan({ username, plan: 'business' }, options)).rejects.toMatchObject({ code: 'forbidden' });
  await expect(accounts.resolveKey({ keyHash: new Uint8Array(32) }, options)).rejects.toMatchObject({
    code: 'forbidden',
  });
});

test('a missing, malformed, unknown and revoked key get the same 401', async () => {
  const { username, live } = await createAccount();
  await accounts.revokeKey({ username, scope: 'full_access' }, await asAdmin());
  await eventually(async () => expect((await api(live).me()).status).toBe(401));

  const missing = await request('/api/v1/me');
  expect(missing.status).toBe(401);
  const headers = [
    '',
    'Bearer',
    'Bearer ',
    'Basic abc',
    `Bearer ${generateKey('full_access')}`,
    `Bearer ${live}`,
    'Bearer key_live_',
    'Bearer key_pub_ü'.normalize(),
    `Bearer ${live} x`,
  ];
  for (const authorization of headers.filter((value) => /^[\x20-\x7e]*$/.test(value))) {
    const answer = await request('/api/v1/me', { headers: { authorization } });
    expect(answer.status, authorization).toBe(401);
    expect(answer.body).toEqual(missing.body);
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/);
  }
});

test('the case of the scheme is ignored', async () => {
  const { live } = await createAccount();
  for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
    expect((await request('/api/v1/me', { headers: { authorization: `${scheme} ${live}` } })).status).toBe(200);
  }
});

test('a rotated key stops working within 5 seconds, its successor works at once, and the other key does not change', async () => {
  const account = await createAccount();
  expect((await api(account.public).me()).status).toBe(200);
  const { key } = await accounts.rotateKey({ username: account.username, scope: 'public_links_only' }, await asAdmin());
  expect((await api(key).me()).body).toMatchObject({ key_scope: 'public_links_only' });
  await eventually(async () => expect((await api(account.public).me()).status).toBe(401));
  expect((await api(account.live).me()).status).toBe(200);
});

test('REST and MCP give 403 below the Developer plan, and a plan change takes effect within 5 seconds', async () => {
  const account = await createAccount('free');
  for (const plan of ['free', 'starter'] as const) {
    await accounts.setPlan({ username: account.username, plan }, await asAdmin());
    const refused = await api(account.live).me();
    expect(refused.status).toBe(403);
    expect(Object.keys(refused.body as object)).toEqual(['error']);
    expect(
      (
        await request('/mcp', {
          method: 'POST',
          key: account.live,
          json: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
        })
      ).status,
    ).toBe(403);
  }
  await accounts.setPlan({ username: account.username, plan: 'business' }, await asAdmin());
  await eventually(async () => expect((await api(account.live).me()).body).toMatchObject({ plan: 'business' }));
});

/** Returns tokens that an attacker without the signing key could create. */
async function forgedTokens(): Promise<string[]> {
  const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const valid = await createSigner({ current: 'a key that is not the one of the stack, but long enough' }).mint(
    MALLORY,
  );
  const [header, payload] = valid.split('.');
  return [
    valid,
    `${base64url({ alg: 'none' })}.${payload}.`,
    `${header}.${payload}.`,
    `${header}.${base64url({ ...MALLORY, exp: 9e9 })}.AAAA`,
  ];
}
