import { LRUCache } from 'lru-cache';

/** What one subject has used of its window. */
export interface Usage {
  used: number;
  /** Whole seconds until the window ends, rounded up. */
  resetSeconds: number;
}

/** Counts events of many subjects, each in fixed windows of a minute that begin with its first event. */
export interface WindowCounter {
  /** Counts one event and gives the usage with it. */
  add(subject: string): Usage;
  /** The usage, without counting. */
  peek(subject: string): Usage;
}

export const WINDOW_SECONDS = 60;
const SUBJECTS_MAX = 100_000;

/**
 * A counter in this process's memory, bounded: beyond 100,000 subjects the one unheard of for longest is forgotten.
 * Written here because `@fastify/rate-limit` counts each request before anything is known of it and answers with the
 * older three-header form; here a key is counted once it is known, and an address only when its key was none.
 */
export function createWindowCounter(now: () => number = () => performance.now()): WindowCounter {
  const windows = new LRUCache<string, { used: number; endsAtMs: number }>({ max: SUBJECTS_MAX });
  const usage = (used: number, endsAtMs: number): Usage => ({
    used,
    resetSeconds: Math.ceil((endsAtMs - now()) / 1000),
  });
  return {
    add(subject) {
      let window = windows.get(subject);
      if (window === undefined || window.endsAtMs <= now()) {
        window = { used: 0, endsAtMs: now() + WINDOW_SECONDS * 1000 };
        windows.set(subject, window);
      }
      window.used++;
      return usage(window.used, window.endsAtMs);
    },
    peek(subject) {
      const window = windows.get(subject);
      if (window === undefined || window.endsAtMs <= now()) return { used: 0, resetSeconds: WINDOW_SECONDS };
      return usage(window.used, window.endsAtMs);
    },
  };
}
