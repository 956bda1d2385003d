/** Why a replica is left out: no connection came about, or it ends its connections since it is about to stop. */
export type LeftOut = 'unreachable' | 'stopping';

/** The replicas of one service. */
export interface Replicas {
  readonly size: number;
  /**
   * The origin to ask next: in turn, those that are left out only where there are no others. One that is stopping still
   * serves, or does again, so it comes before one that is unreachable; of several, the soonest back comes first.
   */
  next(): string;
  /** Says that an origin is not to be asked for a while. */
  leaveOut(origin: string, why: LeftOut): void;
}

/**
 * A replica that stops goes on serving for its `SHUTDOWN_DELAY_MS`, ten seconds in the chart, and then closes its
 * connections: one that is asked in that moment breaks off, and nobody knows whether it has done what it was asked.
 */
const LEFT_OUT_MS: Record<LeftOut, number> = { unreachable: 1_000, stopping: 15_000 };

interface Replica {
  origin: string;
  /** Until when it is left out, for each reason. */
  untilMs: Record<LeftOut, number>;
}

/** Goes round origins such as `http://10.0.0.1:3000`; at least one. What is written after the origin is dropped. */
export function createReplicas(urls: readonly string[], now: () => number = () => performance.now()): Replicas {
  const replicas = urls.map(
    (url): Replica => ({ origin: new URL(url).origin, untilMs: { unreachable: 0, stopping: 0 } }),
  );
  let turn = 0;
  return {
    size: replicas.length,
    next() {
      const nowMs = now();
      for (let i = 0; i < replicas.length; i++) {
        const { origin, untilMs } = replicas[turn++ % replicas.length]!;
        if (untilMs.unreachable <= nowMs && untilMs.stopping <= nowMs) return origin;
      }
      const reachable = replicas.filter(({ untilMs }) => untilMs.unreachable <= nowMs);
      const why = reachable.length > 0 ? 'stopping' : 'unreachable';
      return (reachable.length > 0 ? reachable : replicas).reduce((first, one) =>
        one.untilMs[why] < first.untilMs[why] ? one : first,
      ).origin;
    },
    leaveOut(origin, why) {
      for (const one of replicas) if (one.origin === origin) one.untilMs[why] = now() + LEFT_OUT_MS[why];
    },
  };
}
