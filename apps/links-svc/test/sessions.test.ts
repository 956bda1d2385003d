import { randomBytes } from 'node:crypto';
import { type AccountIdentity, generateSignInToken, hashSecret } from '@waymark/auth';
import {
  ACTIONS,
  type AccountKeys,
  type NewKey,
  type Plan,
  type Role,
  type SavedFilter,
  type SavedFilters,
  type SessionAccounts,
} from '@waymark/contract';
import { personFromMessage, timeFromMessage } from '@waymark/proto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AccountsStore } from '../src/accounts/accounts.store.ts';
import { eventsOf } from './support/log.ts';
import { API_URL, Service, type TestAccount } from './support/service.ts';

// docs/api.md, Sessions and Keys: the authoritative tests of what sessions are. apps/gateway/test/sessions.test.ts has
// what the gateway adds, e2e/contract/freshness.timed.test.ts several processes.

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

let service: Service;
/** A second replica on the same database. */
let replica: Service;
/** Added to the clock of both replicas. */
let aheadMs = 0;
const now = () => Date.now() + aheadMs;
beforeAll(async () => {
  service = await Service.start({ now });
  replica = await Service.start({ now, databaseName: service.databaseName });
});
afterAll(async () => {
  await replica?.close();
  await service?.close();
});

async function signInToken(username: string): Promise<string> {
  const { url } = await service.accounts.createSignInLink({ username }, await service.asService('admin'));
  return url.slice(url.indexOf('#token=') + '#token='.length);
}

async function exchange(token: string, at = service, verifier = '') {
  return at.accounts.createSession(
    { signInTokenHash: hashSecret(token), verifier },
    await service.asService('gateway'),
  );
}

async function resolve(token: string, at = service) {
  return at.accounts.resolveSession({ tokenHash: hashSecret(token) }, await service.asService('gateway'));
}

/** Signs in and returns the token of the session and its identity. */
async function signIn({ username, live }: TestAccount): Promise<{ token: string; identity: AccountIdentity }> {
  const { token } = await exchange(await signInToken(username));
  const { sessionId } = await resolve(token);
  return { token, identity: { ...live, sessionId } };
}

const NOT_FOUND = { code: 'not_found' };

describe('sign-in links', () => {
  test('a link works once, and its session is the account with the scope of a Full Access key', async () => {
    const { id, username } = await service.createAccount();
    const link = await service.accounts.createSignInLink({ username }, await service.asService('admin'));
    expect(link.url).toMatch(new RegExp(`^${API_URL}/app/#token=signin_[0-9A-Za-z]{40}$`));
    expect(timeFromMessage(link.expiresAt!).getTime() - now()).toBeLessThanOrEqual(15 * MINUTE_MS);
    const token = link.url.split('#token=')[1]!;
    const session = await exchange(token);
    expect(session.token).toMatch(/^sess_[0-9A-Za-z]{40}$/);
    const lifetimeMs = timeFromMessage(session.expiresAt!).getTime() - now();
    expect(lifetimeMs).toBeLessThanOrEqual(12 * 60 * MINUTE_MS);
    expect(lifetimeMs).toBeGreaterThan(11 * 60 * MINUTE_MS);
    expect(await resolve(session.token, replica)).toMatchObject({ accountId: id, username, plan: 'developer' });
    await expect(exchange(token)).rejects.toMatchObject(NOT_FOUND);
  });

  test('of 20 concurrent exchanges of one link at two replicas, exactly one gets a session', async () => {
    const { username } = await service.createAccount();
    for (let round = 0; round < 3; round++) {
      const token = await signInToken(username);
      const results = await Promise.allSettled(
        Array.from({ length: 20 }, (_, n) => exchange(token, n % 2 === 0 ? service : replica)),
      );
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject(NOT_FOUND);
    }
  });

  test('a link works for 15 minutes, also if the database has not deleted it yet', async () => {
    const account = await service.createAccount();
    const [early, late] = [await signInToken(account.username), await signInToken(account.username)];
    aheadMs = 14.9 * MINUTE_MS;
    await exchange(early);
    aheadMs = 15.1 * MINUTE_MS;
    await expect(exchange(late)).rejects.toMatchObject(NOT_FOUND);
    aheadMs = 0;
  });

  test('an unknown token, and a hash of another length, get not_found', async () => {
    await expect(exchange(generateSignInToken())).rejects.toMatchObject(NOT_FOUND);
    for (const length of [0, 31, 33]) {
      const hash = new Uint8Array(length);
      const gateway = await service.asService('gateway');
      await expect(service.accounts.createSession({ signInTokenHash: hash }, gateway)).rejects.toMatchObject(NOT_FOUND);
      await expect(service.accounts.resolveSession({ tokenHash: hash }, gateway)).rejects.toMatchObject(NOT_FOUND);
    }
    const admin = await service.asService('admin');
    await expect(service.accounts.createSignInLink({ username: 'nobody' }, admin)).rejects.toMatchObject(NOT_FOUND);
    await expect(service.accounts.signOut({ username: 'nobody' }, admin)).rejects.toMatchObject(NOT_FOUND);
  });

  test('only the gateway may exchange and resolve tokens, and only the command line may make links and sign out', async () => {
    const account = await service.createAccount();
    const { username } = account;
    const tokenHash = hashSecret((await signIn(account)).token);
    const signInTokenHash = hashSecret(await signInToken(username));
    const [admin, gateway, ofAccount] = await Promise.all([
      service.asService('admin'),
      service.asService('gateway'),
      service.as(account.live),
    ]);
    const calls = [
      ...[admin, ofAccount].flatMap((options) => [
        service.accounts.resolveSession({ tokenHash }, options),
        service.accounts.createSession({ signInTokenHash }, options),
      ]),
      ...[gateway, ofAccount].flatMap((options) => [
        service.accounts.createSignInLink({ username }, options),
        service.accounts.signOut({ username }, options),
      ]),
    ];
    for (const call of await Promise.allSettled(calls))
      expect(call).toMatchObject({ status: 'rejected', reason: { code: 'forbidden' } });
  });

  test('only hashes of tokens are stored', async () => {
    const account = await service.createAccount();
    const unused = await signInToken(account.username);
    const { token } = await signIn(account);
    const { accountId } = account.live;
    const stored = JSON.stringify([
      await service.database.collections.sessions.find({ account_id: accountId }).toArray(),
      await service.database.collections.signInLinks.find({ account_id: accountId }).toArray(),
    ]);
    expect(stored).toContain(hashSecret(token).toString('hex'));
    expect(stored).toContain(hashSecret(unused).toString('hex'));
    for (const secret of [token, unused]) expect(stored).not.toContain(secret.split('_')[1]);
  });
});

describe('people of an OpenID provider', () => {
  const VERIFIER = 'a verifier that a browser has chosen at random';
  const PERSON = { issuer: 'https://login.example', subject: 'ada-1', name: 'Ada Lovelace' };
  const unique = () => `p-${randomBytes(5).toString('hex')}`;

  /** Returns the token of a person who may do this (`acme:editor`). */
  async function personToken(grants: string[], plan = 'business', at = service): Promise<string> {
    const request = {
      ...PERSON,
      grants: grants.map((grant) => ({ username: grant.split(':')[0]!, role: grant.split(':')[1]! })),
      plan,
      challenge: hashSecret(VERIFIER).toString('base64url'),
    };
    return (await at.accounts.createPersonSignIn(request, await service.asService('gateway'))).token;
  }

  /** Returns the token of a session, and its identity as the gateway signs it. */
  async function identityOf(token: string): Promise<{ token: string; identity: AccountIdentity }> {
    const { accountId, username, plan, sessionId, person } = await resolve(token);
    const base = { kind: 'account', accountId, username, plan: plan as Plan, scope: 'full_access', sessionId } as const;
    return { token, identity: person === undefined ? base : { ...base, person: personFromMessage(person) } };
  }
  const signInPerson = async (...grants: string[]) =>
    identityOf((await exchange(await personToken(grants), service, VERIFIER)).token);
  const switchTo = (identity: AccountIdentity, username: unknown, at = service) =>
    at.request<{ token: string; error: string }>(identity, 'POST', '/api/v1/sessions/switch', { body: { username } });
  const accountsOf = async (identity: AccountIdentity) =>
    (await service.request<SessionAccounts>(identity, 'GET', '/api/v1/me/accounts')).body.accounts;

  test('a token works once, for a minute, with the verifier of its challenge', async () => {
    const account = unique();
    const token = await personToken([`${account}:editor`]);
    expect(token).toMatch(/^signin_[0-9A-Za-z]{40}$/);
    const session = await exchange(token, replica, VERIFIER);
    expect(await resolve(session.token)).toMatchObject({
      username: account,
      plan: 'business',
      person: { name: 'Ada Lovelace', role: 'editor' },
    });
    const { identity } = await identityOf(session.token);
    const { body } = await service.request(identity, 'GET', '/api/v1/me');
    expect(body).toMatchObject({ username: account, person: { name: 'Ada Lovelace', role: 'editor' } });
    const [started] = await eventsOf(service.database, identity.accountId);
    expect(started).toMatchObject({ type: 'session.started', actor: { kind: 'session', name: 'Ada Lovelace' } });
    const late = await personToken([`${account}:editor`]);
    aheadMs = MINUTE_MS + 1_000;
    await expect(exchange(late, service, VERIFIER)).rejects.toMatchObject(NOT_FOUND);
    aheadMs = 0;
    await expect(exchange(token, service, VERIFIER)).rejects.toMatchObject(NOT_FOUND);
  });

  test('a token that another browser began is worth nothing, and the token of a link needs no verifier', async () => {
    const account = unique();
    for (const wrong of ['', 'x', hashSecret(VERIFIER).toString('base64url')]) {
      const token = await personToken([`${account}:editor`]);
      await expect(exchange(token, service, wrong)).rejects.toMatchObject(NOT_FOUND);
      await expect(exchange(token, service, VERIFIER)).rejects.toMatchObject(NOT_FOUND);
    }
    const { token } = await exchange(await signInToken(account), service, VERIFIER);
    expect((await resolve(token)).person).toBeUndefined();
  });

  test('of 50 concurrent exchanges of one token at two replicas, exactly one gets a session', async () => {
    const token = await personToken([`${unique()}:viewer`]);
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, (_, n) => exchange(token, n % 2 === 0 ? service : replica, VERIFIER)),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  test('concurrent first sign-ins create each missing account once, and leave the others as they are', async () => {
    const [old, fresh] = [await service.createAccount(), unique()];
    const tokens = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        personToken([`${old.username.toUpperCase()}:viewer`, `${fresh}:owner`], 'starter', n % 2 ? service : replica),
      ),
    );
    const sessions = await Promise.all(
      tokens.map(async (token) => identityOf((await exchange(token, service, VERIFIER)).token)),
    );
    for (const { identity } of sessions) expect(identity).toMatchObject({ accountId: old.id, plan: 'developer' });
    expect(await accountsOf(sessions[0]!.identity)).toEqual([
      { username: old.username, role: 'viewer', current: true },
      { username: fresh, role: 'owner', current: false },
    ]);
    const admin = await service.asService('admin');
    expect((await service.accounts.getAccount({ username: fresh }, admin)).account).toMatchObject({ plan: 'starter' });
  });

  test('a session switches between its accounts, with the role in each, and to no other', async () => {
    const [one, other, strange] = [unique(), unique(), await service.createAccount()];
    const { identity, token } = await signInPerson(`${one}:editor`, `${other}:owner`);
    const answer = await switchTo(identity, other, replica);
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([201, 'no-store']);
    expect(Object.keys(answer.body)).toEqual(['token', 'expires_at']);
    const switched = await identityOf(answer.body.token);
    expect(switched.identity).toMatchObject({ username: other, person: { role: 'owner' } });
    expect(await accountsOf(switched.identity)).toEqual([
      { username: one, role: 'editor', current: false },
      { username: other, role: 'owner', current: true },
    ]);
    const back = await switchTo(switched.identity, one.toUpperCase());
    expect((await identityOf(back.body.token)).identity).toMatchObject({ username: one, person: { role: 'editor' } });
    expect(await resolve(token)).toMatchObject({ username: one });
    for (const name of [strange.username, 'nobody', 'a b', '.'])
      expect((await switchTo(identity, name)).status, name).toBe(404);
    for (const name of [undefined, '', 7, 'x'.repeat(65)]) expect((await switchTo(identity, name)).status).toBe(422);
  });

  test('switching outlives neither the 7 days of the sign-in, nor a sign-out or the deletion of an account', async () => {
    const [one, other] = [unique(), unique()];
    let { identity, token } = await signInPerson(`${one}:editor`, `${other}:owner`);
    for (let hours = 10; hours < 7 * 24; hours += 10) {
      aheadMs = hours * HOUR_MS;
      const { body } = await switchTo(identity, hours % 20 === 0 ? one : other);
      ({ identity, token } = await identityOf(body.token));
    }
    aheadMs = 7 * 24 * HOUR_MS + 1_000;
    await expect(resolve(token)).rejects.toMatchObject(NOT_FOUND);
    expect((await switchTo(identity, one)).status).toBe(401);
    aheadMs = 0;

    ({ identity } = await signInPerson(`${one}:editor`, `${other}:owner`));
    const admin = await service.asService('admin');
    await service.accounts.signOut({ username: other }, admin);
    expect((await switchTo(identity, other)).status).toBe(404);
    expect((await accountsOf(identity)).map(({ username }) => username)).toEqual([one]);
    ({ identity } = await signInPerson(`${one}:editor`, `${other}:owner`));
    await service.accounts.deleteAccount({ username: other }, admin);
    await service.createAccount(other);
    expect((await switchTo(identity, other)).status).toBe(404);
    expect((await accountsOf(identity)).map(({ username }) => username)).toEqual([one]);
  });

  test('an account whose deletion has begun is not granted', async () => {
    const [gone, here] = [await service.createAccount(), await service.createAccount()];
    // With an end, no replica goes on with its deletion.
    const deleting = { deleting_at: new Date(), expires_at: new Date(Date.now() + HOUR_MS) };
    await service.database.collections.accounts.updateOne({ _id: gone.id }, { $set: deleting });
    const { identity } = await signInPerson(`${gone.username}:owner`, `${here.username}:viewer`);
    expect(await accountsOf(identity)).toEqual([{ username: here.username, role: 'viewer', current: true }]);
    await expect(personToken([`${gone.username}:owner`])).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('the session of a sign-in link has its one account, as owner', async () => {
    const account = await service.createAccount();
    const { identity } = await signIn(account);
    expect(await accountsOf(identity)).toEqual([{ username: account.username, role: 'owner', current: true }]);
    const { status, body } = await switchTo(identity, account.username);
    expect([status, (await resolve(body.token)).accountId]).toEqual([201, account.id]);
    expect((await switchTo(identity, (await service.createAccount()).username)).status).toBe(404);
  });

  test.each(['viewer', 'editor'])(
    'a link for a %s gives a session in that role, which manages nothing',
    async (role) => {
      const { username } = await service.createAccount();
      const admin = await service.asService('admin');
      const { url } = await service.accounts.createSignInLink({ username, role }, admin);
      const { identity } = await identityOf((await exchange(url.split('#token=')[1]!)).token);
      expect(identity.person).toEqual({ role, name: 'Holder of a sign-in link' });
      expect(await accountsOf(identity)).toEqual([{ username, role, current: true }]);
      expect((await service.request(identity, 'GET', '/api/v1/me/keys')).status).toBe(403);
      expect((await service.request(identity, 'POST', '/api/v1/me/passkeys/options')).status).toBe(403);
      await expect(service.accounts.createSignInLink({ username, role: 'boss' }, admin)).rejects.toMatchObject({
        code: 'invalid',
      });
    },
  );

  test('a person adds no passkey, whatever their role', async () => {
    for (const role of ['viewer', 'editor', 'owner']) {
      const { identity } = await signInPerson(`${unique()}:${role}`);
      for (const path of ['/api/v1/me/passkeys/options', '/api/v1/me/passkeys'])
        expect((await service.request(identity, 'POST', path)).status, `${role} ${path}`).toBe(403);
    }
  });

  test('only the gateway signs people in', async () => {
    const account = await service.createAccount();
    for (const options of [await service.asService('admin'), await service.as(account.live)])
      await expect(service.accounts.createPersonSignIn(PERSON, options)).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('the end of sessions', () => {
  /** Uses a session at this time after now, and waits until it is on record that the session lasts so long from then. */
  async function use(token: string, afterMs: number, leftMs = 12 * HOUR_MS): Promise<void> {
    aheadMs = afterMs;
    await resolve(token);
    const end = async () =>
      (await service.database.collections.sessions.findOne({ _id: hashSecret(token).toString('hex') }))!;
    await expect.poll(async () => (await end()).expires_at.getTime() - now()).toBeGreaterThan(leftMs - 15_000);
  }

  test('a session lasts 12 hours from its last use at any replica', async () => {
    const { token } = await exchange(await signInToken((await service.createAccount()).username));
    aheadMs = 11 * HOUR_MS;
    await resolve(token, replica);
    await use(token, 11 * HOUR_MS);
    aheadMs = (11 + 11.99) * HOUR_MS;
    expect(await resolve(token, replica)).toMatchObject({ plan: 'developer' });
    await use(token, (11 + 11.99) * HOUR_MS);
    aheadMs = (11 + 11.99 + 12.01) * HOUR_MS;
    for (const at of [service, replica]) await expect(resolve(token, at)).rejects.toMatchObject(NOT_FOUND);
    aheadMs = 0;
  });

  test('a session in use lasts 7 days in all', async () => {
    const { token } = await exchange(await signInToken((await service.createAccount()).username));
    for (let hours = 10; hours <= 150; hours += 10) await use(token, hours * HOUR_MS);
    await use(token, 160 * HOUR_MS, 8 * HOUR_MS);
    aheadMs = (7 * 24 - 0.1) * HOUR_MS;
    expect(await resolve(token)).toMatchObject({ plan: 'developer' });
    aheadMs = (7 * 24 + 0.1) * HOUR_MS;
    await expect(resolve(token)).rejects.toMatchObject(NOT_FOUND);
    aheadMs = 0;
  });

  test('a use does not bring back a session that was ended meanwhile', async () => {
    const account = await service.createAccount();
    const { token, identity } = await signIn(account);
    aheadMs = HOUR_MS;
    await Promise.all([
      ...Array.from({ length: 10 }, () => resolve(token).catch(() => {})),
      service.request(identity, 'DELETE', '/api/v1/sessions/current'),
    ]);
    aheadMs = 0;
    await expect(resolve(token)).rejects.toMatchObject(NOT_FOUND);
  });

  test('DELETE /api/v1/sessions/current ends the session of the request and no other', async () => {
    const account = await service.createAccount();
    const [one, other] = [await signIn(account), await signIn(account)];
    expect((await replica.request(one.identity, 'DELETE', '/api/v1/sessions/current')).status).toBe(204);
    await expect(resolve(one.token)).rejects.toMatchObject(NOT_FOUND);
    expect(await resolve(other.token)).toMatchObject({ accountId: account.id });
    // The identity of a request that began before the end is still signed.
    expect((await replica.request(one.identity, 'DELETE', '/api/v1/sessions/current')).status).toBe(204);
  });

  test('a sign-out ends all sessions and unused links of the account, and later links work', async () => {
    const [account, stranger] = [await service.createAccount(), await service.createAccount()];
    const sessions = [await signIn(account), await signIn(account)];
    const unused = await signInToken(account.username);
    const untouched = await signIn(stranger);
    await service.accounts.signOut({ username: account.username }, await service.asService('admin'));
    for (const { token } of sessions) await expect(resolve(token, replica)).rejects.toMatchObject(NOT_FOUND);
    await expect(exchange(unused)).rejects.toMatchObject(NOT_FOUND);
    expect(await resolve(untouched.token)).toMatchObject({ accountId: stranger.id });
    expect(await service.resolveKey(account.liveKey)).toMatchObject({ accountId: account.id });
    const { token } = await signIn(account);
    expect(await resolve(token)).toMatchObject({ accountId: account.id });
  });

  test('an exchange concurrent with a sign-out leaves no working session', async () => {
    const account = await service.createAccount();
    for (let round = 0; round < 5; round++) {
      const token = await signInToken(account.username);
      const admin = await service.asService('admin');
      const [exchanged] = await Promise.allSettled([
        exchange(token),
        replica.accounts.signOut({ username: account.username }, admin),
      ]);
      if (exchanged.status === 'fulfilled')
        await expect(resolve(exchanged.value.token)).rejects.toMatchObject(NOT_FOUND);
    }
  });

  test('deleting the account ends its sessions and links, and an account of the same name does not get them', async () => {
    const account = await service.createAccount();
    const { token } = await signIn(account);
    const unused = await signInToken(account.username);
    await service.accounts.deleteAccount({ username: account.username }, await service.asService('admin'));
    await service.createAccount(account.username);
    await expect(resolve(token)).rejects.toMatchObject(NOT_FOUND);
    await expect(exchange(unused)).rejects.toMatchObject(NOT_FOUND);
  });

  test('rotating and revoking keys does not end a session, and it has the new plan after a plan change', async () => {
    const account = await service.createAccount();
    const { token } = await signIn(account);
    const { username } = account;
    const admin = await service.asService('admin');
    await service.accounts.rotateKey({ username, scope: 'full_access' }, admin);
    await service.accounts.revokeKey({ username, scope: 'public_links_only' }, admin);
    await service.accounts.setPlan({ username, plan: 'free' }, admin);
    expect(await resolve(token)).toMatchObject({ username, plan: 'free' });
  });
});

describe('keys', () => {
  const listKeys = async (identity: AccountIdentity) =>
    (await service.request<AccountKeys>(identity, 'GET', '/api/v1/me/keys')).body.keys;

  test('GET /api/v1/me/keys shows both keys with their hints and times, and not the keys', async () => {
    const account = await service.createAccount();
    const { identity } = await signIn(account);
    const answer = await service.request<AccountKeys>(identity, 'GET', '/api/v1/me/keys');
    expect(answer.status).toBe(200);
    const created_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(answer.body).toEqual({
      keys: [
        { scope: 'full_access', hint: `…${account.liveKey.slice(-4)}`, created_at, last_used_at: null },
        { scope: 'public_links_only', hint: `…${account.publicKey.slice(-4)}`, created_at, last_used_at: null },
      ],
    });
    expect((await service.request(identity, 'HEAD', '/api/v1/me/keys')).status).toBe(200);
    expect((await service.request(identity, 'GET', '/api/v1/me/keys?page=1')).status).toBe(422);
  });

  test('POST /api/v1/me/keys/{scope}/rotate replaces one key, also a revoked one, and DELETE revokes it', async () => {
    const account = await service.createAccount();
    const { identity, token } = await signIn(account);
    const rotate = () => service.request<NewKey>(identity, 'POST', '/api/v1/me/keys/full_access/rotate');
    const rotated = await rotate();
    expect([rotated.status, rotated.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(rotated.body).toEqual({ key: expect.stringMatching(/^key_live_[0-9A-Za-z]{40}$/) });
    await expect(service.resolveKey(account.liveKey)).rejects.toMatchObject(NOT_FOUND);
    expect(await service.resolveKey(rotated.body.key)).toMatchObject({ accountId: account.id, scope: 'full_access' });
    expect((await listKeys(identity))[0]!.hint).toBe(`…${rotated.body.key.slice(-4)}`);

    for (let i = 0; i < 2; i++)
      expect((await service.request(identity, 'DELETE', '/api/v1/me/keys/full_access')).status).toBe(204);
    await expect(service.resolveKey(rotated.body.key)).rejects.toMatchObject(NOT_FOUND);
    expect((await listKeys(identity)).map(({ scope }) => scope)).toEqual(['public_links_only']);
    expect(await service.resolveKey(account.publicKey)).toMatchObject({ accountId: account.id });

    const again = (await rotate()).body.key;
    expect(await service.resolveKey(again)).toMatchObject({ accountId: account.id });
    expect(await resolve(token)).toMatchObject({ accountId: account.id });
  });

  test('an unknown scope is 404, a body with a field 422, and a deleted account 404', async () => {
    const account = await service.createAccount();
    const { identity } = await signIn(account);
    for (const scope of ['live', 'FULL_ACCESS', '__proto__', 'full_access%00']) {
      expect((await service.request(identity, 'POST', `/api/v1/me/keys/${scope}/rotate`)).status, scope).toBe(404);
      expect((await service.request(identity, 'DELETE', `/api/v1/me/keys/${scope}`)).status, scope).toBe(404);
    }
    const path = '/api/v1/me/keys/full_access/rotate';
    expect((await service.request(identity, 'POST', path, { body: { scope: 'x' } })).status).toBe(422);
    for (const body of [{}, null, undefined])
      expect((await service.request(identity, 'POST', path, { body })).status).toBe(200);
    await service.accounts.deleteAccount({ username: account.username }, await service.asService('admin'));
    expect((await service.request(identity, 'GET', '/api/v1/me/keys')).status).toBe(404);
    expect((await service.request(identity, 'POST', path)).status).toBe(404);
  });

  test.each([
    ['GET', '/api/v1/me/keys'],
    ['POST', '/api/v1/me/keys/full_access/rotate'],
    ['POST', '/api/v1/me/keys/nonsense/rotate'],
    ['DELETE', '/api/v1/me/keys/public_links_only'],
    ['DELETE', '/api/v1/me/keys/nonsense'],
    ['DELETE', '/api/v1/sessions/current'],
    ['GET', '/api/v1/me/accounts'],
    ['GET', '/api/v1/me/filters'],
    ['POST', '/api/v1/me/filters'],
    ['DELETE', '/api/v1/me/filters/any'],
    ['POST', '/api/v1/sessions/switch'],
  ])('%s %s needs a session: a key gets 403, and a service 401', async (method, path) => {
    const account = await service.createAccount();
    for (const identity of [account.live, account.public]) {
      const answer = await service.request(identity, method, path);
      expect(answer.status).toBe(403);
      expect(answer.body.error).toContain('session');
    }
    expect((await service.request({ kind: 'service', service: 'gateway' }, method, path)).status).toBe(401);
    expect((await service.request(null, method, path)).status).toBe(401);
    expect(await service.resolveKey(account.liveKey)).toMatchObject({ accountId: account.id });
  });

  test('last_used_at is recorded by a lookup at most once a minute, for the key that was used', async () => {
    const account = await service.createAccount();
    const { identity } = await signIn(account);
    const used = async () => (await listKeys(identity)).map(({ last_used_at }) => last_used_at);
    const before = now();
    await service.resolveKey(account.publicKey);
    await expect.poll(used).toEqual([null, expect.any(String)]);
    const [, first] = await used();
    expect(Date.parse(first!)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(first!)).toBeLessThanOrEqual(now());

    aheadMs = 50_000 - (now() - Date.parse(first!));
    await service.resolveKey(account.publicKey);
    aheadMs += 15_000;
    await replica.resolveKey(account.publicKey);
    await expect.poll(async () => (await used())[1]).not.toBe(first);
    // The first of the two lookups wrote nothing: it was less than a minute after the use that is on record.
    expect(Date.parse((await used())[1]!)).toBeGreaterThanOrEqual(Date.parse(first!) + 60_000);

    await service.request(identity, 'POST', '/api/v1/me/keys/public_links_only/rotate');
    expect(await used()).toEqual([null, null]);
    aheadMs = 0;
  });

  test('a use that is recorded late does not take the end of a key that was replaced meanwhile', async () => {
    const account = await service.createAccount();
    const { identity } = await signIn(account);
    const read = async () => (await service.database.collections.accounts.findOne({ _id: account.id }))!.keys;
    const [used] = await read();
    const path = '/api/v1/me/keys/full_access/rotate';
    expect((await service.request(identity, 'POST', path, { body: { grace_seconds: 60 } })).status).toBe(200);
    await new AccountsStore(service.database).setLastUsed(used!, new Date(now()));
    const old = (await read()).find(({ hash }) => hash === used!.hash);
    expect(old).toMatchObject({ last_used_at: expect.any(Date), expires_at: expect.any(Date) });
  });

  test('a session has no effect on the last uses of keys', async () => {
    const account = await service.createAccount();
    const { identity, token } = await signIn(account);
    await resolve(token);
    expect((await listKeys(identity)).map(({ last_used_at }) => last_used_at)).toEqual([null, null]);
  });
});

// docs/api.md, Saved filters.
describe('saved filters', () => {
  const PATH = '/api/v1/me/filters';
  const save = (identity: AccountIdentity, name: string, query: object, at = service) =>
    at.request<SavedFilter & { error?: string }>(identity, 'POST', PATH, { body: { name, query } });
  const remove = (identity: AccountIdentity, id: string) => service.request(identity, 'DELETE', `${PATH}/${id}`);
  const namesOf = async (identity: AccountIdentity) => {
    const { body } = await replica.request<SavedFilters>(identity, 'GET', PATH);
    return body.filters.map(({ name }) => name);
  };

  test('a filter is saved under a name, listed by name to every session of the account, and deleted', async () => {
    const account = await service.createAccount();
    const { identity } = await signIn(account);
    const query = { q: 'sale ü', hashtag: 'summer', health: 'broken', archived: 'any', sort: 'clicks', dir: 'asc' };
    const saved = await save(identity, 'Broken', query);
    expect(saved).toMatchObject({ status: 201, body: { name: 'Broken', query, created_at: expect.any(String) } });
    expect((await save(identity, 'almost', {})).status).toBe(201);
    const colleague = (await signIn(account)).identity;
    expect(await namesOf(colleague)).toEqual(['almost', 'Broken']);
    expect(await namesOf((await signIn(await service.createAccount())).identity)).toEqual([]);
    expect((await remove((await signIn(await service.createAccount())).identity, saved.body.id)).status).toBe(404);
    expect((await remove(colleague, saved.body.id)).status).toBe(204);
    expect(await remove(identity, saved.body.id)).toMatchObject({
      status: 404,
      body: { error: 'There is no such saved filter.' },
    });
    expect(await namesOf(identity)).toEqual(['almost']);
  });

  test.each([
    [{ query: {} }, '"name" is required.'],
    [{ name: 'All' }, '"query" is required.'],
    [{ name: '', query: {} }, '"name" must be 1 to 50 characters long; you sent 0.'],
    [{ name: '🏷'.repeat(51), query: {} }, '"name" must be 1 to 50 characters long; you sent 51.'],
    [{ name: 'All', query: { visibility: 'none' } }, '"query.visibility" must be one of'],
    [{ name: 'All', query: { created_after: 'May' } }, '"query.created_after" must be a date such as'],
    [{ name: 'All', query: { page: 2 } }, '"query.page" is not a known field'],
    [{ name: 'All', query: { per: 50 } }, '"query.per" is not a known field'],
    [{ name: 'All', query: { duplicates: 'true' } }, '"query.duplicates" is not a known field'],
    [{ name: 'All', query: { fields: 'id' } }, '"query.fields" is not a known field'],
    [{ name: 'All', query: { $where: '1' } }, '"query.$where" is not a known field'],
  ])('%j is refused, and nothing is saved', async (body, error) => {
    const { identity } = await signIn(await service.createAccount());
    const refused = await service.request(identity, 'POST', PATH, { body });
    expect(refused).toMatchObject({ status: 422, body: { error: expect.stringContaining(error) } });
    expect(await namesOf(identity)).toEqual([]);
  });

  test('filters saved at once at two replicas are all kept, and no more than 50', async () => {
    const { identity } = await signIn(await service.createAccount());
    const name = (n: number) => `${'🏷'.repeat(47)}${100 + n}`;
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) => save(identity, name(n), { hashtag: 'x' }, n % 2 === 0 ? service : replica)),
    );
    const saved = answers.filter(({ status }) => status === 201);
    expect(saved).toHaveLength(50);
    expect(await namesOf(identity)).toEqual(saved.map(({ body }) => body.name).sort());
    for (const { status, body } of answers)
      if (status !== 201) expect(body.error).toBe('An account can have at most 50 saved filters; delete one first.');
    expect((await remove(identity, saved[0]!.body.id)).status).toBe(204);
    expect((await save(identity, 'again', {})).status).toBe(201);
  });

  test('a viewer reads them, an editor and an owner also save and delete', async () => {
    const account = await service.createAccount();
    const { identity } = await signIn(account);
    const { id } = (await save(identity, 'All', {})).body;
    const as = (role: Role): AccountIdentity => ({ ...identity, person: { name: 'Ada', role } });
    expect(await namesOf(as('viewer'))).toEqual(['All']);
    expect((await save(as('viewer'), 'Mine', {})).status).toBe(403);
    expect((await remove(as('viewer'), id)).status).toBe(403);
    expect((await remove(as('editor'), id)).status).toBe(204);
    const { body } = await save(as('editor'), 'Mine', {});
    expect((await remove(as('owner'), body.id)).status).toBe(204);
    const key = { id: 'k', name: 'agent', actions: ACTIONS, hashtag: null, expiresAt: null };
    expect((await service.request({ ...account.live, key }, 'GET', PATH)).status).toBe(403);
  });
});
