/** A change or a deletion of a link, with its time by the database's clock. */
export interface LinkChange {
  linkId: string;
  changedAt: Date;
}

/** The source of changes. Each method rejects in an outage. */
export interface LinkChangeSource {
  /** Returns the current time of the database's clock. */
  databaseTime(): Promise<Date>;
  /** Returns every change after a time of that clock, in no particular order. */
  changesSince(moment: Date): Promise<LinkChange[]>;
}

/** How often to call {@link ChangedLinks.ask}: well within the 2 seconds in which other replicas must show a change. */
export const ASK_EVERY_MS = 500;
/** A change may become visible a moment after another change with a later time. */
const OVERLAP_MS = 3_000;
/**
 * How long a link is read again every second after a change was noticed. A deletion is announced before it is done, and
 * a write takes at most 4 seconds.
 */
const SETTLING_MS = 8_000;
/** How long a result can be trusted. After this it is read again, in case the data were edited by hand. */
const VOUCHED_FOR_MS = 60_000;

interface Heard {
  changedAtMs: number;
  heardAt: number;
}

/**
 * The links that changed recently, on any replica, known by polling the database. A replica can keep what it read of a
 * link until a change of that link is reported (ADR 20). Times are milliseconds of `now`, except those of the
 * database's clock.
 */
export class ChangedLinks {
  readonly #source: LinkChangeSource;
  readonly #now: () => number;
  /** The changes of about the last minute by link. The one noticed first comes first. */
  readonly #heard = new Map<string, Heard>();
  /** Changes after this time of the database's clock are queried. */
  #since: Date | undefined;
  /** From this time on, no change can have been missed. */
  #listeningSince = Number.POSITIVE_INFINITY;
  /** Every change that was visible at this time has been noticed. */
  #heardUntil = Number.NEGATIVE_INFINITY;

  constructor(source: LinkChangeSource, now: () => number = Date.now) {
    this.#source = source;
    this.#now = now;
  }

  /**
   * Returns the latest known time at which what was read of a link at `readAt` was still true. It is at least `readAt`.
   */
  trueUntil(linkId: string, readAt: number): number {
    if (readAt < this.#listeningSince || this.#now() - readAt > VOUCHED_FOR_MS) return readAt;
    const heard = this.#heard.get(linkId);
    if (heard !== undefined && readAt <= heard.heardAt + SETTLING_MS) return readAt;
    return Math.max(readAt, this.#heardUntil);
  }

  /**
   * Queries the changes once. Rejects in an outage, which is harmless: results age, and missed changes are noticed
   * later.
   */
  async ask(): Promise<void> {
    const askedAt = this.#now();
    if (this.#since === undefined) {
      this.#since = new Date((await this.#source.databaseTime()).getTime() - OVERLAP_MS);
      this.#listeningSince = askedAt;
    }
    const changes = await this.#source.changesSince(this.#since);
    const heardAt = this.#now();
    let latestMs = this.#since.getTime() + OVERLAP_MS;
    for (const { linkId, changedAt } of changes) {
      const changedAtMs = changedAt.getTime();
      latestMs = Math.max(latestMs, changedAtMs);
      if (this.#heard.get(linkId)?.changedAtMs === changedAtMs) continue;
      this.#heard.delete(linkId);
      this.#heard.set(linkId, { changedAtMs, heardAt });
    }
    this.#since = new Date(latestMs - OVERLAP_MS);
    this.#heardUntil = askedAt;
    this.#forget(heardAt - VOUCHED_FOR_MS - SETTLING_MS);
  }

  /** Forgets changes that were noticed before this time. Results from before them are too old to be trusted. */
  #forget(before: number): void {
    for (const [linkId, { heardAt }] of this.#heard) {
      if (heardAt >= before) return;
      this.#heard.delete(linkId);
    }
  }
}
