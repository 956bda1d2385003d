import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, BUSY_MESSAGE } from '@waymark/contract';
import { type AttemptCounter, rateLimitKey } from '@waymark/service-kit';

/** One try, counted before its password is checked. */
export interface PasswordTry {
  /** 0 if the try is allowed. Otherwise the seconds until the next one is. */
  waitSeconds: number;
  /** Ends the try once it is known whether its password was wrong. */
  end(wasWrong: boolean): void;
}

interface Line {
  last: Promise<unknown>;
  waiting: number;
}

const UNLIMITED: PasswordTry = { waitSeconds: 0, end: () => undefined };
/** How many tries of one link and address may wait for earlier ones. */
const MAX_WAITING = 100;
/** Polled, because the other tries may be on another replica, which does not report their end. */
const RECHECK_AFTER_MS = 50;

/**
 * A limit of `perMinute` wrong passwords for each link and address. A minute begins with the first one. 0 turns the
 * limit off. Only as many tries as are left are checked concurrently, and further tries wait for their results. So
 * right passwords are never refused because of other right ones, and concurrent wrong ones get no further than
 * successive ones.
 */
export class PasswordTries {
  readonly #perMinute: number;
  readonly #attempts: AttemptCounter;
  readonly #lines = new Map<string, Line>();

  constructor(perMinute: number, attempts: AttemptCounter) {
    this.#perMinute = perMinute;
    this.#attempts = attempts;
  }

  /**
   * Begins a try, after the earlier tries of the same link and address. The caller must check `waitSeconds`.
   * @throws {AppError} `unavailable` if too many tries wait, or if it is not known by `endsAt` (of `performance.now()`)
   *   whether a try is left.
   */
  async begin(linkId: string, address: string, endsAt: number): Promise<PasswordTry> {
    if (this.#perMinute === 0) return UNLIMITED;
    const subject = `${linkId} ${rateLimitKey(address)}`;
    const line = this.#lines.get(subject) ?? { last: Promise.resolve(), waiting: 0 };
    if (line.waiting >= MAX_WAITING) throw new AppError('unavailable', BUSY_MESSAGE);
    const begin = () => this.#waitForTry(subject, endsAt);
    const begun = line.last.then(begin, begin);
    line.last = begun;
    line.waiting += 1;
    this.#lines.set(subject, line);
    try {
      return await begun;
    } finally {
      line.waiting -= 1;
      if (line.waiting === 0) this.#lines.delete(subject);
    }
  }

  async #waitForTry(subject: string, endsAt: number): Promise<PasswordTry> {
    for (;;) {
      const attempt = await this.#attempts.begin(subject, this.#perMinute);
      if (attempt.counted || attempt.open === 0)
        return {
          waitSeconds: attempt.counted ? 0 : attempt.resetSeconds,
          end: (wasWrong) => this.#attempts.end(subject, attempt, wasWrong),
        };
      if (performance.now() >= endsAt) throw new AppError('unavailable', BUSY_MESSAGE);
      await sleep(RECHECK_AFTER_MS);
    }
  }
}
