import { type AddressInfo, connect } from 'node:net';
import { createVerifier } from '@waymark/auth';
import { accountsV1, createGrpcClient } from '@waymark/proto';
import { createLogger, createMetrics } from '@waymark/service-kit';
import type { FastifyInstance } from 'fastify';
import { buildApp } from '../src/app.ts';
import { type Config, readConfig } from '../src/config.ts';
import { type FakeAccounts, startFakeAccounts } from './fake-accounts.ts';
import { type FakeService, startFakeService } from './fake-service.ts';

export const SIGNING_KEY = 'a signing key of at least thirty-two characters';
export const verifier = createVerifier({ current: SIGNING_KEY });

export interface TestGateway {
  http: FastifyInstance;
  url: string;
  port: number;
  links: FakeService;
  analytics: FakeService;
  mcp: FakeService;
  accounts: FakeAccounts;
  /** The raw log lines. */
  log: string[];
  get(path: string, key?: string, headers?: Record<string, string>): Promise<Response>;
  /** Returns the text of `/metrics`. */
  metrics(): Promise<string>;
  close(): Promise<void>;
}

/**
 * Starts the gateway as production builds it, on a real port, with real servers in the role of the services. With
 * `replicaOf`, it uses the keys of that gateway and must be closed before it. `redisTimeoutMs` is how long Redis has to
 * respond.
 */
export async function startGateway(
  config: Partial<Config> = {},
  { replicaOf, redisTimeoutMs }: { replicaOf?: TestGateway; redisTimeoutMs?: number } = {},
): Promise<TestGateway> {
  const [links, analytics, mcp] = await Promise.all([startFakeService(), startFakeService(), startFakeService()]);
  const accounts = replicaOf?.accounts ?? (await startFakeAccounts(SIGNING_KEY));
  const client = createGrpcClient(accountsV1.AccountsService, { address: accounts.address });
  const log: string[] = [];
  const metrics = createMetrics('gateway');
  const { http, close } = buildApp(
    {
      ...readConfig({
        PUBLIC_URL: 'https://go.example',
        LINKS_URL: links.origin,
        ANALYTICS_URL: analytics.origin,
        MCP_URL: mcp.origin,
        LINKS_GRPC: accounts.address,
        RATE_LIMIT_PER_MINUTE: '0',
        AUTH_FAILURES_PER_MINUTE: '0',
        SIGNING_KEY,
      }),
      ...config,
    },
    {
      logger: createLogger({ service: 'gateway', level: 'info' }, { write: (line) => void log.push(line) }),
      metrics,
      accounts: client,
      redisTimeoutMs,
    },
  );
  await http.listen({ host: '127.0.0.1', port: 0 });
  const { port } = http.addresses()[0] as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return {
    http,
    url,
    port,
    links,
    analytics,
    mcp,
    accounts,
    log,
    get: (path, key, headers = {}) =>
      fetch(url + path, {
        headers: { ...(key === undefined ? {} : { authorization: `Bearer ${key}` }), ...headers },
        redirect: 'manual',
      }),
    metrics: () => metrics.registry.metrics(),
    async close() {
      await http.close();
      await close(1_000);
      client.close();
      await Promise.all([links.close(), analytics.close(), mcp.close()]);
      if (replicaOf === undefined) await accounts.close();
    },
  };
}

/** Sends raw bytes, for requests that no HTTP client would send, and returns the raw response. */
export function sendRaw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let answer = '';
    socket.setTimeout(1000, () => socket.destroy());
    socket.on('data', (chunk) => {
      answer += chunk.toString('latin1');
    });
    socket.on('error', reject).on('close', () => resolve(answer));
  });
}

/** Asserts that a response has the shape of an error, and returns its message. */
export async function errorOf(response: Response): Promise<string> {
  const body = (await response.json()) as Record<string, unknown>;
  if (Object.keys(body).join() !== 'error' || typeof body.error !== 'string') {
    throw new Error(`not an error response: ${JSON.stringify(body)}`);
  }
  return body.error;
}
