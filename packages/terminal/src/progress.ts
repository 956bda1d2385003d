/** Goes to the start of the line and erases it (ECMA-48, EL). */
const CLEAR_LINE = '\r\x1b[K';
const PROGRESS_EVERY = 10_000;

/** Where progress is shown: standard error, or a substitute. */
type ProgressStream = Pick<NodeJS.WriteStream, 'isTTY' | 'write'>;

export interface Progress {
  /** Shows how far the work is. `done` counts what it has dealt with. */
  show(text: string, done?: number): void;
  /** Call it before other output. */
  clear(): void;
}

/**
 * Shows progress on standard error: in one line on a terminal, else a line each 10,000 things that are done. With `--json`
 * it shows nothing.
 */
export function showProgress(json: boolean | undefined, stream: ProgressStream = process.stderr): Progress {
  const { isTTY } = stream;
  let shown = 0;
  return {
    show(text, done = 0) {
      if (json || (!isTTY && done - shown < PROGRESS_EVERY)) return;
      shown = done;
      stream.write(isTTY ? `${CLEAR_LINE}${text} …` : `${text} …\n`);
    },
    clear() {
      if (isTTY && !json) stream.write(CLEAR_LINE);
    },
  };
}
