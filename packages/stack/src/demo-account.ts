import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSigner } from '@waymark/auth';
import { AppError, type Scope } from '@waymark/contract';
import { accountsV1, createGrpcClient, type GrpcClientOptions } from '@waymark/proto';
import { readIfExists } from './data-dir.ts';
import type { Stack } from './stack.ts';

/** The keys of the account for trying the product. */
export interface DemoAccount {
  live: string;
  public: string;
}

const USERNAME = 'demo';
const TIMEOUT_MS = 10_000;

/**
 * Returns the keys of the demo account of the data folder, and creates the account on the first call. A key that no
 * longer works, or that the folder does not know, is replaced by a new one. `tls` has the client's TLS options for
 * links-svc.
 */
export async function ensureDemoAccount(
  stack: Stack,
  dataDir: string,
  tls: Pick<GrpcClientOptions, 'tls'> = {},
): Promise<DemoAccount> {
  const path = join(dataDir, 'demo.json');
  const text = readIfExists(path);
  const known: Partial<DemoAccount> = text === null ? {} : (JSON.parse(text) as DemoAccount);
  if ((await works(stack, known.live)) && (await works(stack, known.public))) return known as DemoAccount;

  const accounts = createGrpcClient(accountsV1.AccountsService, { address: stack.urls.linksGrpc, ...tls });
  try {
    const identity = await createSigner({ current: stack.signingKey }).mint({ kind: 'service', service: 'admin' });
    const options = { timeoutMs: TIMEOUT_MS, identity };
    const rotate = async (scope: Scope) => (await accounts.rotateKey({ username: USERNAME, scope }, options)).key;
    let keys: DemoAccount;
    try {
      const made = await accounts.createAccount({ username: USERNAME, plan: 'developer' }, options);
      keys = { live: made.liveKey, public: made.publicKey };
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'conflict')) throw error;
      keys = {
        live: (await works(stack, known.live)) ? known.live! : await rotate('full_access'),
        public: (await works(stack, known.public)) ? known.public! : await rotate('public_links_only'),
      };
    }
    writeFileSync(path, `${JSON.stringify(keys, null, 2)}\n`, { mode: 0o600 });
    return keys;
  } finally {
    accounts.close();
  }
}

async function works(stack: Stack, key: string | undefined): Promise<boolean> {
  if (key === undefined) return false;
  const answer = await fetch(`${stack.urls.gateway}/api/v1/me`, { headers: { authorization: `Bearer ${key}` } });
  await answer.body?.cancel();
  return answer.status !== 401;
}
