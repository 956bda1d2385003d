import { type DestinationStream, pino } from 'pino';

const WRITE_EVERY_MS = 10;
/** If more characters than this wait, they are written at once. */
const WAITING_MAX_LENGTH = 64 * 1_024;

/**
 * Returns the standard output for loggers. It joins the lines of 10 milliseconds into one write, because writes are
 * expensive. Waiting lines are written before the process exits; they are lost only if a signal kills the process. If
 * the reader has gone, lines are dropped.
 */
export function logOutput(): DestinationStream {
  shared ??= createOutput();
  return shared;
}

/** Shared by all loggers, since a process has one standard output. */
let shared: DestinationStream | undefined;

function createOutput(): DestinationStream {
  const output = pino.destination({ fd: 1, sync: true });
  let waiting = '';
  const flush = () => {
    if (waiting !== '') output.write(waiting);
    waiting = '';
  };
  process.on('exit', flush);
  return {
    write(line) {
      if (waiting === '') setTimeout(flush, WRITE_EVERY_MS).unref();
      waiting += line;
      if (waiting.length > WAITING_MAX_LENGTH) flush();
    },
  };
}
