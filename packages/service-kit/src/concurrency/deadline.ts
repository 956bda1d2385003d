import { AsyncLocalStorage } from 'node:async_hooks';

/** When the work of the present request must have ended, by `performance.now()`. */
const deadlines = new AsyncLocalStorage<number | undefined>();
/** The caller of another service has this time to respond after it. */
const RESPOND_MS = 100;

/** Runs the work of a request, which may take so long. {@link timeLeftMs} returns what is left, however deep it is called. */
export function runWithDeadline<Result>(timeMs: number, work: () => Result): Result {
  return deadlines.run(performance.now() + timeMs, work);
}

/** Runs work that goes on after the present request, or that other requests wait for too. */
export function runWithoutDeadline<Result>(work: () => Result): Result {
  return deadlines.run(undefined, work);
}

/** Yields the pieces of a long response. Reading them has no deadline. */
export async function* piecesWithoutDeadline<Piece>(pieces: AsyncIterable<Piece>): AsyncGenerator<Piece> {
  const iterator = pieces[Symbol.asyncIterator]();
  try {
    for (;;) {
      const { value, done } = await runWithoutDeadline(() => iterator.next());
      if (done) return;
      yield value;
    }
  } finally {
    await iterator.return?.();
  }
}

/**
 * Returns how many milliseconds are left for the present request, at least one. Work in the background has no deadline:
 * a single step of it may take `otherwiseMs`.
 */
export function timeLeftMs(otherwiseMs: number): number {
  const endsAt = deadlines.getStore();
  return endsAt === undefined ? otherwiseMs : Math.max(1, Math.round(endsAt - performance.now()));
}

/** Returns what is left for a call to another service. It ends before the present request does. */
export function callTimeMs(otherwiseMs: number): number {
  return Math.max(1, timeLeftMs(otherwiseMs + RESPOND_MS) - RESPOND_MS);
}
