import { type AccountIdentity, createSigner } from '@waymark/auth';
import { analyticsV1, createGrpcClient, IDENTITY_HEADER, linksV1 } from '@waymark/proto';
import { expect, test } from 'vitest';
import { accounts, createAccount, createLink, request, stack } from '../support/world.ts';

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
    const options = { timeoutMs: 30_000, ...(identity === undefined ? {} : { identity }) };
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
  const options = { timeoutMs: 30_000, identity };
  await expect(accounts.createAccount({ username: 'evil2', plan: 'business' }, options)).rejects.toMatchObject({
    code: 'forbidden',
  });
  await expect(accounts.setPlan({ username, plan: 'business' }, options)).rejects.toMatchObject({ code: 'forbidden' });
  await expect(accounts.resolveKey({ keyHash: new Uint8Array(32) }, options)).rejects.toMatchObject({
    code: 'forbidden',
  });
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
