import { AppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';

/**
 * Returns the result of the promise if it settles in time. The work itself is not cancelled. A pause of this process
 * does not count as a timeout of the other side. After a pause in the first half of the time, the second half still
 * follows. After a pause in the second half, results that have arrived are read first.
 * @throws {AppError} `unavailable` if it takes longer. `what` names the work in the log.
 */
export async function withTimeout<Result>(promise: Promise<Result>, timeoutMs: number, what: string): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    const giveUp = () => {
      const cause = new Error(`${what} took longer than ${timeoutMs} ms`);
      reject(new AppError('unavailable', UNAVAILABLE_MESSAGE, { cause }));
    };
    timer = setTimeout(() => {
      // The event loop reads sockets after timers and before immediates.
      timer = setTimeout(() => setImmediate(giveUp), timeoutMs / 2);
    }, timeoutMs / 2);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
