import type { Readable } from 'node:stream';
import { AppError } from '@waymark/contract';

/** A client that has not sent its body by then is too slow: nothing here lasts longer than 5 seconds. */
const BODY_TIMEOUT_MS = 3000;

/**
 * All bytes of a body. It is short (the limit), so holding it costs little, and the service behind sees only whole
 * bodies of a known length: none that is cut off at the limit, none that arrives byte by byte.
 * @throws {AppError} `too_large` beyond the limit, whether the length was announced or not; `invalid` where the body
 * does not arrive in time or breaks off.
 */
export function readBody(body: Readable, limitBytes: number, announcedLength?: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const timer = setTimeout(() => {
      end(new AppError('invalid', `The body did not arrive within ${BODY_TIMEOUT_MS / 1000} seconds.`));
    }, BODY_TIMEOUT_MS);
    const onData = (chunk: Buffer) => {
      length += chunk.length;
      if (length > limitBytes) return end(tooLarge(limitBytes));
      chunks.push(chunk);
    };
    const onEnd = () => end(null);
    const onBroken = () => end(new AppError('invalid', 'The body broke off before its end.'));
    function end(error: AppError | null): void {
      clearTimeout(timer);
      body.off('data', onData).off('end', onEnd).off('close', onBroken).off('error', onBroken);
      // What still comes is thrown away; the connection stays open for it (early-answers.ts).
      body.on('error', () => {}).resume();
      if (error === null) resolve(Buffer.concat(chunks, length));
      else reject(error);
    }
    body.on('data', onData).on('end', onEnd).on('close', onBroken).on('error', onBroken);
    if (Number(announcedLength) > limitBytes) end(tooLarge(limitBytes));
  });
}

function tooLarge(limitBytes: number): AppError {
  return new AppError('too_large', `The body is over ${limitBytes / 1024} KiB; send a smaller one.`);
}
