import { useCallback, useRef, useState } from 'preact/hooks';

/**
 * Returns whether a request is under way, and the function that runs one. While one runs, others are not begun, also not
 * by a second event before the next render.
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
