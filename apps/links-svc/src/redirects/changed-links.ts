/** A change or a deletion of a link, at a moment of the database's clock. */
export interface LinkChange {
  linkId: string;
  changedAt: Date;
}

/** Where changes are read; each method rejects in an outage. */
export interface LinkChangeSource {
  /** What the clock of the database says. */
  databaseTime(): Promise<Date>;
  /** Every change after a moment of that clock, in no order. */
  changesSince(moment: Date): Promise<LinkChange[]>;
}

/** How often {@link ChangedLinks.ask} is to be called: well within the 2 seconds that other replicas have to show one. */
export const ASK_EVERY_MS = 500;
/** A change may become visible a moment after one that bears a later time. */
const OVERLAP_MS = 3_000;
/**
 * How long after a change was heard of a link is read anew every second: a deletion is told of before it is done, and
 * a write takes 4 seconds at most.
 */
const SETTLING_MS = 8_000;
/** How long an answer is vouched for: after this it is read anew, whatever was heard, in case the data were edited by hand. */
const VOUCHED_FOR_MS = 60_000;

interface Heard {
  changedAtMs: number;
  heardAt: number;
}

/**
 * Knows which links changed lately, whichever replica changed them, by asking the database again and again. So a
 * replica may keep what it has read of a link for as long as nothing is heard of it, instead of reading it again and
 * again. Moments are milliseconds of `now`, but for those of the database's own clock.
 */
export class ChangedLinks {
  readonly #source: LinkChangeSource;
  readonly #now: () => number;
  /** The changes of the last minute or so, by link; the longest known first. */
  readonly #heard = new Map<string, Heard>();
  /** Changes after this moment of the database's clock are asked for. */
  #since: Date | undefined;
  /** From this moment on no change can have been missed. */
  #listeningSince = Number.POSITIVE_INFINITY;
  /** Every change that was visible at this moment has been heard of. */
  #heardUntil = Number.NEGATIVE_INFINITY;

  constructor(source: LinkChangeSource, now: () => number = Date.now) {
    this.#source = source;
    this.#now = now;
  }

  /** The latest moment at which what was read of a link at `readAt` is known to have been true: `readAt`, or later. */
  trueUntil(linkId: string, readAt: number): number {
    if (readAt < this.#listeningSince || this.#now() - readAt > VOUCHED_FOR_MS) return readAt;
    const heard = this.#heard.get(linkId);
    if (heard !== undefined && readAt <= heard.heardAt + SETTLING_MS) return readAt;
    return Math.max(readAt, this.#heardUntil);
  }

  /**
   * Asks once. Rejects in an outage, which makes nothing wrong: answers grow old, and what was missed is heard later.
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

  /** Forgets what was heard before a moment: no answer from before it is vouched for any more. */
  #forget(before: number): void {
    for (const [linkId, { heardAt }] of this.#heard) {
      if (heardAt >= before) return;
      this.#heard.delete(linkId);
    }
  }
}
