/** Longer than links-svc waits for its database, for one part of a list. */
const PART_MAX_MS = 5_000;
/** Enough for as many ids as links-svc lists, from a busy database. */
const LIST_MAX_MS = 60_000;

/**
 * Yields the parts of a list from links-svc. The list may take long, but not a single part of it. `open` starts the call
 * with these limits.
 */
export async function* partsInTime<Part>(
  open: (limits: { timeoutMs: number; signal: AbortSignal }) => AsyncIterable<Part>,
): AsyncGenerator<Part> {
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new Error(`links-svc sent no part of a list for ${PART_MAX_MS} ms`)),
    PART_MAX_MS,
  );
  try {
    for await (const part of open({ timeoutMs: LIST_MAX_MS, signal: late.signal })) {
      timer.refresh();
      yield part;
    }
  } finally {
    clearTimeout(timer);
  }
}
