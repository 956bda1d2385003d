import { AppError, PLANS, type Plan, SCOPES, type Scope, UNAUTHENTICATED_MESSAGE } from '@waymark/contract';

/** The processes that may speak for themselves and not for an account. */
export const SERVICE_NAMES = ['gateway', 'links-svc', 'analytics-svc', 'mcp-svc', 'admin'] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

/** An account, seen through one of its keys. */
export interface AccountIdentity {
  kind: 'account';
  accountId: string;
  username: string;
  plan: Plan;
  scope: Scope;
}

/** A sister service. */
export interface ServiceIdentity {
  kind: 'service';
  service: ServiceName;
}

/** On whose behalf a request runs. */
export type Identity = AccountIdentity | ServiceIdentity;

/**
 * The identity as an account.
 * @throws {AppError} `unauthenticated` where it is a service: no account is behind the request.
 */
export function requireAccount(identity: Identity): AccountIdentity {
  if (identity.kind !== 'account') throw new AppError('unauthenticated', UNAUTHENTICATED_MESSAGE);
  return identity;
}

/**
 * The identity as one of the allowed services.
 * @throws {AppError} `forbidden` where it is an account or another service.
 */
export function requireService(identity: Identity, ...allowed: ServiceName[]): ServiceIdentity {
  if (identity.kind === 'service' && allowed.includes(identity.service)) return identity;
  throw new AppError('forbidden', 'This operation is not open to the caller.');
}

/** An identity as the claims of its token, without the registered ones but `sub`. */
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

/** The identity that claims stand for, or null where they stand for none. */
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
