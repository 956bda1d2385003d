import { AppError, PLANS, SCOPES } from '@waymark/contract';
import { decodeProtectedHeader, SignJWT, UnsecuredJWT } from 'jose';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Identity, requireAccount, requireService, requireSession, SERVICE_NAMES } from './identity.ts';
import { createSigner, createVerifier } from './token.ts';

const CURRENT = 'c'.repeat(40);
const PREVIOUS = 'p'.repeat(40);
const ADA: Identity = {
  kind: 'account',
  accountId: 'a1',
  username: 'ada',
  plan: 'developer',
  scope: 'public_links_only',
};

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});
function passSeconds(seconds: number): void {
  vi.setSystemTime(Date.now() + seconds * 1000);
}

async function expectRefused(token: string | undefined, keys = { current: CURRENT, previous: PREVIOUS }) {
  const error = await createVerifier(keys)
    .verify(token)
    .then(
      () => null,
      (thrown: unknown) => thrown,
    );
  expect(error).toBeInstanceOf(AppError);
  expect((error as AppError).code).toBe('unauthenticated');
}

/** Returns a token like those of the signer, with the given changes. */
function forged(
  change: { claims?: object; header?: object; secret?: string; issuer?: string; audience?: string } = {},
) {
  const secret = change.secret ?? CURRENT;
  return new SignJWT({
    sub: 'a1',
    kind: 'account',
    username: 'ada',
    plan: 'developer',
    scope: 'full_access',
    ...change.claims,
  })
    .setProtectedHeader({ alg: 'HS256', kid: '', ...change.header })
    .setIssuer(change.issuer ?? 'waymark')
    .setAudience(change.audience ?? 'waymark-services')
    .setIssuedAt()
    .setExpirationTime('60s')
    .sign(new TextEncoder().encode(secret));
}
async function kidOf(secret: string): Promise<string> {
  return decodeProtectedHeader(await createSigner({ current: secret }).mint(ADA)).kid!;
}

describe('the verifier accepts what the signer mints', () => {
  const accounts = PLANS.flatMap((plan) =>
    SCOPES.map((scope): Identity => ({ kind: 'account', accountId: 'a1', username: 'ada', plan, scope })),
  );
  const session: Identity = { ...ADA, scope: 'full_access', sessionId: 's1' };
  const services = SERVICE_NAMES.map((service): Identity => ({ kind: 'service', service }));
  test.each([...accounts, session, ...services])('%j', async (identity) => {
    const token = await createSigner({ current: CURRENT }).mint(identity);
    const verifier = createVerifier({ current: CURRENT });
    expect(await verifier.verify(token)).toEqual(identity);
    expect(await verifier.verify(token)).toEqual(identity);
  });

  test('also if it was signed with the previous key, during a rotation', async () => {
    const token = await createSigner({ current: PREVIOUS }).mint(ADA);
    expect(await createVerifier({ current: CURRENT, previous: PREVIOUS }).verify(token)).toEqual(ADA);
    await expectRefused(token, { current: CURRENT, previous: 'x'.repeat(40) });
  });
});

describe('docs/api.md, Authentication: a service believes only an identity that the gateway signed', () => {
  test('accepts the unchanged token (control)', async () => {
    const token = await forged({ header: { kid: await kidOf(CURRENT) } });
    expect((await createVerifier({ current: CURRENT }).verify(token)).kind).toBe('account');
  });

  test('refuses a missing, empty and malformed token', async () => {
    for (const token of [undefined, '', 'x', 'a.b.c', 'x'.repeat(10_000)]) await expectRefused(token);
  });

  test('refuses another key with each known key id', async () => {
    for (const secret of [CURRENT, PREVIOUS]) {
      await expectRefused(await forged({ secret: 'evil'.repeat(10), header: { kid: await kidOf(secret) } }));
    }
  });

  test('refuses a missing or unknown key id', async () => {
    await expectRefused(await forged());
    await expectRefused(await forged({ header: { kid: 'unknown' } }));
  });

  test('refuses alg: none', async () => {
    const { kind: _, accountId, ...claims } = ADA as Extract<Identity, { kind: 'account' }>;
    const token = new UnsecuredJWT({ ...claims, kind: 'account' })
      .setSubject(accountId)
      .setIssuer('waymark')
      .setAudience('waymark-services')
      .setIssuedAt()
      .setExpirationTime('60s')
      .encode();
    await expectRefused(token);
  });

  test('refuses another algorithm with the right key', async () => {
    await expectRefused(
      await forged({ secret: CURRENT.repeat(2), header: { alg: 'HS512', kid: await kidOf(CURRENT) } }),
    );
  });

  test('refuses another issuer or audience', async () => {
    const header = { kid: await kidOf(CURRENT) };
    await expectRefused(await forged({ header, issuer: 'someone' }));
    await expectRefused(await forged({ header, audience: 'someone' }));
  });

  test('refuses claims without a valid identity', async () => {
    const header = { kid: await kidOf(CURRENT) };
    for (const claims of [
      { plan: 'emperor' },
      { scope: 'all' },
      { kind: 'god' },
      { kind: 'service' },
      { sub: '' },
      { username: 7 },
    ]) {
      await expectRefused(await forged({ header, claims }));
    }
  });

  test('refuses a token that was altered anywhere', async () => {
    const token = await createSigner({ current: CURRENT }).mint(ADA);
    const [header, payload, signature] = token.split('.') as [string, string, string];
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const promoted = Buffer.from(JSON.stringify({ ...claims, scope: 'full_access' })).toString('base64url');
    await expectRefused(`${header}.${promoted}.${signature}`);
    await expectRefused(`${header}.${payload}.${signature.slice(0, -2)}AA`);
    await expectRefused(`${header}.${payload}.`);
  });
});

describe('clocks that differ', () => {
  // A token is sent for up to 30 seconds after it was signed.
  test.each([
    ['behind', 0],
    ['behind', 30],
    ['behind', 45 + 30],
    ['behind', 60 + 30],
    ['ahead', -45],
    ['ahead', -60],
  ])('by up to 60 seconds work, with the signer %s: a token that is %i seconds old', async (_, age) => {
    const token = await createSigner({ current: CURRENT }).mint(ADA);
    const verifier = createVerifier({ current: CURRENT });
    passSeconds(age);
    for (let round = 0; round < 2; round++) expect(await verifier.verify(token)).toEqual(ADA);
    passSeconds(-age);
    expect(await verifier.verify(token)).toEqual(ADA);
  });

  test.each([
    ['behind', 126, 96],
    ['behind', 3_600, 3_570],
    ['ahead', -66, 66],
    ['ahead', -3_600, 3_600],
  ])(
    'by more are an error that blames no key, with the signer %s: a token that is %i seconds old',
    async (_, age, seconds) => {
      const token = await createSigner({ current: CURRENT }).mint(ADA);
      const accepted = createVerifier({ current: CURRENT });
      await accepted.verify(token);
      passSeconds(age);
      for (const verifier of [accepted, createVerifier({ current: CURRENT })])
        await expect(verifier.verify(token)).rejects.toMatchObject({
          code: 'unavailable',
          message: `The clocks of this service's machines differ by at least ${seconds} seconds; at most 60 work. Set them to the same time.`,
        });
    },
  );

  test('a forged token is never said to be of another time', async () => {
    const token = await createSigner({ current: PREVIOUS }).mint(ADA);
    passSeconds(3_600);
    await expectRefused(token, { current: CURRENT, previous: 'x'.repeat(40) });
  });

  test('a signer whose clock was set back signs anew', async () => {
    const signer = createSigner({ current: CURRENT });
    await signer.mint(ADA);
    passSeconds(-3_600);
    expect(await createVerifier({ current: CURRENT }).verify(await signer.mint(ADA))).toEqual(ADA);
  });
});

describe('a token is reused for half of its lifetime', () => {
  test('for each identity separately', async () => {
    const signer = createSigner({ current: CURRENT });
    const first = await signer.mint(ADA);
    expect(await signer.mint({ ...ADA })).toBe(first);
    expect(await signer.mint({ ...ADA, scope: 'full_access' } as Identity)).not.toBe(first);
    passSeconds(29);
    expect(await signer.mint(ADA)).toBe(first);
    passSeconds(2);
    expect(await signer.mint(ADA)).not.toBe(first);
  });
});

test('a signing key that is too short is refused', () => {
  expect(() => createSigner({ current: 'short' })).toThrow('32 characters');
  expect(() => createVerifier({ current: CURRENT, previous: 'short' })).toThrow('32 characters');
});

test('requireAccount and requireService distinguish accounts and services', () => {
  const gateway: Identity = { kind: 'service', service: 'gateway' };
  expect(requireAccount(ADA)).toBe(ADA);
  expect(() => requireAccount(gateway)).toThrow(expect.objectContaining({ code: 'unauthenticated' }));
  expect(requireService(gateway, 'admin', 'gateway')).toBe(gateway);
  expect(() => requireService(gateway, 'admin')).toThrow(expect.objectContaining({ code: 'forbidden' }));
  expect(() => requireService(ADA, 'admin')).toThrow(expect.objectContaining({ code: 'forbidden' }));
});

test('requireSession refuses a key and a service', () => {
  const session: Identity = { ...ADA, scope: 'full_access', sessionId: 's1' };
  expect(requireSession(session)).toEqual(session);
  expect(() => requireSession(ADA)).toThrow(expect.objectContaining({ code: 'forbidden' }));
  const gateway: Identity = { kind: 'service', service: 'gateway' };
  expect(() => requireSession(gateway)).toThrow(expect.objectContaining({ code: 'unauthenticated' }));
});
