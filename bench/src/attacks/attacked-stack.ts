import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { importLinks, runAdmin, startStackOf } from '../checkout.ts';
import { httpTarget } from '../http-target.ts';

export type AttackedService = 'gateway' | 'links-svc' | 'analytics-svc' | 'mcp-svc';

/** The keys of an account. */
export interface Account {
  live: string;
  public: string;
}

/** A running system under attack: one account attacks, the other account and its visitors use the system normally. */
export interface AttackedStack {
  gateway: string;
  linksHttp: string;
  /** The gRPC address of links-svc, `host:port`. */
  linksGrpc: string;
  attacker: Account;
  other: Account;
  /** Returns the process id of a service; undefined if the process has exited. */
  pidOf(service: AttackedService): number | undefined;
  /** Creates a link through the gateway and returns its slug. */
  createLink(key: string, link: Record<string, unknown>): Promise<string>;
  /** Imports the links of a CSV file into the account with this name, with the checkout's command line. */
  importLinks(username: string, file: string): Promise<void>;
  /** Returns the metrics of links-svc in Prometheus' text format. */
  linksMetrics(): Promise<string>;
  /** Registers a callback to run before the stack is closed. */
  onClose(end: () => Promise<void>): void;
  close(): Promise<void>;
}

/**
 * Starts the built system of a checkout with its default limits and two accounts. Uses only the checkout's command
 * line, its HTTP API and `startStack`, so that the same attacks run against older and newer checkouts.
 */
export async function startAttackedStack(checkout: string, env: Record<string, string>): Promise<AttackedStack> {
  const folder = await mkdtemp(join(tmpdir(), 'waymark-attack-'));
  const closers: (() => Promise<void>)[] = [() => rm(folder, { recursive: true, force: true })];
  const close = async () => {
    for (const end of closers.splice(0).reverse()) await end();
  };
  try {
    const dataDir = join(folder, 'data');
    const metricsPort = await freePort();
    const stack = await startStackOf(checkout, {
      dataDir,
      mongodbUrl: undefined,
      clickhouseUrl: undefined,
      env: { NODE_ENV: 'production', ...env },
      serviceEnv: { 'links-svc': { METRICS_PORT: String(metricsPort) } },
    });
    closers.push(() => stack.close());
    const gateway = httpTarget(stack.urls.gateway);
    const metrics = httpTarget(`http://127.0.0.1:${metricsPort}`);
    closers.push(async () => void (await Promise.all([gateway.close(), metrics.close()])));
    return {
      gateway: stack.urls.gateway,
      linksHttp: stack.urls.linksHttp,
      linksGrpc: stack.urls.linksGrpc,
      attacker: await createAccount(checkout, dataDir, 'attacker'),
      other: await createAccount(checkout, dataDir, 'other'),
      pidOf: (service) => stack.processes[service]?.pid,
      async createLink(key, link) {
        const headers = { authorization: `Bearer ${key}` };
        const answer = await gateway.send({ path: '/api/v1/links', method: 'POST', headers, json: link }, 201);
        return (JSON.parse(answer) as { slug: string }).slug;
      },
      importLinks: (username, file) => importLinks(checkout, dataDir, username, file),
      linksMetrics: () => metrics.send({ path: '/metrics' }),
      onClose: (end) => closers.push(end),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

async function createAccount(checkout: string, dataDir: string, username: string): Promise<Account> {
  const args = ['account', 'create', '--username', username, '--plan', 'developer', '--json'];
  return (JSON.parse(await runAdmin(checkout, dataDir, args)) as { keys: Account }).keys;
}

/** Returns a port of this machine that was free at the time of the call. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
