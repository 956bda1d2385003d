import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Credentials } from '../credentials.ts';
import { authenticate, refuseWebPages } from './access.ts';
import { type ClickHouseEngine, openEngine, type StatementResult } from './engine.ts';
import { describeError, statusOf } from './errors.ts';
import { runQuery } from './query.ts';
import { readRequest } from './request.ts';
import { openSpool, type Spool } from './spool.ts';

export interface ClickHouseServerOptions {
  /** Created if it does not exist. Only one process at a time can have it open. */
  dataDir: string;
  /** The only user that may run statements. */
  credentials: Credentials;
  /** With 0 (the default), the operating system chooses a port. */
  port?: number;
  /** A loopback address; 127.0.0.1 by default. */
  host?: string;
}

export interface ClickHouseServer {
  url: string;
  port: number;
  /** Waits for running requests, kills them after 10 seconds, and releases the data directory. */
  close(): Promise<void>;
}

/** ClickHouse's `http_max_uri_size`; large because parameters are sent in the URL. */
const MAX_HEADER_BYTES = 1024 ** 2;
const IDLE_CONNECTION_MS = 10_000;
const CLOSE_DEADLINE_MS = 10_000;

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

/**
 * Serves ClickHouse's HTTP interface from the embedded engine, so that `@clickhouse/client` and several processes can
 * use it like a server, on loopback addresses only. One user may run statements, which cannot access files or other
 * servers (`privileges.ts`). Requests of web pages are refused.
 *
 * Differences from a ClickHouse server:
 * - User and password are read from headers only.
 * - There are no sessions (`session_id` is refused), roles, compression and multipart forms.
 * - A response starts when the whole result is complete.
 * - `read_rows` in a summary counts the rows of the result.
 * - `query_id` names the request in headers but not in `system.processes`.
 * - A query may have 64 MiB of text.
 * - Three statements run concurrently (`UV_THREADPOOL_SIZE` minus one), and 1,000 may wait.
 *
 * An acknowledged insert has been handed to the operating system: it survives the death of this process, and a new
 * server on the same directory finds it.
 *
 * @throws Error with one sentence if chDB is not installed, `host` is not a loopback address, `dataDir` contains
 * `*?{}`, or the directory is open in another process.
 */
export async function startClickHouseServer(options: ClickHouseServerOptions): Promise<ClickHouseServer> {
  const host = options.host ?? '127.0.0.1';
  if (!LOOPBACK.has(host)) {
    throw new Error(`The embedded ClickHouse listens on loopback only, not on ${host}`);
  }
  const dataDir = resolve(options.dataDir);
  if (/[*?{}]/.test(dataDir)) {
    throw new Error(
      `The embedded ClickHouse treats * ? { } in paths as patterns; choose a directory without them instead of ${dataDir}`,
    );
  }
  const engine = await openEngine(join(dataDir, 'engine'), join(dataDir, 'engine.xml'));
  const spool = openSpool(join(dataDir, 'spool'));
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: 0 }, (request, response) => {
    // The connection has failed, so the error cannot be reported to the client.
    handle(engine, spool, options.credentials, request, response).catch(() => response.destroy());
    // Closing the server waits for all connections, including those kept alive for another request.
    response.once('finish', () => {
      if (!server.listening) request.socket.end();
    });
  });
  server.keepAliveTimeout = IDLE_CONNECTION_MS;
  server.on('connection', (socket) => socket.setNoDelay(true));
  try {
    await new Promise<void>((listening, failed) => {
      server.once('error', failed);
      server.listen(options.port ?? 0, host, listening);
    });
  } catch (error) {
    await engine.close();
    throw error;
  }
  const { port } = server.address() as AddressInfo;
  const closeServer = async () => {
    const closed = new Promise<void>((done) => server.close(() => done()));
    server.closeIdleConnections();
    const deadline = setTimeout(() => server.closeAllConnections(), CLOSE_DEADLINE_MS);
    await closed;
    clearTimeout(deadline);
    await engine.close();
  };
  let closing: Promise<void> | undefined;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    close() {
      closing ??= closeServer();
      return closing;
    },
  };
}

async function handle(
  engine: ClickHouseEngine,
  spool: Spool,
  credentials: Credentials,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const pathname = request.url?.split('?')[0] ?? '/';
  let started = false;
  try {
    refuseWebPages(request);
    if (pathname === '/ping' || pathname === '/replicas_status') {
      response.end('Ok.\n');
      return;
    }
    response.setHeader('X-ClickHouse-Server-Display-Name', 'embedded');
    if (pathname !== '/') {
      response.writeHead(404, { 'Content-Type': 'text/plain; charset=UTF-8' });
      response.end(`There is no handle ${pathname}\n\nUse / or /ping for health checks.\n`);
      return;
    }
    if (request.method === 'GET' && !request.url?.includes('query=')) {
      response.end('Ok.\n');
      return;
    }
    authenticate(request, credentials);
    const query = readRequest(request);
    response.setHeader('X-ClickHouse-Query-Id', query.queryId ?? randomUUID());
    const closed = new AbortController();
    response.once('close', () => closed.abort());
    if (response.destroyed) closed.abort();
    const answer = await runQuery(engine, spool, query, closed.signal);
    response.setHeader('X-ClickHouse-Format', answer.format);
    response.setHeader('X-ClickHouse-Summary', JSON.stringify(summaryOf(answer.result)));
    started = true;
    if (answer.body instanceof Readable) await pipeline(answer.body, response);
    else response.end(answer.body ?? undefined);
  } catch (error) {
    // Part of the body was sent. Cutting the connection shows the client that the result is incomplete.
    if (started || response.destroyed) throw error;
    sendError(request, response, error);
  }
}

function sendError(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  const { code, type, text } = describeError(error);
  response.writeHead(statusOf(type), {
    'Content-Type': 'text/plain; charset=UTF-8',
    'X-ClickHouse-Exception-Code': String(code),
    // The unread rest of a body would be parsed as the next request.
    ...(request.readableEnded ? {} : { Connection: 'close' }),
  });
  response.end(`${text.trimEnd()}\n`);
  request.resume();
}

/**
 * Returns the engine's figures as strings, as ClickHouse sends them. For a SELECT, chDB's binding reports the rows of
 * the result and not those scanned; for an insert, the rows written, including those of materialized views.
 */
function summaryOf(result: StatementResult): Record<string, string> {
  return {
    read_rows: String(result.rowsRead),
    read_bytes: String(result.bytesRead),
    written_rows: String(result.rowsWritten),
    written_bytes: String(result.bytesWritten),
    result_rows: String(result.rowsRead),
    result_bytes: String(result.bytesRead),
    elapsed_ns: String(Math.round(result.elapsedSeconds * 1e9)),
  };
}
