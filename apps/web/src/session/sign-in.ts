import { ApiError, messageOf } from '../api/api-error.ts';
import { api, signInApi } from '../api/client.ts';
import { beginSession, beginSignIn, endSession, readSessionToken } from '../api/session-store.ts';
import { session } from '../texts/session.ts';
import { askForPasskey, PasskeyError, signalUnknown } from './passkeys.ts';
import { readTakenToken, takeTokenFromAddress } from './sign-in-token.ts';

/** The server takes a challenge for 5 minutes. After that, it refuses good passkeys, too. */
const CHALLENGE_SURE_MS = 4 * 60_000;

/** Signs in if the page was opened by a sign-in link. */
export function signInFromAddress(): void {
  takeTokenFromAddress();
  const token = readTakenToken();
  if (token !== null) void signInByLink(token);
}

/** Exchanges the token of a sign-in link for a session. If it fails, the session before continues. */
async function signInByLink(token: string): Promise<void> {
  const fail = beginSignIn();
  try {
    await enter(await signInApi('POST /api/v1/sessions', { body: { token } }));
  } catch (error) {
    fail(error instanceof ApiError ? error : new ApiError(0, messageOf(error)));
  }
}

/**
 * Signs in with a passkey that the browser asks for. One that the server does not know is not offered again.
 * @throws {PasskeyError} if there was none, or if the server refused it. {ApiError} without a response.
 */
export async function signInWithPasskey(): Promise<void> {
  const options = await signInApi('POST /api/v1/sessions/passkey/options', {});
  const startedAt = performance.now();
  const response = await askForPasskey(options);
  try {
    await enter(await signInApi('POST /api/v1/sessions/passkey', { body: { response } }));
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 401) throw error;
    const isUnknown = performance.now() - startedAt < CHALLENGE_SURE_MS;
    if (isUnknown) await signalUnknown(options, response).catch(() => undefined);
    const { unknown, refused } = session.passkey;
    throw new PasskeyError(isUnknown ? unknown : refused, { cause: error });
  }
}

/** Begins a session in all tabs. */
async function enter({ token }: { token: string }): Promise<void> {
  beginSession({ token, username: await usernameOf(token) });
}

/** Returns the user name, or null without a response. Tabs compare it to tell whether the account has changed. */
async function usernameOf(token: string): Promise<string | null> {
  try {
    const headers = { authorization: `Bearer ${token}` };
    return (await signInApi('GET /api/v1/me', { headers })).username;
  } catch {
    // The views ask again, and show the error.
    return null;
  }
}

/** Ends the session in all tabs and on the server. If the server is unreachable, it ends there after 12 hours. */
export async function signOut(): Promise<void> {
  const token = readSessionToken();
  if (token === null) return;
  const ending = api('DELETE /api/v1/sessions/current', { keepalive: true });
  endSession('signed-out', token);
  await ending.catch(() => undefined);
}
