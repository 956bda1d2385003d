import { createHash, randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Config } from '../src/config.ts';
import { CLIENT, type Claims, type FakeProvider, startFakeProvider } from './fake-provider.ts';
import { errorOf, startGateway, type TestGateway } from './gateway.ts';

// docs/sign-in.md: what the gateway believes of an OpenID provider. e2e/dashboard/oidc.test.ts signs in at a real one.

let provider: FakeProvider;
let gateway: TestGateway;
const others: TestGateway[] = [];
const oidc = (): Partial<Config> => ({
  ...CLIENT,
  OIDC_ISSUER: provider.issuer,
  OIDC_ACCESS: ['writers=acme:editor', 'writers=globex:viewer', 'leads=globex:owner'],
});
beforeAll(async () => {
  provider = await startFakeProvider();
  gateway = await startGateway(oidc());
});
beforeEach(() => {
  gateway.accounts.persons = [];
  Object.assign(provider, { claims: {}, userinfo: {}, sign: provider.signers.published, faults: {} });
});
afterEach(async () => {
  for (const other of others.splice(0)) await other.close();
});
afterAll(async () => {
  await gateway?.close();
  await provider?.close();
});

async function startOther(config: Partial<Config>, options?: { replicaOf: TestGateway }): Promise<TestGateway> {
  const other = await startGateway({ ...oidc(), ...config }, options);
  others.push(other);
  return other;
}

const CHALLENGE = createHash('sha256').update(randomBytes(32)).digest('base64url');
const BROWSER = { accept: 'text/html,application/xhtml+xml' };

/** Begins a sign-in. Returns where the browser is sent. */
async function begin(at = gateway): Promise<string> {
  const response = await at.get(`/auth/oidc/start?challenge=${CHALLENGE}`, undefined, BROWSER);
  expect(response.status, await response.text()).toBe(302);
  expect(response.headers.get('cache-control')).toBe('no-store');
  return response.headers.get('location')!;
}

const comeBack = (query: URLSearchParams, at = gateway, headers: Record<string, string> = BROWSER) =>
  at.get(`/auth/oidc/callback?${query}`, undefined, headers);

/** Signs in, and returns the response to the browser. */
const signIn = async (at = gateway) => comeBack(provider.logIn(await begin(at)), at);

/** Expects a page of this status that leads nowhere and names the reason, and that nobody is signed in. */
async function expectPage(response: Response, status: number, reason: string): Promise<void> {
  const page = await response.text();
  expect([response.status, response.headers.get('content-type'), page]).toEqual([
    status,
    'text/html; charset=utf-8',
    expect.stringContaining(reason),
  ]);
  expect(response.headers.get('content-security-policy')).toContain("default-src 'none'");
  expect(response.headers.get('location')).toBeNull();
  expect(page).not.toContain('#token=');
  expect(gateway.accounts.persons).toEqual([]);
}

const REFUSED = 'This sign-in was not begun here';
const AWAY = 'The OpenID provider does not respond';

describe('a sign-in', () => {
  test('leads to the provider with PKCE, a state and a nonce, and back with a token for the browser that began', async () => {
    const location = new URL(await begin());
    expect(location.origin + location.pathname).toBe(`${provider.issuer}/authorize`);
    expect(Object.fromEntries(location.searchParams)).toEqual({
      tenant: 'a',
      response_type: 'code',
      client_id: CLIENT.OIDC_CLIENT_ID,
      redirect_uri: 'https://go.example/auth/oidc/callback',
      scope: 'openid profile groups',
      state: expect.any(String),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    expect(location.search).not.toContain(CHALLENGE);
    const response = await comeBack(provider.logIn(location.href));
    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toMatch(/^https:\/\/go\.example\/app\/#token=signin_[0-9A-Za-z]{40}$/);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('set-cookie')).toBeNull();
    expect(gateway.accounts.persons).toMatchObject([
      {
        issuer: provider.issuer,
        subject: 'ada-1',
        name: 'Ada Lovelace',
        grants: [
          { username: 'acme', role: 'editor' },
          { username: 'globex', role: 'viewer' },
        ],
        plan: 'developer',
        challenge: CHALLENGE,
      },
    ]);
  });

  test.each<[string, Claims, Claims, string, string[]]>([
    ['groups of the ID token', { groups: ['leads'] }, { groups: ['writers'] }, 'Ada Lovelace', ['globex:owner']],
    ['one group as a text', { groups: 'leads' }, {}, 'Ada Lovelace', ['globex:owner']],
    ['groups of userinfo', { groups: undefined }, { groups: ['leads', 7] }, 'Ada Lovelace', ['globex:owner']],
    ['no name', { name: undefined, groups: ['leads'] }, {}, 'ada-1', ['globex:owner']],
    ['a name that is none', { name: ' ', preferred_username: 'ada', groups: ['leads'] }, {}, 'ada', ['globex:owner']],
    ['half a character', { name: 'a\ud800', groups: ['leads'] }, {}, 'a\ufffd', ['globex:owner']],
    ['a long name', { name: '😀'.repeat(900), groups: ['leads'] }, {}, '😀'.repeat(100), ['globex:owner']],
  ])('reads %s', async (_what, claims, userinfo, name, granted) => {
    Object.assign(provider, { claims, userinfo });
    expect((await signIn()).status).toBe(302);
    const [person] = gateway.accounts.persons;
    expect(person).toMatchObject({ name });
    expect(person!.grants.map(({ username, role }) => `${username}:${role}`)).toEqual(granted);
  });

  test('may begin at one gateway and end at another, also while the signing key is replaced', async () => {
    const [SIGNING_KEY, SIGNING_KEY_PREVIOUS] = ['n'.repeat(40), 'a signing key of at least thirty-two characters'];
    const replica = await startOther({}, { replicaOf: gateway });
    expect((await comeBack(provider.logIn(await begin()), replica)).status).toBe(302);
    const [rotated, stranger] = [
      await startOther({ SIGNING_KEY, SIGNING_KEY_PREVIOUS }),
      await startOther({ SIGNING_KEY }),
    ];
    // Its identity is one that the fake links-svc does not know, which it is asked only after the provider was.
    const before = provider.requests('token');
    expect((await comeBack(provider.logIn(await begin()), rotated)).status).toBe(503);
    expect(provider.requests('token')).toBe(before + 1);
    expect((await comeBack(provider.logIn(await begin()), stranger)).status).toBe(401);
    expect(provider.requests('token')).toBe(before + 1);
  });

  test('works at once with a new key of the provider', async () => {
    expect((await signIn()).status).toBe(302);
    await provider.rotateKey();
    expect((await signIn()).status).toBe(302);
  });

  test('reads the metadata of the provider once for many sign-ins', async () => {
    const other = await startOther({});
    const before = provider.requests('discovery');
    await Promise.all(Array.from({ length: 20 }, () => begin(other)));
    await begin(other);
    expect(provider.requests('discovery')).toBe(before + 1);
  });

  test('of somebody in no group with access is 403 and says so', async () => {
    provider.claims = { groups: ['strangers', '*'] };
    await expectPage(await signIn(), 403, 'none of your groups has access here');
    const response = await comeBack(provider.logIn(await begin()), gateway, {});
    expect([response.status, await errorOf(response)]).toEqual([403, expect.stringContaining('none of your groups')]);
  });
});

describe('is refused, whatever else is right:', () => {
  const now = Math.floor(Date.now() / 1_000);
  test.each<[string, Claims]>([
    ['another nonce', { nonce: 'x'.repeat(43) }],
    ['no nonce', { nonce: undefined }],
    ['another audience', { aud: 'another-client' }],
    ['several audiences without a party', { aud: ['waymark', 'another-client'] }],
    ['another party', { aud: ['waymark', 'another-client'], azp: 'another-client' }],
    ['another issuer', { iss: 'https://login.example' }],
    ['an expired token', { exp: now - 65 }],
    ['a token of the future', { nbf: now + 3_600 }],
    ['a token without an end', { exp: undefined }],
    ['a token without a subject', { sub: undefined }],
  ])('an ID token with %s', async (_what, claims) => {
    provider.claims = claims;
    await expectPage(await signIn(), 401, REFUSED);
  });

  test.each(['none', 'secret', 'unpublished'] as const)('an ID token signed with: %s', async (signer) => {
    provider.sign = provider.signers[signer];
    await expectPage(await signIn(), 401, REFUSED);
  });

  test('an ID token without a nonce that belongs to another sign-in', async () => {
    const [one, other] = [provider.logIn(await begin()), provider.logIn(await begin())];
    one.set('state', other.get('state')!);
    await expectPage(await comeBack(one), 401, REFUSED);
  });

  test('a callback without its start, or with a state that is not one of ours', async () => {
    const before = provider.requests('token');
    const good = provider.logIn(await begin());
    const state = good.get('state')!;
    const states = ['', 'x', state.slice(0, -1), `${state}A`, state.replace(/\.[^.]*$/, '.AAAA'), 'a.b.c.d.e', '😀'];
    for (const wrong of states) {
      good.set('state', wrong);
      await expectPage(await comeBack(good), 401, REFUSED);
    }
    good.delete('state');
    await expectPage(await comeBack(good), 401, REFUSED);
    await expectPage(await comeBack(new URLSearchParams()), 401, REFUSED);
    expect(provider.requests('token')).toBe(before);
  });

  test('a code that was used, is unknown, is missing, or comes twice', async () => {
    const query = provider.logIn(await begin());
    expect((await comeBack(query)).status).toBe(302);
    gateway.accounts.persons = [];
    await expectPage(await comeBack(query), 401, REFUSED);
    query.set('code', 'unknown');
    await expectPage(await comeBack(query), 401, REFUSED);
    query.append('code', 'second');
    await expectPage(await comeBack(query), 401, REFUSED);
    query.delete('code');
    await expectPage(await comeBack(query), 401, REFUSED);
  });

  test('the answer of another provider, and one that refuses', async () => {
    const query = provider.logIn(await begin());
    query.set('iss', 'https://login.example');
    await expectPage(await comeBack(query), 401, REFUSED);
    const refused = new URLSearchParams({ error: 'access_denied', state: query.get('state')!, iss: provider.issuer });
    await expectPage(await comeBack(refused), 401, REFUSED);
  });

  test('userinfo of another person', async () => {
    provider.claims = { groups: undefined };
    provider.userinfo = { sub: 'eve-1', groups: ['leads'] };
    await expectPage(await signIn(), 401, REFUSED);
  });
});

test('clocks that differ by less than a minute are fine', async () => {
  const now = Math.floor(Date.now() / 1_000);
  for (const claims of [{ exp: now - 50 }, { iat: now + 50, nbf: now + 50, exp: now + 300 }]) {
    provider.claims = claims;
    expect((await signIn()).status).toBe(302);
  }
});

test('it leads nowhere else, whatever is sent along', async () => {
  const query = provider.logIn(await begin());
  for (const name of ['redirect_uri', 'next', 'return_to', 'challenge', 'session_state'])
    query.set(name, 'https://evil.example');
  const response = await comeBack(query, gateway, { ...BROWSER, 'x-forwarded-host': 'evil.example' });
  expect(response.headers.get('location')).toMatch(/^https:\/\/go\.example\/app\/#token=/);
  for (const target of [
    `?challenge=${CHALLENGE}&redirect_uri=https://evil.example`,
    `?challenge=${CHALLENGE}A`,
    '?challenge=',
    '',
  ]) {
    const refused = await gateway.get(`/auth/oidc/start${target}`);
    expect([refused.status, refused.headers.get('location')], target).toEqual([422, null]);
    await errorOf(refused);
  }
  const page = await gateway.get('/auth/oidc/start?<script>alert(1)</script>', undefined, BROWSER);
  expect([page.status, await page.text()]).toEqual([422, expect.not.stringContaining('<script')]);
});

describe('a provider that is slow, fails or is away is 503, nothing hangs, and it works again afterwards:', () => {
  const FAULTS: FakeProvider['faults'][] = [
    { discovery: 'hang' },
    { discovery: 500 },
    { token: 'hang' },
    { token: 'drip' },
    { token: 500 },
    { keys: 'hang' },
    { userinfo: 'hang' },
  ];
  test.concurrent.each(FAULTS)('%j', async (faults) => {
    const own = await startFakeProvider();
    const at = await startGateway({ ...oidc(), OIDC_ISSUER: own.issuer });
    own.claims = { groups: undefined };
    own.userinfo = { groups: ['writers'] };
    const start = () => at.get(`/auth/oidc/start?challenge=${CHALLENGE}`, undefined, BROWSER);
    const query = faults.discovery === undefined ? own.logIn(await begin(at)) : null;
    own.faults = faults;
    const failing = query === null ? [start(), start()] : [comeBack(query, at)];
    // Sign-in links go on working meanwhile.
    const body = JSON.stringify({ token: at.accounts.addSignInToken() });
    const headers = { 'content-type': 'application/json' };
    expect((await fetch(`${at.url}/api/v1/sessions`, { method: 'POST', headers, body })).status).toBe(201);
    for (const response of await Promise.all(failing))
      expect([response.status, await response.text()]).toEqual([503, expect.stringContaining(AWAY)]);
    own.faults = {};
    expect((await comeBack(own.logIn(await begin(at)), at)).status).toBe(302);
    await at.close();
    await own.close();
  });

  test('when nothing listens', async () => {
    const away = await startFakeProvider();
    await away.close();
    const absent = await startOther({ OIDC_ISSUER: away.issuer });
    const start = () => absent.get(`/auth/oidc/start?challenge=${CHALLENGE}`, undefined, BROWSER);
    await expectPage(await start(), 503, AWAY);
    const revived = await startFakeProvider(Number(new URL(away.issuer).port));
    expect((await start()).status).toBe(302);
    await revived.close();
  });
});

test('both paths count as sign-ins of the address, and a failure counts as a failed authentication', async () => {
  const other = await startOther({ AUTH_FAILURES_PER_MINUTE: 2 });
  for (let n = 0; n < 5; n++) expect((await signIn(other)).status).toBe(302);
  const query = provider.logIn(await begin(other));
  for (let n = 0; n < 2; n++) expect((await comeBack(new URLSearchParams('state=x'), other)).status).toBe(401);
  for (const path of [`/auth/oidc/start?challenge=${CHALLENGE}`, `/auth/oidc/callback?${query}`]) {
    const response = await other.get(path);
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d+$/)]);
  }
});

test('the logs hold no token, code, claim or secret of a sign-in', async () => {
  const query = provider.logIn(await begin());
  await comeBack(query);
  provider.claims = { aud: 'another-client' };
  await signIn();
  const log = gateway.log.join();
  expect(log).toContain('a sign-in at the OpenID provider is refused');
  for (const secret of [
    query.get('code')!,
    query.get('state')!,
    CLIENT.OIDC_CLIENT_SECRET,
    CHALLENGE,
    'Lovelace',
    'signin_',
  ])
    expect(log).not.toContain(secret);
});

test('without a provider there are no such paths', async () => {
  const other = await startGateway();
  others.push(other);
  for (const path of ['start', 'callback']) expect((await other.get(`/auth/oidc/${path}`)).status).toBe(404);
  expect(await (await other.get('/app/')).text()).toContain('<meta name="sign-in-provider" content="" />');
  expect(await (await gateway.get('/app/')).text()).toContain(
    `<meta name="sign-in-provider" content="${new URL(provider.issuer).host}" />`,
  );
});
