import { generateSessionToken, hashSecret } from '@waymark/auth';
import type { AccountDraft } from '../changes/account-draft.ts';
import { SESSION } from '../events/actor.ts';
import { SESSION_IDLE_MS } from './session.ts';

/** A session that began, with the token that its owner sends. */
export interface StartedSession {
  token: string;
  expiresAt: Date;
}

/**
 * Adds a session to a change of its account. `signOuts` is the value of the account that it depends on: if all sessions
 * were ended since, this one does not work either.
 */
export function startSession(draft: AccountDraft, signOuts: number): StartedSession {
  const token = generateSessionToken();
  const expiresAt = new Date(draft.now.getTime() + SESSION_IDLE_MS);
  draft.documents.sessions.put({
    _id: hashSecret(token).toString('hex'),
    account_id: draft.account._id,
    sign_outs: signOuts,
    created_at: draft.now,
    expires_at: expiresAt,
  });
  draft.append({ type: 'session.started', actor: SESSION, data: {} });
  return { token, expiresAt };
}
