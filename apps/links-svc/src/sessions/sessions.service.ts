import { generateSignInToken, hashSecret, type Person } from '@waymark/auth';
import {
  AppError,
  NO_SUCH_SESSION_ACCOUNT_MESSAGE,
  type Plan,
  type Role,
  type SessionAccounts,
  UNAUTHENTICATED_MESSAGE,
} from '@waymark/contract';
import { noAccount } from '../accounts/account.ts';
import type { AccountsStore } from '../accounts/accounts.store.ts';
import type { AccountDraft } from '../changes/account-draft.ts';
import type { ChangeReads } from '../changes/change.ts';
import type { ChangeQueue } from '../changes/change-queue.ts';
import type { AccountDocument } from '../database/documents/account.ts';
import type { Actor } from '../database/documents/event.ts';
import type {
  SessionDocument,
  SessionGrant,
  SessionPerson,
  SignInLinkDocument,
} from '../database/documents/session.ts';
import { ADMIN, SYSTEM } from '../events/actor.ts';
import type { Uses } from '../uses.ts';
import { PERSON_SIGN_IN_LIFETIME_MS, roleIn, SIGN_IN_LINK_LIFETIME_MS } from './session.ts';
import type { SessionsStore } from './sessions.store.ts';
import { type StartedSession, startSession } from './start-session.ts';

/** The account that a session belongs to. */
export interface ResolvedSession {
  accountId: string;
  username: string;
  plan: Plan;
  sessionId: string;
  person?: Person;
}

/** A person who has signed in at an OpenID provider. */
export interface PersonSignIn extends Pick<SessionPerson, 'iss' | 'sub' | 'name'> {
  /** The first is the account of the session. */
  grants: readonly { username: string; role: Role }[];
  /** The plan of accounts that are created. */
  plan: string;
  /** SHA-256 of what the browser will send with the token, as base64url. */
  challenge: string;
}

export interface SessionsServiceDeps {
  sessions: SessionsStore;
  accounts: AccountsStore;
  /** Creates an account. Rejects with `conflict` if its name is taken. */
  createAccount: (username: string, plan: string, actor: Actor) => Promise<unknown>;
  changes: Pick<ChangeQueue, 'run'>;
  sessionUses: Pick<Uses<SessionDocument>, 'record'>;
  /** The base of sign-in links, without a slash at the end. */
  apiUrl: string;
  /** The clock, in milliseconds. */
  now: () => number;
}

const ACCOUNT_BEING_DELETED_MESSAGE = 'The account is being deleted right now; try again in a moment.';

/** The name of whoever signs in with a link that is not for the owner. */
const LINK_HOLDER_NAME = 'Holder of a sign-in link';

/** About how many bytes a change of a session writes. */
const CHANGE_BYTES = 1_024;

/** The use cases of sessions and sign-in links. The transports check who may call them. */
export class SessionsService {
  readonly #deps: SessionsServiceDeps;

  constructor(deps: SessionsServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Returns a link to sign in to the dashboard with, in a role. It works once, for 15 minutes. Its token is in the fragment,
   * which browsers do not send to servers.
   * @throws {AppError} `not_found`.
   */
  async createSignInLink(username: string, role: Role): Promise<{ url: string; expiresAt: Date }> {
    const account = await this.#deps.accounts.find(username);
    if (account === null || account.deleting_at !== undefined) throw noAccount({ username });
    const token = generateSignInToken();
    const grant = { account_id: account._id, role, sign_outs: account.sign_outs };
    const expiresAt = new Date(this.#deps.now() + SIGN_IN_LINK_LIFETIME_MS);
    await this.#deps.sessions.insertSignInLink({
      _id: idOf(hashSecret(token)),
      account_id: account._id,
      sign_outs: account.sign_outs,
      expires_at: expiresAt,
      ...(role !== 'owner' && { person: { iss: '', sub: '', name: LINK_HOLDER_NAME, grants: [grant] } }),
    });
    return { url: `${this.#deps.apiUrl}/app/#token=${token}`, expiresAt };
  }

  /**
   * Returns a token with which a person signs in whom an OpenID provider knows. It works once, for a minute, in the browser
   * that has the verifier. Creates those of their accounts that are missing. Accounts that are being deleted are not theirs.
   * @throws {AppError} `unavailable` if all of them are being deleted.
   */
  async createPersonSignIn({ iss, sub, name, ...signIn }: PersonSignIn): Promise<string> {
    const grants: SessionGrant[] = [];
    for (const { username, role } of signIn.grants) {
      const account = await this.#findOrCreate(username, signIn.plan);
      if (account === null) continue;
      grants.push({ account_id: account._id, role, sign_outs: account.sign_outs });
    }
    const [first] = grants;
    if (first === undefined) throw new AppError('unavailable', ACCOUNT_BEING_DELETED_MESSAGE);
    const token = generateSignInToken();
    await this.#deps.sessions.insertSignInLink({
      _id: idOf(hashSecret(token)),
      account_id: first.account_id,
      sign_outs: first.sign_outs,
      expires_at: new Date(this.#deps.now() + PERSON_SIGN_IN_LIFETIME_MS),
      person: { iss, sub, name, grants },
      challenge: signIn.challenge,
    });
    return token;
  }

  /** Returns the account with this name, or null if it is being deleted. */
  async #findOrCreate(username: string, plan: string): Promise<AccountDocument | null> {
    const { accounts, createAccount } = this.#deps;
    const found = await accounts.find(username);
    if (found !== null) return found.deleting_at === undefined ? found : null;
    try {
      await createAccount(username, plan, SYSTEM);
    } catch (error) {
      // Another sign-in may have created it meanwhile.
      if (!(error instanceof AppError) || error.code !== 'conflict') throw error;
    }
    return accounts.findLiving({ username });
  }

  /**
   * Uses up the sign-in token that has this SHA-256, and returns the token of a new session. The token of a person needs
   * the verifier of its challenge.
   * @throws {AppError} `not_found` if it is unknown, was used, has expired, or is older than a sign-out, or if the verifier
   *   is wrong.
   */
  async createSession(signInTokenHash: Uint8Array, verifier: string): Promise<StartedSession> {
    const { sessions, accounts, now } = this.#deps;
    const link = await sessions.takeSignInLink(idOf(signInTokenHash), new Date(now()));
    const account = link === null ? null : await accounts.findById(link.account_id);
    if (link === null || !isValidFor(link, account) || !isBegunWith(link, verifier))
      throw new AppError('not_found', 'There is no such sign-in link.');
    const { account_id, sign_outs: signOuts, person } = link;
    return this.#change(account_id, {}, (draft) => startSession(draft, { signOuts, person }));
  }

  /** Returns the accounts that a session can switch to. */
  async listAccounts(sessionId: string): Promise<SessionAccounts> {
    const session = await this.#getSession(sessionId);
    const accounts: SessionAccounts['accounts'] = [];
    for (const grant of grantsOf(session)) {
      const account = await this.#deps.accounts.findById(grant.account_id);
      if (!isValidFor(grant, account)) continue;
      accounts.push({ username: account.username, role: grant.role, current: account._id === session.account_id });
    }
    return { accounts };
  }

  /**
   * Returns the token of a new session of another account that this one can switch to. It ends as late as this one can.
   * @throws {AppError} `not_found` for any other account.
   */
  async switchAccount(sessionId: string, username: string): Promise<StartedSession> {
    const session = await this.#getSession(sessionId);
    const account = await this.#deps.accounts.find(username);
    const grant = grantsOf(session).find(({ account_id }) => account_id === account?._id);
    if (grant === undefined || !isValidFor(grant, account))
      throw new AppError('not_found', NO_SUCH_SESSION_ACCOUNT_MESSAGE);
    const { sign_outs: signOuts } = grant;
    const { person, created_at: signedInAt } = session;
    return this.#change(account._id, {}, (draft) => startSession(draft, { signOuts, person, signedInAt }));
  }

  /** Returns a session that has just been used. */
  async #getSession(sessionId: string): Promise<SessionDocument> {
    const session = await this.#deps.sessions.find(sessionId, new Date(this.#deps.now()));
    // It may have ended meanwhile.
    if (session === null) throw new AppError('unauthenticated', UNAUTHENTICATED_MESSAGE);
    return session;
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
    const { person } = session;
    return {
      accountId: account._id,
      username: account.username,
      plan: account.plan,
      sessionId: session._id,
      ...(person !== undefined && { person: { name: person.name, role: roleIn(person, account._id) } }),
    };
  }

  /** Ends a session of the account. */
  async end(accountId: string, sessionId: string, actor: Actor): Promise<void> {
    await this.#change(accountId, { sessions: [sessionId] }, (draft) => {
      if (draft.documents.sessions.get(sessionId) === null) return;
      draft.documents.sessions.remove(sessionId);
      draft.append({ type: 'session.ended', actor, data: {} });
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

/** Returns true if the verifier is that of the challenge, or if the link needs none. */
function isBegunWith({ challenge }: SignInLinkDocument, verifier: string): boolean {
  return challenge === undefined || challenge === hashSecret(verifier).toString('base64url');
}

/** Returns what the person of a session may do. A session without a person is the owner's. */
function grantsOf({ person, account_id, sign_outs }: SessionDocument): readonly SessionGrant[] {
  return person?.grants ?? [{ account_id, role: 'owner', sign_outs }];
}

function idOf(hash: Uint8Array): string {
  return Buffer.from(hash).toString('hex');
}
