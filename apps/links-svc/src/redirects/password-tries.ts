import { setTimeout as sleep } from 'node:timers/promises';
import { AppError } from '@waymark/contract';
import { type AttemptCounter, limitedAddress } from '@waymark/service-kit';
import { BUSY_MESSAGE } from '../fair-queue.ts';

/** One try, counted before its password is checked. */
export interface PasswordTry {
  /** 0, or, when no wrong try was left, the seconds until there is one again. */
  waitSeconds: number;
  /** Ends the try, once it is known whether its password was wrong. */
  end(wasWrong: boolean): void;
}

interface Line {
  last: Promise<unknown>;
  waiting: number;
}

const UNLIMITED: PasswordTry = { waitSeconds: 0, end: () => undefined };
/** Tries of one link and address that wait for others. */
const MAX_WAITING = 100;
/** The others may be of another replica, which does not report them. */
const ASK_AGAIN_AFTER_MS = 50;

/**
 * Counts wrong passwords for each link and address: at most `perMinute` within a minute that begins with the first
 * (0 turns the limit off). At most as many tries as are left are unchecked at a time; more wait until it is known
 * whether those were wrong. So a right password is never refused for right ones, and concurrent wrong ones get no
 * further than successive ones.
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
   * Takes one try, if there is one left, after those of the same link and address that came before.
   * @throws {AppError} `unavailable` where it is not known by `endsAt` (of `performance.now()`) whether there is one.
   */
  async take(linkId: string, address: string, endsAt: number): Promise<PasswordTry> {
    if (this.#perMinute === 0) return UNLIMITED;
    const subject = `${linkId} ${limitedAddress(address)}`;
    const line = this.#lines.get(subject) ?? { last: Promise.resolve(), waiting: 0 };
    if (line.waiting >= MAX_WAITING) throw new AppError('unavailable', BUSY_MESSAGE);
    const begin = () => this.#begin(subject, endsAt);
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

  async #begin(subject: string, endsAt: number): Promise<PasswordTry> {
    for (;;) {
      const attempt = await this.#attempts.begin(subject, this.#perMinute);
      if (attempt.counted || attempt.open === 0)
        return {
          waitSeconds: attempt.counted ? 0 : attempt.resetSeconds,
          end: (wasWrong) => this.#attempts.end(subject, attempt, wasWrong),
        };
      if (performance.now() >= endsAt) throw new AppError('unavailable', BUSY_MESSAGE);
      await sleep(ASK_AGAIN_AFTER_MS);
    }
  }
}
