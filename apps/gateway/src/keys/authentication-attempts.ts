import { type CountResult, type Usage, withTimeout } from '@waymark/service-kit';
import type { RateLimits } from '../limits/rate-limits.ts';

/** What an attempt found, or null if it failed; or the usage of an address that has no failures left. */
export type AttemptResult<Found> = { found: Found | null } | { refused: Usage };

/** The pending attempts of one address. */
interface PendingAttempts {
  count: number;
  /** Resolves when all of them have ended: with the first error, or with null if none rejected. */
  ended: PromiseWithResolvers<unknown>;
  error: unknown;
}

/** How long a request waits for other attempts of its address. A lookup of a key takes at most one second. */
const WAIT_MAX_MS = 1_500;

/**
 * Attempts to authenticate, within the failure limit of each address. A failure is reserved before each attempt. It is
 * refunded if the attempt succeeds or rejects. So concurrent requests cannot cause more attempts than the limit allows.
 * A request that finds no failure left waits for attempts that may still refund theirs, so that reservations do not
 * block valid credentials.
 */
export class AuthenticationAttempts {
  readonly #limits: RateLimits;
  readonly #pending = new Map<string, PendingAttempts>();

  constructor(limits: RateLimits) {
    this.#limits = limits;
  }

  /**
   * Runs an attempt, unless its address has no failures left. The attempt resolves to null if it failed, which counts as
   * a failure of the address. Rejects if the attempt does, or if the wait for other attempts takes too long.
   */
  async run<Found>(address: string, attempt: () => Promise<Found | null>): Promise<AttemptResult<Found>> {
    const reserved = await this.#reserve(address);
    if (!reserved.counted) return { refused: reserved };
    let error: unknown = null;
    try {
      const found = await attempt();
      if (found !== null) this.#limits.refundFailure(address, reserved);
      return { found };
    } catch (thrown) {
      this.#limits.refundFailure(address, reserved);
      error = thrown;
      throw thrown;
    } finally {
      this.#end(address, error);
    }
  }

  async #reserve(address: string): Promise<CountResult> {
    for (;;) {
      const before = this.#pending.get(address);
      const result = await this.#limits.countFailure(address);
      if (result.counted) {
        const pending = this.#pending.get(address) ?? { count: 0, ended: Promise.withResolvers(), error: null };
        pending.count += 1;
        this.#pending.set(address, pending);
        return result;
      }
      const others = before ?? this.#pending.get(address);
      if (others === undefined) return result;
      const waited = withTimeout(others.ended.promise, WAIT_MAX_MS, 'attempts of the same address');
      const error = await waited.catch((timeout) => timeout);
      if (error !== null) throw error;
    }
  }

  #end(address: string, error: unknown): void {
    const pending = this.#pending.get(address)!;
    pending.count -= 1;
    pending.error ??= error;
    if (pending.count > 0) return;
    this.#pending.delete(address);
    pending.ended.resolve(pending.error);
  }
}
