import { runWithoutDeadline, withTimeout } from '@waymark/service-kit';
import type { ClickLimitDocument } from '../database/documents/click-limit.ts';
import type { ClickLimitsStore } from './click-limits.store.ts';

export interface ClickLimitsDeps {
  store: Pick<ClickLimitsStore, 'take'>;
  /** Makes the link of a limit expire of which nothing is left. */
  expire(limit: ClickLimitDocument): Promise<void>;
}

/** What became of one redirect: it was granted, came too late, or its limit does not exist any more. */
export type Taken = 'granted' | 'spent' | 'gone';

interface Waiting {
  resolve(taken: Taken): void;
  reject(error: unknown): void;
}

/** A visitor waits no longer. Then it does not matter whether the redirect was taken: it is not sent. */
const WAIT_MAX_MS = 4_000;
/** So long the last visitor waits until the link has expired for everybody. If it takes longer, a shared task does it. */
const EXPIRE_WAIT_MS = 1_000;

/**
 * Grants the redirects of limited links, exactly as many as the limit allows, on all replicas together. Each is taken from
 * the database before it is sent. Visitors of a link who wait meanwhile are in one write, and all wait for that alone.
 */
export class ClickLimits {
  readonly #deps: ClickLimitsDeps;
  /** Those who wait for the next write, by limit. An entry exists while a write runs. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(deps: ClickLimitsDeps) {
    this.#deps = deps;
  }

  /** Takes one redirect of a limit. Rejects with `unavailable` in an outage. */
  take(limitId: string): Promise<Taken> {
    const taken = new Promise<Taken>((resolve, reject) => {
      const waiting = this.#waiting.get(limitId);
      if (waiting !== undefined) {
        waiting.push({ resolve, reject });
        return;
      }
      this.#waiting.set(limitId, [{ resolve, reject }]);
      // Its writes are for several visitors.
      void runWithoutDeadline(() => this.#write(limitId));
    });
    return withTimeout(taken, WAIT_MAX_MS, 'a redirect of a limited link');
  }

  /** Writes for those who wait, until nobody does. */
  async #write(limitId: string): Promise<void> {
    for (;;) {
      const batch = this.#waiting.get(limitId)!;
      if (batch.length === 0) {
        this.#waiting.delete(limitId);
        return;
      }
      this.#waiting.set(limitId, []);
      try {
        const limit = await this.#deps.store.take(limitId, batch.length);
        const left = limit?.left ?? 0;
        if (limit !== null && left > 0 && left <= batch.length) await this.#expire(limit);
        for (const [n, { resolve }] of batch.entries())
          resolve(limit === null ? 'gone' : n < left ? 'granted' : 'spent');
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
  }

  async #expire(limit: ClickLimitDocument): Promise<void> {
    await withTimeout(this.#deps.expire(limit), EXPIRE_WAIT_MS, 'the expiry of a limited link').catch(() => {});
  }
}
