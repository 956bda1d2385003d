import { AppError, UNAVAILABLE_MESSAGE } from '@waymark/contract';

/**
 * What the promise gives, if it does within the time. What it stands for goes on after that, unheard.
 * @throws {AppError} `unavailable` where it takes longer; `what` is for the log.
 */
export async function within<Result>(promise: Promise<Result>, timeoutMs: number, what: string): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      const cause = new Error(`${what} took longer than ${timeoutMs} ms`);
      reject(new AppError('unavailable', UNAVAILABLE_MESSAGE, { cause }));
    }, timeoutMs);
  });
  try {
    return await Promise.race([promise, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
