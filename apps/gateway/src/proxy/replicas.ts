/** The reason for an ejection: no connection to the replica, or it closes connections because it is about to stop. */
export type EjectReason = 'unreachable' | 'stopping';

/** The replicas of one service. */
export interface Replicas {
  readonly size: number;
  /**
   * Returns the origin for the next request, round-robin. If all replicas are ejected, a stopping one comes before an
   * unreachable one, since it still serves or serves again. Among several, the one whose ejection ends first is used.
   */
  next(): string;
  /** Ejects an origin for a while. */
  eject(origin: string, why: EjectReason): void;
}

/**
 * How long a replica stays ejected. A stopping replica serves for its `SHUTDOWN_DELAY_MS` (ten seconds in the chart),
 * then closes its connections. A request at that moment can break off with an unknown outcome, so the ejection lasts
 * longer than the delay.
 */
const EJECTED_MS: Record<EjectReason, number> = { unreachable: 1_000, stopping: 15_000 };

interface Replica {
  origin: string;
  /** When its ejection ends, for each reason. */
  untilMs: Record<EjectReason, number>;
}

/** Creates the replicas of a service from one or more URLs, such as `http://10.0.0.1:3000`. Paths are ignored. */
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
    eject(origin, why) {
      for (const one of replicas) if (one.origin === origin) one.untilMs[why] = now() + EJECTED_MS[why];
    },
  };
}
