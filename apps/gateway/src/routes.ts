import { BULK_BODY_MAX_BYTES, IMPORT_MAX_BYTES } from '@waymark/contract';

/** The services to which the gateway forwards HTTP requests. */
export type Upstream = 'links' | 'analytics' | 'mcp';

/**
 * Who may use a route. `api` and `mcp` need an API key of a plan that includes the API, and share the key's rate limit.
 * `api` accepts a session, too. `account` is like `api`, but a session may be of any plan. On `bulk`, which is like
 * `api`, each operation of the body counts for the rate limit. On `mcp`, a 401 has the challenge that MCP clients expect.
 * `open` needs no key, and no identity is forwarded.
 */
export type Access = 'api' | 'account' | 'bulk' | 'mcp' | 'open';

/**
 * The most requests of a kind in progress: of one account, and of all. Further ones are refused, so that they do not wait
 * in front of others. `each` is more than a well-behaved client has concurrently, and less than the service can queue. It
 * counts a request until its client has read the response; short responses are held here instead. `all` limits the
 * connections to the services. It counts a request until its response begins, so that slow clients take the places of
 * their own account only. Uploads go as fast as their clients, so `all` leaves room for those of many accounts. Visitors
 * behind one proxy may share an address, so what needs no key has no `each`.
 */
export const BOUNDS = {
  redirect: { each: Infinity, all: 1_024 },
  password: { each: Infinity, all: 1_024 },
  api: { each: 128, all: 1_024 },
  bulk: { each: 8, all: 64 },
  export: { each: 4, all: 32 },
  import: { each: 2, all: 128 },
  analytics: { each: 16, all: 256 },
  mcp: { each: 128, all: 1_024 },
} as const;
export type Kind = keyof typeof BOUNDS;

/** One row of the route table. */
export interface ProxyRoute {
  /** Paths in Fastify's notation. */
  paths: readonly string[];
  methods: readonly string[];
  upstream: Upstream;
  access: Access;
  kind: Kind;
  /** The longest body that is forwarded. */
  bodyLimitBytes: number;
  /** True to forward the body while it arrives, which may take minutes. By default, it is read first. */
  streamsBody?: boolean;
  /** Whether a GET or HEAD is retried once after a broken connection. Default: no. A redirect records a click. */
  retryReads?: boolean;
  /**
   * True to cancel a request at the service when its client disconnects. The service must end its reads then, because the
   * request no longer counts for {@link BOUNDS}. The rate limit bounds its changes.
   */
  cancelAbandoned?: boolean;
}

const KIB = 1024;
const REST_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const ANY_METHOD = [...REST_METHODS, 'OPTIONS'];
const REST = { methods: REST_METHODS, access: 'api', kind: 'api', bodyLimitBytes: 64 * KIB, retryReads: true } as const;
const OPEN = { paths: ['/:slug'], upstream: 'links', access: 'open', bodyLimitBytes: 64 * KIB } as const;

/**
 * Below this prefix, any origin may call. All requests except CORS preflights and sign-ins need a key or a session, even
 * for unknown paths.
 */
export const API_PREFIX = '/api';

/**
 * The routes that the gateway forwards. The services decide which methods and which paths below a prefix exist, so a
 * new endpoint of a resource needs no change here.
 */
export const PROXY_ROUTES: readonly ProxyRoute[] = [
  { ...REST, paths: ['/api/v1/me', '/api/v1/sessions/current'], upstream: 'links', access: 'account' },
  {
    ...REST,
    paths: [
      ...['/api/v1/me/keys', '/api/v1/me/keys/*', '/api/v1/me/passkeys', '/api/v1/me/passkeys/*'],
      ...['/api/v1/me/filters', '/api/v1/me/filters/*'],
      ...['/api/v1/me/accounts', '/api/v1/sessions/switch'],
    ],
    upstream: 'links',
  },
  {
    ...REST,
    paths: ['/api/v1/links/bulk'],
    methods: ['POST'],
    upstream: 'links',
    access: 'bulk',
    kind: 'bulk',
    bodyLimitBytes: BULK_BODY_MAX_BYTES,
  },
  { ...REST, paths: ['/api/v1/links/export'], methods: ['GET', 'HEAD'], upstream: 'links', kind: 'export' },
  { ...REST, paths: ['/api/v1/links', '/api/v1/links/*', '/api/v1/hashtags', '/api/v1/auto-meta'], upstream: 'links' },
  {
    ...REST,
    paths: ['/api/v1/jobs/import'],
    methods: ['POST'],
    upstream: 'links',
    kind: 'import',
    bodyLimitBytes: IMPORT_MAX_BYTES,
    streamsBody: true,
  },
  { ...REST, paths: ['/api/v1/jobs', '/api/v1/jobs/*'], upstream: 'links' },
  { ...REST, paths: ['/api/v1/hosts', '/api/v1/hosts/*'], upstream: 'links' },
  { ...REST, paths: ['/api/v1/events'], upstream: 'links' },
  { ...REST, paths: ['/api/v1/webhooks', '/api/v1/webhooks/*'], upstream: 'links' },
  { ...REST, paths: ['/api/v1/analytics'], upstream: 'analytics', kind: 'analytics', cancelAbandoned: true },
  {
    ...REST,
    paths: ['/api/v1/clicks'],
    methods: ['GET', 'HEAD'],
    upstream: 'analytics',
    kind: 'export',
    cancelAbandoned: true,
  },
  {
    paths: ['/mcp'],
    methods: ANY_METHOD,
    upstream: 'mcp',
    access: 'mcp',
    kind: 'mcp',
    bodyLimitBytes: 256 * KIB,
    cancelAbandoned: true,
  },
  { ...OPEN, methods: ['GET', 'HEAD'], kind: 'redirect' },
  { ...OPEN, methods: ['POST'], kind: 'password' },
];

/**
 * Paths where MCP clients look for OAuth after a 401. OAuth is not offered, so the response must be a 404 in JSON, not
 * a page. Clients show its message to their users.
 */
export const OAUTH_PATHS: readonly string[] = ['/register', '/token', '/authorize', '/.well-known', '/.well-known/*'];
export const NO_OAUTH_MESSAGE =
  'Not found. OAuth is not supported; the API key in the Authorization header is missing or invalid.';
