import { type CountResult, type Usage, withTimeout } from '@waymark/service-kit';
import type { RateLimits } from '../limits/rate-limits.ts';

/** What an attempt found, or null if it failed; or the usage of an address that has no failures left. */
export type AttemptResult<Found> = { found: Found | null } | { refused: Usage };

export interface AuthenticationAttempts {
  /**
   * Runs an attempt to authenticate, unless its address has no failures left. The attempt resolves to null if it failed,
   * which counts as a failure of the address. Rejects if the attempt does, or if the wait for other attempts takes too
   * long.
   */
  run<Found>(address: string, attempt: () => Promise<Found | null>): Promise<AttemptResult<Found>>;
}

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
 * Creates attempts that respect the failure limit of each address. A failure is reserved before each attempt. It is
 * refunded if the attempt succeeds or rejects. So concurrent requests cannot cause more attempts than the limit allows.
 * A request that finds no failure left waits for attempts that may still refund theirs, so that reservations do not
 * block valid credentials.
 */
export function createAuthenticationAttempts(
  limits: Pick<RateLimits, 'countFailure' | 'refundFailure'>,
): AuthenticationAttempts {
  const attempts = new Map<string, PendingAttempts>();

  async function reserve(address: string): Promise<CountResult> {
    for (;;) {
      const before = attempts.get(address);
      const result = await limits.countFailure(address);
      if (result.counted) {
        begin(address);
        return result;
      }
      const others = before ?? attempts.get(address);
      if (others === undefined) return result;
      const error = await withTimeout(others.ended.promise, WAIT_MAX_MS, 'attempts of the same address').catch(
        (timeout) => timeout,
      );
      if (error !== null) throw error;
    }
  }

  function begin(address: string): void {
    const pending = attempts.get(address) ?? { count: 0, ended: Promise.withResolvers(), error: null };
    pending.count += 1;
    attempts.set(address, pending);
  }

  function end(address: string, error: unknown): void {
    const pending = attempts.get(address)!;
    pending.count -= 1;
    pending.error ??= error;
    if (pending.count > 0) return;
    attempts.delete(address);
    pending.ended.resolve(pending.error);
  }

  return {
    async run(address, attempt) {
      const reserved = await reserve(address);
      if (!reserved.counted) return { refused: reserved };
      let error: unknown = null;
      try {
        const found = await attempt();
        if (found !== null) limits.refundFailure(address, reserved);
        return { found };
      } catch (thrown) {
        limits.refundFailure(address, reserved);
        error = thrown;
        throw thrown;
      } finally {
        end(address, error);
      }
    },
  };
}
