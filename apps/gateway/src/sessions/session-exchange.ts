import { hashSecret, isSignInToken, type Signer } from '@waymark/auth';
import type { Session } from '@waymark/contract';
import { textOfTime } from '@waymark/proto';
import { type Accounts, callAccounts } from '../keys/call-accounts.ts';

/** Longer than the lookup of a key: a token whose exchange was not awaited is lost. */
const EXCHANGE_TIMEOUT_MS = 3_000;

/** Exchanges a sign-in token for a session. Resolves to null if the token does not work. */
export type SessionExchange = (signInToken: string, requestId: string) => Promise<Session | null>;

/**
 * Creates an exchange that gets the session from links-svc.
 * @throws {AppError} `unavailable` (from the exchange) as {@link callAccounts} does.
 */
export function createSessionExchange(accounts: Accounts, signer: Signer): SessionExchange {
  return async (signInToken, requestId) => {
    if (!isSignInToken(signInToken)) return null;
    return callAccounts(signer, { timeoutMs: EXCHANGE_TIMEOUT_MS, requestId }, async (options) => {
      const { token, expiresAt } = await accounts.createSession({ signInTokenHash: hashSecret(signInToken) }, options);
      return { token, expires_at: textOfTime(expiresAt!) };
    });
  };
}
