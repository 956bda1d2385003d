import { join } from 'node:path';

/** The services of a stack. They start together, after the databases. */
export const SERVICE_NAMES = ['links-svc', 'analytics-svc', 'mcp-svc', 'gateway'] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];
export const DATABASE_NAMES = ['mongodb', 'clickhouse'] as const;
export type DatabaseName = (typeof DATABASE_NAMES)[number];
/** The process with one replica of every service (`apps/all-in-one`). */
export const ALL_IN_ONE = 'all-in-one' as const;
export type ProcessKind = ServiceName | DatabaseName | typeof ALL_IN_ONE;

/**
 * The order in which processes stop: first what clients reach, then what still sends clicks, then what receives them,
 * then the databases.
 */
export const STOP_ORDER: readonly (readonly ProcessKind[])[] = [
  [ALL_IN_ONE],
  ['gateway', 'mcp-svc'],
  ['links-svc'],
  ['analytics-svc'],
  ['mongodb', 'clickhouse'],
];

/** The names of the ports of each process. */
export const PORT_NAMES = {
  'links-svc': ['http', 'grpc'],
  'analytics-svc': ['http', 'grpc'],
  'mcp-svc': ['http'],
  gateway: ['http'],
  // MongoDB listens on a Unix socket.
  mongodb: [],
  clickhouse: ['database'],
} as const satisfies Record<ServiceName | DatabaseName, readonly string[]>;

/** The root folder of the repository. */
export const ROOT = join(import.meta.dirname, '../../..');

/** Returns the entry script of a process: the built one, or its source. */
export function scriptOf(name: ProcessKind, fromSources: boolean): string {
  const main = fromSources ? 'main.ts' : 'main.js';
  const folder = fromSources ? 'src' : 'dist';
  return name === 'mongodb' || name === 'clickhouse'
    ? join(ROOT, 'packages/embedded', folder, name, main)
    : join(ROOT, 'apps', name, folder, main);
}

/** A user of ClickHouse, in the variables that analytics-svc reads. */
export interface ClickHouseLogin {
  CLICKHOUSE_USER: string;
  CLICKHOUSE_PASSWORD: string;
}

/** The addresses and secrets that connect the parts of one stack. */
export interface Wiring {
  host: string;
  publicUrl: string;
  apiUrl: string;
  signingKey: string;
  dataDir: string;
  /** The beginning of the command lines that manage accounts. */
  admin: string;
  mongodbUrl: string;
  clickhouseUrl: string;
  /** The user of an embedded ClickHouse. For an external one, the user is in the environment. */
  clickhouseLogin?: ClickHouseLogin;
  /** The address that the gateway listens on. The other processes listen on `host`. */
  gatewayHost: string;
  /** The ports of each replica of a service. */
  replicas: Record<ServiceName, readonly Readonly<Record<string, number>>[]>;
}

/** Returns the environment variables that connect one replica of a service to the others. */
export function serviceEnv(name: ServiceName, index: number, wiring: Wiring): Record<string, string> {
  const { host, publicUrl, apiUrl, signingKey, replicas } = wiring;
  const common = {
    HOST: host,
    PUBLIC_URL: publicUrl,
    API_URL: apiUrl,
    SIGNING_KEY: signingKey,
    METRICS_PORT: '0',
    SHUTDOWN_TIMEOUT_MS: '2000',
  };
  const LINKS_GRPC = grpcTarget(wiring, 'links-svc');
  const ANALYTICS_GRPC = grpcTarget(wiring, 'analytics-svc');
  const own = replicas[name][index]!;
  const ports = {
    ...(own.http === undefined ? {} : { HTTP_PORT: String(own.http) }),
    ...(own.grpc === undefined ? {} : { GRPC_PORT: String(own.grpc) }),
  };
  switch (name) {
    case 'links-svc':
      return {
        ...common,
        ...ports,
        MONGODB_URL: wiring.mongodbUrl,
        ANALYTICS_GRPC,
        // The gateway is the proxy in front of links-svc.
        TRUST_PROXY: '127.0.0.0/8',
        SPOOL_DIR: join(wiring.dataDir, 'spool', String(index + 1)),
      };
    case 'analytics-svc':
      return { ...common, ...ports, CLICKHOUSE_URL: wiring.clickhouseUrl, ...wiring.clickhouseLogin, LINKS_GRPC };
    case 'mcp-svc':
      return { ...common, ...ports, LINKS_GRPC, ANALYTICS_GRPC };
    case 'gateway':
      return {
        ...common,
        GATEWAY_HOST: wiring.gatewayHost,
        GATEWAY_PORT: String(own.http),
        LINKS_URL: httpOrigins(wiring, 'links-svc').join(','),
        ANALYTICS_URL: httpOrigins(wiring, 'analytics-svc').join(','),
        MCP_URL: httpOrigins(wiring, 'mcp-svc').join(','),
        LINKS_GRPC,
        SIGN_IN_COMMAND: `${wiring.admin} account sign-in-link --username`,
      };
  }
}

/** Returns the environment variables of the process with all services. They connect its services to each other. */
export function allInOneEnv(
  wiring: Wiring,
  own: Partial<Record<ServiceName, Record<string, string>>>,
): Record<string, string> {
  const environments = SERVICE_NAMES.map((name) => [name, { ...serviceEnv(name, 0, wiring), ...own[name] }]);
  return { SERVICE_ENVIRONMENTS: JSON.stringify(Object.fromEntries(environments)) };
}

/** Returns the gRPC address of all replicas of a service: `host:port`, or a list over which grpc-js balances. */
export function grpcTarget({ host, replicas }: Wiring, name: 'links-svc' | 'analytics-svc'): string {
  const addresses = replicas[name].map(({ grpc }) => `${host}:${grpc}`);
  return addresses.length === 1 ? addresses[0]! : `ipv4:${addresses.join(',')}`;
}

/** Returns the HTTP origins of all replicas of a service. */
export function httpOrigins({ host, replicas }: Wiring, name: Exclude<ServiceName, 'gateway'>): [string, ...string[]] {
  return replicas[name].map(({ http }) => `http://${host}:${http}`) as [string, ...string[]];
}
