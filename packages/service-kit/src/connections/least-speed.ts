/** The least speed at which a client must send or read. */
const LEAST_BYTES_PER_MS = (4 * 1_024) / 1_000;
/** How far a client may be behind it. */
const PATIENCE_MS = 10_000;
/** A longer time between two checks is a pause of this process. */
const STEP_MAX_MS = 1_000;
/** Of a write, nothing seems to have left before all of it has. Writes have this size, or that of what waits. */
const WRITE_BYTES = 64 * 1_024;

/** How far a client is behind the least speed. It cannot work ahead. */
export class Lag {
  #ms = 0;

  /** Adds a time in which the client could send or read, and what it did. */
  add(elapsedMs: number, bytes: number): void {
    this.#ms = Math.max(0, this.#ms + Math.min(elapsedMs, STEP_MAX_MS) - bytes / LEAST_BYTES_PER_MS);
  }

  isTooLongForSending(): boolean {
    return this.#ms >= PATIENCE_MS;
  }

  isTooLongForReading(waitingBytes: number): boolean {
    return this.#ms >= PATIENCE_MS + Math.max(waitingBytes, WRITE_BYTES) / LEAST_BYTES_PER_MS;
  }
}
