import { AppError, PLANS, type Plan, SCOPES, type Scope, UNAUTHENTICATED_MESSAGE } from '@waymark/contract';

/** The processes that may act on their own behalf, without an account. */
export const SERVICE_NAMES = ['gateway', 'links-svc', 'analytics-svc', 'mcp-svc', 'admin'] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

/** An account with the scope of the API key that was used. */
export interface AccountIdentity {
  kind: 'account';
  accountId: string;
  username: string;
  plan: Plan;
  scope: Scope;
}

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
 * Returns the identity if it is one of the allowed services.
 * @throws {AppError} `forbidden` if it is an account or another service.
 */
export function requireService(identity: Identity, ...allowed: ServiceName[]): ServiceIdentity {
  if (identity.kind === 'service' && allowed.includes(identity.service)) return identity;
  throw new AppError('forbidden', 'This operation is not open to the caller.');
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
      }
    : { sub: identity.service, kind: 'service' };
}

/** Returns the identity that the claims describe, or null if they describe none. */
export function identityOfClaims(claims: Record<string, unknown>): Identity | null {
  const { sub, kind, username, plan, scope } = claims;
  if (typeof sub !== 'string' || sub === '') return null;
  if (kind === 'service') return isOneOf(SERVICE_NAMES, sub) ? { kind, service: sub } : null;
  if (kind !== 'account' || typeof username !== 'string') return null;
  return isOneOf(PLANS, plan) && isOneOf(SCOPES, scope) ? { kind, accountId: sub, username, plan, scope } : null;
}

function isOneOf<Value extends string>(values: readonly Value[], value: unknown): value is Value {
  return (values as readonly unknown[]).includes(value);
}
