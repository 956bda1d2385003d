import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { adminCommand } from './admin-command.ts';
import { ensureSigningKey, makeDataDir, removeStackFile, writeStackFile } from './data-dir.ts';
import {
  ALL_IN_ONE,
  allInOneEnv,
  type ClickHouseLogin,
  DATABASE_NAMES,
  type DatabaseName,
  grpcTarget,
  httpOrigins,
  PORT_NAMES,
  type ProcessKind,
  SERVICE_NAMES,
  type ServiceName,
  STOP_ORDER,
  scriptOf,
  serviceEnv,
  type Wiring,
} from './layout.ts';
import { mongodbSocket } from './mongodb-socket.ts';
import { findFreePorts, isPortFree } from './ports.ts';
import { StackError } from './stack-error.ts';
import { lockDataDir } from './stack-lock.ts';
import { StackProcess } from './stack-process.ts';

export interface StackOptions {
  /** The folder for everything: data, logs, the signing key. Only one stack may use it at a time. */
  dataDir: string;
  /**
   * Environment variables for every process. They override those of this process, but not those that connect the parts.
   */
  env?: Record<string, string>;
  /** Environment variables for one service. They override all others. */
  serviceEnv?: Partial<Record<ServiceName, Record<string, string>>>;
  /** The port of the (first) gateway; by default a free one. */
  gatewayPort?: number;
  /** The address of the gateway; by default 127.0.0.1. */
  gatewayHost?: string;
  /** Where visitors reach short links; by default `http://localhost:{port}`. */
  publicUrl?: string | undefined;
  /** Where clients reach the API; by default `publicUrl`. */
  apiUrl?: string | undefined;
  /**
   * The URL of MongoDB. If the property is missing, MONGODB_URL of the environment; if it is undefined, the embedded
   * database.
   */
  mongodbUrl?: string | undefined;
  /**
   * The URL of ClickHouse. If the property is missing, CLICKHOUSE_URL of the environment; if it is undefined, the
   * embedded database.
   */
  clickhouseUrl?: string | undefined;
  /**
   * How many processes of a service to run; by default one. The gateway and gRPC balance over all of them. To balance
   * over several gateways, put a load balancer in front of the stack.
   */
  replicas?: Partial<Record<ServiceName, number>>;
  /**
   * Whether one process runs all services, which needs less memory. Its name is `all-in-one`, and `replicas` must be
   * missing.
   */
  allInOne?: boolean;
  /** Whether to run the sources instead of the build. */
  fromSources?: boolean;
  /** Whether to restart a process that ends unexpectedly. */
  autoRestart?: boolean;
  /** Called with a sentence if a process ends unexpectedly or its log cannot be shortened. */
  report?: (sentence: string) => void;
  /** Cancels the start. What was started is stopped. */
  signal?: AbortSignal;
}

/** A running system. */
export interface Stack {
  publicUrl: string;
  apiUrl: string;
  /**
   * By name: `gateway`, `links-svc`, `analytics-svc`, `mcp-svc` (or `all-in-one`), `mongodb`, `clickhouse`. The second
   * replica of a service is, for example, `links-svc-2`.
   */
  processes: Record<string, StackProcess>;
  /**
   * Addresses of the gateway and of the services behind it. They are those of the first replica, except
   * `analyticsGrpc`, which is a {@link grpcTarget} for all replicas.
   */
  urls: {
    gateway: string;
    linksHttp: string;
    linksGrpc: string;
    analyticsHttp: string;
    analyticsGrpc: string;
    mcpHttp: string;
  };
  mongodbUrl: string;
  clickhouseUrl: string;
  clickhouseLogin: ClickHouseLogin;
  signingKey: string;
  /** Stops every process, in order, within ten seconds, and unlocks the data folder. */
  close(): Promise<void>;
}

/** The option that makes Node resolve the packages of the workspace to their sources. */
export const SOURCES_CONDITION = '--conditions=@waymark/source';
const LOOPBACK = '127.0.0.1';
const READY_TIMEOUT_MS = 60_000;
const STOP_GRACE_MS = 2_300;
/** Its services stop one after the other. Usually each takes a few milliseconds. */
const ALL_IN_ONE_STOP_GRACE_MS = 6_000;
/** Not passed on to the processes: these secrets are passed as values, and setting both is an error. */
const GIVEN_AS_VALUES = ['SIGNING_KEY_FILE', 'MONGODB_URL_FILE', 'CLICKHOUSE_URL_FILE'];

/**
 * Starts the whole system as processes on this machine and waits until the gateway reports that everything is ready.
 * All processes end when this one does, for any reason.
 * @throws {StackError} if the port is taken, another stack runs on the folder, something is not built, a process does
 * not start, or the start is cancelled. Nothing is left running then.
 */
export async function startStack(options: StackOptions): Promise<Stack> {
  const dataDir = resolve(options.dataDir);
  makeDataDir(dataDir);
  const lock = await lockDataDir(dataDir);
  const processes: Record<string, StackProcess> = {};
  let closing: Promise<void> | undefined;
  const closeAll = async () => {
    for (const names of STOP_ORDER) {
      const members = Object.values(processes).filter(({ name }) => names.some((one) => isReplicaOf(name, one)));
      const graceMs = names.includes(ALL_IN_ONE) ? ALL_IN_ONE_STOP_GRACE_MS : STOP_GRACE_MS;
      await Promise.all(members.map((member) => member.stop(graceMs)));
    }
    removeStackFile(dataDir, lock.id);
    await lock.release();
  };
  const close = () => {
    closing ??= closeAll();
    return closing;
  };
  options.signal?.addEventListener('abort', close, { once: true });
  try {
    return await start(options, dataDir, lock, processes, close);
  } catch (error) {
    await close();
    throw options.signal?.aborted ? new StackError('The start was cancelled.') : error;
  } finally {
    options.signal?.removeEventListener('abort', close);
  }
}

async function start(
  options: StackOptions,
  dataDir: string,
  lock: { port: number; id: string },
  processes: Record<string, StackProcess>,
  close: () => Promise<void>,
): Promise<Stack> {
  const { fromSources = false } = options;
  if (options.allInOne && options.replicas !== undefined) throw new TypeError('allInOne excludes replicas');
  const gatewayHost = options.gatewayHost ?? LOOPBACK;
  const ports = await choosePorts(options, gatewayHost);
  const publicUrl = options.publicUrl ?? `http://localhost:${ports.gateway[0]!.http}`;
  const apiUrl = options.apiUrl ?? publicUrl;
  const linksGrpc = `${LOOPBACK}:${ports['links-svc'][0]!.grpc}`;
  const analyticsGrpc = `${LOOPBACK}:${ports['analytics-svc'][0]!.grpc}`;
  const save = () => {
    const pids = Object.values(processes).flatMap(({ pid }) => pid ?? []);
    writeStackFile(dataDir, { lock: { port: lock.port, id: lock.id }, publicUrl, linksGrpc, analyticsGrpc, pids });
  };
  save();
  const saveAgain = () => {
    try {
      save();
    } catch (error) {
      // The processes run all the same, for example while the disk is full.
      options.report?.(`The file of the stack could not be written: ${String(error)}.`);
    }
  };
  const env = { ...definedOf(process.env), ...options.env };
  for (const name of GIVEN_AS_VALUES) delete env[name];
  const signingKey = env.SIGNING_KEY?.trim() || ensureSigningKey(dataDir);

  const add = (
    name: string,
    kind: ProcessKind,
    own: Record<string, string>,
    listensAt: { ports: Record<string, number>; host: string; socket?: string },
  ) => {
    options.signal?.throwIfAborted();
    processes[name] = new StackProcess({
      name,
      script: scriptOf(kind, fromSources),
      nodeArguments: fromSources ? [SOURCES_CONDITION] : [],
      env: { ...env, ...own },
      ...listensAt,
      logFile: join(dataDir, 'logs', `${name}.log`),
      autoRestart: options.autoRestart ?? false,
      report: options.report ?? (() => {}),
      onSpawn: saveAgain,
    });
    return processes[name];
  };

  const given = {
    mongodb: Object.hasOwn(options, 'mongodbUrl') ? options.mongodbUrl : process.env.MONGODB_URL || undefined,
    clickhouse: Object.hasOwn(options, 'clickhouseUrl')
      ? options.clickhouseUrl
      : process.env.CLICKHOUSE_URL || undefined,
  };
  const embedded = DATABASE_NAMES.filter((name) => given[name] === undefined);
  const needed: ProcessKind[] = [...(options.allInOne ? [ALL_IN_ONE] : SERVICE_NAMES), ...embedded];
  if (!fromSources) requireBuilt(needed);
  const socket = mongodbSocket(join(dataDir, 'mongodb'));
  if (socket.isTemporary && embedded.includes('mongodb'))
    options.report?.(`The path of ${dataDir} is too long for a Unix socket, so MongoDB listens on ${socket.path}.`);
  // Other users of the machine can reach the port of the embedded ClickHouse, so each start creates a new login.
  const embeddedLogin = {
    CLICKHOUSE_USER: `stack_${randomBytes(8).toString('hex')}`,
    CLICKHOUSE_PASSWORD: randomBytes(32).toString('base64url'),
  };
  const clickhousePorts = ports.clickhouse[0]!;
  const settings = {
    mongodb: { own: { MONGODB_SOCKET: socket.path }, listensAt: { ports: {}, host: LOOPBACK, socket: socket.path } },
    clickhouse: {
      own: {
        HOST: LOOPBACK,
        PORT: String(clickhousePorts.database),
        DATABASE_USER: embeddedLogin.CLICKHOUSE_USER,
        DATABASE_PASSWORD: embeddedLogin.CLICKHOUSE_PASSWORD,
      },
      listensAt: { ports: clickhousePorts, host: LOOPBACK },
    },
  };
  await Promise.all(
    embedded.map((name) => {
      const { own, listensAt } = settings[name];
      return add(name, name, { ...own, DATA_DIR: join(dataDir, name) }, listensAt).start();
    }),
  );
  if (given.clickhouse === undefined) delete env.CLICKHOUSE_PASSWORD_FILE;

  const wiring: Wiring = {
    host: LOOPBACK,
    publicUrl,
    apiUrl,
    signingKey,
    dataDir,
    admin: adminCommand(dataDir),
    mongodbUrl: given.mongodb ?? `mongodb://${encodeURIComponent(socket.path)}/?directConnection=true`,
    clickhouseUrl: given.clickhouse ?? `http://${LOOPBACK}:${clickhousePorts.database}`,
    ...(given.clickhouse === undefined && { clickhouseLogin: embeddedLogin }),
    gatewayHost,
    replicas: ports,
  };
  const hostOf = (name: ServiceName) => (name === 'gateway' ? reachable(gatewayHost) : LOOPBACK);
  const services = options.allInOne
    ? [
        // It starts the gateway last.
        add(ALL_IN_ONE, ALL_IN_ONE, allInOneEnv(wiring, options.serviceEnv ?? {}), {
          ports: ports.gateway[0]!,
          host: hostOf('gateway'),
        }),
      ]
    : SERVICE_NAMES.flatMap((name) =>
        ports[name].map((own, index) =>
          add(
            replicaName(name, index),
            name,
            { ...serviceEnv(name, index, wiring), ...options.serviceEnv?.[name] },
            { ports: own, host: hostOf(name) },
          ),
        ),
      );
  await Promise.all(services.map((service) => service.start()));
  const gateways = ports.gateway.map(({ http }) => `http://${urlHost(reachable(gatewayHost))}:${http}`);
  const behind = (['links-svc', 'analytics-svc'] as const).map((name) => httpOrigins(wiring, name)[0]);
  await Promise.all(gateways.map((gateway) => untilReady(gateway, behind, dataDir, options.signal)));

  return {
    publicUrl,
    apiUrl,
    processes,
    urls: {
      gateway: gateways[0]!,
      linksHttp: httpOrigins(wiring, 'links-svc')[0],
      linksGrpc,
      analyticsHttp: httpOrigins(wiring, 'analytics-svc')[0],
      analyticsGrpc: grpcTarget(wiring, 'analytics-svc'),
      mcpHttp: httpOrigins(wiring, 'mcp-svc')[0],
    },
    mongodbUrl: wiring.mongodbUrl,
    clickhouseUrl: wiring.clickhouseUrl,
    clickhouseLogin: wiring.clickhouseLogin ?? {
      CLICKHOUSE_USER: env.CLICKHOUSE_USER ?? 'default',
      CLICKHOUSE_PASSWORD: env.CLICKHOUSE_PASSWORD ?? '',
    },
    signingKey,
    close,
  };
}

function requireBuilt(names: readonly ProcessKind[]): void {
  const missing = names.filter((name) => !existsSync(scriptOf(name, false)));
  if (missing.length > 0) throw new StackError(`Not built yet: ${missing.join(', ')}; run "pnpm build" first.`);
}

type Ports = Record<ServiceName | DatabaseName, Record<string, number>[]>;

async function choosePorts(options: StackOptions, gatewayHost: string): Promise<Ports> {
  if (options.gatewayPort !== undefined && !(await isPortFree(options.gatewayPort, gatewayHost))) {
    throw new StackError(
      `Port ${options.gatewayPort} of ${gatewayHost} is taken or may not be used; set GATEWAY_PORT to another one.`,
    );
  }
  const kinds = [...SERVICE_NAMES, ...DATABASE_NAMES];
  const wanted = kinds.flatMap((kind) =>
    Array.from({ length: replicasOf(options, kind) }, (_, index) =>
      PORT_NAMES[kind].map((portName) => ({ kind, index, portName })),
    ).flat(),
  );
  const free = await findFreePorts(wanted.length, LOOPBACK);
  const ports = Object.fromEntries(kinds.map((kind) => [kind, [] as Record<string, number>[]])) as Ports;
  for (const [i, { kind, index, portName }] of wanted.entries()) {
    ports[kind][index] ??= {};
    ports[kind][index][portName] = free[i]!;
  }
  if (options.gatewayPort !== undefined) ports.gateway[0] = { http: options.gatewayPort };
  return ports;
}

function replicasOf({ replicas }: StackOptions, kind: ServiceName | DatabaseName): number {
  return (replicas as Partial<Record<string, number>> | undefined)?.[kind] ?? 1;
}

function replicaName(name: string, index: number): string {
  return index === 0 ? name : `${name}-${index + 1}`;
}
function isReplicaOf(replica: string, name: string): boolean {
  return replica === name || (replica.startsWith(`${name}-`) && /^\d+$/.test(replica.slice(name.length + 1)));
}

/** Waits until the gateway is ready. Gives up at once if a service behind it says which requirement is not met. */
async function untilReady(
  gateway: string,
  behind: readonly string[],
  dataDir: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const deadline = performance.now() + READY_TIMEOUT_MS;
  let why = 'no response';
  while (performance.now() < deadline) {
    signal?.throwIfAborted();
    const answer = await fetch(`${gateway}/readyz`, { signal: AbortSignal.timeout(5000) }).catch(() => null);
    if (answer?.ok) {
      await answer.body?.cancel();
      return;
    }
    if (answer) why = await answer.text();
    for (const service of behind) {
      const unmet = await findUnmetRequirement(service);
      if (unmet !== undefined) throw new StackError(unmet);
    }
    await sleep(50);
  }
  throw new StackError(
    `The stack was not ready within ${READY_TIMEOUT_MS / 1000} s (${why}); its logs are in ${join(dataDir, 'logs')}.`,
  );
}

/** Returns what a service that is not ready says after the names of the failed checks, if it says anything. */
async function findUnmetRequirement(service: string): Promise<string | undefined> {
  const answer = await fetch(`${service}/readyz`, { signal: AbortSignal.timeout(5000) }).catch(() => null);
  if (answer === null || answer.ok) return undefined;
  const { error } = (await answer.json().catch(() => ({}))) as { error?: string };
  return /^Not ready: [a-z, ]+\. (.+)$/.exec(error ?? '')?.[1];
}

/** Returns an address that reaches a server listening on `host`. A server on `::` is reached over IPv4, too. */
function reachable(host: string): string {
  return host === '0.0.0.0' || host === '::' ? LOOPBACK : host;
}
function urlHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host;
}

function definedOf(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}
