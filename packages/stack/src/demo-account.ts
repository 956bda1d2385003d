import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSigner } from '@waymark/auth';
import { AppError, type Scope } from '@waymark/contract';
import {
  accountsV1,
  type CallOptions,
  createGrpcClient,
  type GrpcClient,
  type GrpcClientOptions,
} from '@waymark/proto';
import { readIfExists } from './data-dir.ts';
import type { Stack } from './stack.ts';

/** The parts of a running stack that the demo account needs. */
export interface DemoStack extends Pick<Stack, 'signingKey'> {
  urls: Pick<Stack['urls'], 'gateway' | 'linksGrpc'>;
}

/** The keys of the account for trying the product. */
export interface DemoAccount {
  live: string;
  public: string;
}

/** What a person needs to try the product. */
export interface DemoAccess extends DemoAccount {
  /** Signs in to the dashboard. It works once, for 15 minutes. */
  signInUrl: string;
}

type TlsOptions = Pick<GrpcClientOptions, 'tls'>;

const USERNAME = 'demo';
const TIMEOUT_MS = 10_000;

/**
 * Returns the keys of the demo account of the data folder, and creates the account on the first call. A key that no
 * longer works, or that the folder does not know, is replaced by a new one. `tls` has the client's TLS options for
 * links-svc.
 */
export async function ensureDemoAccount(stack: DemoStack, dataDir: string, tls: TlsOptions = {}): Promise<DemoAccount> {
  const path = join(dataDir, 'demo.json');
  const text = readIfExists(path);
  const known: Partial<DemoAccount> = text === null ? {} : (JSON.parse(text) as DemoAccount);
  if ((await works(stack, known.live)) && (await works(stack, known.public))) return known as DemoAccount;

  const keys = await asAdmin(stack, tls, async (accounts, options) => {
    const rotate = async (scope: Scope) => (await accounts.rotateKey({ username: USERNAME, scope }, options)).key;
    try {
      const made = await accounts.createAccount({ username: USERNAME, plan: 'developer' }, options);
      return { live: made.liveKey, public: made.publicKey };
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'conflict')) throw error;
      return {
        live: (await works(stack, known.live)) ? known.live! : await rotate('full_access'),
        public: (await works(stack, known.public)) ? known.public! : await rotate('public_links_only'),
      };
    }
  });
  writeFileSync(path, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 });
  return keys;
}

/** Returns a link to sign in to the dashboard as the demo account, which must exist. The link works once. */
export function createDemoSignInLink(stack: DemoStack, tls: TlsOptions = {}): Promise<string> {
  return asAdmin(
    stack,
    tls,
    async (accounts, options) => (await accounts.createSignInLink({ username: USERNAME }, options)).url,
  );
}

async function asAdmin<Result>(
  stack: DemoStack,
  tls: TlsOptions,
  work: (accounts: GrpcClient<typeof accountsV1.AccountsService>, options: CallOptions) => Promise<Result>,
): Promise<Result> {
  const accounts = createGrpcClient(accountsV1.AccountsService, { address: stack.urls.linksGrpc, ...tls });
  try {
    const identity = await createSigner({ current: stack.signingKey }).mint({ kind: 'service', service: 'admin' });
    return await work(accounts, { timeoutMs: TIMEOUT_MS, identity });
  } finally {
    accounts.close();
  }
}

async function works(stack: DemoStack, key: string | undefined): Promise<boolean> {
  if (key === undefined) return false;
  const answer = await fetch(`${stack.urls.gateway}/api/v1/me`, { headers: { authorization: `Bearer ${key}` } });
  await answer.body?.cancel();
  return answer.status !== 401;
}
