import { LRUCache } from 'lru-cache';
import { secondsOf, type Taken, type Usage, WINDOW_MS, WINDOW_SECONDS, type WindowCounter } from './window-counter.ts';

/** The most subjects that are remembered. */
const SUBJECTS_MAX = 100_000;

/** A counter that returns its results synchronously. */
export interface MemoryCounter extends WindowCounter {
  take(subject: string, limit: number, events?: number): Taken;
  peek(subject: string): Usage;
}

/**
 * Creates a counter in this process's memory. Beyond 100,000 subjects it forgets the least recently used one. Existing
 * rate limiters do not fit, because they count a request before its key is known (ADR 13).
 */
export function createMemoryCounter(now: () => number = () => performance.now()): MemoryCounter {
  const windows = new LRUCache<string, { used: number; endsAtMs: number }>({ max: SUBJECTS_MAX });
  const open = (subject: string, nowMs: number) => {
    const window = windows.get(subject);
    return window === undefined || window.endsAtMs <= nowMs ? undefined : window;
  };
  return {
    take(subject, limit, events = 1) {
      const nowMs = now();
      let window = open(subject, nowMs);
      if (window === undefined) {
        window = { used: 0, endsAtMs: nowMs + WINDOW_MS };
        windows.set(subject, window);
      }
      const counted = window.used + events <= limit;
      if (counted) window.used += events;
      return { counted, events, used: window.used, resetSeconds: secondsOf(window.endsAtMs - nowMs), in: 'memory' };
    },
    peek(subject) {
      const nowMs = now();
      const window = open(subject, nowMs);
      if (window === undefined) return { used: 0, resetSeconds: WINDOW_SECONDS };
      return { used: window.used, resetSeconds: secondsOf(window.endsAtMs - nowMs) };
    },
    refund(subject, taken) {
      const window = open(subject, now());
      if (taken.counted && window !== undefined) window.used = Math.max(0, window.used - taken.events);
    },
  };
}
