import type { components } from '../api/api.gen.ts';
import type { ApiError } from '../api/api-error.ts';

/** The session of this tab. */
export type Session = components['schemas']['Session'];

export type SessionState =
  | { kind: 'signing-in' }
  | { kind: 'active'; session: Session }
  | { kind: 'none'; reason: 'new' | 'expired' | 'signed-out' }
  | { kind: 'failed'; error: ApiError };

/** Kept for the tab only: another tab, or this one after it is closed, needs another sign-in link. */
const STORAGE_KEY = 'waymark.session';

let state: SessionState = readStored();
const listeners = new Set<() => void>();

function readStored(): SessionState {
  try {
    const session = JSON.parse(sessionStorage.getItem(STORAGE_KEY) ?? 'null') as Session | null;
    if (session !== null && Date.parse(session.expires_at) > Date.now()) return { kind: 'active', session };
  } catch {
    // Not JSON, so this page did not write it. The user signs in again.
  }
  return { kind: 'none', reason: 'new' };
}

export function readSessionState(): SessionState {
  return state;
}

/** Changes the state, keeps or forgets the token, and calls the listeners. */
export function setSessionState(next: SessionState): void {
  if (next.kind === 'active') sessionStorage.setItem(STORAGE_KEY, JSON.stringify(next.session));
  else if (next.kind !== 'signing-in') sessionStorage.removeItem(STORAGE_KEY);
  state = next;
  for (const listener of listeners) listener();
}

/** Returns the token of the session, or null. */
export function readSessionToken(): string | null {
  return state.kind === 'active' ? state.session.token : null;
}

/** Forgets the session with `token`. Does nothing if another one began meanwhile. */
export function endSession(reason: 'expired' | 'signed-out', token: string): void {
  if (readSessionToken() === token) setSessionState({ kind: 'none', reason });
}

/** Calls `listener` after each change. Returns a function that stops it. */
export function subscribeToSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
