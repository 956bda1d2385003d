import { useCallback, useRef, useState } from 'preact/hooks';

/**
 * Returns whether a request is in progress, and the function that runs one. It runs one at a time, also if a second event
 * comes before the next render.
 */
export function useBusy(): { busy: boolean; run: (work: () => Promise<unknown>) => Promise<void> } {
  const running = useRef(false);
  const [busy, setBusy] = useState(false);
  const run = useCallback(async (work: () => Promise<unknown>) => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    try {
      await work();
    } finally {
      running.current = false;
      setBusy(false);
    }
  }, []);
  return { busy, run };
}
