import { Pool } from 'undici';

export interface HttpRequest {
  path: string;
  method?: 'GET' | 'POST' | 'PUT';
  headers?: Record<string, string>;
  /** Sent as JSON. */
  json?: unknown;
}

/** An HTTP client for one service on this machine, with keep-alive connections. */
export interface HttpTarget {
  /**
   * Sends a request and returns the complete response body as text.
   * @throws if the status is not the expected one.
   */
  send(request: HttpRequest, expectedStatus?: number): Promise<string>;
  close(): Promise<void>;
}

const CONNECTIONS_MAX = 256;
const TIMEOUT_MS = 30_000;

/**
 * Creates a client that sends requests to the origins in rotation. It opens a connection only when all others to that
 * origin are busy, at most 256.
 */
export function httpTarget(...origins: string[]): HttpTarget {
  const pools = origins.map(poolOf);
  let asked = 0;
  return {
    async send({ path, method = 'GET', headers = {}, json }, expectedStatus = 200) {
      const pool = pools[asked++ % pools.length]!;
      const { statusCode, body } = await pool.request({
        path,
        method,
        headers: json === undefined ? headers : { 'content-type': 'application/json', ...headers },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      });
      const text = await body.text();
      if (statusCode !== expectedStatus) throw new Error(`${method} ${path}: ${statusCode} ${text.slice(0, 300)}`);
      return text;
    },
    close: async () => {
      await Promise.all(pools.map((pool) => pool.close()));
    },
  };
}

function poolOf(origin: string): Pool {
  const { hostname } = new URL(origin);
  if (hostname !== '127.0.0.1' && hostname !== 'localhost') throw new Error(`${hostname} is not this machine`);
  return new Pool(origin, { connections: CONNECTIONS_MAX, pipelining: 1, headersTimeout: TIMEOUT_MS });
}
