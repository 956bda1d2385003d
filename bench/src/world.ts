import { randomBytes } from 'node:crypto';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { createSigner, type Identity } from '@waymark/auth';
import type { Link } from '@waymark/contract';
import { accountsV1, createGrpcClient } from '@waymark/proto';
import type { Stack } from '@waymark/stack';
import { MongoClient } from 'mongodb';
import { DnsServer } from '../../apps/links-svc/test/support/dns-server.ts';
import { importLinks, ROOT, startStackOf } from './checkout.ts';
import { csvOfLinks, type LoadedLink } from './data/links.ts';
import { type FloorName, type FloorProcess, startFloor } from './floors/floor-process.ts';
import { type HttpTarget, httpTarget } from './http-target.ts';

/** The databases that the system runs on: URLs, or undefined for the embedded ones. */
export interface Databases {
  mongodbUrl: string | undefined;
  clickhouseUrl: string | undefined;
}

const EMBEDDED: Databases = { mongodbUrl: undefined, clickhouseUrl: undefined };

/** What a world is opened with. */
export interface WorldOptions {
  links: number;
  /** Number of analytics-svc processes; one by default. */
  analyticsReplicas?: number;
  /** The embedded ones by default. */
  databases?: Databases;
  /** The checkout whose build runs; this one by default. */
  checkout?: string;
  /** Additional environment variables of the services. */
  env?: Record<string, string>;
  /** The embedded databases stay in this folder for the next run. Otherwise all data is removed on close. */
  keepIn?: string | undefined;
}

type ServiceName = 'gateway' | 'links-svc' | 'analytics-svc' | 'mcp-svc';

/** A running system with one account that has many links, and the clients that the workloads need. */
export interface World {
  stack: Stack;
  account: { id: string; username: string; key: string; publicKey: string };
  /** The account's links, oldest first. */
  links: readonly LoadedLink[];
  /** Authenticates requests to the gateway; `identityHeaders` does so for requests sent directly to a service. */
  keyHeaders: { authorization: string };
  identityHeaders(): Promise<{ 'x-waymark-identity': string }>;
  /** Returns a signed identity of a service. */
  serviceIdentity(service: 'links-svc' | 'admin'): Promise<string>;
  gateway: HttpTarget;
  linksHttp: HttpTarget;
  /** Sends to all replicas in rotation. */
  analyticsHttp: HttpTarget;
  clickhouse: ClickHouseClient;
  /** The TXT records that the system finds, by name. */
  txtRecords: Map<string, string[]>;
  /** The name of the database, in MongoDB and in ClickHouse. */
  databaseName: string;
  /** Returns the current process ids of services, all replicas of each. */
  pidsOf(...services: ServiceName[]): number[];
  /** Returns the process ids of embedded databases; databases that were given have none. */
  databasePids(...databases: ('mongodb' | 'clickhouse')[]): number[];
  /** Starts a floor that is closed with the world. */
  startFloor(name: FloorName, env?: Record<string, string>): Promise<FloorProcess>;
  /** Registers a callback to run when the world is closed. */
  onClose(end: () => void): void;
  /** A folder for files of the workloads. */
  folder: string;
  /** Stops everything and removes what was written to databases that were given. */
  close(): Promise<void>;
}

/** The state that identifies a world when it is opened again. */
interface KeptWorld {
  databaseName: string;
  account: Awaited<ReturnType<typeof createAccount>>;
  links: LoadedLink[];
}

/** Starts the built system without rate limits, and imports the links. */
export async function openWorld({
  links: linkCount,
  analyticsReplicas = 1,
  databases = EMBEDDED,
  checkout = ROOT,
  env = {},
  keepIn,
}: WorldOptions): Promise<World> {
  const folder = keepIn ?? (await mkdtemp(join(tmpdir(), 'waymark-bench-')));
  const kept = keepIn === undefined ? null : await findKept(keepIn);
  const databaseName = kept?.databaseName ?? `waymark_bench_${randomBytes(4).toString('hex')}`;
  const closers: (() => Promise<unknown>)[] = [];
  if (keepIn === undefined) closers.push(() => rm(folder, { recursive: true, force: true }));
  const closeAll = async () => {
    for (const one of closers.splice(0).reverse()) await one();
  };
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= closeAll();
    return closing;
  };
  try {
    const dns = await DnsServer.start();
    closers.push(() => dns.close());
    const dataDir = join(folder, 'data');
    const stack = await startStackOf(checkout, {
      dataDir,
      ...databases,
      replicas: { 'analytics-svc': analyticsReplicas },
      env: {
        NODE_ENV: 'production',
        MONGODB_DATABASE: databaseName,
        CLICKHOUSE_DATABASE: databaseName,
        RATE_LIMIT_PER_MINUTE: '0',
        HEALTH_CHECK_HOURS: '0',
        AUTH_FAILURES_PER_MINUTE: '0',
        DNS_SERVERS: dns.address,
        ...env,
      },
    });
    closers.push(() => stack.close());

    const mongo = new MongoClient(stack.mongodbUrl);
    closers.push(() => mongo.close());
    const { CLICKHOUSE_USER, CLICKHOUSE_PASSWORD } = stack.clickhouseLogin;
    const clickhouse = createClient({
      url: stack.clickhouseUrl,
      username: CLICKHOUSE_USER,
      password: CLICKHOUSE_PASSWORD,
      database: databaseName,
      request_timeout: 300_000,
      log: { level: ClickHouseLogLevel.OFF },
    });
    closers.push(() => clickhouse.close());
    if (databases.mongodbUrl !== undefined) closers.push(() => mongo.db(databaseName).dropDatabase());
    if (databases.clickhouseUrl !== undefined)
      closers.push(() => clickhouse.command({ query: `DROP DATABASE IF EXISTS ${databaseName} SYNC` }));

    const signer = createSigner({ current: stack.signingKey });
    const account =
      kept?.account ?? (await createAccount(stack, await signer.mint({ kind: 'service', service: 'admin' })));
    const identity: Identity = {
      kind: 'account',
      accountId: account.id,
      username: account.username,
      plan: 'developer',
      scope: 'full_access',
    };
    const target = (...origins: string[]) => {
      const made = httpTarget(...origins);
      closers.push(() => made.close());
      return made;
    };
    const replicasOf = (name: string) =>
      Object.values(stack.processes).filter((one) => one.name.replace(/-\d+$/, '') === name);
    const pids = (names: readonly string[]) => names.flatMap(replicasOf).flatMap(({ pid }) => pid ?? []);
    const gateway = target(stack.urls.gateway);
    const keyHeaders = { authorization: `Bearer ${account.key}` };
    const loadLinks = async () => {
      const file = join(folder, 'links.csv');
      await pipeline(Readable.from(csvOfLinks(linkCount)), createWriteStream(file));
      await importLinks(checkout, dataDir, account.username, file);
      return exportLinks(gateway, keyHeaders);
    };
    const links = kept?.links ?? (await loadLinks());
    if (keepIn !== undefined && kept === null) await keep(keepIn, { databaseName, account, links });
    return {
      stack,
      account,
      links,
      keyHeaders,
      identityHeaders: async () => ({ 'x-waymark-identity': await signer.mint(identity) }),
      serviceIdentity: (service) => signer.mint({ kind: 'service', service }),
      gateway,
      linksHttp: target(stack.urls.linksHttp),
      analyticsHttp: target(...replicasOf('analytics-svc').map(({ ports }) => `http://127.0.0.1:${ports.http}`)),
      clickhouse,
      txtRecords: dns.records,
      databaseName,
      pidsOf: (...services) => pids(services),
      databasePids: (...names) => pids(names),
      async startFloor(name, env = {}) {
        const floor = await startFloor(name, { NODE_ENV: 'production', ...env });
        closers.push(() => floor.close());
        return floor;
      },
      onClose: (end) => closers.push(async () => end()),
      folder,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Returns all links of the account, oldest first. */
async function exportLinks(gateway: HttpTarget, headers: { authorization: string }): Promise<LoadedLink[]> {
  const lines = (await gateway.send({ path: '/api/v1/links/export?format=ndjson', headers })).trimEnd().split('\n');
  return lines.map((line) => {
    const { id, slug, destination_url } = JSON.parse(line) as Link;
    return { id, slug, destinationUrl: destination_url };
  });
}

const KEPT_FILE = 'world.json';

async function findKept(folder: string): Promise<KeptWorld | null> {
  const file = join(folder, KEPT_FILE);
  return existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as KeptWorld) : null;
}

async function keep(folder: string, world: KeptWorld): Promise<void> {
  await writeFile(join(folder, KEPT_FILE), JSON.stringify(world), { mode: 0o600 });
}

async function createAccount(stack: Stack, identity: string) {
  const accounts = createGrpcClient(accountsV1.AccountsService, { address: stack.urls.linksGrpc });
  const username = 'bench';
  const made = await accounts.createAccount({ username, plan: 'developer' }, { timeoutMs: 5_000, identity });
  accounts.close();
  return { id: made.account!.id, username, key: made.liveKey, publicKey: made.publicKey };
}
