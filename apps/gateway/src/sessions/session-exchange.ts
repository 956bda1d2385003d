import { hashSecret, isSignInToken, type Signer } from '@waymark/auth';
import type { Session } from '@waymark/contract';
import { timeFromMessage } from '@waymark/proto';
import { type Accounts, askAccounts } from '../keys/ask-accounts.ts';

/** Longer than the lookup of a key: a token whose exchange was not awaited is lost. */
const EXCHANGE_TIMEOUT_MS = 3_000;

/** Exchanges a sign-in token for a session. Resolves to null if the token does not work. */
export type SessionExchange = (signInToken: string, requestId: string) => Promise<Session | null>;

/**
 * Creates an exchange that asks links-svc for the session.
 * @throws {AppError} `unavailable` (from the exchange) as {@link askAccounts} does.
 */
export function createSessionExchange(accounts: Accounts, signer: Signer): SessionExchange {
  return async (signInToken, requestId) => {
    if (!isSignInToken(signInToken)) return null;
    return askAccounts(signer, { timeoutMs: EXCHANGE_TIMEOUT_MS, requestId }, async (options) => {
      const { token, expiresAt } = await accounts.createSession({ signInTokenHash: hashSecret(signInToken) }, options);
      return { token, expires_at: timeFromMessage(expiresAt!).toISOString() };
    });
  };
}
