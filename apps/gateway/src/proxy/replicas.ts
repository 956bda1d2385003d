import { lookup } from 'node:dns/promises';
import { withTimeout } from '@waymark/service-kit';

/** One address of a service. */
export interface Replica {
  origin: string;
  /** The name in its URL, for the certificate. The `Host` that is forwarded is the client's. */
  servername: string;
  /** Until when requests go to other replicas first. */
  ejectedUntilMs: number;
}

/** Names are resolved again after this time. Until the response, the addresses from before are used. */
const RESOLVE_AFTER_MS = 1_000;
const RESOLVE_MAX_MS = 2_000;
/**
 * How long a replica comes last. A stopping one serves for its `SHUTDOWN_DELAY_MS` (ten seconds in the chart), then
 * closes its connections. A request at that moment can break off with an unknown outcome, so this is longer.
 */
const EJECTED_MS = { unavailable: 1_000, stopping: 15_000 };

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
    if (this.#known.length === 0) await withTimeout(this.#resolving!, RESOLVE_MAX_MS, 'the first lookup of a name');
    return this.#known;
  }

  /** Returns all replicas in the order in which a request tries them: round-robin, the ejected ones last. */
  async inOrder(): Promise<readonly Replica[]> {
    const all = await this.all();
    if (all.length === 1) return all;
    const start = this.#turn++ % all.length;
    const now = this.#now();
    const ejectedMs = (replica: Replica) => Math.max(0, replica.ejectedUntilMs - now);
    return [...all.slice(start), ...all.slice(0, start)].sort((one, other) => ejectedMs(one) - ejectedMs(other));
  }

  /** Makes other replicas come first for a while. */
  eject(replica: Replica, why: keyof typeof EJECTED_MS): void {
    replica.ejectedUntilMs = Math.max(replica.ejectedUntilMs, this.#now() + EJECTED_MS[why]);
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
      return known ?? { origin, servername: hostname, ejectedUntilMs: 0 };
    });
  }
}
