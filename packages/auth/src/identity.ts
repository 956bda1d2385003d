import {
  ACTIONS,
  type Action,
  AppError,
  isMetBy,
  type Need,
  PLANS,
  type Plan,
  ROLES,
  type Role,
  roleMay,
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
  /** The restricted key that was used. */
  key?: KeyRestriction;
  /** The person whose session it is, if an OpenID provider knows them. */
  person?: Person;
  /** True if the command line acts for the account. No signed identity says so. */
  byAdmin?: true;
}

/** What a restricted key may do. */
export interface KeyRestriction {
  id: string;
  /** Tells it from others. */
  name: string;
  actions: readonly Action[];
  /** Links without this hashtag do not exist for the key. Folded. Null: all links of its scope exist. */
  hashtag: string | null;
  /** RFC 3339, UTC. Null: it does not expire. */
  expiresAt: string | null;
}

/** A person who signed in at an OpenID provider. */
export interface Person {
  name: string;
  role: Role;
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
 * Checks that a restricted key or the role of a person may do what has this need. The scope of a key, and whether a
 * session or a service is needed, are checked where the operation runs.
 * @throws {AppError} `forbidden` with what is missing.
 */
export function requireNeed(identity: Identity, need: Need): void {
  if (identity.kind === 'service') return;
  const { key, person } = identity;
  if (key !== undefined && !isMetBy(need, key.actions)) throw new AppError('forbidden', keyLacks(need));
  if (person !== undefined && !roleMay(person.role, need))
    throw new AppError('forbidden', `Your role in this account is ${person.role}, which does not allow this.`);
}

/** Returns true if {@link requireNeed} accepts it. */
export function mayDo(identity: Pick<AccountIdentity, 'key' | 'person'>, need: Need): boolean {
  const { key, person } = identity;
  return (key === undefined || isMetBy(need, key.actions)) && (person === undefined || roleMay(person.role, need));
}

function keyLacks(need: Need): string {
  const actions = [need].flat().filter((one) => (ACTIONS as readonly string[]).includes(one));
  if (actions.length === 0) return 'A restricted key may not do this.';
  return `This key lacks the action ${actions.map((one) => `"${one}"`).join(' or ')}; ask for a key that has it.`;
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
export function claimsOf(identity: Identity): Record<string, unknown> {
  if (identity.kind === 'service') return { sub: identity.service, kind: 'service' };
  const { accountId, username, plan, scope, sessionId, key, person } = identity;
  return {
    sub: accountId,
    kind: 'account',
    username,
    plan,
    scope,
    ...(sessionId !== undefined && { session: sessionId }),
    ...(key !== undefined && { key }),
    ...(person !== undefined && { person }),
  };
}

/** Returns the identity that the claims describe, or null if they describe none. */
export function identityOfClaims(claims: Record<string, unknown>): Identity | null {
  const { sub, kind, username, plan, scope, session, key, person } = claims;
  if (typeof sub !== 'string' || sub === '') return null;
  if (kind === 'service') return isOneOf(SERVICE_NAMES, sub) ? { kind, service: sub } : null;
  if (kind !== 'account' || typeof username !== 'string') return null;
  if (!isOneOf(PLANS, plan) || !isOneOf(SCOPES, scope)) return null;
  if (session !== undefined && (typeof session !== 'string' || session === '')) return null;
  if (key !== undefined && !isRestriction(key)) return null;
  if (person !== undefined && !isPerson(person)) return null;
  return {
    kind,
    accountId: sub,
    username,
    plan,
    scope,
    ...(session !== undefined && { sessionId: session }),
    ...(key !== undefined && { key }),
    ...(person !== undefined && { person }),
  };
}

function isRestriction(value: unknown): value is KeyRestriction {
  if (typeof value !== 'object' || value === null) return false;
  const { id, name, actions, hashtag, expiresAt } = value as Record<string, unknown>;
  const isText = (one: unknown) => typeof one === 'string' && one !== '';
  return (
    isText(id) &&
    isText(name) &&
    Array.isArray(actions) &&
    actions.every((one) => isOneOf(ACTIONS, one)) &&
    (hashtag === null || isText(hashtag)) &&
    (expiresAt === null || isText(expiresAt))
  );
}

function isPerson(value: unknown): value is Person {
  if (typeof value !== 'object' || value === null) return false;
  const { name, role } = value as Record<string, unknown>;
  return typeof name === 'string' && isOneOf(ROLES, role);
}

function isOneOf<Value extends string>(values: readonly Value[], value: unknown): value is Value {
  return (values as readonly unknown[]).includes(value);
}
