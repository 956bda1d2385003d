import { AppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';

/**
 * Returns what the promise gives, if it does so in time; the work behind it goes on after that. A pause of this process
 * does not count against the other side: after one in the first half of the time the second half still follows, and
 * after one in the second half, results that have arrived are read first.
 * @throws {AppError} `unavailable` if it takes longer; `what` names the work in the log.
 */
export async function withTimeout<Result>(promise: Promise<Result>, timeoutMs: number, what: string): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    const giveUp = () => {
      const cause = new Error(`${what} took longer than ${timeoutMs} ms`);
      reject(new AppError('unavailable', UNAVAILABLE_MESSAGE, { cause }));
    };
    timer = setTimeout(() => {
      // The event loop reads sockets after its timers and before its immediates.
      timer = setTimeout(() => setImmediate(giveUp), timeoutMs / 2);
    }, timeoutMs / 2);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
