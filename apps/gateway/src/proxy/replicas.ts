/** The replicas of one service. */
export interface Replicas {
  readonly size: number;
  /** The origin to ask next: in turn, those that could not be reached a moment ago left out while there are others. */
  next(): string;
  /** Says that an origin could not be reached. */
  leaveOut(origin: string): void;
}

const LEFT_OUT_MS = 1000;

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
      return replicas[turn++ % replicas.length]!.origin;
    },
    leaveOut(origin) {
      for (const replica of replicas) if (replica.origin === origin) replica.leftOutUntilMs = now() + LEFT_OUT_MS;
    },
  };
}
