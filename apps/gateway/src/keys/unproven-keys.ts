import { type Taken, type Usage, withTimeout } from '@waymark/service-kit';
import type { RateLimits } from '../limits/rate-limits.ts';
import type { KeyOwner, KeyResolver } from './key-resolver.ts';

/** The owner of a key or null, or the usage of an address that has no failures left. */
export type KeyAnswer = { owner: KeyOwner | null } | { refused: Usage };

export interface UnprovenKeys {
  /**
   * Finds the owner of a key that was not valid at its last lookup or was never looked up. Each request whose key has
   * no owner counts as a failure of its address. Rejects if a lookup fails, or if the wait for other lookups takes too
   * long.
   */
  resolve(hash: Buffer, address: string, requestId: string): Promise<KeyAnswer>;
}

/** The pending lookups of one address. */
interface UnderWay {
  count: number;
  /** Resolves when all of them have ended: with the first error, or with null if none failed. */
  ended: PromiseWithResolvers<unknown>;
  failure: unknown;
}

/** How long a request waits for other lookups of its address. A lookup takes at most one second. */
const WAIT_MAX_MS = 1_500;

/**
 * Creates lookups that respect the failure limit of each address. A failure is reserved before each lookup. It is
 * refunded if the key has an owner or the lookup fails. So concurrent requests cannot cause more lookups than the limit
 * allows. Two rules keep reservations from blocking valid keys: concurrent requests with the same key and address share
 * one reservation, and a request that finds no failure left waits for lookups that may still refund theirs.
 */
export function createUnprovenKeys(
  keys: Pick<KeyResolver, 'resolve'>,
  limits: Pick<RateLimits, 'countFailure' | 'refundFailure'>,
): UnprovenKeys {
  const answers = new Map<string, Promise<KeyAnswer>>();
  const lookups = new Map<string, UnderWay>();

  async function lookUp(hash: Buffer, address: string, requestId: string): Promise<KeyAnswer> {
    const reserved = await reserve(address);
    if (!reserved.counted) return { refused: reserved };
    let failure: unknown = null;
    try {
      const owner = await keys.resolve(hash, requestId);
      if (owner !== null) limits.refundFailure(address, reserved);
      return { owner };
    } catch (error) {
      limits.refundFailure(address, reserved);
      failure = error;
      throw error;
    } finally {
      end(address, failure);
    }
  }

  async function reserve(address: string): Promise<Taken> {
    for (;;) {
      const before = lookups.get(address);
      const taken = await limits.countFailure(address);
      if (taken.counted) {
        begin(address);
        return taken;
      }
      const others = before ?? lookups.get(address);
      if (others === undefined) return taken;
      const failure = await withTimeout(others.ended.promise, WAIT_MAX_MS, 'lookups of the same address').catch(
        (error) => error,
      );
      if (failure !== null) throw failure;
    }
  }

  function begin(address: string): void {
    const underWay = lookups.get(address) ?? { count: 0, ended: Promise.withResolvers(), failure: null };
    underWay.count += 1;
    lookups.set(address, underWay);
  }

  function end(address: string, failure: unknown): void {
    const underWay = lookups.get(address)!;
    underWay.count -= 1;
    underWay.failure ??= failure;
    if (underWay.count > 0) return;
    lookups.delete(address);
    underWay.ended.resolve(underWay.failure);
  }

  return {
    async resolve(hash, address, requestId) {
      const id = `${address} ${hash.toString('latin1')}`;
      const running = answers.get(id);
      if (running === undefined) {
        const answer = lookUp(hash, address, requestId).finally(() => answers.delete(id));
        answers.set(id, answer);
        return answer;
      }
      const answer = await running;
      if ('refused' in answer || answer.owner !== null) return answer;
      const taken = await limits.countFailure(address);
      return taken.counted ? answer : { refused: taken };
    },
  };
}
