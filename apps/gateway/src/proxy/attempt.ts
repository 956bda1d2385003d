import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';

/**
 * A response that says that it is no longer than this is read whole: it costs half of a stream, and if it breaks off,
 * the client gets an error instead of a part.
 */
const SHORT_MAX_BYTES = 16 * 1024;
const BUFFERED_BYTES = 64 * 1024;

/** The response of a service. Its body must be read or destroyed. */
export interface UpstreamResponse {
  statusCode: number;
  headers: IncomingHttpHeaders;
  body: ShortBody | Readable;
}

/** The body of a short response, as a whole. */
export class ShortBody {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  /** Does nothing. `@fastify/reply-from` destroys the body when the client has left. */
  destroy(): void {}
}

/** One attempt to get a response. undici calls its handlers; without its own streams and signals, this costs half. */
export class Attempt implements Dispatcher.DispatchHandler {
  readonly response: Promise<UpstreamResponse>;
  readonly #resolve: (response: UpstreamResponse) => void;
  readonly #reject: (error: Error) => void;
  readonly #chunks: Buffer[] = [];
  #controller: Dispatcher.DispatchController | undefined;
  #cancelled: Error | undefined;
  #head: Omit<UpstreamResponse, 'body'> | undefined;
  #stream: ResponseStream | undefined;

  constructor() {
    const { promise, resolve, reject } = Promise.withResolvers<UpstreamResponse>();
    this.response = promise;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Closes the connection to the service. The response rejects, unless it has begun. */
  cancel(reason: Error): void {
    this.#cancelled = reason;
    this.#reject(reason);
    this.#controller?.abort(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#cancelled !== undefined) controller.abort(this.#cancelled);
  }

  onResponseStart(controller: Dispatcher.DispatchController, statusCode: number, headers: IncomingHttpHeaders): void {
    const isInformational = statusCode < 200;
    if (isInformational) return;
    this.#head = { statusCode, headers };
    if (Number(headers['content-length'] ?? Infinity) <= SHORT_MAX_BYTES) return;
    this.#stream = new ResponseStream(controller);
    this.#resolve({ statusCode, headers, body: this.#stream });
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#stream === undefined) this.#chunks.push(chunk);
    else if (!this.#stream.push(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    if (this.#stream !== undefined) this.#stream.push(null);
    else this.#resolve({ ...this.#head!, body: new ShortBody(joined(this.#chunks)) });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#stream !== undefined) this.#stream.destroy(error);
    else this.#reject(error);
  }
}

/** A response that is read no faster than its client takes it. */
class ResponseStream extends Readable {
  readonly #controller: Dispatcher.DispatchController;

  constructor(controller: Dispatcher.DispatchController) {
    super({ highWaterMark: BUFFERED_BYTES });
    this.#controller = controller;
    // The plugin destroys the body if the client is gone. Without a listener, that would end the process.
    this.on('error', () => {});
  }

  override _read(): void {
    this.#controller.resume();
  }

  /** Closes the connection to the service, unless all was read. */
  override _destroy(error: Error | null, callback: (error: Error | null) => void): void {
    this.#controller.abort(error ?? new Error('The response was not read to its end'));
    callback(error);
  }
}

function joined(chunks: Buffer[]): Buffer {
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
}
