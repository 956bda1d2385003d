import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';

/** A delivery as the receiver got it. */
export interface Received {
  path: string;
  id: string;
  headers: Record<string, string>;
  body: string;
  event: { type: string; timestamp: string; data: { link?: { id: string; slug?: string } } };
}

export type Respond = (received: Received, response: ServerResponse, request: IncomingMessage) => unknown;

/** A receiver of webhooks on loopback. It keeps what it got, and answers 204 or as its path was told to. */
export class WebhookReceiver {
  readonly received: Received[] = [];
  /** The requests without a response, by path, and the most that there were at once. */
  readonly open = new Map<string, number>();
  readonly mostOpen = new Map<string, number>();
  readonly #responds = new Map<string, Respond>();
  readonly #server: Server;

  private constructor(tls: ServerOptions | undefined) {
    const handle = async (request: IncomingMessage, response: ServerResponse) => {
      const path = request.url!;
      const count = (by: number) => {
        this.open.set(path, (this.open.get(path) ?? 0) + by);
        this.mostOpen.set(path, Math.max(this.mostOpen.get(path) ?? 0, this.open.get(path)!));
      };
      count(1);
      response.on('close', () => count(-1));
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const body = Buffer.concat(chunks).toString();
      const headers = request.headers as Record<string, string>;
      const received = { path, id: headers['webhook-id']!, headers, body, event: JSON.parse(body) };
      this.received.push(received);
      const respond = this.#responds.get(path) ?? ((_received, response) => response.writeHead(204).end());
      await respond(received, response, request);
    };
    const listener = (request: IncomingMessage, response: ServerResponse) =>
      void handle(request, response).catch(() => response.destroy());
    this.#server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  }

  static async start({ tls, port = 0 }: { tls?: ServerOptions; port?: number } = {}): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver(tls);
    receiver.#server.listen(port, '127.0.0.1');
    await once(receiver.#server, 'listening');
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  url(path: string): string {
    return `http://127.0.0.1:${this.port}${path}`;
  }

  /** Says how to answer at a path from now on. */
  answer(path: string, respond: Respond | number, headers: Record<string, string> = {}): void {
    this.#responds.set(
      path,
      typeof respond === 'number' ? (_received, response) => response.writeHead(respond, headers).end() : respond,
    );
  }

  /** Returns what came to a path. */
  at(path: string): Received[] {
    return this.received.filter((one) => one.path === path);
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
