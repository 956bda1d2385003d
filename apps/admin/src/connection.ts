import { createSigner } from '@waymark/auth';
import { AppError } from '@waymark/contract';
import type { AnalyticsConnection } from '@waymark/links-svc/drain-spool';
import {
  accountsV1,
  analyticsV1,
  type CallOptions,
  clicksV1,
  createGrpcClient,
  eventsV1,
  type GrpcClient,
  type GrpcClientOptions,
  hostsV1,
  jobsV1,
  linksV1,
} from '@waymark/proto';
import { grpcClientTls } from '@waymark/service-kit';
import { findSigningKey, isRunning, readStackFile } from '@waymark/stack';
import { AdminError } from './admin-error.ts';
import { type Config, readConfig } from './config.ts';

export type Accounts = GrpcClient<typeof accountsV1.AccountsService>;

const TIMEOUT_MS = 15_000;
/** The longest upload or download. links-svc ends one that stops much earlier. */
export const TRANSFER_MAX_MS = 3_600_000;

export type Links = GrpcClient<typeof linksV1.LinksService>;
export type Jobs = GrpcClient<typeof jobsV1.JobsService>;

/** Clients of links-svc. */
export interface Services {
  accounts: Accounts;
  links: Links;
  jobs: Jobs;
  hosts: GrpcClient<typeof hostsV1.HostsService>;
  events: GrpcClient<typeof eventsV1.EventsService>;
}

/** The clients that `spool drain` needs. */
export interface Clicks {
  analytics: AnalyticsConnection;
  existingLinks(linkIds: string[]): Promise<string[]>;
  refreshTotals(linkIds: string[]): Promise<boolean>;
}

/** The addresses of a running stack, and the key that it trusts. */
interface StackAddress {
  linksGrpc: string;
  /** Undefined if the environment names links-svc only. */
  analyticsGrpc: string | undefined;
  signingKey: string;
}

/** Opens clients of a running stack, and closes them at the end. */
class Connection implements Disposable {
  readonly stack: StackAddress;
  readonly #tls: ReturnType<typeof grpcClientTls>;
  readonly #signer: ReturnType<typeof createSigner>;
  readonly #opened: { close(): void }[] = [];

  private constructor(stack: StackAddress, config: Config) {
    this.stack = stack;
    this.#tls = grpcClientTls(config);
    this.#signer = createSigner({ current: stack.signingKey });
  }

  /**
   * Finds the configured stack.
   * @throws {ConfigError} if the environment is wrong. {AdminError} if the stack cannot be found.
   */
  static async open(): Promise<Connection> {
    const config = readConfig();
    return new Connection(await findStack(config), config);
  }

  /** Keeps a client of this address until the end. */
  client<Client extends { close(): void }>(address: string, create: (options: GrpcClientOptions) => Client): Client {
    const client = create({ address, ...this.#tls });
    this.#opened.push(client);
    return client;
  }

  identityOf(service: 'admin' | 'links-svc'): Promise<string> {
    return this.#signer.mint({ kind: 'service', service });
  }

  /** Returns the options of a call. Their identity is valid for a minute. */
  async callOptions(service: 'admin' | 'links-svc'): Promise<CallOptions> {
    return { timeoutMs: TIMEOUT_MS, identity: await this.identityOf(service) };
  }

  [Symbol.dispose](): void {
    for (const client of this.#opened) client.close();
  }
}

/**
 * Runs `work` with clients for the configured stack. Calls carry the service identity `admin`. Its signature lives for a
 * minute, so that longer work needs new options for each call.
 * @throws {ConfigError} if the environment is wrong.
 * @throws {AdminError} if the stack cannot be found or a call fails. Any other error of `work` is thrown unchanged.
 */
export async function withServices(
  work: (services: Services, callOptions: () => Promise<CallOptions>) => Promise<void>,
): Promise<void> {
  using connection = await Connection.open();
  const { linksGrpc } = connection.stack;
  const services = {
    accounts: connection.client(linksGrpc, (options) => createGrpcClient(accountsV1.AccountsService, options)),
    links: connection.client(linksGrpc, (options) => createGrpcClient(linksV1.LinksService, options)),
    jobs: connection.client(linksGrpc, (options) => createGrpcClient(jobsV1.JobsService, options)),
    hosts: connection.client(linksGrpc, (options) => createGrpcClient(hostsV1.HostsService, options)),
    events: connection.client(linksGrpc, (options) => createGrpcClient(eventsV1.EventsService, options)),
  };
  try {
    await work(services, () => connection.callOptions('admin'));
  } catch (error) {
    throw explain(error, 'links-svc', linksGrpc);
  }
}

/**
 * Runs `work` with what sends clicks and updates the totals of links. It checks first that both services respond. Clicks
 * carry the service identity `links-svc`, on whose behalf they are sent.
 * @throws {ConfigError} if the environment is wrong.
 * @throws {AdminError} if the stack cannot be found, or if a service does not respond or refuses the signing key. Any
 * other error of `work` is thrown unchanged.
 */
export async function withClicks<Result>(work: (clicks: Clicks) => Promise<Result>): Promise<Result> {
  using connection = await Connection.open();
  const { linksGrpc, analyticsGrpc } = connection.stack;
  if (analyticsGrpc === undefined)
    throw new AdminError('LINKS_GRPC is set, so set ANALYTICS_GRPC, the gRPC address of analytics-svc, too.');
  const client = connection.client(analyticsGrpc, (options) => createGrpcClient(analyticsV1.AnalyticsService, options));
  const clicks = connection.client(linksGrpc, (options) => createGrpcClient(clicksV1.ClicksService, options));
  const refreshTotals = async (linkIds: string[]) => {
    try {
      return (await clicks.refreshTotals({ linkIds }, await connection.callOptions('admin'))).complete;
    } catch (error) {
      throw explain(error, 'links-svc', linksGrpc);
    }
  };
  await refreshTotals([]);
  try {
    await client.getLinkTotals({ linkIds: [] }, await connection.callOptions('links-svc'));
  } catch (error) {
    throw explain(error, 'analytics-svc', analyticsGrpc);
  }
  return await work({
    existingLinks: async (linkIds) =>
      (await clicks.existingLinks({ linkIds }, await connection.callOptions('admin'))).linkIds,
    analytics: { client, identity: () => connection.identityOf('links-svc') },
    refreshTotals,
  });
}

/** Runs `work` like {@link withServices}, with the accounts only. */
export async function withAccounts(work: (accounts: Accounts, options: CallOptions) => Promise<void>): Promise<void> {
  await withServices(async ({ accounts }, callOptions) => work(accounts, await callOptions()));
}

async function findStack({ DATA_DIR, LINKS_GRPC, ANALYTICS_GRPC, SIGNING_KEY }: Config): Promise<StackAddress> {
  if (LINKS_GRPC !== undefined) {
    if (SIGNING_KEY === undefined)
      throw new AdminError('LINKS_GRPC is set, so set SIGNING_KEY or SIGNING_KEY_FILE too.');
    return { linksGrpc: LINKS_GRPC, analyticsGrpc: ANALYTICS_GRPC, signingKey: SIGNING_KEY };
  }
  const stack = readStackFile(DATA_DIR);
  if (stack === null || !(await isRunning(stack))) {
    throw new AdminError(
      `No stack runs in ${DATA_DIR}, the value of DATA_DIR; start one with "pnpm start", or set LINKS_GRPC and SIGNING_KEY to use another one.`,
    );
  }
  const signingKey = SIGNING_KEY ?? findSigningKey(DATA_DIR);
  if (signingKey === null)
    throw new AdminError(
      `The stack in ${DATA_DIR} uses a signing key from its environment; set SIGNING_KEY to the same one.`,
    );
  return { linksGrpc: stack.linksGrpc, analyticsGrpc: stack.analyticsGrpc, signingKey };
}

function explain(error: unknown, service: string, address: string): unknown {
  if (!(error instanceof AppError)) return error;
  switch (error.code) {
    case 'unauthenticated':
      return new AdminError(
        `${service} does not accept the signing key; set SIGNING_KEY to the one that ${service} uses.`,
      );
    case 'unavailable':
    case 'deadline_exceeded':
      return new AdminError(`${service} at ${address} or its database does not respond; try again in a moment.`);
    default:
      return new AdminError(error.message);
  }
}
