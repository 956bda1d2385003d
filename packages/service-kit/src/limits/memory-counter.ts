import { LRUCache } from 'lru-cache';
import { atMostEntries } from './at-most-entries.ts';
import { secondsOf, WINDOW_MS, type WindowCounter } from './window-counter.ts';

/** The most subjects that are remembered. */
const SUBJECTS_MAX = 100_000;

/**
 * Creates a counter in this process's memory. Beyond 100,000 subjects it forgets the least recently used one. Existing
 * rate limiters do not fit, because they also count what they refuse (ADR 13).
 */
export function createMemoryCounter(now: () => number = () => performance.now()): WindowCounter {
  const windows = new LRUCache<string, { used: number; endsAtMs: number }>(atMostEntries(SUBJECTS_MAX));
  const open = (subject: string, nowMs: number) => {
    const window = windows.get(subject);
    return window === undefined || window.endsAtMs <= nowMs ? undefined : window;
  };
  return {
    async count(subject, limit, events = 1) {
      const nowMs = now();
      const window = open(subject, nowMs) ?? { used: 0, endsAtMs: nowMs + WINDOW_MS };
      const counted = window.used + events <= limit;
      if (counted) {
        window.used += events;
        windows.set(subject, window);
      }
      return { counted, events, used: window.used, resetSeconds: secondsOf(window.endsAtMs - nowMs), in: 'memory' };
    },
    refund(subject, result) {
      const window = open(subject, now());
      if (result.counted && window !== undefined) window.used = Math.max(0, window.used - result.events);
    },
  };
}
