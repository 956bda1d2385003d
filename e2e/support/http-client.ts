import { Agent, type OutgoingHttpHeaders, request } from 'node:http';

export interface HttpRequest {
  method?: string;
  headers?: OutgoingHttpHeaders;
  body?: string;
}

export interface HttpAnswer {
  /** The status, `hang` if nothing arrived for half a minute, or the error code of a broken connection. */
  outcome: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
  durationMs: number;
}

/** Much longer than any response may take, because the machine may be busy. */
const HANG_MS = 30_000;
/** More than are ever in use at once, because a request that waits for a socket would seem slow. */
const SOCKETS_MAX = 256;

/** An HTTP client with keep-alive and without retries. `send` never rejects: failures are outcomes, too. */
export class HttpClient {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: SOCKETS_MAX, scheduling: 'fifo' });

  send(url: string, { method = 'GET', headers = {}, body = '' }: HttpRequest = {}): Promise<HttpAnswer> {
    const startedAt = performance.now();
    return new Promise((resolve) => {
      const end = (outcome: string, answer: Partial<HttpAnswer> = {}) =>
        resolve({ headers: {}, body: '', ...answer, outcome, durationMs: performance.now() - startedAt });
      const outgoing = request(url, { agent: this.#agent, method, headers, timeout: HANG_MS }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk;
        });
        response.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
        response.once('end', () => end(String(response.statusCode), { headers: response.headers, body: text }));
      });
      outgoing.once('timeout', () => {
        end('hang');
        outgoing.destroy();
      });
      outgoing.once('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message));
      outgoing.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
