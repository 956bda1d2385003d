import { type DestinationStream, pino } from 'pino';

const WRITE_EVERY_MS = 10;
/** If more characters than this wait, they are written at once. */
const WAITING_MAX_LENGTH = 64 * 1_024;
/** The most bytes of lines that wait for an output that takes none: its disk is full, or its reader stalls. */
const UNWRITTEN_MAX_BYTES = 1_024 * 1_024;
/** How often such an output is tried again. */
const RETRY_EVERY_MS = 250;
/** How long the end of the process may wait for the reader. */
const EXIT_WAIT_MAX_MS = 1_000;

/**
 * Returns the standard output for loggers. It joins the lines of 10 milliseconds into one write, because writes are
 * expensive. Waiting lines are written before the process exits. Neither a full disk nor a reader that stalls or has
 * gone stops the process: up to 1 MiB of lines wait, and further ones are dropped ({@link droppedLines}).
 */
export function logOutput(): DestinationStream {
  shared ??= createOutput();
  return shared;
}

/** Returns how many lines were dropped. */
export function droppedLines(): number {
  return dropped;
}

/** Shared by all loggers, since a process has one standard output. */
let shared: DestinationStream | undefined;
let dropped = 0;

function createOutput(): DestinationStream {
  // Node makes a pipe non-blocking when its stream is created. A write to one that is full then fails with EAGAIN.
  void process.stdout;
  let exitUntilMs = 0;
  const output = pino.destination({
    fd: 1,
    sync: true,
    maxLength: UNWRITTEN_MAX_BYTES,
    retryEAGAIN: () => performance.now() < exitUntilMs,
  });
  output.on('drop', (lines: string) => {
    dropped += lines.split('\n').length - 1;
  });
  let isRetrying = false;
  // It keeps what was not written, and writes it first next time.
  output.on('error', () => {
    if (isRetrying) return;
    isRetrying = true;
    setTimeout(() => {
      isRetrying = false;
      output.write('');
    }, RETRY_EVERY_MS).unref();
  });
  let waiting = '';
  const flush = () => {
    if (waiting !== '') output.write(waiting);
    waiting = '';
  };
  process.on('exit', () => {
    exitUntilMs = performance.now() + EXIT_WAIT_MAX_MS;
    flush();
    output.write('');
  });
  return {
    write(line) {
      if (waiting === '') setTimeout(flush, WRITE_EVERY_MS).unref();
      waiting += line;
      if (waiting.length > WAITING_MAX_LENGTH) flush();
    },
  };
}
