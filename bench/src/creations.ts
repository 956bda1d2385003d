// Measures creations a second, straight at links-svc: by 1 and 16 clients of one account, by 16 accounts, and at two
// replicas. The reference is two plain inserts by as many clients. All are interleaved. Runs on MONGODB_URL, or on an
// embedded server without it.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AccountIdentity, createSigner } from '@waymark/auth';
import { accountsV1, createGrpcClient } from '@waymark/proto';
import { startStack } from '@waymark/stack';
import { type Document, MongoClient } from 'mongodb';
import { httpTarget } from './http-target.ts';
import { drive, type SendRequest } from './load.ts';
import { median } from './statistics.ts';

const ROUNDS = 5;
const ROUND_MS = 3_000;
const MAX_REQUESTS = 20_000;
const CLIENTS = 16;

const folder = await mkdtemp(join(tmpdir(), 'waymark-bench-'));
const database = `waymark_bench_${randomUUID().slice(0, 8)}`;
const given = process.env.MONGODB_URL || undefined;
const stack = await startStack({
  dataDir: folder,
  mongodbUrl: given,
  clickhouseUrl: undefined,
  replicas: { 'links-svc': 2 },
  env: { NODE_ENV: 'production', MONGODB_DATABASE: database, RATE_LIMIT_PER_MINUTE: '0' },
});
const mongo = new MongoClient(stack.mongodbUrl, { writeConcern: { w: 'majority' } });
try {
  const signer = createSigner({ current: stack.signingKey });
  const accounts = createGrpcClient(accountsV1.AccountsService, { address: stack.urls.linksGrpc });
  const identities: AccountIdentity[] = [];
  for (let n = 0; n < CLIENTS; n++) {
    const username = `bench-${n}`;
    const admin = { timeoutMs: 5_000, identity: await signer.mint({ kind: 'service', service: 'admin' }) };
    const { account } = await accounts.createAccount({ username, plan: 'developer' }, admin);
    identities.push({ kind: 'account', accountId: account!.id, username, plan: 'developer', scope: 'full_access' });
  }
  accounts.close();
  const origins = Object.values(stack.processes)
    .filter(({ name }) => name.startsWith('links-svc'))
    .map(({ ports }) => `http://127.0.0.1:${ports.http}`);
  const [one, both] = [httpTarget(origins[0]!), httpTarget(...origins)];
  const json = { destination_url: 'https://example.com/summer/offers?item=7', title: 'Summer', hashtags: ['summer'] };
  let turn = 0;
  const create = async (target: typeof one, ofAccounts: number) => {
    const headers = { 'x-waymark-identity': await signer.mint(identities[turn++ % ofAccounts]!) };
    await target.send({ path: '/api/v1/links', method: 'POST', json, headers }, 201);
  };
  const [first, second] = ['bench_a', 'bench_b'].map((name) =>
    mongo.db(database).collection<Document & { _id: string }>(name),
  );
  const insertTwo = async () => {
    const _id = randomUUID();
    await first!.insertOne({ _id, ...json });
    await second!.insertOne({ _id, ...json, search_text: 'summer' });
  };
  const works: [name: string, clients: number, send: SendRequest][] = [
    ['two plain inserts, 1 client', 1, insertTwo],
    ['1 client', 1, () => create(one, 1)],
    [`two plain inserts, ${CLIENTS} clients`, CLIENTS, insertTwo],
    [`${CLIENTS} clients, one account`, CLIENTS, () => create(one, 1)],
    [`${CLIENTS} clients, ${CLIENTS} accounts`, CLIENTS, () => create(one, CLIENTS)],
    [`${CLIENTS} clients, one account, two replicas`, CLIENTS, () => create(both, 1)],
    [`${CLIENTS} clients, ${CLIENTS} accounts, two replicas`, CLIENTS, () => create(both, CLIENTS)],
  ];
  const rates = new Map<string, number[]>(works.map(([name]) => [name, []]));
  for (let round = -1; round < ROUNDS; round++) {
    for (const [name, connections, send] of works) {
      const began = performance.now();
      const latencies = await drive(send, { connections, durationMs: ROUND_MS, maxRequests: MAX_REQUESTS });
      if (round >= 0) rates.get(name)!.push((1_000 * latencies.length) / (performance.now() - began));
    }
  }
  console.log(`creations a second, median of ${ROUNDS} rounds, ${given === undefined ? 'embedded' : 'given'} MongoDB`);
  for (const [name, found] of rates) console.log(`${median(found).toFixed(0).padStart(6)}  ${name}`);
  await Promise.all([one.close(), both.close()]);
} finally {
  if (given !== undefined) await mongo.db(database).dropDatabase();
  await mongo.close();
  await stack.close();
  await rm(folder, { recursive: true, force: true });
}
