import { callAuthenticator, createVerifier, generateKey, hashKey, requireService } from '@waymark/auth';
import { AppError, type Plan, type Scope } from '@waymark/contract';
import { accountsV1, createGrpcServer } from '@waymark/proto';

export interface FakeAccounts {
  address: string;
  /** The number of lookups so far. */
  lookups: number;
  /** Delays the following lookups. */
  delayMs: number;
  /** Makes the following lookups fail, as if the database were down. */
  failing: boolean;
  addKey(owner: { username: string; plan?: Plan; scope?: Scope }): string;
  setPlan(username: string, plan: Plan): void;
  revoke(key: string): void;
  close(): Promise<void>;
}

/** Starts a real gRPC server that resolves keys, but only for callers with the gateway's signed identity. */
export async function startFakeAccounts(signingKey: string, port = 0): Promise<FakeAccounts> {
  const owners = new Map<string, { accountId: string; username: string; plan: Plan; scope: Scope }>();
  const server = createGrpcServer();
  const unused = () => {
    throw new AppError('internal', 'not part of this test');
  };
  const implementation = Object.fromEntries(
    accountsV1.AccountsService.methods.map((method) => [method.localName, unused]),
  );
  const fake: FakeAccounts = {
    address: '',
    lookups: 0,
    delayMs: 0,
    failing: false,
    addKey({ username, plan = 'developer', scope = 'full_access' }) {
      const key = generateKey(scope);
      owners.set(hashKey(key).toString('hex'), { accountId: `id-${username}`, username, plan, scope });
      return key;
    },
    setPlan(username, plan) {
      for (const owner of owners.values()) if (owner.username === username) owner.plan = plan;
    },
    revoke(key) {
      owners.delete(hashKey(key).toString('hex'));
    },
    close: () => server.close(100),
  };
  server.addService(
    accountsV1.AccountsService,
    { authenticate: callAuthenticator(createVerifier({ current: signingKey })) },
    {
      ...implementation,
      resolveKey: async (
        { keyHash }: accountsV1.ResolveKeyRequest,
        { caller }: { caller: Awaited<ReturnType<ReturnType<typeof callAuthenticator>>> },
      ) => {
        requireService(caller.identity, 'gateway');
        fake.lookups++;
        const owner = owners.get(Buffer.from(keyHash).toString('hex'));
        if (fake.delayMs > 0) await new Promise((resolve) => setTimeout(resolve, fake.delayMs));
        if (fake.failing) throw new AppError('unavailable', 'The database does not answer.');
        if (owner === undefined) throw new AppError('not_found', 'Key not found.');
        return { ...owner };
      },
    } as never,
  );
  fake.address = `127.0.0.1:${await server.listen('127.0.0.1', port)}`;
  return fake;
}
