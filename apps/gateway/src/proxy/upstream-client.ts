import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { AppError, BUSY_MESSAGE } from '@waymark/contract';
import { RESPONSE_HEADERS_MAX_BYTES } from '@waymark/service-kit';
import { Agent, type Dispatcher } from 'undici';

export interface UpstreamRequest {
  origin: string;
  /** Path and query. */
  path: string;
  method: string;
  headers: IncomingHttpHeaders;
  body?: Buffer | undefined;
  /** Limits the whole exchange: connection, request, and response with its body. */
  timeoutMs: number;
}

export interface UpstreamResponse {
  status: number;
  headers: IncomingHttpHeaders;
  /** The whole body, or a stream of it. */
  body: Buffer | Readable;
}

/** An HTTP client for the upstream services. */
export interface UpstreamClient {
  /**
   * Returns the complete response, whatever its status. Rejects if it is not complete in time.
   * @throws {AppError} `invalid` if the response is over 16 MiB; `unavailable` if all pending responses together are
   * over 128 MiB.
   */
  exchange(request: UpstreamRequest): Promise<UpstreamResponse>;
  /**
   * Returns a response whose body is a stream, which the caller must read or destroy. The time limit is for its headers
   * only. Its connections are separate, so that slow readers take none from other requests.
   */
  open(request: UpstreamRequest): Promise<UpstreamResponse>;
  close(): Promise<void>;
}

const CONNECTIONS_PER_ORIGIN = 256;
/** More than the streams that a service has concurrently. */
const STREAMS_PER_ORIGIN = 32;
/** How long a service may take for the next part of a stream. */
const STREAM_PAUSE_MAX_MS = 10_000;
const CONNECT_TIMEOUT_MS = 1000;
/** Shorter than the idle timeout of the services, so that no request uses a connection that a service is closing. */
const KEEP_ALIVE_MS = 30_000;

const MIB = 1024 * 1024;
/** About twice the largest response: 100 links with the longest texts over MCP, where each text appears twice. */
const RESPONSE_MAX_BYTES = 16 * MIB;
/** The memory that all pending responses together may use. */
const BUFFERED_MAX_BYTES = 128 * MIB;

/** Creates a client with a connection pool for each origin. */
export function createUpstreamClient(): UpstreamClient {
  const buffered = { bytes: 0 };
  const options = {
    pipelining: 1,
    maxHeaderSize: RESPONSE_HEADERS_MAX_BYTES,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  };
  const agent = new Agent({ ...options, connections: CONNECTIONS_PER_ORIGIN });
  const streams = new Agent({ ...options, connections: STREAMS_PER_ORIGIN, bodyTimeout: STREAM_PAUSE_MAX_MS });
  return {
    exchange: ({ timeoutMs, ...request }) =>
      new Promise((resolve, reject) => {
        const collector = new ResponseCollector(timeoutMs, buffered, resolve, reject);
        try {
          agent.dispatch({ ...request, body: request.body ?? null }, collector);
        } catch (error) {
          collector.fail(error as Error);
        }
      }),
    async open({ timeoutMs, origin, path, method, headers }) {
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(new Error(`No response within ${timeoutMs} ms`)), timeoutMs);
      try {
        const answer = await streams.request({
          origin,
          path,
          method: method as Dispatcher.HttpMethod,
          headers,
          signal: late.signal,
        });
        return { status: answer.statusCode, headers: answer.headers, body: answer.body };
      } finally {
        clearTimeout(timer);
      }
    },
    close: async () => {
      await Promise.all([agent.destroy(), streams.destroy()]);
    },
  };
}

/**
 * Collector of one response in memory. Responses are short, so this is cheaper than a stream, and a response that
 * breaks off becomes an error instead of a partial response. The timer limits the whole exchange; undici's own timeouts
 * are coarse and limit only its parts.
 */
class ResponseCollector implements Dispatcher.DispatchHandler {
  readonly #chunks: Buffer[] = [];
  readonly #timer: NodeJS.Timeout;
  /** The bytes that all collectors of the client hold together. */
  readonly #buffered: { bytes: number };
  readonly #resolve: (response: UpstreamResponse) => void;
  readonly #reject: (error: Error) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #failure: Error | undefined;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  #length = 0;

  constructor(
    timeoutMs: number,
    buffered: { bytes: number },
    resolve: (response: UpstreamResponse) => void,
    reject: (error: Error) => void,
  ) {
    this.#buffered = buffered;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#timer = setTimeout(() => this.fail(new Error(`No response within ${timeoutMs} ms`)), timeoutMs);
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
    this.#buffered.bytes += chunk.length;
    if (this.#length > RESPONSE_MAX_BYTES) {
      this.fail(new AppError('invalid', `The response is over ${RESPONSE_MAX_BYTES / MIB} MiB; request less at once.`));
    } else if (this.#buffered.bytes > BUFFERED_MAX_BYTES) {
      this.fail(new AppError('unavailable', BUSY_MESSAGE));
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
    this.#buffered.bytes -= this.#length;
    this.#length = 0;
  }
}
