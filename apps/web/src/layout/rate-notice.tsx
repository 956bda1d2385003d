import { useEffect } from 'preact/hooks';
import { readRateWait, subscribeToRateWait } from '../api/rate-wait.ts';
import { useCloseToast, useToast } from '../components/toast.tsx';
import { useExternalValue } from '../external-value.ts';
import { shared } from '../texts/shared.ts';

const WORK = 'rate-wait';

/** Counts down while requests wait for the limit of the API, above every view and dialog. */
export function RateNotice() {
  const wait = useExternalValue(subscribeToRateWait, readRateWait);
  const toast = useToast();
  const closeToast = useCloseToast();
  useEffect(() => {
    if (wait === null) return closeToast(WORK);
    const { text, detail } = shared.rateWait;
    toast({ text, detail: detail(wait.secondsLeft), work: WORK, action: { text: shared.stop, run: wait.stop } });
  }, [wait, toast, closeToast]);
  return null;
}
