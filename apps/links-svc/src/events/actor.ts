import type { AccountIdentity } from '@waymark/auth';
import type { AccountDocument } from '../database/documents/account.ts';
import type { Actor } from '../database/documents/event.ts';
import { keyOf, restrictedKeyOf } from '../database/documents/stored-keys.ts';

const NO_KEY = { scope: null, hint: null, name: null } as const;

/** A person at the command line. */
export const ADMIN: Actor = { kind: 'admin', ...NO_KEY };
/** The service itself. */
export const SYSTEM: Actor = { kind: 'system', ...NO_KEY };
/** A session of the dashboard. */
export const SESSION: Actor = { kind: 'session', ...NO_KEY };

/** Returns who acts with an identity: the command line, a session, or a key of the account. */
export function actorOf(
  { byAdmin, sessionId, scope, key: restricted, person }: AccountIdentity,
  { keys }: Pick<AccountDocument, 'keys'>,
): Actor {
  if (byAdmin) return ADMIN;
  if (sessionId !== undefined) return sessionActor({ person });
  // The key may have been revoked meanwhile.
  const key = restricted === undefined ? keyOf(keys, scope) : restrictedKeyOf(keys, restricted.id);
  return { kind: 'key', scope, hint: key === undefined ? null : shownHint(key.hint), name: restricted?.name ?? null };
}

/** Returns who acts with a session: its person, or nobody in particular. */
export function sessionActor({ person }: { person?: AccountIdentity['person'] | undefined }): Actor {
  return person === undefined ? SESSION : { ...SESSION, name: person.name };
}

/** Returns the last characters of a key as clients see them. */
export function shownHint(hint: string): string {
  return `…${hint}`;
}
