import type { AccountIdentity } from '@waymark/auth';
import type { AccountDocument } from '../database/documents/account.ts';
import type { Actor } from '../database/documents/event.ts';

const NO_KEY = { scope: null, hint: null, name: null } as const;

/** A person at the command line. */
export const ADMIN: Actor = { kind: 'admin', ...NO_KEY };
/** The service itself. */
export const SYSTEM: Actor = { kind: 'system', ...NO_KEY };
/** A session of the dashboard. */
export const SESSION: Actor = { kind: 'session', ...NO_KEY };

/** Returns who acts with an identity: the command line, a session, or the account's key of its scope. */
export function actorOf(
  { byAdmin, sessionId, scope }: AccountIdentity,
  { keys }: Pick<AccountDocument, 'keys'>,
): Actor {
  if (byAdmin) return ADMIN;
  if (sessionId !== undefined) return SESSION;
  // The key may have been revoked meanwhile.
  const key = keys.find((one) => one.scope === scope);
  return { kind: 'key', scope, hint: key === undefined ? null : shownHint(key.hint), name: null };
}

/** Returns the last characters of a key as clients see them. */
export function shownHint(hint: string): string {
  return `…${hint}`;
}
