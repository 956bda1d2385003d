import { generateSignInToken, hashSecret } from '@waymark/auth';
import { AppError, type Plan } from '@waymark/contract';
import { noAccount } from '../accounts/account.ts';
import type { AccountsStore } from '../accounts/accounts.store.ts';
import type { AccountDraft } from '../changes/account-draft.ts';
import type { ChangeReads } from '../changes/change.ts';
import type { ChangeQueue } from '../changes/change-queue.ts';
import type { AccountDocument } from '../database/documents/account.ts';
import type { SessionDocument } from '../database/documents/session.ts';
import { ADMIN, SESSION } from '../events/actor.ts';
import type { Uses } from '../uses.ts';
import { SIGN_IN_LINK_LIFETIME_MS } from './session.ts';
import type { SessionsStore } from './sessions.store.ts';
import { type StartedSession, startSession } from './start-session.ts';

/** The account that a session belongs to. */
export interface ResolvedSession {
  accountId: string;
  username: string;
  plan: Plan;
  sessionId: string;
}

export interface SessionsServiceDeps {
  sessions: SessionsStore;
  accounts: AccountsStore;
  changes: Pick<ChangeQueue, 'run'>;
  sessionUses: Pick<Uses<SessionDocument>, 'record'>;
  /** The base of sign-in links, without a slash at the end. */
  apiUrl: string;
  /** The clock, in milliseconds. */
  now: () => number;
}

/** About how many bytes a change of a session writes. */
const CHANGE_BYTES = 1_024;

/** The use cases of sessions and sign-in links. The transports check who may call them. */
export class SessionsService {
  readonly #deps: SessionsServiceDeps;

  constructor(deps: SessionsServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Returns a link to sign in to the dashboard with. It works once, for 15 minutes. Its token is in the fragment, which
   * browsers do not send to servers.
   * @throws {AppError} `not_found`.
   */
  async createSignInLink(username: string): Promise<{ url: string; expiresAt: Date }> {
    const account = await this.#deps.accounts.find(username);
    if (account === null || account.deleting_at !== undefined) throw noAccount({ username });
    const token = generateSignInToken();
    const expiresAt = new Date(this.#deps.now() + SIGN_IN_LINK_LIFETIME_MS);
    await this.#deps.sessions.insertSignInLink({
      _id: idOf(hashSecret(token)),
      account_id: account._id,
      sign_outs: account.sign_outs,
      expires_at: expiresAt,
    });
    return { url: `${this.#deps.apiUrl}/app/#token=${token}`, expiresAt };
  }

  /**
   * Uses up the sign-in link whose token has this SHA-256, and returns the token of a new session.
   * @throws {AppError} `not_found` if the link is unknown, was used, has expired, or is older than a sign-out.
   */
  async createSession(signInTokenHash: Uint8Array): Promise<StartedSession> {
    const { sessions, accounts, now } = this.#deps;
    const link = await sessions.takeSignInLink(idOf(signInTokenHash), new Date(now()));
    const account = link === null ? null : await accounts.findById(link.account_id);
    if (link === null || !isValidFor(link, account)) throw new AppError('not_found', 'There is no such sign-in link.');
    return this.#change(link.account_id, {}, (draft) => startSession(draft, link.sign_outs));
  }

  /**
   * Returns the account of the session whose token has this SHA-256, and records that the session is used.
   * @throws {AppError} `not_found` if the session is unknown or has ended.
   */
  async resolve(tokenHash: Uint8Array): Promise<ResolvedSession> {
    const session = await this.#deps.sessions.find(idOf(tokenHash), new Date(this.#deps.now()));
    const account = session === null ? null : await this.#deps.accounts.findById(session.account_id);
    if (session === null || !isValidFor(session, account)) throw new AppError('not_found', 'There is no such session.');
    this.#deps.sessionUses.record(session);
    return { accountId: account._id, username: account.username, plan: account.plan, sessionId: session._id };
  }

  /** Ends a session of the account. */
  async end(accountId: string, sessionId: string): Promise<void> {
    await this.#change(accountId, { sessions: [sessionId] }, (draft) => {
      if (draft.documents.sessions.get(sessionId) === null) return;
      draft.documents.sessions.remove(sessionId);
      draft.append({ type: 'session.ended', actor: SESSION, data: {} });
    });
  }

  /**
   * Ends all sessions of an account, and makes its unused sign-in links useless.
   * @throws {AppError} `not_found`.
   */
  async signOut(username: string): Promise<void> {
    const account = await this.#deps.accounts.findLiving({ username });
    if (account === null) throw noAccount({ username });
    await this.#change(account._id, {}, (draft) => {
      draft.set({ sign_outs: draft.account.sign_outs + 1 });
      draft.append({ type: 'session.ended', actor: ADMIN, data: {} });
    });
  }

  #change<Result>(accountId: string, reads: ChangeReads, decide: (draft: AccountDraft) => Result): Promise<Result> {
    return this.#deps.changes.run({ accountId, size: 1, bytes: CHANGE_BYTES, reads: () => reads, decide });
  }
}

/** Returns true if the account exists, and was not signed out since the session or link was made. */
function isValidFor(made: { sign_outs: number }, account: AccountDocument | null): account is AccountDocument {
  return account !== null && account.deleting_at === undefined && account.sign_outs === made.sign_outs;
}

function idOf(hash: Uint8Array): string {
  return Buffer.from(hash).toString('hex');
}
