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
  /**
   * Prepares what is requested, or what is left of it: `done` is the first answer then, and the change returns the whole
   * one. It is not called if the request was answered before and nothing is left.
   */
  prepare(done?: Result): Promise<Change<Result>>;
  /** Returns true if something is left that a repetition must do. Default: never. */
  isPartial?(result: Result): boolean;
}

/** The answer that is kept for a request: the first one, or one in which something is left. */
interface Kept<Result> {
  record: IdempotencyDocument;
  answer: Answer<Result>;
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
   * while the first request runs, or on another replica. If something was left, the repetition does it first.
   * @throws {AppError} `invalid` if the key was used with another body, `rate_limited` if too much is kept for the API key.
   */
  async once<Result>(
    identity: AccountIdentity,
    request: IdempotentRequest<Result>,
  ): Promise<{ answer: Answer<Result>; isFirst: boolean }> {
    const id = idempotencyId(identity, request.key);
    return this.#running.run(id, timeLeftMs(WAIT_MAX_MS), async () => {
      let record = this.#unexpired(await this.#deps.records.find(id));
      for (;;) {
        const kept = record && { record, answer: await answerIn(record, identity, request) };
        if (kept !== null && !hasRest(kept.answer, request)) return { answer: kept.answer, isFirst: false };
        const done = await this.#deps.changes.run(await this.#recording(identity, request, id, kept));
        if ('answer' in done) return { answer: done.answer, isFirst: kept === null };
        record = done.other;
      }
    });
  }

  /** Returns the requested change, or what is left of it, together with its record. It does nothing if that is another. */
  async #recording<Result>(
    { accountId, scope }: AccountIdentity,
    { fingerprint, password, prepare }: IdempotentRequest<Result>,
    _id: string,
    kept: Kept<Result> | null,
  ): Promise<Change<{ answer: Answer<Result> } | { other: IdempotencyDocument | null }>> {
    const change = await prepare(kept !== null && 'result' in kept.answer ? kept.answer.result : undefined);
    const password_hash = kept?.record.password_hash ?? (password && (await hashPassword(password, accountId)));
    return {
      ...change,
      reads: () => ({ ...change.reads(), idempotency: [_id] }),
      decide: (draft) => {
        const { idempotency, undo } = draft.documents;
        const record = this.#unexpired(idempotency.get(_id));
        if (!isSame(record, kept?.record ?? null)) return { other: record };
        const nowMs = this.#deps.now();
        const keptBytes = checkKeptBytes(draft.account.idempotency_bytes[scope], nowMs);
        const answer = answerOf(() => undo.attempt(() => change.decide(draft)));
        const packed = packAnswer(answer);
        const bytes = withRecord(keptBytes, packed.length(), nowMs);
        draft.set({ idempotency_bytes: { ...draft.account.idempotency_bytes, [scope]: bytes } });
        const expires_at = record?.expires_at ?? new Date(nowMs + IDEMPOTENCY_LIFETIME_MS);
        idempotency.put({ _id, account_id: accountId, fingerprint, password_hash, answer: packed, expires_at });
        return { answer };
      },
    };
  }

  /** Returns the record unless it has expired: MongoDB removes it a little later. */
  #unexpired(record: IdempotencyDocument | null): IdempotencyDocument | null {
    return record !== null && record.expires_at.getTime() > this.#deps.now() ? record : null;
  }
}

/**
 * Returns the answer that a record keeps.
 * @throws {AppError} `invalid` if its request was another one.
 */
async function answerIn<Result>(
  record: IdempotencyDocument,
  { accountId }: AccountIdentity,
  { fingerprint, password }: IdempotentRequest<Result>,
): Promise<Answer<Result>> {
  const isSameRequest =
    record.fingerprint === fingerprint &&
    (password === null ||
      record.password_hash === null ||
      (await verifyPassword(password, record.password_hash, accountId)));
  if (!isSameRequest) throw new AppError('invalid', IDEMPOTENCY_REUSED_MESSAGE);
  return unpackAnswer<Result>(record.answer);
}

function hasRest<Result>(answer: Answer<Result>, { isPartial }: IdempotentRequest<Result>): boolean {
  return 'result' in answer && isPartial?.(answer.result) === true;
}

/** Returns true if both are the same record with the same answer, or if there is none. */
function isSame(a: IdempotencyDocument | null, b: IdempotencyDocument | null): boolean {
  if (a === null || b === null) return a === b;
  return Buffer.compare(a.answer.value(), b.answer.value()) === 0;
}

function answerOf<Result>(decide: () => Result): Answer<Result> {
  try {
    return { result: decide() };
  } catch (error) {
    // What is refused for now may be done later.
    if (!(error instanceof AppError) || error.code === 'rate_limited' || error.httpStatus >= 500) throw error;
    return { error: { code: error.code, message: error.message } };
  }
}
