import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { ClickHouseException } from './errors.ts';

/** A request to ClickHouse's HTTP interface, its query not yet parsed. */
export interface QueryRequest {
  /** From the URL; empty if the query is in the body. */
  query: string;
  body: Readable;
  database: string | undefined;
  defaultFormat: string | undefined;
  queryId: string | undefined;
  settings: ReadonlyMap<string, string>;
  /** Values of `{name:Type}` placeholders, in the escaped form of the HTTP interface. */
  params: ReadonlyMap<string, string>;
}

/** Arguments that ClickHouse's HTTP layer handles itself and that have no meaning on this server. */
const IGNORED = new Set([
  'user',
  'password',
  'quota_key',
  // A result is always complete before the response starts.
  'wait_end_of_query',
  'buffer_size',
]);

/** Arguments that this server does not support. It refuses them instead of returning a wrong result. */
const REFUSED = new Map([
  ['session_id', 'Sessions (session_id) are not supported: every request has its own'],
  ['compress', 'Compression (compress=1) is not supported'],
  ['decompress', 'Compression (decompress=1) is not supported'],
  ['enable_http_compression', 'Compression (enable_http_compression=1) is not supported'],
  ['role', 'Roles are not supported'],
]);

/**
 * Reads a request's arguments. Does not read the body.
 *
 * @throws ClickHouseException for unsupported arguments and bodies (48), and invalid names (36, 73, 115).
 */
export function readRequest(request: IncomingMessage): QueryRequest {
  const headers = request.headers;
  const search = request.url?.split('?').slice(1).join('?');
  const args = [...new URLSearchParams(search)];
  if (headers['content-encoding'] !== undefined) throw notImplemented('A compressed body is not supported');
  if (headers['content-type']?.startsWith('multipart/')) throw notImplemented('A multipart form is not supported');

  const settings = new Map<string, string>();
  const params = new Map<string, string>();
  const known = new Map<string, string>();
  for (const [name, value] of args) {
    const refusal = REFUSED.get(name);
    if (refusal !== undefined && value !== '' && value !== '0') throw notImplemented(refusal);
    if (refusal !== undefined || IGNORED.has(name)) continue;
    if (['query', 'database', 'default_format', 'query_id'].includes(name)) known.set(name, value);
    else if (name.startsWith('param_')) {
      if (!/^param_\w+$/.test(name)) {
        throw new ClickHouseException(36, 'BAD_ARGUMENTS', `Not a name of a query parameter: '${name.slice(6)}'`);
      }
      params.set(name.slice(6), value);
    } else if (/^[A-Za-z]\w*$/.test(name)) settings.set(name, value);
    else throw new ClickHouseException(115, 'UNKNOWN_SETTING', `Unknown setting '${name}'`);
  }
  // A GET must not change anything: ClickHouse runs it read-only. Set last, since no setting can be changed after it.
  if (request.method !== 'POST') {
    settings.delete('readonly');
    settings.set('readonly', '2');
  }
  const defaultFormat = known.get('default_format') ?? headerOf(request, 'x-clickhouse-format');
  if (defaultFormat !== undefined && !/^\w+$/.test(defaultFormat)) {
    throw new ClickHouseException(73, 'UNKNOWN_FORMAT', `Unknown format ${defaultFormat}`);
  }
  return {
    query: known.get('query') ?? '',
    body: request,
    database: known.get('database') ?? headerOf(request, 'x-clickhouse-database'),
    defaultFormat,
    queryId: known.get('query_id'),
    settings,
    params,
  };
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function notImplemented(text: string): ClickHouseException {
  return new ClickHouseException(48, 'NOT_IMPLEMENTED', text);
}

/**
 * Reads a body completely.
 * @throws ClickHouseException QUERY_IS_TOO_LARGE (223) if it has more than `maxBytes`.
 */
export async function readAll(body: Readable, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      throw new ClickHouseException(
        223,
        'QUERY_IS_TOO_LARGE',
        `A query in the body may have ${maxBytes} bytes; send an INSERT in the URL's query and its rows in the body`,
      );
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
