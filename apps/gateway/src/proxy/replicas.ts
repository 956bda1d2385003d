import { lookup } from 'node:dns/promises';

/** One address of a service. */
export interface Replica {
  origin: string;
  /** The name in its URL, for the certificate. The `Host` that is forwarded is the client's. */
  servername: string;
  /** Until when requests go to other replicas, by the reason. */
  ejectedUntilMs: { unreachable: number; stopping: number };
}

/** Names are resolved again after this time. Until the response, the addresses from before are used. */
const RESOLVE_AFTER_MS = 1_000;
/**
 * How long a replica is avoided. A stopping one serves for its `SHUTDOWN_DELAY_MS` (ten seconds in the chart), then
 * closes its connections. A request at that moment can break off with an unknown outcome, so this is longer.
 */
const EJECTED_MS = { unreachable: 1_000, stopping: 15_000 };

/** The replicas of a service: every address of the names in its URLs. */
export class Replicas {
  readonly #urls: readonly URL[];
  readonly #now: () => number;
  #known: readonly Replica[] = [];
  #resolving: Promise<void> | undefined;
  #resolvedAtMs = -Infinity;
  #turn = 0;

  constructor(urls: readonly string[], now: () => number = () => performance.now()) {
    this.#urls = urls.map((url) => new URL(url));
    this.#now = now;
  }

  /** Returns all replicas. Rejects if no name was ever resolved. */
  async all(): Promise<readonly Replica[]> {
    if (this.#now() - this.#resolvedAtMs >= RESOLVE_AFTER_MS)
      this.#resolving ??= this.#resolve().finally(() => {
        this.#resolving = undefined;
      });
    if (this.#known.length === 0) await this.#resolving;
    return this.#known;
  }

  /**
   * Returns the replica for the next request, round-robin. If all are ejected, a stopping one comes before an
   * unreachable one, since it still serves or serves again; of several, the one whose ejection ends first.
   */
  async next(): Promise<Replica> {
    const all = await this.all();
    const start = this.#turn++;
    const inTurn = all.map((_, i) => all[(start + i) % all.length]!);
    return inTurn.reduce((best, one) => (this.#penalty(one) < this.#penalty(best) ? one : best));
  }

  /** Makes requests avoid a replica for a while. */
  eject(replica: Replica, why: keyof Replica['ejectedUntilMs']): void {
    replica.ejectedUntilMs[why] = this.#now() + EJECTED_MS[why];
  }

  #penalty({ ejectedUntilMs: { unreachable, stopping } }: Replica): number {
    return unreachable > this.#now() ? Infinity : Math.max(0, stopping - this.#now());
  }

  async #resolve(): Promise<void> {
    const found = await Promise.all(
      this.#urls.map((url) =>
        this.#replicasOf(url).catch((error: unknown) => {
          if (this.#known.length === 0) throw error;
          return this.#known.filter(({ servername }) => servername === url.hostname);
        }),
      ),
    );
    this.#known = found.flat();
    this.#resolvedAtMs = this.#now();
  }

  async #replicasOf({ protocol, hostname, port }: URL): Promise<Replica[]> {
    const addresses = await lookup(hostname.replace(/^\[|\]$/g, ''), { all: true });
    return addresses.map(({ address, family }) => {
      const { origin } = new URL(`${protocol}//${family === 6 ? `[${address}]` : address}${port && `:${port}`}`);
      const known = this.#known.find((replica) => replica.origin === origin);
      return known ?? { origin, servername: hostname, ejectedUntilMs: { unreachable: 0, stopping: 0 } };
    });
  }
}
