import { randomInt } from 'node:crypto';
import { Timestamp } from 'bson';
import type { ConnectionState } from './connection-state.ts';
import { CommandError } from './errors.ts';
import type { Store } from './storage/store.ts';
import type { View } from './storage/view.ts';

/** More than a service reads at once. It is below `MAX_READERS`. */
const MAX_SNAPSHOTS = 1_000;
/** MongoDB keeps five minutes. Here the file grows by every page that is written meanwhile. */
const LIFETIME_MS = 60_000;

/** What a session reads that was started with `{ snapshot: true }`. */
export interface Snapshot {
  /** Its `atClusterTime`. */
  time: Timestamp;
  view: View;
  session: string;
  /** The connection of its last command; if it closes, the client is gone. */
  connection: ConnectionState;
  takenAt: number;
}

/** The snapshots of a server, at most one for each session. Readers of a snapshot do not block the writer. */
export class Snapshots {
  private readonly store: Store;
  /** By session, the one that was read longest ago first. */
  private readonly snapshots = new Map<string, Snapshot>();
  /** Random, so that no time of a server that was killed is used again. */
  private lastIncrement = randomInt(2 ** 31);

  constructor(store: Store) {
    this.store = store;
  }

  /** Takes a snapshot for a session, in place of the one that it has. Ends the idlest if there are too many. */
  take(session: string, connection: ConnectionState): Snapshot {
    this.end(session);
    const [idlest] = this.snapshots.keys();
    if (idlest !== undefined && this.snapshots.size >= MAX_SNAPSHOTS) this.end(idlest);
    this.lastIncrement = (this.lastIncrement + 1) % 2 ** 32;
    const time = new Timestamp({ t: Math.floor(Date.now() / 1000), i: this.lastIncrement });
    const snapshot = { time, view: this.store.snapshot(), session, connection, takenAt: performance.now() };
    this.snapshots.set(session, snapshot);
    return snapshot;
  }

  /** Returns the session's snapshot of that time. Throws SnapshotTooOld (239) if it is no longer held. */
  get(session: string, time: Timestamp, connection: ConnectionState): Snapshot {
    const snapshot = this.snapshots.get(session);
    if (!snapshot?.time.equals(time))
      throw new CommandError(239, `Read timestamp ${time} is older than the oldest available timestamp.`);
    snapshot.connection = connection;
    this.snapshots.delete(session);
    this.snapshots.set(session, snapshot);
    return snapshot;
  }

  /** Ends the snapshot of a session. */
  end(session: string): void {
    this.snapshots.get(session)?.view.end();
    this.snapshots.delete(session);
  }

  /** Ends the snapshots of a client that is gone. */
  connectionClosed(connection: ConnectionState): void {
    this.endIf((snapshot) => snapshot.connection === connection);
  }

  /** Ends the snapshots that are too old. */
  expire(now = performance.now()): void {
    this.endIf(({ takenAt }) => now - takenAt > LIFETIME_MS);
  }

  endAll(): void {
    this.endIf(() => true);
  }

  private endIf(isOver: (snapshot: Snapshot) => boolean): void {
    for (const snapshot of this.snapshots.values()) if (isOver(snapshot)) this.end(snapshot.session);
  }
}
