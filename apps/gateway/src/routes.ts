/** The services behind the gateway that answer HTTP. */
export type Upstream = 'links' | 'analytics' | 'mcp';

/**
 * Who may pass a route: `api` and `mcp` need an API key of a plan that includes the API, and share the key's budget;
 * `mcp` says so in the words that MCP clients read. `open` needs nothing and carries no identity.
 */
export type Access = 'api' | 'mcp' | 'open';

/** One row of the route table. */
export interface ProxyRoute {
  /** Paths in Fastify's notation. */
  paths: readonly string[];
  methods: readonly string[];
  upstream: Upstream;
  access: Access;
  /** The longest body that is passed on. */
  bodyLimitBytes: number;
  /** Whether a GET or HEAD whose connection broke is sent once more: not where a GET has an effect, as a click has. */
  retryReads: boolean;
}

const KIB = 1024;
const REST_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'];
const ANY_METHOD = [...REST_METHODS, 'OPTIONS'];
const REST = { methods: REST_METHODS, access: 'api', bodyLimitBytes: 64 * KIB, retryReads: true } as const;

/** Below it every request needs a key, whether the path exists or not, and any origin may call. */
export const API_PREFIX = '/api';

/**
 * Where the gateway sends what it passes on. Which methods a path has, and which paths there are below a prefix, is
 * the service's to say, so that a new endpoint of a resource changes nothing here.
 */
export const PROXY_ROUTES: readonly ProxyRoute[] = [
  { ...REST, paths: ['/api/v1/me'], upstream: 'links' },
  { ...REST, paths: ['/api/v1/links', '/api/v1/links/*'], upstream: 'links' },
  { ...REST, paths: ['/api/v1/analytics'], upstream: 'analytics' },
  {
    paths: ['/mcp'],
    methods: ANY_METHOD,
    upstream: 'mcp',
    access: 'mcp',
    bodyLimitBytes: 256 * KIB,
    retryReads: false,
  },
  {
    paths: ['/:slug'],
    methods: ['GET', 'HEAD', 'POST'],
    upstream: 'links',
    access: 'open',
    bodyLimitBytes: 64 * KIB,
    retryReads: false,
  },
];

/**
 * Where MCP clients ask about OAuth after a 401. It is not offered: the answer must be a 404 that is no page, and what it
 * says is what people get to read.
 */
export const OAUTH_PATHS: readonly string[] = ['/register', '/.well-known', '/.well-known/*'];
export const NO_OAUTH_MESSAGE =
  'Not found. OAuth is not offered here; the API key in the header Authorization is missing or not valid.';
