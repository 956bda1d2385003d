import { AppError } from '@waymark/contract';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type Caller,
  callAuthenticator,
  createSigner,
  createVerifier,
  type Identity,
  identityPlugin,
} from '../src/index.ts';

const keys = { current: 'c'.repeat(40) };
const signer = createSigner(keys);
const verifier = createVerifier(keys);
const ADA: Identity = { kind: 'account', accountId: 'a1', username: 'ada', plan: 'free', scope: 'full_access' };

describe('HTTP', () => {
  const app = Fastify();
  beforeAll(async () => {
    app.setErrorHandler((error, _request, reply) =>
      reply.code(error instanceof AppError ? error.httpStatus : 500).send({ error: (error as Error).message }),
    );
    await app.register(identityPlugin, { verifier });
    app.get('/mine', { config: { needs: 'account' } }, async (request) => ({
      identity: request.identity,
      token: request.identityToken,
    }));
    app.get('/open', { config: { public: true } }, async () => ({ open: true }));
    app.get('/mistake', { config: { public: true } }, async (request) => request.identity);
    await app.register(async (inner) => {
      inner.get('/inner', { config: { needs: 'account' } }, async () => ({}));
    });
  });
  afterAll(() => app.close());

  test('every route except public ones needs a signed identity, and an unknown path gets 404', async () => {
    expect((await app.inject('/mine')).statusCode).toBe(401);
    expect((await app.inject('/inner')).statusCode).toBe(401);
    expect((await app.inject({ url: '/mine', method: 'HEAD' })).statusCode).toBe(401);
    expect((await app.inject('/open')).statusCode).toBe(200);
    expect((await app.inject('/nowhere')).statusCode).toBe(404);
  });

  test('a route gets the identity and its token, and a public route that reads it throws', async () => {
    const token = await signer.mint(ADA);
    const headers = { 'x-waymark-identity': token };
    expect((await app.inject({ url: '/mine', headers })).json()).toEqual({ identity: ADA, token });
    expect((await app.inject({ url: '/mistake', headers })).statusCode).toBe(500);
  });

  test('forged headers get 401', async () => {
    const token = await signer.mint(ADA);
    const forged: Record<string, string>[] = [
      { 'x-waymark-identity': JSON.stringify(ADA) },
      { 'x-waymark-identity': `${token}, ${token}` },
      { authorization: `Bearer ${token}` },
      { 'x-identity': token },
    ];
    for (const headers of forged) expect((await app.inject({ url: '/mine', headers })).statusCode).toBe(401);
  });
});

describe('gRPC', () => {
  const authenticateCall = callAuthenticator(verifier);
  const authenticate = (metadata: Parameters<typeof authenticateCall>[0]) =>
    authenticateCall(metadata, 'accounts.v1.AccountsService/GetMe');
  const metadata = (...values: unknown[]) => ({ get: (name: string) => (name === 'x-waymark-identity' ? values : []) });

  test('the caller is the signed identity of the metadata', async () => {
    const token = await signer.mint(ADA);
    expect(await authenticate(metadata(token))).toEqual({ identity: ADA, token } satisfies Caller);
  });

  test('a missing, repeated or binary identity is UNAUTHENTICATED', async () => {
    const token = await signer.mint(ADA);
    for (const values of [[], [token, token], [Buffer.from(token)], ['forged']]) {
      await expect(authenticate(metadata(...values))).rejects.toMatchObject({ code: 'unauthenticated' });
    }
  });
});
