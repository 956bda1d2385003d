import { setImmediate } from 'node:timers/promises';

const SLICE_MS = 5;

/** Lets the rest of the process work between slices of a long computation. */
export class Pacer {
  #sliceStart = performance.now();

  /** True if a slice is over. */
  get isDue(): boolean {
    return performance.now() - this.#sliceStart >= SLICE_MS;
  }

  /** Waits until the process has handled what is pending. */
  async pause(): Promise<void> {
    await setImmediate();
    this.#sliceStart = performance.now();
  }
}
