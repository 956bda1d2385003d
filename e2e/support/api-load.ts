import { randomBytes } from 'node:crypto';
import type { Link } from '@waymark/contract';
import { HttpClient } from './http-client.ts';
import { steadily } from './steady.ts';

export interface ApiLoadOptions {
  /** Returns the origin for the next request. */
  nextOrigin: () => string;
  key: string;
  publicKey: string;
  /** A link of the account. The load changes its title and note. */
  linkId: string;
  /** Tasks per second. Most tasks are one request. */
  perSecond: number;
}

/** One in this many rounds creates and deletes links. Rare, because analytics keep each deletion for two days. */
const RARE = 5;
/** One in this many rounds asks for analytics, which take the embedded ClickHouse a tenth of a second of CPU. */
const ANALYTICS = 6;

const anyText = () => randomBytes(8).toString('hex');

/**
 * Load of clients and agents at a steady rate, independent of response times: REST and MCP, reads and writes, both
 * kinds of key. Sometimes a task creates, changes and deletes a link. No links are left behind.
 */
export class ApiLoad {
  /** Number of requests with the expected response. */
  answered = 0;
  /** Number of each unexpected response, by a description of the request and the response. */
  readonly failures = new Map<string, number>();
  readonly #options: ApiLoadOptions;
  readonly #client = new HttpClient();
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor(options: ApiLoadOptions) {
    this.#options = options;
    const { key, publicKey, linkId } = options;
    const tasks: ((round: number) => Promise<unknown>)[] = [
      () => this.#rest('GET', '/api/v1/me', 200),
      () => this.#rest('GET', '/api/v1/links?sort=clicks&q=e', 200),
      (round) =>
        round % RARE === 0
          ? this.#linkOverRest()
          : this.#rest('PUT', `/api/v1/links/${linkId}`, 200, { title: anyText() }),
      () => this.#tool('list_links', {}, publicKey),
      (round) =>
        round % ANALYTICS === 0
          ? this.#rest('GET', '/api/v1/analytics?days=7', 200)
          : this.#rest('GET', `/api/v1/links/${linkId}`, 200),
      (round) =>
        round % RARE === 0 ? this.#linkOverMcp() : this.#tool('update_link', { id: linkId, note: anyText() }),
      () => this.#rest('GET', '/api/v1/links', 200, undefined, publicKey),
      (round) =>
        round % ANALYTICS === 0 ? this.#tool('get_analytics', { days: 30 }, publicKey) : this.#tool('list_links', {}),
      () => this.#tool('get_me', {}, key),
    ];
    this.#running = steadily(options.perSecond, this.#stop.signal, async (n) => {
      await tasks[n % tasks.length]!(Math.floor(n / tasks.length));
    });
  }

  /** Starts no new tasks, and resolves when all running tasks have ended. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
    this.#client.close();
  }

  async #linkOverRest(): Promise<void> {
    const made = await this.#rest<Link>('POST', '/api/v1/links', 201, { destination_url: 'https://example.com/' });
    if (made === null) return;
    const path = `/api/v1/links/${made.id}`;
    await this.#rest('PUT', path, 200, { title: anyText() });
    await this.#rest('DELETE', path, 204);
  }

  async #linkOverMcp(): Promise<void> {
    const made = await this.#tool<Link>('create_link', { destination_url: 'https://example.com/' });
    if (made === null) return;
    await this.#tool('update_link', { id: made.id, note: anyText() });
    await this.#tool('delete_link', { id: made.id });
  }

  async #tool<Result>(name: string, args: unknown, key = this.#options.key): Promise<Result | null> {
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } };
    const answer = await this.#send<{ result?: { isError?: boolean; structuredContent: Result } }>(
      { name, method: 'POST', path: '/mcp', status: 200, key },
      call,
    );
    if (answer === null) return null;
    if (answer.result === undefined || answer.result.isError) return this.#fail(name, JSON.stringify(answer));
    this.answered += 1;
    return answer.result.structuredContent;
  }

  async #rest<Body>(
    method: string,
    path: string,
    status: number,
    json?: unknown,
    key = this.#options.key,
  ): Promise<Body | null> {
    const name = `${method} ${path.replace(/\/links\/.*/, '/links/{id}')}`;
    const body = await this.#send<Body>({ name, method, path, status, key }, json);
    if (body !== null) this.answered += 1;
    return body;
  }

  /** Returns the body of a response with the expected status. Otherwise records a failure and returns null. */
  async #send<Body>(
    { name, method, path, status, key }: { name: string; method: string; path: string; status: number; key: string },
    json: unknown,
  ): Promise<Body | null> {
    const text = json === undefined ? '' : JSON.stringify(json);
    const { outcome, body } = await this.#client.send(`${this.#options.nextOrigin()}${path}`, {
      method,
      body: text,
      headers: {
        authorization: `Bearer ${key}`,
        accept: 'application/json, text/event-stream',
        ...(text === '' ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      },
    });
    if (outcome !== String(status)) return this.#fail(name, `${outcome} ${body}`);
    return (body === '' ? {} : JSON.parse(body)) as Body;
  }

  #fail(name: string, how: string): null {
    const what = `${name}: ${how.replace(/ Request id: [\w-]+/, '')}`;
    this.failures.set(what, (this.failures.get(what) ?? 0) + 1);
    return null;
  }
}
