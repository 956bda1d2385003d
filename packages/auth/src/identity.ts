import {
  AppError,
  PLANS,
  type Plan,
  SCOPES,
  type Scope,
  SESSION_REQUIRED_MESSAGE,
  UNAUTHENTICATED_MESSAGE,
} from '@waymark/contract';

/** The processes that may act on their own behalf, without an account. */
export const SERVICE_NAMES = ['gateway', 'links-svc', 'analytics-svc', 'mcp-svc', 'admin'] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

/** An account with the scope of the API key that was used. A session has the scope `full_access`. */
export interface AccountIdentity {
  kind: 'account';
  accountId: string;
  username: string;
  plan: Plan;
  scope: Scope;
  /** The id of the session that was used instead of a key. */
  sessionId?: string;
  /** True if the command line acts for the account. No signed identity says so. */
  byAdmin?: true;
}

/** An account that a session of the dashboard acts for. */
export type SessionIdentity = AccountIdentity & { sessionId: string };

/** A service that acts on its own behalf. */
export interface ServiceIdentity {
  kind: 'service';
  service: ServiceName;
}

/** The account or service on whose behalf a request runs. */
export type Identity = AccountIdentity | ServiceIdentity;

/**
 * Returns the identity if it is an account.
 * @throws {AppError} `unauthenticated` if it is a service, because the request has no account.
 */
export function requireAccount(identity: Identity): AccountIdentity {
  if (identity.kind !== 'account') throw new AppError('unauthenticated', UNAUTHENTICATED_MESSAGE);
  return identity;
}

/**
 * Returns the identity if it is an account with a session.
 * @throws {AppError} `unauthenticated` if it is a service, `forbidden` if a key was used.
 */
export function requireSession(identity: Identity): SessionIdentity {
  const account = requireAccount(identity);
  const { sessionId } = account;
  if (sessionId === undefined) throw new AppError('forbidden', SESSION_REQUIRED_MESSAGE);
  return { ...account, sessionId };
}

/**
 * Returns the identity if it is one of the allowed services.
 * @throws {AppError} `forbidden` if it is an account or another service.
 */
export function requireService(identity: Identity, ...allowed: ServiceName[]): ServiceIdentity {
  if (identity.kind === 'service' && allowed.includes(identity.service)) return identity;
  throw new AppError('forbidden', 'The caller may not use this operation.');
}

/** Returns the token claims of an identity. `sub` is the only registered claim (RFC 7519) among them. */
export function claimsOf(identity: Identity): Record<string, string> {
  return identity.kind === 'account'
    ? {
        sub: identity.accountId,
        kind: 'account',
        username: identity.username,
        plan: identity.plan,
        scope: identity.scope,
        ...(identity.sessionId !== undefined && { session: identity.sessionId }),
      }
    : { sub: identity.service, kind: 'service' };
}

/** Returns the identity that the claims describe, or null if they describe none. */
export function identityOfClaims(claims: Record<string, unknown>): Identity | null {
  const { sub, kind, username, plan, scope, session } = claims;
  if (typeof sub !== 'string' || sub === '') return null;
  if (kind === 'service') return isOneOf(SERVICE_NAMES, sub) ? { kind, service: sub } : null;
  if (kind !== 'account' || typeof username !== 'string') return null;
  if (!isOneOf(PLANS, plan) || !isOneOf(SCOPES, scope)) return null;
  const account = { kind, accountId: sub, username, plan, scope } as const;
  if (session === undefined) return account;
  return typeof session === 'string' && session !== '' ? { ...account, sessionId: session } : null;
}

function isOneOf<Value extends string>(values: readonly Value[], value: unknown): value is Value {
  return (values as readonly unknown[]).includes(value);
}
