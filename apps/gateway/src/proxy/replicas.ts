/** Why a replica is left out: no connection came about, or it ends its connections since it is about to stop. */
export type LeftOut = 'unreachable' | 'stopping';

/** The replicas of one service. */
export interface Replicas {
  readonly size: number;
  /** The origin to ask next: in turn, those that are left out only where there are no others, the soonest back first. */
  next(): string;
  /** Says that an origin is not to be asked for a while. */
  leaveOut(origin: string, why: LeftOut): void;
}

/**
 * A replica that stops goes on serving for its `SHUTDOWN_DELAY_MS`, ten seconds in the chart, and then closes its
 * connections: one that is asked in that moment breaks off, and nobody knows whether it has done what it was asked.
 */
const LEFT_OUT_MS: Record<LeftOut, number> = { unreachable: 1_000, stopping: 15_000 };

/** Goes round origins such as `http://10.0.0.1:3000`; at least one. What is written after the origin is dropped. */
export function createReplicas(urls: readonly string[], now: () => number = () => performance.now()): Replicas {
  const replicas = urls.map((url) => ({ origin: new URL(url).origin, leftOutUntilMs: 0 }));
  let turn = 0;
  return {
    size: replicas.length,
    next() {
      for (let i = 0; i < replicas.length; i++) {
        const replica = replicas[turn++ % replicas.length]!;
        if (replica.leftOutUntilMs <= now()) return replica.origin;
      }
      return replicas.reduce((first, one) => (one.leftOutUntilMs < first.leftOutUntilMs ? one : first)).origin;
    },
    leaveOut(origin, why) {
      const untilMs = now() + LEFT_OUT_MS[why];
      for (const one of replicas) if (one.origin === origin) one.leftOutUntilMs = Math.max(one.leftOutUntilMs, untilMs);
    },
  };
}
