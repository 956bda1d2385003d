import { createSigner } from '@waymark/auth';
import { AppError } from '@waymark/contract';
import { accountsV1, type CallOptions, createGrpcClient, type GrpcClient } from '@waymark/proto';
import { grpcClientTls } from '@waymark/service-kit';
import { findSigningKey, isRunning, readStackFile } from '@waymark/stack';
import { AdminError } from './admin-error.ts';
import { type Config, readConfig } from './config.ts';

export type Accounts = GrpcClient<typeof accountsV1.AccountsService>;

const TIMEOUT_MS = 15_000;

/**
 * Runs `work` with a client for the accounts of the configured stack. Calls carry the service identity `admin`.
 * @throws {ConfigError} if the environment is wrong.
 * @throws {AdminError} if the stack cannot be found or a call fails. Any other error of `work` is thrown unchanged.
 */
export async function withAccounts(work: (accounts: Accounts, options: CallOptions) => Promise<void>): Promise<void> {
  const config = readConfig();
  const { address, signingKey } = await findStack(config);
  const accounts = createGrpcClient(accountsV1.AccountsService, { address, ...grpcClientTls(config) });
  try {
    const identity = await createSigner({ current: signingKey }).mint({ kind: 'service', service: 'admin' });
    await work(accounts, { timeoutMs: TIMEOUT_MS, identity });
  } catch (error) {
    throw explain(error, address);
  } finally {
    accounts.close();
  }
}

async function findStack({
  DATA_DIR,
  LINKS_GRPC,
  SIGNING_KEY,
}: Config): Promise<{ address: string; signingKey: string }> {
  if (LINKS_GRPC !== undefined) {
    if (SIGNING_KEY === undefined)
      throw new AdminError('LINKS_GRPC is set; set SIGNING_KEY, or SIGNING_KEY_FILE, too.');
    return { address: LINKS_GRPC, signingKey: SIGNING_KEY };
  }
  const stack = readStackFile(DATA_DIR);
  if (stack === null || !(await isRunning(stack))) {
    throw new AdminError(
      `No stack runs on ${DATA_DIR}, the folder of DATA_DIR; start one with "pnpm start", or set LINKS_GRPC and SIGNING_KEY to reach another.`,
    );
  }
  const signingKey = SIGNING_KEY ?? findSigningKey(DATA_DIR);
  if (signingKey === null)
    throw new AdminError(`The stack on ${DATA_DIR} was given its signing key; set SIGNING_KEY to it.`);
  return { address: stack.linksGrpc, signingKey };
}

function explain(error: unknown, address: string): unknown {
  if (!(error instanceof AppError)) return error;
  switch (error.code) {
    case 'unauthenticated':
      return new AdminError('links-svc does not accept the signing key; set SIGNING_KEY to the one that it has.');
    case 'unavailable':
    case 'deadline_exceeded':
      return new AdminError(
        `links-svc at ${address} does not answer, or its database does not; try again in a moment.`,
      );
    default:
      return new AdminError(error.message);
  }
}
