import { type AccountIdentity, hashSecret } from '@waymark/auth';
import type { Passkey, Passkeys } from '@waymark/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Authenticator, type Changes, type WebAuthnJson } from './support/authenticator.ts';
import { eventsOf } from './support/log.ts';
import { Service, type TestAccount } from './support/service.ts';

// docs/api.md, Passkeys: what passkeys are, with a software authenticator. apps/gateway/test/sessions.test.ts has what the
// gateway adds, e2e/dashboard/session.test.ts a browser.

const MINUTE_MS = 60_000;
const PATH = '/api/v1/me/passkeys';

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

interface CreationOptions {
  challenge: string;
  rp: { id: string };
  user: { id: string; name: string };
  excludeCredentials: { id: string }[];
  authenticatorSelection: object;
  attestation: string;
}

/** Signs in by a link, and returns the identity of the session. */
async function owner(): Promise<TestAccount & { session: AccountIdentity }> {
  const account = await service.createAccount();
  const { url } = await service.accounts.createSignInLink(account, await service.asService('admin'));
  const signInTokenHash = hashSecret(url.split('#token=')[1]!);
  const { token } = await service.accounts.createSession({ signInTokenHash }, await service.asService('gateway'));
  return { ...account, session: { ...account.live, sessionId: (await resolve(token)).sessionId } };
}

async function resolve(token: string) {
  return service.accounts.resolveSession({ tokenHash: hashSecret(token) }, await service.asService('gateway'));
}

async function creationOptions(session: AccountIdentity, at = service): Promise<CreationOptions> {
  const { status, body } = await at.request<CreationOptions>(session, 'POST', `${PATH}/options`);
  expect(status).toBe(200);
  return body;
}

function add(session: AccountIdentity, response: object, { name = 'Laptop', at = service } = {}) {
  return at.request<Passkey & { error?: string }>(session, 'POST', PATH, { body: { name, response } });
}

/** Adds a passkey and returns its authenticator. */
async function withPasskey(session: AccountIdentity, authenticator = new Authenticator()): Promise<Authenticator> {
  const response = authenticator.create(await creationOptions(session));
  expect(await add(session, response)).toMatchObject({ status: 201 });
  return authenticator;
}

async function list(session: AccountIdentity): Promise<Passkey[]> {
  return (await service.request<Passkeys>(session, 'GET', PATH)).body.passkeys;
}

async function requestOptions(at = service): Promise<{ challenge: string } & Record<string, unknown>> {
  return JSON.parse((await at.accounts.createSignInOptions({}, await service.asService('gateway'))).optionsJson);
}

async function signIn(response: object, at = service) {
  return at.accounts.createPasskeySession(
    { responseJson: JSON.stringify(response) },
    await service.asService('gateway'),
  );
}

const REFUSED = { code: 'not_found' };

/** Returns a copy with a bit of a field of its response changed. */
function damaged(sent: WebAuthnJson, field: string): WebAuthnJson {
  const bytes = Buffer.from(sent.response[field]!, 'base64url');
  bytes[bytes.length - 1]! ^= 1;
  return { ...sent, response: { ...sent.response, [field]: bytes.toString('base64url') } };
}

/** What is wrong with a response, whatever it is for. */
const WRONG: Record<string, Changes> = {
  'of another origin': { origin: 'https://api.example.evil.example' },
  'of the origin with another scheme': { origin: 'http://api.example' },
  'of another RP id': { rpId: 'evil.example' },
  'of the RP id above': { rpId: 'example' },
  'without a user': { isPresent: false },
  'without user verification': { isVerified: false },
  'with another challenge': { challenge: Buffer.alloc(54).toString('base64url') },
  'with a short challenge': { challenge: 'AA' },
};

test('a passkey is added, listed, used to sign in at another replica, and deleted', async () => {
  const { id, username, session } = await owner();
  const options = await creationOptions(session);
  expect(options).toMatchObject({
    rp: { id: 'api.example', name: 'Waymark' },
    user: { id: Buffer.from(id).toString('base64url'), name: username },
    excludeCredentials: [],
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    attestation: 'none',
  });
  const authenticator = new Authenticator();
  const added = await add(session, authenticator.create(options), { name: ' Ada’s laptop ', at: replica });
  const created_at = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(added.status).toBe(201);
  expect(added.body).toEqual({ id: expect.any(String), name: ' Ada’s laptop ', created_at, last_used_at: null });
  expect(await list(session)).toEqual([added.body]);
  const excluded = (await creationOptions(session)).excludeCredentials;
  expect(excluded).toMatchObject([{ id: authenticator.credentialId.toString('base64url') }]);

  const request = await requestOptions();
  expect(request).toMatchObject({ rpId: 'api.example', userVerification: 'required' });
  expect(request.allowCredentials ?? []).toEqual([]);
  const { token } = await signIn(authenticator.get(request), replica);
  expect(await resolve(token)).toMatchObject({ accountId: id, username, plan: 'developer' });
  expect(await list(session)).toEqual([{ ...added.body, last_used_at: created_at }]);

  expect((await service.request(session, 'DELETE', `${PATH}/${added.body.id}`)).status).toBe(204);
  expect(await list(session)).toEqual([]);
  expect((await service.request(session, 'DELETE', `${PATH}/${added.body.id}`)).status).toBe(404);
  await expect(signIn(authenticator.get(await requestOptions()))).rejects.toMatchObject(REFUSED);
  const types = (await eventsOf(service.database, id)).map(({ type }) => type);
  expect(types).toEqual(['session.started', 'passkey.added', 'session.started', 'passkey.deleted']);
  // The session that it began goes on.
  expect(await resolve(token)).toMatchObject({ accountId: id });
});

describe('adding', () => {
  test.each(Object.entries({ ...WRONG, 'of a sign-in': { type: 'webauthn.get' } }))(
    'a response %s is 422, and nothing is added',
    async (_what, changes) => {
      const { session } = await owner();
      const response = new Authenticator().create(await creationOptions(session), changes);
      const refused = await add(session, response);
      expect(refused.status).toBe(422);
      expect(refused.body).toEqual({ error: expect.stringContaining('"response"') });
      expect(await list(session)).toEqual([]);
    },
  );

  test('a challenge works once, for 5 minutes, for its account, and not that of a sign-in', async () => {
    const [one, other] = [await owner(), await owner()];
    const options = await creationOptions(one.session);
    expect((await add(other.session, new Authenticator().create(options))).status).toBe(422);
    const { challenge } = await requestOptions();
    expect((await add(one.session, new Authenticator().create({ ...options, challenge }))).status).toBe(422);
    expect((await add(one.session, new Authenticator().create(options))).status).toBe(201);
    expect((await add(one.session, new Authenticator().create(options), { at: replica })).status).toBe(422);

    const [early, late] = [await creationOptions(one.session), await creationOptions(one.session)];
    aheadMs = 4.9 * MINUTE_MS;
    expect((await add(one.session, new Authenticator().create(early))).status).toBe(201);
    aheadMs = 5.1 * MINUTE_MS;
    expect((await add(one.session, new Authenticator().create(late))).status).toBe(422);
    aheadMs = 0;
  });

  test('a passkey that is in use anywhere is 422', async () => {
    const [one, other] = [await owner(), await owner()];
    const authenticator = await withPasskey(one.session);
    for (const { session } of [one, other])
      expect((await add(session, authenticator.create(await creationOptions(session)))).status).toBe(422);
    expect(await list(other.session)).toEqual([]);
  });

  test('an attestation with certificates is 422, whatever it says', async () => {
    const { session } = await owner();
    const x5c = [new Uint8Array(Buffer.from('certificate'))];
    for (const format of ['packed', 'fido-u2f', 'apple', 'android-key', 'android-safetynet', 'tpm', 'other']) {
      const statement = new Map<string, unknown>([
        ['alg', -7],
        ['sig', new Uint8Array(8)],
        ['x5c', x5c],
      ]);
      const response = new Authenticator().create(await creationOptions(session), {
        attestation: { format, statement },
      });
      expect((await add(session, response)).status, format).toBe(422);
    }
  });

  test('what is no response, and a bad name, are 422', async () => {
    const { session } = await owner();
    const whole = new Authenticator().create(await creationOptions(session));
    const { attestationObject: _attestation, ...less } = whole.response;
    const wrongs = [
      {},
      { ...whole, response: {} },
      { ...whole, response: 1 },
      { ...whole, response: less },
      { ...whole, response: { ...whole.response, attestationObject: '_'.repeat(1_000) } },
      { ...whole, response: { ...whole.response, clientDataJSON: 'bnVsbA' } },
      { ...whole, id: 1, rawId: 1 },
      { ...whole, rawId: 'other' },
      { ...whole, type: 'password' },
    ];
    for (const response of wrongs)
      expect((await add(session, response)).status, JSON.stringify(response).slice(0, 80)).toBe(422);
    for (const name of ['', 'x'.repeat(51), 'a\u0000b'])
      expect((await add(session, whole, { name })).status, name).toBe(422);
    for (const body of [
      {},
      { name: 'x' },
      { response: whole },
      { name: 'x', response: [] },
      { name: 'x', response: 'x' },
    ])
      expect((await service.request(session, 'POST', PATH, { body })).status).toBe(422);
    expect((await service.request(session, 'POST', `${PATH}/options`, { body: { x: 1 } })).status).toBe(422);
    // Nothing of it used up the challenge.
    expect((await add(session, { ...whole, futureField: { of: ['WebAuthn'] } })).status).toBe(201);
  });

  test('an account has at most 20, however many requests arrive at two replicas', async () => {
    const { session } = await owner();
    const responses = await Promise.all(
      Array.from({ length: 24 }, async () => new Authenticator().create(await creationOptions(session))),
    );
    const answers = await Promise.all(
      responses.map((response, n) => add(session, response, { at: n % 2 === 0 ? service : replica })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20);
    for (const { status, body } of answers) if (status !== 201) expect([status, body.error]).toEqual([422, FULL]);
    expect(await list(session)).toHaveLength(20);
    expect(await service.request(session, 'POST', `${PATH}/options`)).toMatchObject({
      status: 422,
      body: { error: FULL },
    });
    await service.request(session, 'DELETE', `${PATH}/${(await list(session))[0]!.id}`);
    await withPasskey(session);
  });
  const FULL = 'An account can have at most 20 passkeys; delete one first.';
});

describe('signing in', () => {
  test.each(
    Object.entries({
      ...WRONG,
      'of a new passkey': { type: 'webauthn.create' },
      'for another account': { userHandle: Buffer.from('other').toString('base64url') },
      'for no account': { userHandle: '' },
    }),
  )('a response %s is refused', async (_what, changes) => {
    const authenticator = await withPasskey((await owner()).session);
    await expect(signIn(authenticator.get(await requestOptions(), changes))).rejects.toMatchObject(REFUSED);
    await signIn(authenticator.get(await requestOptions()));
  });

  test('a response that was changed, of an unknown passkey or signed by another one is refused', async () => {
    const { session } = await owner();
    const [authenticator, unknown] = [await withPasskey(session), new Authenticator()];
    const right = authenticator.get(await requestOptions());
    const { signature: _signature, ...less } = right.response;
    const { id, rawId } = right;
    for (const wrong of [
      ...['signature', 'authenticatorData', 'clientDataJSON', 'userHandle'].map((field) => damaged(right, field)),
      unknown.get(await requestOptions()),
      { ...unknown.get(await requestOptions(), { userHandle: right.response.userHandle! }), id, rawId },
      ...[
        {},
        { id: { $ne: null } },
        { ...right, response: {} },
        { ...right, response: null },
        { ...right, response: less },
      ],
      { ...right, rawId: 'other' },
      { ...right, type: 'password' },
    ])
      await expect(signIn(wrong), JSON.stringify(wrong).slice(0, 80)).rejects.toMatchObject(REFUSED);
    // None of them used up the challenge.
    await signIn(right);
  });

  test('a challenge works once, for 5 minutes, and not that of a new passkey', async () => {
    const { session } = await owner();
    const authenticator = await withPasskey(session);
    const options = await requestOptions();
    const attempts = Array.from({ length: 10 }, (_, n) =>
      signIn(authenticator.get(options), n % 2 === 0 ? service : replica),
    );
    expect((await Promise.allSettled(attempts)).filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const { challenge } = await creationOptions(session);
    await expect(signIn(authenticator.get({ challenge }))).rejects.toMatchObject(REFUSED);

    const [early, late] = [await requestOptions(), await requestOptions()];
    aheadMs = 4.9 * MINUTE_MS;
    await signIn(authenticator.get(early));
    aheadMs = 5.1 * MINUTE_MS;
    await expect(signIn(authenticator.get(late))).rejects.toMatchObject(REFUSED);
    aheadMs = 0;
  });

  test('a counter must go up, and one that is always 0 need not', async () => {
    const { session } = await owner();
    const counting = await withPasskey(session, new Authenticator({ counter: 5 }));
    const attempt = async (counter: number) => signIn(counting.get(await requestOptions(), { counter }));
    for (const counter of [5, 4, 0]) await expect(attempt(counter)).rejects.toMatchObject(REFUSED);
    await attempt(9);
    for (const counter of [9, 8]) await expect(attempt(counter)).rejects.toMatchObject(REFUSED);
    // Of a copied passkey and the original, which have the same counter, one signs in.
    const concurrent = await Promise.allSettled([attempt(10), attempt(10), attempt(10)]);
    expect(concurrent.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);

    const without = await withPasskey(session);
    for (let i = 0; i < 2; i++) await signIn(without.get(await requestOptions()));
  });

  test('its session ends with a sign-out of the account, and the passkey works again; with the account both end', async () => {
    const { session, username } = await owner();
    const authenticator = await withPasskey(session);
    const { token } = await signIn(authenticator.get(await requestOptions()));
    await service.accounts.signOut({ username }, await service.asService('admin'));
    await expect(resolve(token)).rejects.toMatchObject(REFUSED);
    const again = await signIn(authenticator.get(await requestOptions()));
    expect(await resolve(again.token)).toMatchObject({ username });

    await service.accounts.deleteAccount({ username }, await service.asService('admin'));
    await expect(resolve(again.token)).rejects.toMatchObject(REFUSED);
    await expect(signIn(authenticator.get(await requestOptions()))).rejects.toMatchObject(REFUSED);
    expect(await service.database.collections.passkeys.countDocuments({ account_id: session.accountId })).toBe(0);
    expect((await service.request(session, 'GET', PATH)).status).toBe(404);
  });

  test('a passkey of an account whose deletion has begun is refused', async () => {
    const { id, session } = await owner();
    const authenticator = await withPasskey(session);
    await service.database.collections.accounts.updateOne({ _id: id }, { $set: { deleting_at: new Date() } });
    await expect(signIn(authenticator.get(await requestOptions()))).rejects.toMatchObject(REFUSED);
  });

  test('options write nothing, and only the gateway may ask for them', async () => {
    const used = () => service.database.collections.usedChallenges.countDocuments({});
    const before = await used();
    const challenges = await Promise.all(Array.from({ length: 50 }, async () => (await requestOptions()).challenge));
    expect(new Set(challenges).size).toBe(50);
    expect(await used()).toBe(before);
    const account = await service.createAccount();
    for (const options of [await service.asService('admin'), await service.as(account.live)]) {
      const calls = [
        service.accounts.createSignInOptions({}, options),
        service.accounts.createPasskeySession({ responseJson: '{}' }, options),
      ];
      for (const call of await Promise.allSettled(calls))
        expect(call).toMatchObject({ status: 'rejected', reason: { code: 'forbidden' } });
    }
  });
});

test('while the signing key is rotated, a challenge of the previous one works', async () => {
  const { session } = await owner();
  const authenticator = await withPasskey(session);
  const config = { SIGNING_KEY: 'another-signing-key-of-48-characters-or-even-more' };
  const next = await Service.start({ now, databaseName: service.databaseName, config: { ...config, ...PREVIOUS } });
  await signIn(authenticator.get(await requestOptions()), next);
  await next.close();
});
const PREVIOUS = { SIGNING_KEY_PREVIOUS: 'a-signing-key-for-tests-of-48-characters-or-more' };

test('another account’s passkey is 404, and a key gets 403', async () => {
  const [one, other] = [await owner(), await owner()];
  await withPasskey(one.session);
  const [passkey] = await list(one.session);
  for (const id of [passkey!.id, 'x', '__proto__', `${passkey!.id}%00`])
    expect((await service.request(other.session, 'DELETE', `${PATH}/${id}`)).status, id).toBe(404);
  expect(await list(one.session)).toEqual([passkey]);
  for (const [method, path] of [
    ['GET', PATH],
    ['POST', PATH],
    ['POST', `${PATH}/options`],
    ['DELETE', `${PATH}/${passkey!.id}`],
  ] as const) {
    for (const identity of [one.live, one.public])
      expect((await service.request(identity, method, path)).status, path).toBe(403);
    expect((await service.request(null, method, path)).status, path).toBe(401);
  }
});
