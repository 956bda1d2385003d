import { LRUCache } from 'lru-cache';
import { atMostEntries } from './at-most-entries.ts';
import type { AttemptCounter } from './attempt-counter.ts';
import { secondsOf, WINDOW_MS } from './window-counter.ts';

/** The most subjects that are remembered. */
const SUBJECTS_MAX = 100_000;

interface Window {
  /** Failed and open attempts. */
  used: number;
  open: number;
  endsAtMs: number;
}

/** Creates a counter in this process's memory. Beyond 100,000 subjects it forgets the least recently used one. */
export function createMemoryAttempts(now: () => number = () => performance.now()): AttemptCounter {
  const windows = new LRUCache<string, Window>(atMostEntries(SUBJECTS_MAX));
  return {
    async begin(subject, limit) {
      const nowMs = now();
      let window = windows.get(subject);
      if (window === undefined || window.endsAtMs <= nowMs) {
        window = { used: 0, open: 0, endsAtMs: nowMs + WINDOW_MS };
        windows.set(subject, window);
      }
      const counted = window.used < limit;
      if (counted) {
        window.used += 1;
        window.open += 1;
      }
      const resetSeconds = secondsOf(window.endsAtMs - nowMs);
      return { counted, open: window.open, resetSeconds, id: String(window.endsAtMs), in: 'memory' };
    },
    end(subject, attempt, hasFailed) {
      const window = windows.get(subject);
      if (!attempt.counted || window === undefined || String(window.endsAtMs) !== attempt.id) return;
      window.open -= 1;
      if (!hasFailed) window.used -= 1;
    },
  };
}
