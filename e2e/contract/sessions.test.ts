import type { Account, AccountKeys, Link, NewKey, Session } from '@waymark/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSignInToken, type OwnStack, signOut, startOwnStack } from '../support/own-stack.ts';
import { eventually, request } from '../support/world.ts';

// docs/api.md, Sessions and Keys: what only several processes show: two gateways, two replicas of links-svc and the
// command line. apps/links-svc/test/sessions.test.ts and apps/gateway/test/sessions.test.ts have the rules.

const MCP_PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

let own: OwnStack;
/** The origins of the two gateways. */
let gateways: [string, string];
beforeAll(async () => {
  own = await startOwnStack({ replicas: { gateway: 2, 'links-svc': 2 } });
  const { processes, urls } = own.stack;
  gateways = [urls.gateway, `http://127.0.0.1:${processes['gateway-2']!.ports.http}`];
});
afterAll(() => own?.close());

async function signIn(): Promise<string> {
  const json = { token: await createSignInToken(own.stack) };
  const { status, body } = await request<Session>('/api/v1/sessions', { method: 'POST', json, base: gateways[0] });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.token;
}

/** Sends requests below `/api/` with a key or session. */
function client(key: string, base = gateways[0]) {
  const send = <Body>(method: string, path: string, json?: unknown) => request<Body>(path, { method, key, base, json });
  return {
    send,
    me: () => send<Account>('GET', '/api/v1/me'),
    keys: async () => (await send<AccountKeys>('GET', '/api/v1/me/keys')).body.keys,
  };
}

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
      await eventually(async () => expect((await me()).status).toBe(401));
      expect((await client(other, base).me()).status).toBe(200);
    }
  });

  test('ends with a sign-out of the account everywhere within 5 seconds, and keys keep working', async () => {
    const session = await signIn();
    for (const base of gateways) expect((await client(session, base).me()).status).toBe(200);
    await signOut(own.stack);
    for (const base of gateways) {
      const { me } = client(session, base);
      await eventually(async () => expect((await me()).status).toBe(401));
      expect((await client(own.key, base).me()).status).toBe(200);
    }
  });
});

test('keys are shown with hint and last use, and a rotated or revoked key dies within 5 seconds while the session lives', async () => {
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
  await eventually(async () => expect((await keys())[1]!.last_used_at).not.toBeNull());
  const usedAt = Date.parse((await keys())[1]!.last_used_at!);
  expect(usedAt).toBeGreaterThanOrEqual(before);
  expect(usedAt).toBeLessThanOrEqual(after);

  const second = await rotate('public_links_only');
  expect((await client(second, gateways[1]).me()).status).toBe(200);
  await eventually(async () => expect((await user.me()).status).toBe(401));
  expect((await send('DELETE', '/api/v1/me/keys/public_links_only')).status).toBe(204);
  const revoked = client(second, gateways[1]);
  await eventually(async () => expect((await revoked.me()).status).toBe(401));
  expect((await keys()).map(({ scope }) => scope)).toEqual(['full_access']);
  expect((await me()).status).toBe(200);
  expect((await client(own.key).me()).status).toBe(200);
});
