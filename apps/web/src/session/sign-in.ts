import { ApiError, messageOf } from '../api/api-error.ts';
import { api, dataOf } from '../api/client.ts';
import { endSession, readSessionState, readSessionToken, setSessionState } from './session-store.ts';
import { readTakenToken, takeTokenFromAddress } from './sign-in-token.ts';

/** Signs in if the address is, or was, a sign-in link. */
export function signInFromAddress(): void {
  takeTokenFromAddress();
  const token = readTakenToken();
  if (token !== null) void signIn(token);
}

/** Exchanges the token of a sign-in link for a session. If it fails, a session that this tab had goes on. */
async function signIn(token: string): Promise<void> {
  const before = readSessionState();
  setSessionState({ kind: 'signing-in' });
  try {
    setSessionState({ kind: 'active', session: await dataOf(api.POST('/api/v1/sessions', { body: { token } })) });
  } catch (error) {
    const failure = error instanceof ApiError ? error : new ApiError(0, messageOf(error));
    setSessionState(before.kind === 'active' ? before : { kind: 'failed', error: failure });
  }
}

/** Ends the session in this tab at once, and on the server. If that cannot be reached, it ends there after 12 hours. */
export async function signOut(): Promise<void> {
  const token = readSessionToken();
  if (token === null) return;
  const ending = api.DELETE('/api/v1/sessions/current', { keepalive: true });
  endSession('signed-out', token);
  await ending.catch(() => undefined);
}
