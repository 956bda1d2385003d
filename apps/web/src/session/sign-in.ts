import { WaymarkError } from '@waymark/client';
import type { Session as NewSession } from '@waymark/contract';
import { messageOf } from '../api/api-error.ts';
import { api, signInApi } from '../api/client.ts';
import {
  beginSession,
  beginSignIn,
  endSession,
  readSessionState,
  readSessionToken,
  type Session,
} from '../api/session-store.ts';
import { session as texts } from '../texts/session.ts';
import { mayOfferPasskey } from './passkey-offer.ts';
import { askForPasskey, hasPasskeys, PasskeyError, signalUnknown } from './passkeys.ts';
import { takeVerifier } from './provider.ts';
import { readTakenToken, takeTokenFromAddress } from './sign-in-token.ts';

/** The server takes a challenge for 5 minutes. After that, it refuses good passkeys, too. */
const CHALLENGE_SURE_MS = 4 * 60_000;

/** A session that is used lasts 7 days. `expires_at` has the end of one that is not, after 12 hours. */
const USE_ADDS_MS = (7 * 24 - 12) * 3_600_000;

/** Signs in if the page was opened by a sign-in link. */
export function signInFromAddress(): void {
  takeTokenFromAddress();
  const token = readTakenToken();
  if (token !== null) void signInByLink(token);
}

/**
 * Exchanges the token of a sign-in link for a session. If it fails, the session before continues. Asks before the session
 * of another account ends in all tabs: somebody may have sent the link so that this person works in their account.
 */
async function signInByLink(token: string): Promise<void> {
  const before = readSessionState();
  const goBack = beginSignIn();
  try {
    const session = await signInApi('POST /api/v1/sessions', { body: { token, ...takeVerifier() } });
    const owner = await ownerOf(session.token);
    const { username, role } = owner;
    const mayOffer = username !== null && role === undefined && mayOfferPasskey(username);
    const offersPasskey = mayOffer && (await hasNoPasskey(session.token));
    const current = before.kind === 'active' ? before.session.username : null;
    const isOther = current !== null && username !== null && current !== username;
    if (!isOther || confirm(texts.otherAccount(current, username))) {
      beginSession({ ...begun(session), ...owner, offersPasskey });
      return;
    }
    goBack();
    await signInApi('DELETE /api/v1/sessions/current', { headers: bearer(session.token) }).catch(() => undefined);
  } catch (error) {
    goBack(error instanceof WaymarkError ? error : new WaymarkError(0, messageOf(error)));
  }
}

/**
 * Signs in with a passkey that the browser asks for. One that the server does not know is not offered again.
 * @throws {PasskeyError} if there was none, or if the server refused it. {WaymarkError} without a response.
 */
export async function signInWithPasskey(): Promise<void> {
  const options = await signInApi('POST /api/v1/sessions/passkey/options', {});
  const startedAt = performance.now();
  const response = await askForPasskey(options);
  try {
    await enter(await signInApi('POST /api/v1/sessions/passkey', { body: { response } }));
  } catch (error) {
    if (!(error instanceof WaymarkError) || error.status !== 401) throw error;
    const isUnknown = performance.now() - startedAt < CHALLENGE_SURE_MS;
    if (isUnknown) await signalUnknown(options, response).catch(() => undefined);
    const { unknown, refused } = texts.passkey;
    throw new PasskeyError(isUnknown ? unknown : refused, { cause: error });
  }
}

/** Begins a session in all tabs. */
async function enter(session: NewSession): Promise<void> {
  beginSession({ ...begun(session), ...(await ownerOf(session.token)) });
}

function begun({ token, expires_at }: NewSession): Pick<Session, 'token' | 'endsAt'> {
  return { token, endsAt: Date.parse(expires_at) + USE_ADDS_MS };
}

/**
 * Returns the user name, null without a response, and the role of a person. Tabs compare the name to tell whether the
 * account has changed.
 */
async function ownerOf(token: string): Promise<Pick<Session, 'username' | 'role'>> {
  try {
    const { username, person } = await signInApi('GET /api/v1/me', { headers: bearer(token) });
    return { username, role: person?.role };
  } catch {
    // The views ask again, and show the error.
    return { username: null };
  }
}

/** Begins a session of another account of the same person in all tabs, and ends the present one. */
export async function switchAccount(username: string): Promise<void> {
  const { owner } = readSessionState();
  const { token } = await api('POST /api/v1/sessions/switch', { body: { username } });
  beginSession({ token, endsAt: owner!.endsAt, ...(await ownerOf(token)) });
  await signInApi('DELETE /api/v1/sessions/current', { headers: bearer(owner!.token) }).catch(() => undefined);
}

/** Returns true if this browser has passkeys and the account has none. Also false without a response. */
async function hasNoPasskey(token: string): Promise<boolean> {
  if (!hasPasskeys) return false;
  try {
    return (await signInApi('GET /api/v1/me/passkeys', { headers: bearer(token) })).passkeys.length === 0;
  } catch {
    return false;
  }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** Ends the session in all tabs and on the server. If the server is unreachable, it ends there after 12 hours. */
export async function signOut(): Promise<void> {
  const token = readSessionToken();
  if (token === null) return;
  const ending = api('DELETE /api/v1/sessions/current', { keepalive: true });
  endSession('signed-out', token);
  await ending.catch(() => undefined);
}
