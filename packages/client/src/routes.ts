import type { paths } from './generated/api.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** The paths of a method. */
export type PathOf<Name extends Method> = {
  [Path in keyof paths]: paths[Path][Lowercase<Name>] extends object ? Path : never;
}[keyof paths];

/** A method and a path of the API, such as `GET /api/v1/links/{id}`. */
export type Route = { [Name in Method]: `${Name} ${PathOf<Name>}` }[Method];

type Operation<Name extends Route> = Name extends `${infer Verb extends Method} ${infer Path extends keyof paths}`
  ? NonNullable<paths[Path][Lowercase<Verb>]>
  : never;

/** The values in the path, the query and the body that a route takes, and what every request may have. */
export type Sent<Name extends Route> = ParametersOf<Operation<Name>> &
  BodyOf<Operation<Name>> & {
    headers?: Record<string, string> | undefined;
    /** Ends the request. */
    signal?: AbortSignal | undefined;
    keepalive?: boolean | undefined;
  };

type ParametersOf<Called> = Called extends { parameters: infer Parameters }
  ? Present<Pick<Parameters, keyof Parameters & ('path' | 'query')>>
  : object;
/** Without the ones that a route does not have. */
type Present<Values> = { [Name in keyof Values as [Values[Name]] extends [undefined] ? never : Name]: Values[Name] };

type BodyOf<Called> = Called extends { requestBody: { content: infer Content } }
  ? { body: Sendable<Content> }
  : Called extends { requestBody?: { content: infer Content } }
    ? { body?: Sendable<Content> | undefined }
    : object;
/** JSON, or a file. */
type Sendable<Content> = {
  [Type in keyof Content]: Type extends 'application/json' ? Content[Type] : Blob | ReadableStream<Uint8Array>;
}[keyof Content];

/** The JSON that a route responds with; `undefined` if it has none. */
export type Result<Name extends Route> = JsonOf<SuccessOf<Operation<Name>>>;
type SuccessOf<Called> = Called extends { responses: infer Responses }
  ? Responses[keyof Responses & (200 | 201 | 202 | 204)]
  : never;
type JsonOf<Response> = Response extends { content: { 'application/json': infer Json } } ? Json : undefined;

/** What {@link Sent} may have, whatever the route is. */
interface AnySent {
  path?: object | undefined;
  query?: object | undefined;
  body?: unknown;
  headers?: Record<string, string> | undefined;
  signal?: AbortSignal | undefined;
  keepalive?: boolean | undefined;
}

/** Returns the request of a route. */
export function requestOf<Name extends Route>(base: string, route: Name, sent: Sent<Name>): Request {
  const { path, query, body, headers, signal, keepalive } = sent as AnySent;
  const isFile = body instanceof Blob || body instanceof ReadableStream;
  return new Request(urlOf(base, route, path, query), {
    method: route.slice(0, route.indexOf(' ')),
    headers: { ...(body !== undefined && !isFile && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: isFile ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
    ...(keepalive && { keepalive }),
  });
}

/** Returns the URL of a route. */
export function urlOf(base: string, route: Route, path: object = {}, query: object = {}): string {
  const values = new Map(Object.entries(path));
  const filled = route
    .slice(route.indexOf('/'))
    .replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values.get(name)));
  const url = new URL(base.replace(/\/$/, '') + filled);
  for (const [name, value] of Object.entries(query)) if (value !== undefined) url.searchParams.set(name, String(value));
  return url.href;
}
