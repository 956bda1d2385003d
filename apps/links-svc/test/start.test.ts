import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSigner } from '@waymark/auth';
import { accountsV1, createGrpcClient } from '@waymark/proto';
import { afterEach, expect, test } from 'vitest';
import { findFreePorts } from '../../../packages/stack/src/ports.ts';
import { PROCESS_SIGNING_KEY, startLinksProcess } from './support/links-process.ts';
import { startMongodbProxy } from './support/mongodb-proxy.ts';
import { mongodbUrl } from './support/mongodb-url.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of cleanups.splice(0).reverse()) await end();
});

test('a process listens for gRPC calls when it can answer them: clients that balance over replicas do not wait', async () => {
  const [http, grpc] = (await findFreePorts(2, '127.0.0.1')) as [number, number];
  const ports = { HTTP_PORT: String(http), GRPC_PORT: String(grpc) };
  const proxy = await startMongodbProxy(mongodbUrl());
  cleanups.push(proxy.close);
  proxy.set('cut');
  const { end } = await startLinksProcess('main.ts', proxy.url, ports);
  cleanups.push(end);
  while ((await fetch(`http://127.0.0.1:${http}/livez`).catch(() => null)) === null) await sleep(20);
  await sleep(500);
  await expect(once(connect(grpc, '127.0.0.1'), 'connect')).rejects.toThrow('ECONNREFUSED');

  proxy.set('open');
  const accounts = createGrpcClient(accountsV1.AccountsService, { address: `127.0.0.1:${grpc}` });
  cleanups.push(() => accounts.close());
  const identity = await createSigner({ current: PROCESS_SIGNING_KEY }).mint({ kind: 'service', service: 'admin' });
  await expect
    .poll(() => accounts.getAccount({ username: 'nobody' }, { timeoutMs: 5_000, identity }).catch(({ code }) => code))
    .toBe('not_found');
});
