import type { IncomingHttpHeaders } from 'node:http';
import { AppError } from '@waymark/contract';
import { RESPONSE_HEADERS_MAX_BYTES } from '@waymark/service-kit';
import { Agent, type Dispatcher } from 'undici';

export interface UpstreamRequest {
  origin: string;
  /** Path and query. */
  path: string;
  method: string;
  headers: IncomingHttpHeaders;
  body?: Buffer | undefined;
  /** Bounds the whole exchange: connection, request, answer and its body. */
  timeoutMs: number;
}

export interface UpstreamResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Connections to the services behind. */
export interface UpstreamClient {
  /**
   * The whole answer, whatever its status; rejects where there is none in time.
   * @throws {AppError} `invalid` for an answer over 16 MiB, `unavailable` when answers under way hold over 128 MiB.
   */
  exchange(request: UpstreamRequest): Promise<UpstreamResponse>;
  close(): Promise<void>;
}

const CONNECTIONS_PER_ORIGIN = 256;
const CONNECT_TIMEOUT_MS = 1000;
/** Shorter than the services keep idle connections, so that none is used that the other side is closing. */
const KEEP_ALIVE_MS = 30_000;

const MIB = 1024 * 1024;
/** Twice a page of 100 links with the longest texts, which MCP has in it twice. */
const ANSWER_MAX_BYTES = 16 * MIB;
/** What answers under way may hold together. */
const HELD_MAX_BYTES = 128 * MIB;

/** A pool of connections for each service. */
export function createUpstreamClient(): UpstreamClient {
  const held = { bytes: 0 };
  const agent = new Agent({
    connections: CONNECTIONS_PER_ORIGIN,
    pipelining: 1,
    maxHeaderSize: RESPONSE_HEADERS_MAX_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  });
  return {
    exchange: ({ timeoutMs, ...request }) =>
      new Promise((resolve, reject) => {
        const collector = new ResponseCollector(timeoutMs, held, resolve, reject);
        try {
          agent.dispatch({ ...request, body: request.body ?? null }, collector);
        } catch (error) {
          collector.fail(error as Error);
        }
      }),
    close: () => agent.destroy(),
  };
}

/**
 * Collects an answer. Answers here are short, so that a whole one in memory is cheaper than a stream, and one that
 * breaks off in the middle is an error instead of half an answer. undici's own time limits are coarse and bound the
 * parts of an exchange only; the one timer here bounds the whole.
 */
class ResponseCollector implements Dispatcher.DispatchHandler {
  readonly #chunks: Buffer[] = [];
  readonly #timer: NodeJS.Timeout;
  /** What all collectors of the client hold. */
  readonly #held: { bytes: number };
  readonly #resolve: (response: UpstreamResponse) => void;
  readonly #reject: (error: Error) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #failure: Error | undefined;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #length = 0;

  constructor(
    timeoutMs: number,
    held: { bytes: number },
    resolve: (response: UpstreamResponse) => void,
    reject: (error: Error) => void,
  ) {
    this.#held = held;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = setTimeout(() => this.fail(new Error(`No answer within ${timeoutMs} ms`)), timeoutMs);
  }

  fail(error: Error): void {
    this.#end();
    this.#failure = error;
    this.#reject(error);
    this.#controller?.abort(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#failure) controller.abort(this.#failure);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#failure !== undefined) return;
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    this.#held.bytes += chunk.length;
    if (this.#length > ANSWER_MAX_BYTES) {
      this.fail(new AppError('invalid', `The response is over ${ANSWER_MAX_BYTES / MIB} MiB; ask for less at once.`));
    } else if (this.#held.bytes > HELD_MAX_BYTES) {
      this.fail(new AppError('unavailable', 'The service is too busy right now; try again in a moment.'));
    }
  }

  onResponseEnd(): void {
    this.#end();
    const body = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
    this.#resolve({ status: this.#status, headers: this.#headers, body });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#failure === undefined) this.fail(error);
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#held.bytes -= this.#length;
    this.#length = 0;
  }
}
