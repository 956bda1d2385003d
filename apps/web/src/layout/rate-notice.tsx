import { useEffect } from 'preact/hooks';
import { onRateWait } from '../api/rate-wait.ts';
import { useCloseToast, useToast } from '../components/toast.tsx';
import { shared } from '../texts/shared.ts';

const WORK = 'rate-wait';

/** Counts down while requests wait for the limit of the API, above every view and dialog. */
export function RateNotice() {
  const toast = useToast();
  const closeToast = useCloseToast();
  useEffect(() => {
    onRateWait((seconds, stop) => {
      if (seconds === 0) return closeToast(WORK);
      const { text, detail } = shared.rateWait;
      toast({ text, detail: detail(seconds), work: WORK, action: { text: shared.stop, run: stop } });
    });
  }, [toast, closeToast]);
  return null;
}
