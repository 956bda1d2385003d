import { setImmediate } from 'node:timers/promises';

/** Short, because four batches are classified concurrently and other work waits for a slice of each. */
const SLICE_MS = 2;

/** Cuts long work into slices of {@link SLICE_MS}, so that other requests run between them. */
export class TimeSlices {
  #endsAt = performance.now() + SLICE_MS;

  /** True if the work must pause: `if (slices.isOver()) await slices.pause()`. */
  isOver(): boolean {
    return performance.now() >= this.#endsAt;
  }

  /** Resolves after the event loop has run the waiting work. */
  async pause(): Promise<void> {
    await setImmediate();
    this.#endsAt = performance.now() + SLICE_MS;
  }
}
