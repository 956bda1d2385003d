import { WaymarkError } from '@waymark/client';
import { useCallback, useEffect, useId, useRef } from 'preact/hooks';
import { messageOf } from '../api/api-error.ts';
import { shared } from '../texts/shared.ts';
import { useCloseToast, useToast } from './toast.tsx';

/** Reports how far it is, and whether stopping it would still change anything. */
type Work = (signal: AbortSignal, report: (text: string, stoppable?: boolean) => void) => Promise<void>;

/**
 * Returns the function that runs long work: a toast shows how far it is, with a button that stops it. It goes on when
 * the user opens another view. The browser asks before the page is left. Errors are shown. Stopping is not an error.
 */
export function useLongWork(): (work: Work) => Promise<void> {
  const toast = useToast();
  const closeToast = useCloseToast();
  const id = useId();
  return useCallback(
    async (work) => {
      const stopping = new AbortController();
      const action = { text: shared.stop, run: () => stopping.abort() };
      addEventListener('beforeunload', askBeforeUnload);
      try {
        await work(stopping.signal, (text, stoppable = true) => {
          if (!stopping.signal.aborted) toast({ text, work: id, ...(stoppable && { action }) });
        });
      } catch (error) {
        if (!stopping.signal.aborted || error instanceof WaymarkError) toast({ text: messageOf(error), danger: true });
      } finally {
        removeEventListener('beforeunload', askBeforeUnload);
        closeToast(id);
      }
    },
    [toast, closeToast, id],
  );
}

/** Does work whose result is in one response only: the browser asks before the page is left meanwhile. */
export async function askingBeforeUnload<Result>(work: () => Promise<Result>): Promise<Result> {
  addEventListener('beforeunload', askBeforeUnload);
  try {
    return await work();
  } finally {
    removeEventListener('beforeunload', askBeforeUnload);
  }
}

/** Makes the browser ask before the page is left. For `beforeunload`. */
export function askBeforeUnload(event: Event): void {
  event.preventDefault();
}

/** Returns a function that ends what ran before and returns a signal for what runs next. Ends that with the component. */
export function useSignal(): { start: () => AbortSignal; stop: () => void } {
  const running = useRef<AbortController>(null);
  const stop = useCallback(() => running.current?.abort(), []);
  const start = useCallback(() => {
    stop();
    running.current = new AbortController();
    return running.current.signal;
  }, [stop]);
  useEffect(() => stop, [stop]);
  return { start, stop };
}
