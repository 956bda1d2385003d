import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@clickhouse/client';
import {
  type AccountIdentity,
  type Caller,
  callAuthenticator,
  createSigner,
  createVerifier,
  requireAccount,
} from '@waymark/auth';
import { AppError, LINK_NOT_FOUND_MESSAGE } from '@waymark/contract';
import { randomCredentials, startClickHouseServer } from '@waymark/embedded';
import {
  analyticsV1,
  clicksToMessage,
  createGrpcClient,
  createGrpcServer,
  type GrpcClient,
  linksV1,
} from '@waymark/proto';
import { type App, createLogger, createMetrics, grpcClientTls, loadConfig } from '@waymark/service-kit';
import { buildApp } from '../src/app.ts';
import { configSchema } from '../src/config.ts';
import { type Database, openDatabase } from '../src/database/database.ts';
import { observeDatabase } from '../src/database/database-metrics.ts';
import { type Preparation, prepareDatabase } from '../src/database/prepare.ts';

export const SIGNING_KEY = 'a signing key of the tests, long enough';
export const signer = createSigner({ current: SIGNING_KEY });
export const LINKS_SERVICE = { kind: 'service', service: 'links-svc' } as const;

/** Returns the identity of an account, by default as seen through its Full Access key. */
export function account(accountId: string, scope: AccountIdentity['scope'] = 'full_access'): AccountIdentity {
  return { kind: 'account', accountId, username: 'ada', plan: 'developer', scope };
}

/** A ClickHouse database for one test file. */
export interface TestDatabase {
  env: Record<string, string>;
  database: Database;
  close(): Promise<void>;
}

export async function openTestDatabase(): Promise<TestDatabase> {
  const given = process.env.CLICKHOUSE_URL;
  const directory = given ? undefined : await mkdtemp(join(tmpdir(), 'waymark-analytics-'));
  const credentials = given
    ? { user: process.env.CLICKHOUSE_USER ?? 'default', password: process.env.CLICKHOUSE_PASSWORD ?? '' }
    : randomCredentials();
  const server = directory ? await startClickHouseServer({ dataDir: directory, credentials }) : undefined;
  const env = {
    CLICKHOUSE_URL: given ?? server!.url,
    CLICKHOUSE_USER: credentials.user,
    CLICKHOUSE_PASSWORD: credentials.password,
    CLICKHOUSE_DATABASE: `test_analytics_${randomUUID().replaceAll('-', '')}`,
  };
  const database = openDatabase(env);
  return {
    env,
    database,
    async close() {
      const client = createClient({
        url: env.CLICKHOUSE_URL,
        username: credentials.user,
        password: credentials.password,
      });
      await client.command({ query: `DROP DATABASE IF EXISTS ${env.CLICKHOUSE_DATABASE}` });
      await client.close();
      await database.close();
      await server?.close();
      if (directory) await rm(directory, { recursive: true });
    },
  };
}

export interface FakeLink {
  accountId: string;
  hidden: boolean;
  deleted: boolean;
  hashtags?: string[];
}

/** A fake links-svc over real gRPC, with the methods that analytics-svc calls. */
export interface FakeLinks {
  links: Map<string, FakeLink>;
  /** The test increases it with every change, as links-svc does. */
  revision: number;
  /** How many lists were sent in full. */
  listsSent: number;
  /** Called before a list of hidden links is sent. */
  beforeList: () => void | Promise<void>;
  /** Called once all hashtags of links are sent. */
  afterHashtags: () => void | Promise<void>;
  /** Called before BatchGetLinks responds. */
  beforeBatchGet: () => void | Promise<void>;
  address: string;
  close(): Promise<void>;
}

export async function startFakeLinks(port = 0): Promise<FakeLinks> {
  const server = createGrpcServer();
  const fake: FakeLinks = {
    links: new Map(),
    revision: 1,
    listsSent: 0,
    beforeList: () => {},
    afterHashtags: () => {},
    beforeBatchGet: () => {},
    address: '',
    close: () => server.close(500),
  };
  const visible = (link: FakeLink | undefined, { accountId, scope }: AccountIdentity) =>
    link !== undefined && !link.deleted && link.accountId === accountId && (scope === 'full_access' || !link.hidden);
  const refuse = async () => Promise.reject(new Error('not part of the fake'));
  server.addService<typeof linksV1.LinksService, Caller>(
    linksV1.LinksService,
    { authenticate: callAuthenticator(createVerifier({ current: SIGNING_KEY })) },
    {
      createLink: refuse,
      async getLink({ id: name }, { caller }) {
        const identity = requireAccount(caller.identity);
        const id = fake.links.has(name) ? name : [...fake.links.keys()].find((one) => slugOf(one) === name);
        if (id === undefined || !visible(fake.links.get(id), identity))
          throw new AppError('not_found', LINK_NOT_FOUND_MESSAGE);
        return { link: { ...shownLink(id), hashtags: fake.links.get(id)!.hashtags ?? [] }, clicksId: id };
      },
      listLinks: refuse,
      getQrCode: refuse,
      updateLink: refuse,
      deleteLink: refuse,
      bulkEditLinks: refuse,
      listHashtags: refuse,
      exportLinks: () => {
        throw new Error('not part of the fake');
      },
      async *getHiddenLinks({ knownRevision }, { caller }) {
        const identity = requireAccount(caller.identity);
        const revision = String(fake.revision);
        if (knownRevision === revision) {
          yield { revision, unchanged: true };
          return;
        }
        fake.listsSent++;
        yield { revision };
        await fake.beforeList();
        const linkIds = [...fake.links]
          .filter(([, link]) => link.accountId === identity.accountId && !visible(link, identity))
          .map(([id]) => id);
        yield* inPieces(linkIds).map((linkIds) => ({ revision, linkIds }));
      },
      async *findLinkIds({ hashtag }, { caller }) {
        const identity = requireAccount(caller.identity);
        const tagged = [...fake.links].filter(
          ([, link]) => visible(link, identity) && link.hashtags?.includes(hashtag),
        );
        yield* inPieces(tagged.map(([id]) => id)).map((linkIds) => ({ linkIds }));
      },
      async *findLinkHashtags({ hashtag }, { caller }) {
        const identity = requireAccount(caller.identity);
        const numbers = new Map<string, number>();
        for (const [id, link] of fake.links) {
          const { hashtags = [] } = link;
          if (!visible(link, identity) || hashtags.length === 0) continue;
          if (hashtag !== undefined && !hashtags.includes(hashtag)) continue;
          const added = hashtags.filter((one) => !numbers.has(one));
          for (const one of added) numbers.set(one, numbers.size + 1);
          const hashtagNumbers = hashtags.map((one) => numbers.get(one)!);
          yield { hashtags: added, linkIds: [id], hashtagCounts: [hashtags.length], hashtagNumbers };
        }
        await fake.afterHashtags();
      },
      async batchGetLinks({ ids }, { caller }) {
        await fake.beforeBatchGet();
        const identity = requireAccount(caller.identity);
        const found = ids.filter((id) => visible(fake.links.get(id), identity));
        return {
          links: found.map((id) => ({ ...shownLink(id), hashtags: fake.links.get(id)!.hashtags ?? [] })),
          clicksIds: found,
        };
      },
    },
  );
  fake.address = `127.0.0.1:${await server.listen('127.0.0.1', port)}`;
  return fake;
}

function shownLink(id: string) {
  return { id, slug: slugOf(id), shortUrl: shortUrlOf(id), destinationUrl: 'https://example.com/' };
}

/** Splits ids into as many for one message as links-svc sends. */
function inPieces(ids: string[]): string[][] {
  const pieces: string[][] = [];
  for (let at = 0; at < ids.length; at += 10_000) pieces.push(ids.slice(at, at + 10_000));
  return pieces;
}

export const slugOf = (id: string) => `slug-${id}`;
export const shortUrlOf = (id: string) => `http://localhost:8080/${slugOf(id)}`;

export interface TestService {
  app: Required<App>;
  /** Resolves once the tables are prepared or refused, or after the time. */
  prepared: Preparation['settled'];
  client: GrpcClient<typeof analyticsV1.AnalyticsService>;
  get(
    path: string,
    identity?: AccountIdentity | null,
    signal?: AbortSignal,
  ): Promise<{ status: number; body: unknown; headers: Headers }>;
  close(): Promise<void>;
}

/**
 * Starts analytics-svc as production builds it, listening on loopback. Resolves when it is ready, unless `wait` is
 * false. `wrap` changes what the service sends to the database.
 */
export async function startService(
  env: Record<string, string>,
  { wait = true, wrap = (database: Database) => database } = {},
): Promise<TestService> {
  const config = loadConfig(configSchema, { SIGNING_KEY, HOST: '127.0.0.1', HTTP_PORT: '0', ...env });
  const logger = createLogger({ service: 'analytics-svc', level: 'silent' });
  const metrics = createMetrics('analytics-svc');
  const links = createGrpcClient(linksV1.LinksService, { address: config.LINKS_GRPC, ...grpcClientTls(config) });
  const database = observeDatabase(wrap(openDatabase(config)), metrics.registry);
  const preparation = prepareDatabase(database, config.CLICKHOUSE_CLUSTER, logger);
  const app = buildApp(config, { logger, metrics, database, preparation, links });
  const port = await app.rpc.listen('127.0.0.1', 0);
  const url = await app.http.listen({ host: '127.0.0.1', port: 0 });
  const client = createGrpcClient(analyticsV1.AnalyticsService, { address: `127.0.0.1:${port}` });
  const service: TestService = {
    app,
    client,
    prepared: preparation.settled,
    async get(path, identity, signal) {
      const headers: Record<string, string> = identity ? { 'x-waymark-identity': await signer.mint(identity) } : {};
      const response = await fetch(`${url}${path}`, { headers, ...(signal && { signal }) });
      return { status: response.status, body: await response.json(), headers: response.headers };
    },
    async close() {
      client.close();
      await app.http.close();
      await app.rpc.close(1_000);
      await app.close(1_000);
      links.close();
      await preparation.close();
      await database.close();
    },
  };
  for (let tries = 0; wait && (await service.get('/readyz')).status !== 200; tries++) {
    if (tries === 60) throw new Error('analytics-svc did not become ready');
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  return service;
}

export const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';
export const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1';
export const IPAD =
  'Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';
export const TELEVISION =
  'Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/108.0.5359.211 Safari/537.36 WebAppManager';

export interface SentClick {
  id?: string;
  accountId: string;
  linkId: string;
  atMs: number;
  userAgent?: string;
  utmSource?: string;
  utmCampaign?: string;
  utmMedium?: string;
  utmContent?: string;
  utmTerm?: string;
  language?: string;
  referrer?: string;
  prefetch?: boolean;
  country?: string;
  /** 16 hexadecimal digits. */
  visitor?: string;
  host?: string;
}

/** Sends clicks as links-svc does. */
export async function record(
  client: TestService['client'],
  clicks: SentClick[],
  { token = randomUUID() as string, maybeStored = false } = {},
) {
  const reported = clicks.map(
    ({
      id = randomUUID(),
      userAgent = CHROME,
      utmSource = '',
      utmCampaign = '',
      utmMedium = '',
      utmContent = '',
      utmTerm = '',
      language = '',
      referrer = '',
      prefetch = false,
      country = '',
      visitor = '',
      host = '',
      atMs,
      ...rest
    }) => ({
      ...rest,
      country,
      visitor,
      host,
      id: id.replaceAll('-', ''),
      clickedAtMs: atMs,
      userAgent,
      utmSource,
      utmCampaign,
      utmMedium,
      utmContent,
      utmTerm,
      language,
      referrer,
      prefetch,
    }),
  );
  return client.recordClicks(
    { batchToken: token, maybeStored, clicks: clicksToMessage(reported) },
    { timeoutMs: 15_000, identity: await signer.mint(LINKS_SERVICE) },
  );
}

/** Purges the clicks of deleted links as links-svc does: again and again until none is left. */
export async function purge(client: TestService['client'], links: { accountId: string; linkId: string }[]) {
  for (;;) {
    const { done } = await client.purgeLinks(
      { links },
      { timeoutMs: 15_000, identity: await signer.mint(LINKS_SERVICE) },
    );
    if (done) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
