import type { WaymarkError } from '@waymark/client';
import type { Role } from '@waymark/contract';
import { readItem, removeItem, writeItem } from './site-data.ts';

/** The session of this browser. All of its tabs share it. */
export interface Session {
  token: string;
  /** Null if the server could not be asked. */
  username: string | null;
  /** True if a sign-in link began it and the account has no passkey, until the user has one or says “Not now”. */
  offersPasskey?: boolean;
  /** When it ends for good, in milliseconds since 1970, by the server's clock. */
  endsAt?: number | undefined;
  /** Of the person whose session it is, if an OpenID provider knows them. */
  role?: Role | undefined;
}

/**
 * The state of this tab. `owner` is the session whose views are on the page, or null. When a session expires, its views
 * stay until somebody else signs in, so that no form is lost.
 */
export type SessionState = { owner: Session | null } & (
  | { kind: 'signing-in' }
  /** `replaced` is true if another tab signed in, and took the views of another account off this page. */
  | { kind: 'active'; session: Session; isKept: boolean; replaced?: boolean }
  | { kind: 'none'; reason: 'new' | 'expired' | 'signed-out' }
  | { kind: 'failed'; error: WaymarkError }
);

const KEY = 'waymark.session';
/** Stored for a moment, so that other tabs can tell a sign-out from a session that has expired. */
const SIGNED_OUT = 'signed-out';

let state: SessionState = readStored() ?? { kind: 'none', reason: 'new', owner: null };
const listeners = new Set<() => void>();

function readStored(text = readItem('localStorage', KEY)): ReturnType<typeof active> | null {
  try {
    const {
      token,
      username = null,
      offersPasskey = false,
      endsAt,
      role,
    } = JSON.parse(text ?? '{}') as Partial<Session>;
    return typeof token === 'string' ? active({ token, username, offersPasskey, endsAt, role }, true) : null;
  } catch {
    // Not JSON, so there is no session.
    return null;
  }
}

function active(session: Session, isKept: boolean) {
  return { kind: 'active', session, isKept, owner: session } as const;
}

/** Signs this tab in and out together with the other tabs. */
export function followOtherTabs(): void {
  addEventListener('storage', ({ key, newValue }) => {
    if (key === KEY || key === null) followStored(newValue);
  });
  // A page in the back/forward cache got no events.
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) followStored(readItem('localStorage', KEY) ?? SIGNED_OUT);
  });
}

function followStored(text: string | null): void {
  const stored = readStored(text);
  if (stored !== null) {
    const isOffered = state.kind === 'active' && state.session.offersPasskey === true;
    if (stored.session.token !== readSessionToken() || stored.session.offersPasskey !== isOffered) follow(stored);
  } else if (state.kind === 'active' && state.isKept) {
    change(ended(text === SIGNED_OUT ? 'signed-out' : 'expired'));
  }
}

/** Continues with the session that another tab began. */
function follow(stored: ReturnType<typeof active>): void {
  const replaced = state.owner !== null && viewsOf(state.owner) !== viewsOf(stored.owner);
  change({ ...stored, replaced });
}

function ended(reason: 'expired' | 'signed-out'): SessionState {
  return { kind: 'none', reason, owner: reason === 'expired' ? state.owner : null };
}

function change(next: SessionState): void {
  state = next;
  for (const listener of listeners) listener();
}

/** Returns the key of an owner's views. Two sessions of one account have the same key. */
export function viewsOf(owner: Session | null): string | null {
  return owner === null ? null : (owner.username ?? owner.token);
}

export function readSessionState(): SessionState {
  return state;
}

/** Returns the token of the session, or null. */
export function readSessionToken(): string | null {
  return state.kind === 'active' ? state.session.token : null;
}

/**
 * Notes that a sign-in begins. Returns the function to call if it does not succeed: the session before continues then.
 * Without one, the error is shown.
 */
export function beginSignIn(): (error?: WaymarkError) => void {
  const before = state;
  change({ kind: 'signing-in', owner: before.owner });
  return (error) => {
    // Another tab may have signed in meanwhile.
    if (state.kind !== 'signing-in') return;
    change(before.kind === 'active' || error === undefined ? before : { kind: 'failed', error, owner: before.owner });
  };
}

/** Begins a session in all tabs, or in this page alone if the browser keeps no site data. */
export function beginSession(session: Session): void {
  change(active(session, writeItem('localStorage', KEY, JSON.stringify(session))));
}

/** Ends the offer of a passkey in all tabs. */
export function dropPasskeyOffer(): void {
  if (state.kind === 'active' && state.session.offersPasskey) beginSession({ ...state.session, offersPasskey: false });
}

/** Ends the session with `token` in all tabs. Does nothing if another one began meanwhile. */
export function endSession(reason: 'expired' | 'signed-out', token: string): void {
  if (readSessionToken() !== token) return;
  const stored = readStored();
  if (reason === 'expired' && stored !== null && stored.session.token !== token) {
    follow(stored);
    return;
  }
  if (reason === 'signed-out') writeItem('localStorage', KEY, SIGNED_OUT);
  removeItem('localStorage', KEY);
  change(ended(reason));
}

/** Calls `listener` after each change. Returns a function that stops it. */
export function subscribeToSession(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
