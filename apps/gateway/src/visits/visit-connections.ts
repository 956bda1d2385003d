import type { Visit, VisitAnswers } from '@waymark/proto';
import type { Replicas } from '../proxy/replicas.ts';
import { isUnsent } from '../proxy/upstream-errors.ts';
import { VisitConnection } from './visit-connection.ts';

export interface VisitConnectionsDeps {
  /** The replicas of links-svc. */
  replicas: Replicas;
  /** The gateway's own signed identity. */
  identity(): Promise<string>;
}

/** To one origin: behind a name there may be several replicas, and each new connection goes to any of them. */
const CONNECTIONS_PER_ORIGIN = 4;
/** How long none is opened to an origin that would not have one. */
const OPEN_AGAIN_AFTER_MS = 1_000;

/** The connections of one origin, asked in turn. */
interface Origin {
  slots: (Promise<VisitConnection | null> | undefined)[];
  turn: number;
  openAgainAt: number;
}

/** Connections to all replicas of links-svc, opened as they are needed. */
export class VisitConnections {
  readonly #deps: VisitConnectionsDeps;
  readonly #origins = new Map<string, Origin>();

  constructor(deps: VisitConnectionsDeps) {
    this.#deps = deps;
  }

  /**
   * The answers of the replica whose turn it is; null where it has no connection for visits, so that nothing was asked.
   * Rejects where it gives no answers: the clicks may be recorded.
   */
  async ask(visits: Visit[]): Promise<VisitAnswers | null> {
    const connection = await this.#next(this.#deps.replicas.next());
    return connection?.isOpen ? connection.ask(visits) : null;
  }

  /** Ends all connections; what was asked is still answered. */
  async close(): Promise<void> {
    for (const { slots } of this.#origins.values()) for (const slot of slots) (await slot)?.end();
  }

  async #next(origin: string): Promise<VisitConnection | null> {
    let known = this.#origins.get(origin);
    if (known === undefined) {
      known = { slots: [], turn: 0, openAgainAt: 0 };
      this.#origins.set(origin, known);
    }
    const slot = known.turn++ % CONNECTIONS_PER_ORIGIN;
    const last = known.slots[slot];
    const connection = await last;
    if (connection?.isOpen) return connection;
    // Another batch may have begun to open the next one meanwhile.
    if (known.slots[slot] === last) {
      if (performance.now() < known.openAgainAt) return null;
      known.slots[slot] = this.#open(origin, known);
    }
    return known.slots[slot] ?? null;
  }

  async #open(origin: string, known: Origin): Promise<VisitConnection | null> {
    const { replicas, identity } = this.#deps;
    try {
      return await VisitConnection.open(origin, await identity(), () => replicas.leaveOut(origin, 'stopping'));
    } catch (error) {
      known.openAgainAt = performance.now() + OPEN_AGAIN_AFTER_MS;
      if (isUnsent(error)) replicas.leaveOut(origin, 'unreachable');
      return null;
    }
  }
}
