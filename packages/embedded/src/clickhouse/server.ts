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
import { contentTypeOf } from './formats.ts';
import { runQuery } from './query.ts';
import { readRequest } from './request.ts';
import { openSpool, type Spool } from './spool.ts';

export interface ClickHouseServerOptions {
  /** Created where it does not exist. One process at a time can have it open. */
  dataDir: string;
  /** The one user that may run statements. */
  credentials: Credentials;
  /** 0 (the default) lets the operating system choose. */
  port?: number;
  /** A loopback address; 127.0.0.1 by default. */
  host?: string;
}

export interface ClickHouseServer {
  url: string;
  port: number;
  /** Lets requests finish, kills those that run after 10 seconds, and releases the data directory. */
  close(): Promise<void>;
}

/** ClickHouse's `http_max_uri_size`: parameters travel in the URL. */
const MAX_HEADER_BYTES = 1024 ** 2;
const IDLE_CONNECTION_MS = 10_000;
const CLOSE_DEADLINE_MS = 10_000;

const LOOPBACK = new Set(['127.0.0.1', '::1', 'localhost']);

/**
 * Serves ClickHouse's HTTP interface from the embedded engine, so that `@clickhouse/client` and several processes can
 * use it as they use a server, on loopback addresses only. One user may run statements, and these reach no files and no
 * other servers (`privileges.ts`); requests of web pages are refused.
 *
 * What differs from a server: user and password are read from headers; requests have no sessions (`session_id` is
 * refused) and no roles; an answer
 * begins when the whole result is there; `read_rows` of a summary counts the rows of the result, and `query_id` names
 * the request in headers but not in `system.processes`; a query may have 64 MiB of text. Three statements run at one
 * time (`UV_THREADPOOL_SIZE` less one) and 1,000 wait.
 *
 * An acknowledged insert has been handed to the operating system: it survives the death of this process, and a new
 * server on the same directory finds it.
 *
 * @throws Error with one sentence where chDB is not installed, or the directory is open in another process.
 */
export async function startClickHouseServer(options: ClickHouseServerOptions): Promise<ClickHouseServer> {
  const host = options.host ?? '127.0.0.1';
  if (!LOOPBACK.has(host)) {
    throw new Error(`The embedded ClickHouse listens on loopback only, not on ${host}`);
  }
  const dataDir = resolve(options.dataDir);
  if (/[*?{}]/.test(dataDir)) {
    throw new Error(
      `The embedded ClickHouse takes * ? { } in paths for patterns; choose another directory than ${dataDir}`,
    );
  }
  const engine = await openEngine(join(dataDir, 'engine'), join(dataDir, 'engine.xml'));
  const spool = openSpool(join(dataDir, 'spool'));
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, requestTimeout: 0 }, (request, response) => {
    // What still fails in here is the connection's end; there is nobody to tell.
    handle(engine, spool, options.credentials, request, response).catch(() => response.destroy());
    // A server that closes waits for connections: one that stays open for a next request would hold it up.
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
    const query = await readRequest(request);
    response.setHeader('X-ClickHouse-Query-Id', query.queryId ?? randomUUID());
    const answer = await runQuery(engine, spool, query, () => !response.destroyed);
    response.setHeader('Content-Type', contentTypeOf(answer.format));
    response.setHeader('X-ClickHouse-Format', answer.format);
    response.setHeader('X-ClickHouse-Summary', JSON.stringify(summaryOf(answer.result)));
    if (answer.encoding) response.setHeader('Content-Encoding', answer.encoding);
    started = true;
    if (answer.body instanceof Readable) await pipeline(answer.body, response);
    else response.end(answer.body ?? undefined);
  } catch (error) {
    // A broken body cannot be mended: the connection is cut, and the client sees that the result is not complete.
    if (started || response.destroyed) throw error;
    sendError(request, response, error);
  }
}

function sendError(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  const { code, type, text } = describeError(error);
  response.writeHead(statusOf(type), {
    'Content-Type': 'text/plain; charset=UTF-8',
    'X-ClickHouse-Exception-Code': String(code),
    // A body that nobody reads to its end would be taken for the next request.
    ...(request.readableEnded ? {} : { Connection: 'close' }),
  });
  response.end(`${text.trimEnd()}\n`);
  request.resume();
}

/**
 * The engine's figures, as strings, which is how ClickHouse sends them. Of a SELECT, chDB's binding tells the rows of
 * the result and not those scanned; of an insert, the rows written, those of materialized views included.
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
