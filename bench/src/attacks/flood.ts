import { Pool } from 'undici';

export interface FloodRequest {
  path: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
}

/** The bounds of a flood; it ends when the first of them is reached. */
export interface FloodBounds {
  connections: number;
  durationMs: number;
  maxRequests: number;
}

const TIMEOUT_MS = 60_000;

/**
 * Sends requests; each connection sends its next request when the previous one has completed or failed. `request`
 * builds the n-th request of a connection. Returns the number of requests for each status or error, the most frequent
 * first: no response stops the attack.
 */
export async function flood(
  origin: string,
  { connections, durationMs, maxRequests }: FloodBounds,
  request: (n: number, connection: number) => FloodRequest,
): Promise<string> {
  const pool = new Pool(origin, {
    connections,
    pipelining: 1,
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
    connect: { timeout: TIMEOUT_MS },
  });
  const outcomes: (number | string)[] = [];
  const deadline = performance.now() + durationMs;
  let sent = 0;
  await Promise.all(
    Array.from({ length: connections }, async (_, connection) => {
      for (let n = 0; sent < maxRequests && performance.now() < deadline; n++) {
        sent++;
        const { path, method = 'GET', headers = {}, body = null } = request(n, connection);
        outcomes.push(
          await pool.request({ path, method, headers, body }).then(
            async (response) => {
              await response.body.dump();
              return response.statusCode;
            },
            (error: NodeJS.ErrnoException) => error.code ?? error.message,
          ),
        );
      }
    }),
  );
  await pool.destroy();
  return tally(outcomes);
}

/** Counts how often each value occurs, the most frequent first: `9 × 302, 1 × 503`. */
export function tally(values: readonly (number | string)[]): string {
  const counts = new Map<number | string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([value, count]) => `${count.toLocaleString('en')} × ${value}`)
    .join(', ');
}
