import { hashSecret, isSignInToken, type Signer } from '@waymark/auth';
import {
  AppError,
  type CreateSessionInput,
  PLANS,
  type Plan,
  type Role,
  SCOPES,
  type Scope,
  type Session,
  UNAVAILABLE_MESSAGE,
} from '@waymark/contract';
import {
  type accountsV1,
  type CallOptions,
  type GrpcClient,
  personFromMessage,
  restrictionFromMessage,
  textOfTime,
} from '@waymark/proto';
import { callTimeMs, REQUEST_MAX_MS } from '@waymark/service-kit';
import { Counter, type Registry } from 'prom-client';
import type { OtherHost, ShortHostLookup } from '../hosts/short-hosts.ts';
import type { Credential } from './credential.ts';
import type { KeyLookup, KeyOwner } from './key-resolver.ts';

/** Several requests may wait for a lookup. A revoked key must stop working within five seconds. */
const LOOKUP_TIMEOUT_MS = 1000;

/** The calls of links-svc. All reject with `unavailable` if the call fails or the response is invalid. */
export interface AccountsClient {
  /** Finds the owner of a key or session. */
  findOwner: KeyLookup;
  /** Finds those `Host` headers that are not served as the default host. */
  findShortHosts: ShortHostLookup;
  /** Exchanges a sign-in token for a session. Resolves to null if the token does not work. */
  createSession(input: CreateSessionInput, requestId: string): Promise<Session | null>;
  /** Returns a sign-in token for a person whom the OpenID provider knows. */
  createPersonSignIn(person: NewPersonSignIn, requestId: string): Promise<string | null>;
  /** Returns the options of a sign-in with a passkey. */
  createSignInOptions(requestId: string): Promise<Record<string, unknown>>;
  /** Exchanges what a passkey signed for a session. Resolves to null if anything is wrong with it. */
  createPasskeySession(response: Record<string, unknown>, requestId: string): Promise<Session | null>;
}

/** A person who has signed in at the OpenID provider. */
export interface NewPersonSignIn {
  issuer: string;
  subject: string;
  name: string;
  /** The first is the account of the session. */
  grants: { username: string; role: Role }[];
  /** The plan of accounts that are created. */
  plan: string;
  /** The challenge of the browser. */
  challenge: string;
}

/** Creates the client. It calls links-svc with the gateway's own identity and counts the outcomes of lookups. */
export function createAccountsClient(
  accounts: GrpcClient<typeof accountsV1.AccountsService>,
  signer: Signer,
  registry: Registry,
): AccountsClient {
  const lookups = countLookups(registry);

  /** Resolves to null if the call finds nothing. Any other error says nothing about the client. */
  async function call<Found>(
    options: { timeoutMs: number; requestId: string },
    method: (options: CallOptions) => Promise<Found>,
  ): Promise<Found | null> {
    const identity = await signer.mint({ kind: 'service', service: 'gateway' });
    try {
      return await method({ ...options, identity });
    } catch (cause) {
      if (cause instanceof AppError && cause.code === 'not_found') return null;
      throw new AppError('unavailable', UNAVAILABLE_MESSAGE, { cause });
    }
  }

  async function ownerOf(credential: Credential, options: CallOptions): Promise<KeyOwner> {
    const hash = Buffer.from(credential.hash, 'latin1');
    if (credential.kind === 'session') {
      const { sessionId, person, ...found } = await accounts.resolveSession({ tokenHash: hash }, options);
      if (sessionId === '') throw new TypeError('links-svc returned a session without an id');
      const owner = { ...checkedOwner({ ...found, scope: 'full_access' }), sessionId };
      return person === undefined ? owner : { ...owner, person: personFromMessage(person) };
    }
    const { restriction, ...found } = await accounts.resolveKey({ keyHash: hash }, options);
    const owner = checkedOwner(found);
    return restriction === undefined ? owner : { ...owner, key: restrictionFromMessage(restriction) };
  }

  return {
    async findOwner(credential, requestId) {
      let outcome = 'failed';
      try {
        const owner = await call({ timeoutMs: LOOKUP_TIMEOUT_MS, requestId }, (options) =>
          ownerOf(credential, options),
        );
        outcome = owner === null ? 'unknown' : 'found';
        return owner;
      } finally {
        lookups.labels(outcome).inc();
      }
    },
    async findShortHosts(hostHeaders, requestId) {
      const found = await call({ timeoutMs: LOOKUP_TIMEOUT_MS, requestId }, (options) =>
        accounts.findShortHosts({ hostHeaders }, options),
      );
      const { hosts = [], refusedHostHeaders = [] } = found ?? {};
      const shortHosts = hosts.map(({ hostHeader, isVerified, rootLocation = null, notFoundLocation = null }) => {
        return [hostHeader, { isVerified, rootLocation, notFoundLocation }] as const;
      });
      return new Map<string, OtherHost>([
        ...shortHosts,
        ...refusedHostHeaders.map((hostHeader) => [hostHeader, 'refused'] as const),
      ]);
    },
    async createSession({ token: signInToken, verifier }, requestId) {
      if (!isSignInToken(signInToken)) return null;
      return call({ timeoutMs: callTimeMs(REQUEST_MAX_MS), requestId }, async (options) => {
        const session = await accounts.createSession(
          { signInTokenHash: hashSecret(signInToken), ...(verifier !== undefined && { verifier }) },
          options,
        );
        return { token: session.token, expires_at: textOfTime(session.expiresAt!) };
      });
    },
    async createPersonSignIn(person, requestId) {
      return call(
        { timeoutMs: callTimeMs(REQUEST_MAX_MS), requestId },
        async (options) => (await accounts.createPersonSignIn(person, options)).token,
      );
    },
    async createSignInOptions(requestId) {
      const options = await call({ timeoutMs: callTimeMs(REQUEST_MAX_MS), requestId }, async (options) => {
        const { optionsJson } = await accounts.createSignInOptions({}, options);
        return JSON.parse(optionsJson) as Record<string, unknown>;
      });
      if (options === null) throw new AppError('unavailable', UNAVAILABLE_MESSAGE);
      return options;
    },
    async createPasskeySession(response, requestId) {
      return call({ timeoutMs: callTimeMs(REQUEST_MAX_MS), requestId }, async (options) => {
        const session = await accounts.createPasskeySession({ responseJson: JSON.stringify(response) }, options);
        return { token: session.token, expires_at: textOfTime(session.expiresAt!) };
      });
    },
  };
}

/** Returns an owner whose plan and scope are known. */
function checkedOwner(found: { accountId: string; username: string; plan: string; scope: string }): KeyOwner {
  const { accountId, username, plan, scope } = found;
  if (accountId === '' || !PLANS.includes(plan as Plan) || !SCOPES.includes(scope as Scope))
    throw new TypeError(`links-svc returned an unknown account, plan or scope: ${plan}, ${scope}`);
  return { accountId, username, plan: plan as Plan, scope: scope as Scope };
}

function countLookups(registry: Registry): Counter<'outcome'> {
  const lookups = new Counter({
    name: 'api_key_lookups_total',
    help: 'API keys and sessions looked up at links-svc because no fresh result was cached, by outcome (found, unknown, failed).',
    labelNames: ['outcome'],
    registers: [registry],
  });
  for (const outcome of ['found', 'unknown', 'failed']) lookups.labels(outcome).inc(0);
  return lookups;
}
