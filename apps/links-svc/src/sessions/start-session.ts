import { generateSessionToken, hashSecret } from '@waymark/auth';
import type { AccountDraft } from '../changes/account-draft.ts';
import type { SessionPerson } from '../database/documents/session.ts';
import { sessionActor } from '../events/actor.ts';
import { roleIn, SESSION_IDLE_MS, SESSION_LIFETIME_MS } from './session.ts';

/** A session that began, with the token that its owner sends. */
export interface StartedSession {
  token: string;
  expiresAt: Date;
}

/** What a session is made from. */
export interface SessionStart {
  /** The value of the account that it depends on: if all sessions were ended since, this one does not work either. */
  signOuts: number;
  /** Its person, if an OpenID provider knows them. */
  person?: SessionPerson | undefined;
  /** When its person signed in. Default: now. */
  signedInAt?: Date;
}

/** Adds a session to a change of its account. */
export function startSession(
  draft: AccountDraft,
  { signOuts, person, signedInAt = draft.now }: SessionStart,
): StartedSession {
  const { _id: account_id } = draft.account;
  const token = generateSessionToken();
  const endMs = Math.min(draft.now.getTime() + SESSION_IDLE_MS, signedInAt.getTime() + SESSION_LIFETIME_MS);
  const expiresAt = new Date(endMs);
  draft.documents.sessions.put({
    _id: hashSecret(token).toString('hex'),
    account_id,
    sign_outs: signOuts,
    created_at: signedInAt,
    expires_at: expiresAt,
    ...(person !== undefined && { person }),
  });
  const actor = sessionActor({ person: person && { name: person.name, role: roleIn(person, account_id) } });
  draft.append({ type: 'session.started', actor, data: {} });
  return { token, expiresAt };
}
