import { type DestinationStream, pino } from 'pino';

const WRITE_EVERY_MS = 10;
/** Beyond this many characters, lines are written at once. */
const WAITING_MAX_LENGTH = 64 * 1_024;

/**
 * Standard output for a logger: the lines of 10 milliseconds are one write, since each write costs more than all else about
 * a line. Lines are written before the process exits, however it does; only a process that is killed from outside takes
 * the lines of its last moment with it. Where nobody reads any more, lines are dropped.
 */
export function logOutput(): DestinationStream {
  shared ??= createOutput();
  return shared;
}

/** A process has one standard output, however many loggers. */
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
