import type { ApiError } from './api-error.ts';

/** The longest wait that a limit of the API asks for. */
const WAIT_MAX_SECONDS = 60;

/** What requests that were refused with 429 wait for. */
export interface RateWait {
  secondsLeft: number;
  /** Ends the wait. The requests fail with the API's words. */
  stop: () => void;
}

let current: RateWait | null = null;
let waiting: Promise<boolean> | null = null;
const listeners = new Set<() => void>();

function change(next: RateWait | null): void {
  current = next;
  for (const listener of listeners) listener();
}

/** Waits as long as a refusal asks. All refused requests wait together. Returns false if they must not be sent again. */
export function waitFor({ status, retryAfterSeconds: seconds }: ApiError): Promise<boolean> {
  if (status !== 429 || seconds === null || seconds > WAIT_MAX_SECONDS) return Promise.resolve(false);
  waiting ??= new Promise((resolve) => {
    const endsAt = performance.now() + 1000 * seconds;
    const end = (isOver: boolean) => {
      clearInterval(timer);
      waiting = null;
      change(null);
      resolve(isOver);
    };
    const tick = () => {
      const secondsLeft = Math.ceil((endsAt - performance.now()) / 1000);
      if (secondsLeft <= 0) end(true);
      else change({ secondsLeft, stop: () => end(false) });
    };
    const timer = setInterval(tick, 1000);
    tick();
  });
  return waiting;
}

export function readRateWait(): RateWait | null {
  return current;
}

/** Calls `listener` after each change. Returns a function that stops it. */
export function subscribeToRateWait(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
