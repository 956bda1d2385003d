import {
  type AddPasskeyInput,
  AppError,
  NO_SUCH_PASSKEY_MESSAGE,
  PASSKEY_REFUSED_MESSAGE,
  PASSKEYS_FULL_MESSAGE,
  PASSKEYS_MAX,
  type Passkey,
  SIGN_IN_REFUSED_MESSAGE,
} from '@waymark/contract';
import { Binary } from 'mongodb';
import { noAccount } from '../accounts/account.ts';
import type { AccountsStore } from '../accounts/accounts.store.ts';
import type { AccountDraft } from '../changes/account-draft.ts';
import type { ChangeQueue } from '../changes/change-queue.ts';
import type { AccountDocument } from '../database/documents/account.ts';
import type { Actor } from '../database/documents/event.ts';
import type { PasskeyDocument } from '../database/documents/passkey.ts';
import { SESSION } from '../events/actor.ts';
import { type StartedSession, startSession } from '../sessions/start-session.ts';
import type { Credentials } from './credentials.ts';
import { passkeyId, shownPasskey } from './passkey.ts';
import type { PasskeysStore } from './passkeys.store.ts';

export interface PasskeysServiceDeps {
  passkeys: PasskeysStore;
  credentials: Credentials;
  accounts: Pick<AccountsStore, 'findLiving'>;
  changes: Pick<ChangeQueue, 'run'>;
}

/** About how many bytes a change of a passkey writes. */
const CHANGE_BYTES = 4_096;

/** The use cases of passkeys. The transports check who may call them. */
export class PasskeysService {
  readonly #deps: PasskeysServiceDeps;

  constructor(deps: PasskeysServiceDeps) {
    this.#deps = deps;
  }

  /**
   * Returns the passkeys of an account, oldest first.
   * @throws {AppError} `not_found` if the account does not exist.
   */
  async list(accountId: string): Promise<Passkey[]> {
    await this.#getAccount(accountId);
    return (await this.#deps.passkeys.listOf(accountId)).map(shownPasskey);
  }

  /**
   * Returns the options to create a passkey with, as JSON of WebAuthn. Their challenge works once, for 5 minutes.
   * @throws {AppError} `not_found` if the account does not exist, `invalid` if it has as many passkeys as it can.
   */
  async creationOptions(accountId: string): Promise<object> {
    const { username } = await this.#getAccount(accountId);
    const existing = await this.#deps.passkeys.listOf(accountId);
    if (existing.length >= PASSKEYS_MAX) throw new AppError('invalid', PASSKEYS_FULL_MESSAGE);
    return this.#deps.credentials.creationOptions({ accountId, username }, existing);
  }

  /**
   * Adds the passkey of a response to {@link creationOptions}.
   * @throws {AppError} `invalid` if anything is wrong with it, if it is in use, or if the account has as many as it can.
   */
  async add(accountId: string, { name, response }: AddPasskeyInput): Promise<Passkey> {
    const { passkeys, credentials } = this.#deps;
    const { credential, challenge } = await refuseErrors(newRefused, credentials.verifyNew(accountId, response));
    if (!(await passkeys.useChallenge(challenge))) throw newRefused();
    const _id = passkeyId(credential.id);
    return this.#change(accountId, _id, (draft) => {
      const { passkeys: ids } = draft.account;
      if (ids.length >= PASSKEYS_MAX) throw new AppError('invalid', PASSKEYS_FULL_MESSAGE);
      if (draft.documents.passkeys.get(_id) !== null) throw newRefused();
      const passkey: PasskeyDocument = {
        _id,
        account_id: accountId,
        name,
        credential_id: credential.id,
        public_key: new Binary(credential.publicKey),
        counter: credential.counter,
        transports: [...(credential.transports ?? [])],
        created_at: draft.now,
      };
      draft.set({ passkeys: [...ids, _id] });
      draft.documents.passkeys.put(passkey);
      draft.append({ type: 'passkey.added', actor: SESSION, data: { passkey: { id: _id, name } } });
      return shownPasskey(passkey);
    });
  }

  /**
   * Deletes a passkey of the account.
   * @throws {AppError} `not_found`.
   */
  async remove(accountId: string, id: string, actor: Actor): Promise<void> {
    await this.#change(accountId, id, (draft) => {
      const { passkeys: ids } = draft.account;
      const passkey = draft.documents.passkeys.get(id);
      if (passkey === null || !ids.includes(id)) throw new AppError('not_found', NO_SUCH_PASSKEY_MESSAGE);
      draft.set({ passkeys: ids.filter((one) => one !== id) });
      draft.documents.passkeys.remove(id);
      draft.append({ type: 'passkey.deleted', actor, data: { passkey: { id, name: passkey.name } } });
    });
  }

  /** Returns the options to sign in with, as JSON of WebAuthn. Their challenge works once, for 5 minutes. */
  requestOptions(): Promise<object> {
    return this.#deps.credentials.requestOptions();
  }

  /**
   * Starts a session of the account whose passkey responded to {@link requestOptions}.
   * @throws {AppError} `not_found` if anything is wrong with the response.
   */
  async signIn(response: Record<string, unknown>): Promise<StartedSession> {
    const { passkeys, credentials, accounts } = this.#deps;
    const passkey = typeof response.id === 'string' ? await passkeys.find(passkeyId(response.id)) : null;
    if (passkey === null || !(await accounts.findLiving({ accountId: passkey.account_id }))) throw signInRefused();
    const { account_id, _id } = passkey;
    const { counter, challenge } = await refuseErrors(signInRefused, credentials.verifySignIn(passkey, response));
    if (!(await passkeys.useChallenge(challenge))) throw signInRefused();
    return this.#change(account_id, _id, (draft) => {
      const stored = draft.documents.passkeys.get(_id);
      // Another sign-in may have come first.
      if (stored === null || (counter <= stored.counter && (counter > 0 || stored.counter > 0))) throw signInRefused();
      draft.documents.passkeys.put({ ...stored, counter, last_used_at: draft.now });
      return startSession(draft, { signOuts: draft.account.sign_outs });
    });
  }

  async #getAccount(accountId: string): Promise<AccountDocument> {
    const account = await this.#deps.accounts.findLiving({ accountId });
    if (account === null) throw noAccount({ accountId });
    return account;
  }

  #change<Result>(accountId: string, id: string, decide: (draft: AccountDraft) => Result): Promise<Result> {
    return this.#deps.changes.run({
      accountId,
      size: 1,
      bytes: CHANGE_BYTES,
      reads: () => ({ passkeys: [id] }),
      decide,
    });
  }
}

/** Waits for a check, and rejects with the refusal, whatever the check threw: it read what a client sent. */
async function refuseErrors<Result>(refused: (cause: unknown) => AppError, check: Promise<Result>): Promise<Result> {
  try {
    return await check;
  } catch (cause) {
    throw refused(cause);
  }
}

function newRefused(cause?: unknown): AppError {
  return new AppError('invalid', PASSKEY_REFUSED_MESSAGE, { cause });
}

function signInRefused(cause?: unknown): AppError {
  return new AppError('not_found', SIGN_IN_REFUSED_MESSAGE, { cause });
}
