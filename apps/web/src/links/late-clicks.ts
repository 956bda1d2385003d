import { focusManager } from '@tanstack/preact-query';
import { useCallback, useEffect, useRef } from 'preact/hooks';

/** The counter of a link may lag 5 seconds behind its clicks. */
const WATCHED_MS = 10_000;
const POLL_MS = 2_500;

/**
 * Returns how often to read the links: often for a moment after a link was followed, and after the user returned to this
 * tab, maybe from a link. Call `watch` when a link is followed.
 */
export function useLateClicks(): { refetchInterval: () => number | false; watch: () => void } {
  const until = useRef(0);
  const watch = useCallback(() => {
    until.current = Date.now() + WATCHED_MS;
  }, []);
  useEffect(() => focusManager.subscribe(watch), [watch]);
  const refetchInterval = useCallback(() => (Date.now() < until.current ? POLL_MS : false), []);
  return { refetchInterval, watch };
}
