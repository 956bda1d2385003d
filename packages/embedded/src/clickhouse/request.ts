import type { IncomingMessage } from 'node:http';
import { Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { ClickHouseException } from './errors.ts';

/** A request to ClickHouse's HTTP interface, its query not yet parsed. */
export interface QueryRequest {
  /** From the URL or a multipart field; empty if the query is in the body. */
  query: string;
  /** The body, decompressed. */
  body: Readable;
  database: string | undefined;
  defaultFormat: string | undefined;
  queryId: string | undefined;
  settings: ReadonlyMap<string, string>;
  /** Values of `{name:Type}` placeholders, in the escaped form of the HTTP interface. */
  params: ReadonlyMap<string, string>;
  /** The compression that the engine applies to the result, if any. */
  compression: ResponseCompression | undefined;
}

export interface ResponseCompression {
  /** As in Content-Encoding. */
  encoding: string;
  level: number;
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
  ['compress', "ClickHouse's own compression (compress=1) is not supported: use enable_http_compression=1"],
  ['decompress', "ClickHouse's own compression (decompress=1) is not supported: use Content-Encoding"],
  ['role', 'Roles are not supported'],
]);

/** In order of preference. The engine uses the same names as Content-Encoding. */
const RESPONSE_ENCODINGS = ['zstd', 'gzip', 'br', 'deflate'];
const DEFAULT_COMPRESSION_LEVEL = 3;

const MAX_MULTIPART_BYTES = 64 * 1024 ** 2;

/**
 * Reads a request's arguments. Does not read the body, except for multipart forms, which contain the query.
 *
 * @throws ClickHouseException for unsupported arguments (48), an unknown Content-Encoding (48), and invalid names (36,
 * 73, 115).
 */
export async function readRequest(request: IncomingMessage): Promise<QueryRequest> {
  const headers = request.headers;
  const search = request.url?.split('?').slice(1).join('?');
  const args = [...new URLSearchParams(search)];
  let body = decompressed(request, headers['content-encoding']);
  if (headers['content-type']?.startsWith('multipart/form-data')) {
    args.push(...(await readMultipart(body, headers['content-type'])));
    body = Readable.from([]);
  }

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
    body,
    database: known.get('database') ?? headerOf(request, 'x-clickhouse-database'),
    defaultFormat,
    queryId: known.get('query_id'),
    settings,
    params,
    compression: chooseCompression(headers['accept-encoding'], settings),
  };
}

function headerOf(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function notImplemented(text: string): ClickHouseException {
  return new ClickHouseException(48, 'NOT_IMPLEMENTED', text);
}

function chooseCompression(
  accepted: string | undefined,
  settings: Map<string, string>,
): ResponseCompression | undefined {
  if (!['1', 'true'].includes(settings.get('enable_http_compression') ?? '')) return undefined;
  const names = (accepted ?? '').split(',').map((part) => part.split(';')[0]?.trim().toLowerCase());
  const encoding = RESPONSE_ENCODINGS.find((name) => names.includes(name));
  if (encoding === undefined) return undefined;
  const level = Number(settings.get('http_zlib_compression_level') ?? DEFAULT_COMPRESSION_LEVEL);
  return { encoding, level: Number.isInteger(level) && level > 0 ? level : DEFAULT_COMPRESSION_LEVEL };
}

const DECOMPRESSORS = new Map<string, () => Transform>([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
  ['zstd', createZstdDecompress],
]);

function decompressed(request: IncomingMessage, encoding: string | undefined): Readable {
  if (encoding === undefined || encoding === '' || encoding === 'identity') return request;
  const create = DECOMPRESSORS.get(encoding);
  if (!create) {
    throw notImplemented(
      `Content-Encoding '${encoding}' is not supported: ${[...DECOMPRESSORS.keys()].join(', ')} are`,
    );
  }
  const decompressor = create();
  request.once('error', (error) => decompressor.destroy(error));
  return request.pipe(decompressor);
}

async function readMultipart(body: Readable, contentType: string): Promise<Array<[string, string]>> {
  const bytes = await readAll(body, MAX_MULTIPART_BYTES);
  const fields: Array<[string, string]> = [];
  const form = await new Response(bytes, { headers: { 'content-type': contentType } }).formData().catch((cause) => {
    throw new ClickHouseException(36, 'BAD_ARGUMENTS', `Cannot read the multipart form: ${String(cause)}`);
  });
  for (const [name, value] of form) {
    if (typeof value !== 'string') throw notImplemented('External data (files in a multipart form) is not supported');
    if (name !== 'query' && !name.startsWith('param_')) {
      throw notImplemented(`External data ('${name}' in a multipart form) is not supported`);
    }
    fields.push([name, value]);
  }
  return fields;
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
