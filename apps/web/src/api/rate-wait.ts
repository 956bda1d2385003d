import type { WaymarkError } from '@waymark/client';

/** The longest wait that a limit of the API asks for. */
const WAIT_MAX_SECONDS = 60;

/** Called each second with how long requests still wait, and with 0 at the end. `stop` lets them fail instead. */
type Listener = (secondsLeft: number, stop: () => void) => void;

let waiting: Promise<boolean> | null = null;
let report: Listener = () => undefined;

/** Waits as long as a refusal asks. All refused requests wait together. Returns false if they must not be sent again. */
export function waitFor({ status, retryAfterSeconds: seconds }: WaymarkError): Promise<boolean> {
  if (status !== 429 || seconds === null || seconds > WAIT_MAX_SECONDS) return Promise.resolve(false);
  waiting ??= new Promise((resolve) => {
    const endsAt = performance.now() + 1000 * Math.max(seconds, 1);
    const end = (isOver: boolean) => {
      clearInterval(timer);
      waiting = null;
      report(0, stop);
      resolve(isOver);
    };
    const stop = () => end(false);
    const tick = () => {
      const secondsLeft = Math.ceil((endsAt - performance.now()) / 1000);
      if (secondsLeft > 0) report(secondsLeft, stop);
      else end(true);
    };
    const timer = setInterval(tick, 1000);
    tick();
  });
  return waiting;
}

/** Reports waits to `listener`, in place of the one before. */
export function onRateWait(listener: Listener): void {
  report = listener;
}
