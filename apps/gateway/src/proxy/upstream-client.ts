import { Agent, type Dispatcher } from 'undici';

export type UpstreamRequest = Dispatcher.RequestOptions & { origin: string; headersTimeout: number };
export type UpstreamCallback = (error: Error | null, response: Dispatcher.ResponseData) => void;

/** Connections to the services behind. */
export interface UpstreamClient {
  /** As undici's with a callback; `headersTimeout` bounds the whole exchange, the answer's body included. */
  request(options: UpstreamRequest, callback: UpstreamCallback): void;
  close(): Promise<void>;
}

const CONNECTIONS_PER_ORIGIN = 256;
const CONNECT_TIMEOUT_MS = 1000;
/** Shorter than the services keep idle connections, so that none is used that the other side is closing. */
const KEEP_ALIVE_MS = 30_000;

/**
 * A pool for each service. undici's own timers are coarse and bound the parts of an exchange, not the whole, so one
 * timer of ours ends it.
 */
export function createUpstreamClient(): UpstreamClient {
  const agent = new Agent({
    connections: CONNECTIONS_PER_ORIGIN,
    pipelining: 1,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    connect: { timeout: CONNECT_TIMEOUT_MS },
  });
  return {
    request(options, callback) {
      const { headersTimeout: timeoutMs } = options;
      const deadline = new AbortController();
      const timer = setTimeout(() => deadline.abort(new Error(`No answer within ${timeoutMs} ms`)), timeoutMs);
      agent.request({ ...options, signal: deadline.signal }, (error, response) => {
        if (error) clearTimeout(timer);
        else response.body.once('close', () => clearTimeout(timer));
        callback(error, response);
      });
    },
    close: () => agent.destroy(),
  };
}
