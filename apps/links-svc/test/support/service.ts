import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccountIdentity, createSigner, hashSecret, type Identity, type ServiceName } from '@waymark/auth';
import type { CreateLinkInput, Link, LinkList, Plan, Scope } from '@waymark/contract';
import {
  accountsV1,
  analyticsV1,
  clicksFromMessage,
  createGrpcClient,
  createGrpcServer,
  type GrpcClient,
  type Implementation,
  jobsV1,
  linksV1,
} from '@waymark/proto';
import { createLogger, createMetrics } from '@waymark/service-kit';
import type { FastifyInstance } from 'fastify';
import { MongoClient } from 'mongodb';
import { vi } from 'vitest';
import { type AppConfig, buildApp } from '../../src/app.ts';
import { openClickSpool } from '../../src/clicks/click-spool.ts';
import { Database } from '../../src/database/database.ts';
import { readBrands } from '../../src/pages/brands.ts';
import { CountryDatabase } from '../../src/visitors/country-database.ts';
import { mongodbUrl, withMonitoring } from './mongodb-url.ts';
import { type SentCommand, watchStatements } from './shard-keys.ts';

export const SIGNING_KEY = 'a-signing-key-for-tests-of-48-characters-or-more';
export const signer = createSigner({ current: SIGNING_KEY });
export const PUBLIC_URL = 'https://go.example';
export const API_URL = 'https://api.example';

/** An account with the identities of its two keys. */
export interface TestAccount {
  id: string;
  username: string;
  liveKey: string;
  publicKey: string;
  live: AccountIdentity;
  public: AccountIdentity;
}

export interface Answer<Body> {
  status: number;
  body: Body;
  headers: Headers;
}

/** What a test changes in the fake analytics-svc, which otherwise accepts every click and knows no totals. */
export type FakeAnalytics = Partial<Implementation<typeof analyticsV1.AnalyticsService, unknown>>;

export interface ServiceOptions {
  config?: Partial<AppConfig>;
  /** The database of another service, to become its replica. */
  databaseName?: string;
  mongodbUrl?: string;
  analytics?: FakeAnalytics;
  /** The file of GEOIP_DATABASE. */
  geoipDatabase?: string;
  /** The settings of the brand. */
  brand?: Parameters<typeof readBrands>[0];
  /** The clock of redirects. */
  now?: () => number;
  /** The stopwatch of leases. */
  stopwatch?: () => number;
  webhookTimeoutMs?: number;
  redisTimeoutMs?: number;
  /** Receives each command that the service sends to its database. */
  onCommand?: (sent: SentCommand) => void;
  /** False for a service that starts without its database. */
  untilReady?: boolean;
}

/**
 * A running links-svc: the real app on real sockets, with a database of its own that is dropped at the end (not the
 * database of another service). `close` fails if a statement did not name its shard key (`unshardedStatements`).
 */
export class Service {
  readonly origin: string;
  readonly database: Database;
  readonly databaseName: string;
  readonly links: GrpcClient<typeof linksV1.LinksService>;
  readonly jobs: GrpcClient<typeof jobsV1.JobsService>;
  readonly accounts: GrpcClient<typeof accountsV1.AccountsService>;
  /** Returns the sum of a metric over its labels. */
  readonly metric: (name: string) => Promise<number>;
  readonly #http: FastifyInstance;
  readonly #end: () => Promise<void>;

  private constructor(
    parts: Pick<Service, 'origin' | 'database' | 'databaseName' | 'links' | 'jobs' | 'accounts' | 'metric'>,
    http: FastifyInstance,
    end: () => Promise<void>,
  ) {
    this.#http = http;
    this.origin = parts.origin;
    this.database = parts.database;
    this.databaseName = parts.databaseName;
    this.links = parts.links;
    this.jobs = parts.jobs;
    this.accounts = parts.accounts;
    this.metric = parts.metric;
    this.#end = end;
  }

  static async start(options: ServiceOptions = {}): Promise<Service> {
    const logger = createLogger({ service: 'links-svc', level: process.env.TEST_LOG_LEVEL ?? 'silent' });
    const metrics = createMetrics('links-svc');
    const spoolDir = await mkdtemp(join(tmpdir(), 'waymark-spool-'));
    const spool = openClickSpool(spoolDir, { maxBytes: 1e9, logger, registry: metrics.registry });
    const url = options.mongodbUrl ?? mongodbUrl();
    const databaseName = options.databaseName ?? `waymark_test_${randomBytes(6).toString('hex')}`;
    const statements: { found: string[] }[] = [];
    const database = new Database({
      url: withMonitoring(url),
      database: databaseName,
      onClient: (client) => {
        statements.push(watchStatements(client));
        client.on('commandStarted', (event) => options.onCommand?.(event));
      },
    });
    const countries = new CountryDatabase(options.geoipDatabase, logger);
    const fake = await startAnalytics(options.analytics ?? {});
    const analytics = createGrpcClient(analyticsV1.AnalyticsService, { address: `127.0.0.1:${fake.port}` });
    const config = {
      PUBLIC_URL,
      API_URL,
      UNKNOWN_HOSTS: 'serve' as const,
      EVENTS_DAYS: 30,
      PASSWORD_TRIES_PER_MINUTE: 10,
      AUTO_META_ALLOW: [],
      WEBHOOK_ALLOW: [],
      WEBHOOK_RETRIES: ['1', '1', '1'],
      HEALTH_CHECK_HOURS: 0,
      DNS_SERVERS: [],
      TRUST_PROXY: [],
      SIGNING_KEY,
      GRPC_TLS_CLIENT_CERTIFICATES: true,
      ...options.config,
    };
    const { http, rpc, close } = buildApp(config, {
      logger,
      metrics,
      database,
      spool,
      countries,
      brands: readBrands(options.brand ?? {}),
      analytics,
      ...(options.now && { now: options.now }),
      ...(options.stopwatch && { stopwatch: options.stopwatch }),
      ...(options.webhookTimeoutMs && { webhookTimeoutMs: options.webhookTimeoutMs }),
      ...(options.redisTimeoutMs && { redisTimeoutMs: options.redisTimeoutMs }),
    });
    const grpcPort = await rpc.listen('127.0.0.1', 0);
    await http.listen({ host: '127.0.0.1', port: 0 });
    if (options.untilReady !== false) await vi.waitFor(() => database.check(), { timeout: 30_000, interval: 50 });
    const address = `127.0.0.1:${grpcPort}`;
    const links = createGrpcClient(linksV1.LinksService, { address });
    const jobs = createGrpcClient(jobsV1.JobsService, { address });
    const accounts = createGrpcClient(accountsV1.AccountsService, { address });
    const origin = `http://127.0.0.1:${(http.server.address() as AddressInfo).port}`;
    const metric = async (name: string) => {
      const { values } = await metrics.registry.getSingleMetric(name)!.get();
      return values.reduce((sum, { value }) => sum + value, 0);
    };
    return new Service({ origin, database, databaseName, links, jobs, accounts, metric }, http, async () => {
      links.close();
      jobs.close();
      accounts.close();
      await http.close();
      await rpc.close(1_000);
      await close(1_000);
      analytics.close();
      await fake.close();
      await spool.close();
      await rm(spoolDir, { recursive: true, force: true });
      await database.close();
      if (options.databaseName === undefined) await dropDatabase(url, databaseName);
      const unsharded = statements.flatMap(({ found }) => found);
      if (unsharded.length > 0) throw new Error(`statements that do not name the shard key: ${unsharded.join('; ')}`);
    });
  }

  close(): Promise<void> {
    return this.#end();
  }

  /** Makes the service drain its connections, as it does before it stops. */
  drain(): void {
    this.#http.drainConnections();
  }

  /** Closes the HTTP server, which is the first step of a shutdown. */
  closeHttp(): Promise<void> {
    return this.#http.close();
  }

  /** Returns the options of a gRPC call for an identity. */
  async as(identity: Identity): Promise<{ timeoutMs: number; identity: string }> {
    return { timeoutMs: 10_000, identity: await signer.mint(identity) };
  }

  asService(service: ServiceName) {
    return this.as({ kind: 'service', service });
  }

  async createAccount(username = `user-${randomBytes(5).toString('hex')}`, plan: Plan = 'developer') {
    const { account, liveKey, publicKey } = await this.accounts.createAccount(
      { username, plan },
      await this.asService('admin'),
    );
    const identity = (scope: Scope): AccountIdentity => ({
      kind: 'account',
      accountId: account!.id,
      username,
      plan,
      scope,
    });
    return {
      id: account!.id,
      username,
      liveKey,
      publicKey,
      live: identity('full_access'),
      public: identity('public_links_only'),
    } satisfies TestAccount;
  }

  resolveKey = async (key: string) =>
    this.accounts.resolveKey({ keyHash: hashSecret(key) }, await this.asService('gateway'));

  /** Sends a request with an optional JSON body and returns the parsed JSON response. */
  async request<Body = { error: string }>(
    identity: Identity | null,
    method: string,
    path: string,
    { body, headers = {} }: { body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<Answer<Body>> {
    const response = await fetch(this.origin + path, {
      method,
      redirect: 'manual',
      headers: {
        ...(identity !== null && { 'x-waymark-identity': await signer.mint(identity) }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      body: (text === '' ? null : JSON.parse(text)) as Body,
    };
  }

  /** Sends a GET request and returns the response as text. */
  async requestText(identity: Identity, path: string): Promise<{ status: number; text: string }> {
    const response = await fetch(this.origin + path, {
      headers: { 'x-waymark-identity': await signer.mint(identity) },
    });
    return { status: response.status, text: await response.text() };
  }

  create(
    identity: Identity,
    body: object,
    headers: Record<string, string> = {},
  ): Promise<Answer<Link & { error: string }>> {
    return this.request(identity, 'POST', '/api/v1/links', { body, headers });
  }
  get(identity: Identity, id: string): Promise<Answer<Link & { error: string }>> {
    return this.request(identity, 'GET', `/api/v1/links/${encodeURIComponent(id)}`);
  }
  update(identity: Identity, id: string, body: object): Promise<Answer<Link & { error: string }>> {
    return this.request(identity, 'PUT', `/api/v1/links/${encodeURIComponent(id)}`, { body });
  }
  delete(identity: Identity, id: string): Promise<Answer<{ error: string } | null>> {
    return this.request(identity, 'DELETE', `/api/v1/links/${encodeURIComponent(id)}`);
  }
  list(identity: Identity, query: Record<string, string | number> = {}): Promise<Answer<LinkList & { error: string }>> {
    const parameters = new URLSearchParams(
      Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
    );
    return this.request(identity, 'GET', `/api/v1/links?${parameters}`);
  }

  /** Creates a link and returns it. Throws if it is refused. */
  async createLink(identity: Identity, input: Partial<CreateLinkInput> = {}): Promise<Link> {
    const answer = await this.create(identity, { destination_url: 'https://example.com/', ...input });
    if (answer.status !== 201) throw new Error(`${answer.status} ${answer.body.error}`);
    return answer.body;
  }
}

export async function dropDatabase(url: string, name: string): Promise<void> {
  const client = new MongoClient(url);
  await client.db(name).dropDatabase();
  await client.close();
}

async function startAnalytics(fake: FakeAnalytics) {
  const server = createGrpcServer();
  server.addService(
    analyticsV1.AnalyticsService,
    { authenticate: () => null },
    {
      recordClicks: async ({ clicks }) => ({ counted: clicksFromMessage(clicks!).length }),
      getAnalytics: () => Promise.reject(new Error('links-svc does not call GetAnalytics')),
      listClicks: async () => ({}),
      getLinkTotals: async () => ({ totals: [], complete: true }),
      purgeLinks: async () => ({}),
      ...fake,
    },
  );
  const port = await server.listen('127.0.0.1', 0);
  return { port, close: () => server.close(1_000) };
}
