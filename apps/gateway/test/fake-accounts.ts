import {
  type Caller,
  callAuthenticator,
  createVerifier,
  generateKey,
  generateSessionToken,
  generateSignInToken,
  hashSecret,
  requireService,
} from '@waymark/auth';
import { AppError, type Plan, type Scope } from '@waymark/contract';
import { accountsV1, createGrpcServer, timeToMessage } from '@waymark/proto';

export interface FakeAccounts {
  address: string;
  /** The number of lookups so far. */
  lookups: number;
  /** Delays the following lookups. */
  delayMs: number;
  /** Makes the following lookups fail, as if the database were down. */
  failing: boolean;
  /** Where the short hosts lead, by the `Host` header. */
  shortHosts: Map<string, { rootLocation?: string; notFoundLocation?: string; isVerified?: boolean }>;
  /** Whether hosts that are no short hosts are refused. Those of addresses.ts are the service's own. */
  refusesUnknownHosts: boolean;
  addKey(owner: { username: string; plan?: Plan; scope?: Scope }): string;
  /** Returns the token of a session. */
  addSession(owner: { username: string; plan?: Plan }): string;
  /** Returns a token that can be exchanged for a session once. */
  addSignInToken(): string;
  /** The people who signed in at the provider so far. */
  persons: accountsV1.CreatePersonSignInRequest[];
  /** The verifiers of exchanges so far. */
  verifiers: string[];
  setPlan(username: string, plan: Plan): void;
  /** Revokes a key or ends a session. */
  revoke(secret: string): void;
  close(): Promise<void>;
}

interface Context {
  caller: Caller;
}

/** When the sessions of exchanged tokens end. */
export const SESSION_ENDS = new Date('2026-11-21T21:00:00.000Z');

/** The id of a credential whose responses are always right. */
export const VALID_PASSKEY = 'valid';

/** Starts a real gRPC server that resolves keys and sessions, but only for callers with the gateway's signed identity. */
export async function startFakeAccounts(signingKey: string, port = 0): Promise<FakeAccounts> {
  const owners = new Map<string, { accountId: string; username: string; plan: Plan; scope: Scope }>();
  const signInTokens = new Set<string>();
  const idOf = (secret: string) => hashSecret(secret).toString('hex');
  const server = createGrpcServer();
  const unused = () => {
    throw new AppError('internal', 'not part of this test');
  };
  const implementation = Object.fromEntries(
    accountsV1.AccountsService.methods.map((method) => [method.localName, unused]),
  );
  const fake: FakeAccounts = {
    address: '',
    lookups: 0,
    shortHosts: new Map(),
    refusesUnknownHosts: false,
    persons: [],
    verifiers: [],
    delayMs: 0,
    failing: false,
    addKey({ username, plan = 'developer', scope = 'full_access' }) {
      const key = generateKey(scope);
      owners.set(idOf(key), { accountId: `id-${username}`, username, plan, scope });
      return key;
    },
    addSession({ username, plan = 'developer' }) {
      const token = generateSessionToken();
      owners.set(idOf(token), { accountId: `id-${username}`, username, plan, scope: 'full_access' });
      return token;
    },
    addSignInToken() {
      const token = generateSignInToken();
      signInTokens.add(idOf(token));
      return token;
    },
    setPlan(username, plan) {
      for (const owner of owners.values()) if (owner.username === username) owner.plan = plan;
    },
    revoke(secret) {
      owners.delete(idOf(secret));
    },
    close: () => server.close(100),
  };
  const respond = async () => {
    if (fake.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, fake.delayMs));
    if (fake.failing) throw new AppError('unavailable', 'The database does not answer.');
  };
  const lookUp = async (hash: Uint8Array, caller: Caller) => {
    requireService(caller.identity, 'gateway');
    fake.lookups++;
    const owner = owners.get(Buffer.from(hash).toString('hex'));
    await respond();
    if (owner === undefined) throw new AppError('not_found', 'Key not found.');
    return { ...owner };
  };
  server.addService(
    accountsV1.AccountsService,
    { authenticate: callAuthenticator(createVerifier({ current: signingKey })) },
    {
      ...implementation,
      resolveKey: async ({ keyHash }: accountsV1.ResolveKeyRequest, { caller }: Context) => lookUp(keyHash, caller),
      resolveSession: async ({ tokenHash }: accountsV1.ResolveSessionRequest, { caller }: Context) => ({
        ...(await lookUp(tokenHash, caller)),
        sessionId: Buffer.from(tokenHash).toString('hex'),
      }),
      findShortHosts: async ({ hostHeaders }: accountsV1.FindShortHostsRequest, { caller }: Context) => {
        requireService(caller.identity, 'gateway');
        fake.lookups++;
        await respond();
        const found = hostHeaders.filter((hostHeader) => fake.shortHosts.has(hostHeader));
        const others = hostHeaders.filter((hostHeader) => !found.includes(hostHeader));
        return {
          hosts: found.map((hostHeader) => ({ hostHeader, isVerified: true, ...fake.shortHosts.get(hostHeader) })),
          refusedHostHeaders: fake.refusesUnknownHosts ? others : [],
        };
      },
      createSession: async ({ signInTokenHash, verifier }: accountsV1.CreateSessionRequest, { caller }: Context) => {
        requireService(caller.identity, 'gateway');
        fake.lookups++;
        fake.verifiers.push(verifier);
        const isUnused = signInTokens.delete(Buffer.from(signInTokenHash).toString('hex'));
        await respond();
        if (!isUnused) throw new AppError('not_found', 'Token not found.');
        return { token: fake.addSession({ username: 'ada' }), expiresAt: timeToMessage(SESSION_ENDS) };
      },
      createPersonSignIn: async (request: accountsV1.CreatePersonSignInRequest, { caller }: Context) => {
        requireService(caller.identity, 'gateway');
        await respond();
        fake.persons.push(request);
        return { token: fake.addSignInToken() };
      },
      createSignInOptions: async (_request: accountsV1.CreateSignInOptionsRequest, { caller }: Context) => {
        requireService(caller.identity, 'gateway');
        await respond();
        return { optionsJson: JSON.stringify({ challenge: 'AA', rpId: 'go.example' }) };
      },
      createPasskeySession: async ({ responseJson }: accountsV1.CreatePasskeySessionRequest, { caller }: Context) => {
        requireService(caller.identity, 'gateway');
        fake.lookups++;
        await respond();
        const { id } = JSON.parse(responseJson) as { id?: unknown };
        if (id !== VALID_PASSKEY) throw new AppError('not_found', 'Passkey not found.');
        return { token: fake.addSession({ username: 'ada' }), expiresAt: timeToMessage(SESSION_ENDS) };
      },
    } as never,
  );
  fake.address = `127.0.0.1:${await server.listen('127.0.0.1', port)}`;
  return fake;
}
