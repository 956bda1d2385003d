import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { AppError } from '@waymark/contract';

/** How long a client may take to send its body. A whole request may take 5 seconds. */
const BODY_TIMEOUT_MS = 3000;

/**
 * Reads a whole body into memory. The limit keeps this cheap, and upstream services get complete bodies of a known
 * length only.
 * @throws {AppError} `too_large` if the announced or the actual length is over the limit; `invalid` if the body does
 * not arrive in time or breaks off.
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
    const onBroken = () => end(new AppError('invalid', 'The body ended before it was complete.'));
    function end(error: AppError | null): void {
      clearTimeout(timer);
      body.off('data', onData).off('end', onEnd).off('close', onBroken).off('error', onBroken);
      // The rest of the body is read and discarded, so that the client gets the response (`early-answers.ts`).
      body.on('error', () => {}).resume();
      if (error === null) resolve(Buffer.concat(chunks, length));
      else reject(error);
    }
    body.on('data', onData).on('end', onEnd).on('close', onBroken).on('error', onBroken);
    if (Number(announcedLength) > limitBytes) end(tooLarge(limitBytes));
  });
}

/**
 * Yields a body in pieces, as it arrives. Whoever stops early leaves the rest unread, and the connection open.
 * @throws {AppError} `too_large` if the announced or the actual length is over the limit; `invalid` if it breaks off.
 */
export async function* bodyPieces(body: IncomingMessage, limitBytes: number): AsyncGenerator<Buffer> {
  if (Number(body.headers['content-length']) > limitBytes) throw tooLarge(limitBytes);
  let length = 0;
  try {
    for await (const piece of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      length += piece.length;
      if (length > limitBytes) throw tooLarge(limitBytes);
      yield piece;
    }
  } catch (error) {
    if (error instanceof AppError || !isBroken(body)) throw error;
    throw new AppError('invalid', 'The body ended before it was complete.', { cause: error });
  }
}

function isBroken(body: IncomingMessage): boolean {
  return body.errored !== null || body.destroyed;
}

function tooLarge(limitBytes: number): AppError {
  return new AppError('too_large', `The body is over ${shownSize(limitBytes)}; send a smaller one.`);
}

/** Returns a number of bytes for a message. */
export function shownSize(bytes: number): string {
  const kib = bytes / 1024;
  return kib < 1024 ? `${kib} KiB` : `${kib / 1024} MiB`;
}
