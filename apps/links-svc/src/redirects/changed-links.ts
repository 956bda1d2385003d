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

/** How often to call {@link ChangedLinks.poll}: well within the 2 seconds in which other replicas must show a change. */
export const POLL_EVERY_MS = 500;
/** A change may become visible a moment after another change with a later time. */
const OVERLAP_MS = 3_000;
/**
 * How long a link is read again every second after a change was noticed. A deletion is announced before it is done, and
 * a write takes at most 4 seconds.
 */
const SETTLING_MS = 8_000;
/** How long a result can be trusted. After this it is read again, in case the data were edited by hand. */
const TRUSTED_FOR_MS = 60_000;

interface NoticedChange {
  changedAtMs: number;
  noticedAt: number;
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
  readonly #noticed = new Map<string, NoticedChange>();
  /** Changes after this time of the database's clock are queried. */
  #since: Date | undefined;
  /** From this time on, no change can have been missed. */
  #polledSince = Number.POSITIVE_INFINITY;
  /** Every change that was visible at this time has been noticed. */
  #noticedUntil = Number.NEGATIVE_INFINITY;

  constructor(source: LinkChangeSource, now: () => number = Date.now) {
    this.#source = source;
    this.#now = now;
  }

  /** Returns the latest time until which the link is known to be unchanged since `readAt`. It is at least `readAt`. */
  unchangedUntil(linkId: string, readAt: number): number {
    if (readAt < this.#polledSince || this.#now() - readAt > TRUSTED_FOR_MS) return readAt;
    const noticed = this.#noticed.get(linkId);
    if (noticed !== undefined && readAt <= noticed.noticedAt + SETTLING_MS) return readAt;
    return Math.max(readAt, this.#noticedUntil);
  }

  /**
   * Queries the changes once. Rejects in an outage, which is harmless: results age, and missed changes are noticed
   * later.
   */
  async poll(): Promise<void> {
    const polledAt = this.#now();
    if (this.#since === undefined) {
      this.#since = new Date((await this.#source.databaseTime()).getTime() - OVERLAP_MS);
      this.#polledSince = polledAt;
    }
    const changes = await this.#source.changesSince(this.#since);
    const noticedAt = this.#now();
    let latestMs = this.#since.getTime() + OVERLAP_MS;
    for (const { linkId, changedAt } of changes) {
      const changedAtMs = changedAt.getTime();
      latestMs = Math.max(latestMs, changedAtMs);
      if (this.#noticed.get(linkId)?.changedAtMs === changedAtMs) continue;
      this.#noticed.delete(linkId);
      this.#noticed.set(linkId, { changedAtMs, noticedAt });
    }
    this.#since = new Date(latestMs - OVERLAP_MS);
    this.#noticedUntil = polledAt;
    this.#forget(noticedAt - TRUSTED_FOR_MS - SETTLING_MS);
  }

  /** Forgets changes that were noticed before this time. Results from before them are too old to be trusted. */
  #forget(before: number): void {
    for (const [linkId, { noticedAt }] of this.#noticed) {
      if (noticedAt >= before) return;
      this.#noticed.delete(linkId);
    }
  }
}
