import type { AccountIdentity } from '@waymark/auth';
import { AppError } from '@waymark/contract';
import { KeyedMutex, timeLeftMs } from '@waymark/service-kit';
import type { Change } from '../changes/change.ts';
import type { ChangeQueue } from '../changes/change-queue.ts';
import type { IdempotencyDocument } from '../database/documents/idempotency.ts';
import { hashPassword, verifyPassword } from '../passwords/passwords.ts';
import type { IdempotencyStore } from './idempotency.store.ts';
import { IDEMPOTENCY_LIFETIME_MS, IDEMPOTENCY_REUSED_MESSAGE, idempotencyId } from './idempotency.ts';
import { type Answer, packAnswer, unpackAnswer } from './kept-answer.ts';
import { checkKeptBytes, withRecord } from './kept-bytes.ts';

export interface IdempotentRequestsDeps {
  records: Pick<IdempotencyStore, 'find'>;
  changes: Pick<ChangeQueue, 'run'>;
  /** The clock, in milliseconds. */
  now(): number;
}

/** A request with an `Idempotency-Key`. */
export interface IdempotentRequest<Result> {
  key: string;
  /** A hash of the body without passwords. */
  fingerprint: string;
  /** The passwords of the body, as one text. */
  password: string | null;
  /** Prepares what is requested. It is not called if the request was answered before. */
  prepare(): Promise<Change<Result>>;
}

/** How long a repetition in the background waits for a request that still runs in this process. */
const WAIT_MAX_MS = 4_000;

/** Performs requests with an `Idempotency-Key` once. */
export class IdempotentRequests {
  readonly #deps: IdempotentRequestsDeps;
  readonly #running = new KeyedMutex();

  constructor(deps: IdempotentRequestsDeps) {
    this.#deps = deps;
  }

  /**
   * Performs a request and returns its first answer. A repetition within a day gets the same one, even if it arrives
   * while the first request runs, or on another replica.
   * @throws {AppError} `invalid` if the key was used with another body, `rate_limited` if too much is kept for the API key.
   */
  async once<Result>(
    identity: AccountIdentity,
    request: IdempotentRequest<Result>,
  ): Promise<{ answer: Answer<Result>; isFirst: boolean }> {
    const id = idempotencyId(identity.accountId, identity.scope, request.key);
    return this.#running.run(id, timeLeftMs(WAIT_MAX_MS), async () => {
      const kept = this.#unexpired(await this.#deps.records.find(id));
      if (kept !== null) return this.#repeated(identity, request, kept);
      const done = await this.#deps.changes.run(await this.#recording(identity, request, id));
      return 'kept' in done ? this.#repeated(identity, request, done.kept) : { answer: done.answer, isFirst: true };
    });
  }

  /** Returns the requested change together with its record. */
  async #recording<Result>(
    { accountId, scope }: AccountIdentity,
    { fingerprint, password, prepare }: IdempotentRequest<Result>,
    _id: string,
  ): Promise<Change<{ answer: Answer<Result> } | { kept: IdempotencyDocument }>> {
    const change = await prepare();
    const password_hash = password === null ? null : await hashPassword(password, accountId);
    return {
      ...change,
      reads: () => ({ ...change.reads(), idempotency: [_id] }),
      decide: (draft) => {
        const { idempotency } = draft.documents;
        const kept = this.#unexpired(idempotency.get(_id));
        if (kept !== null) return { kept };
        const nowMs = this.#deps.now();
        const keptBytes = checkKeptBytes(draft.account.idempotency_bytes?.[scope], nowMs);
        const answer = answerOf(() => change.decide(draft));
        const packed = packAnswer(answer);
        const bytes = withRecord(keptBytes, packed.length(), nowMs);
        draft.set({ idempotency_bytes: { ...draft.account.idempotency_bytes, [scope]: bytes } });
        const expires_at = new Date(nowMs + IDEMPOTENCY_LIFETIME_MS);
        idempotency.put({ _id, account_id: accountId, fingerprint, password_hash, answer: packed, expires_at });
        return { answer };
      },
    };
  }

  async #repeated<Result>(
    { accountId }: AccountIdentity,
    { fingerprint, password }: IdempotentRequest<Result>,
    record: IdempotencyDocument,
  ): Promise<{ answer: Answer<Result>; isFirst: boolean }> {
    const isSame =
      record.fingerprint === fingerprint &&
      (password === null ||
        record.password_hash === null ||
        (await verifyPassword(password, record.password_hash, accountId)));
    if (!isSame) throw new AppError('invalid', IDEMPOTENCY_REUSED_MESSAGE);
    return { answer: await unpackAnswer<Result>(record.answer), isFirst: false };
  }

  /** Returns the record unless it has expired: MongoDB removes it a little later. */
  #unexpired(record: IdempotencyDocument | null): IdempotencyDocument | null {
    return record !== null && record.expires_at.getTime() > this.#deps.now() ? record : null;
  }
}

function answerOf<Result>(decide: () => Result): Answer<Result> {
  try {
    return { result: decide() };
  } catch (error) {
    // What is refused for now may be done later.
    if (!(error instanceof AppError) || error.code === 'rate_limited') throw error;
    return { error: { code: error.code, message: error.message } };
  }
}
