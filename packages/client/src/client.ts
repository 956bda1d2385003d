import type { paths } from './generated/api.ts';
import { newKey } from './idempotency-key.ts';
import { type PathOf, type Result, type Route, requestOf, type Sent } from './routes.ts';
import { type SendOptions, send } from './send.ts';
import { unlikeWaymark, WaymarkError } from './waymark-error.ts';

export interface ClientOptions extends SendOptions {
  /** The base URL of the API, such as `https://go.example`. */
  url: string;
  /** The API key. */
  key: string;
  /** Ends every request of this client. */
  signal?: AbortSignal | undefined;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
type Bodies = { stream: ReadableStream<Uint8Array>; text: string; blob: Blob };
type ParseAs = keyof Bodies;

/** Sends a request, and returns the body of its response: JSON, or with `parseAs` what else it is. */
interface Call<Name extends Method> {
  <Path extends PathOf<Name>, As extends ParseAs>(
    path: Path,
    sent: Sent<`${Name} ${Path}` & Route> & { parseAs: As },
  ): Promise<Bodies[As]>;
  <Path extends PathOf<Name>>(
    path: Path,
    ...sent: Init<`${Name} ${Path}` & Route>
  ): Promise<Result<`${Name} ${Path}` & Route>>;
}

/** The second argument may be missing if nothing in it is required. */
type Init<Name extends Route> = object extends Sent<Name> ? [sent?: Sent<Name>] : [sent: Sent<Name>];

/** The REST API. Its paths, parameters, bodies and responses are those of the OpenAPI document. */
export interface Client {
  get: Call<'GET'>;
  post: Call<'POST'>;
  put: Call<'PUT'>;
  delete: Call<'DELETE'>;
}

/** The paths whose POST may be repeated with an `Idempotency-Key`. */
type IdempotentPath = {
  [Path in keyof paths]: paths[Path]['post'] extends { parameters: { header?: infer Header } }
    ? [Header] extends [undefined]
      ? never
      : Path
    : never;
}[keyof paths];

/** The compiler checks that none is missing. */
const IDEMPOTENT: Record<IdempotentPath, true> = {
  '/api/v1/links': true,
  '/api/v1/links/bulk': true,
  '/api/v1/jobs': true,
  '/api/v1/jobs/import': true,
  '/api/v1/jobs/{id}/undo': true,
};

/**
 * Returns a client of the API. Each method returns the body of the response, and throws a {@link WaymarkError} if there is
 * none or the API refused the request.
 */
export function createClient({ url, key, signal, ...options }: ClientOptions): Client {
  const call =
    (method: Method) =>
    async (path: string, { parseAs, ...sent }: Sent<Route> & { parseAs?: ParseAs } = {}) => {
      const request = requestOf(url, `${method} ${path}` as Route, {
        ...sent,
        signal: signal && sent.signal ? AbortSignal.any([signal, sent.signal]) : (sent.signal ?? signal),
      });
      request.headers.set('authorization', `Bearer ${key}`);
      if (method === 'POST' && Object.hasOwn(IDEMPOTENT, path) && !request.headers.has('idempotency-key'))
        request.headers.set('idempotency-key', newKey());
      const response = await send(request, options);
      if (parseAs === undefined) return jsonOf(response, request.url);
      return parseAs === 'stream' ? (response.body ?? new Blob([]).stream()) : response[parseAs]();
    };
  return { get: call('GET'), post: call('POST'), put: call('PUT'), delete: call('DELETE') } as Client;
}

/** Returns the JSON of a response, or undefined if it has no body. */
async function jsonOf(response: Response, url: string): Promise<unknown> {
  const text = await response.text();
  // Deletions, and what is only accepted.
  if (text === '' && (response.status === 204 || response.status === 202)) return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new WaymarkError(response.status, unlikeWaymark(response.status, url), { cause });
  }
}
