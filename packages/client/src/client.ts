import createFetchClient, {
  type ClientPathsWithMethod,
  type Client as FetchClient,
  type FetchResponse,
  type MaybeOptionalInit,
  type Middleware,
} from 'openapi-fetch';
import type { paths } from './generated/api.ts';
import { type SendOptions, send } from './send.ts';

export interface ClientOptions extends SendOptions {
  /** The base URL of the API, such as `https://go.example`. */
  url: string;
  /** The API key. */
  key: string;
  /** Ends every request of this client. */
  signal?: AbortSignal | undefined;
}

/** Sends a request, and returns the parsed body of its response. */
type Method<Name extends 'get' | 'post' | 'put' | 'delete'> = <
  Path extends ClientPathsWithMethod<FetchClient<paths>, Name>,
  Init extends MaybeOptionalInit<paths[Path], Name>,
>(
  path: Path,
  ...init: undefined extends MaybeOptionalInit<paths[Path], Name> ? [Init?] : [Init]
) => Promise<Exclude<FetchResponse<Operation<Path, Name>, Init, MediaType>['data'], undefined>>;

type Operation<Path extends keyof paths, Name extends keyof paths[Path]> = Extract<
  paths[Path][Name],
  Record<string, unknown>
>;
type MediaType = `${string}/${string}`;

/** The REST API. Its paths, parameters, bodies and responses are those of the OpenAPI document. */
export interface Client {
  get: Method<'get'>;
  post: Method<'post'>;
  put: Method<'put'>;
  delete: Method<'delete'>;
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
  const api = createFetchClient<paths>({
    baseUrl: new URL(url).href,
    headers: { authorization: `Bearer ${key}` },
    ...(signal && { signal }),
    fetch: (request) => send(request, options),
  });
  api.use(idempotency);
  const { GET, POST, PUT, DELETE } = api;
  const dataOf =
    (call: (path: never, init: never) => Promise<{ data?: unknown; response: Response }>) =>
    async (path: string, init: { parseAs?: string } = {}): Promise<unknown> => {
      const { data, response } = await call(path as never, init as never);
      // openapi-fetch has no stream for an empty body.
      return init.parseAs === 'stream' ? (data ?? response.body ?? new Blob([]).stream()) : data;
    };
  return { get: dataOf(GET), post: dataOf(POST), put: dataOf(PUT), delete: dataOf(DELETE) } as Client;
}

const idempotency: Middleware = {
  onRequest({ request, schemaPath }) {
    const needsKey = request.method === 'POST' && Object.hasOwn(IDEMPOTENT, schemaPath);
    if (needsKey && !request.headers.has('idempotency-key')) request.headers.set('idempotency-key', newKey());
  },
};

/** Unlike `crypto.randomUUID`, this also works in pages over plain HTTP. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
