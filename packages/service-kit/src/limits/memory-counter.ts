import { LRUCache } from 'lru-cache';
import { secondsOf, type Taken, type Usage, WINDOW_MS, WINDOW_SECONDS, type WindowCounter } from './window-counter.ts';

/** Subjects remembered at a time. */
const SUBJECTS_MAX = 100_000;

/** A counter that answers without a promise. */
export interface MemoryCounter extends WindowCounter {
  take(subject: string, limit: number, events?: number): Taken;
  peek(subject: string): Usage;
}

/**
 * A counter in this process's memory, bounded: beyond 100,000 subjects the one unheard of for longest is forgotten.
 * Written here because `@fastify/rate-limit` counts each request before anything is known of it and answers with the
 * older three-header form; here a key is counted once it is known, and an address only when its key was none.
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
    giveBack(subject, taken) {
      const window = open(subject, now());
      if (taken.counted && window !== undefined) window.used = Math.max(0, window.used - taken.events);
    },
  };
}
