import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSigner } from '@waymark/auth';
import { IDENTITY_HEADER } from '@waymark/proto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ApiLoad } from '../support/api-load.ts';
import { Balancer } from '../support/balancer.ts';
import { expectNoFailures } from '../support/failures.ts';
import { type OwnStack, startOwnStack } from '../support/own-stack.ts';
import { originOf, replicasOf, rollingRestart, SERVICE_NAMES, TWO_OF_EACH } from '../support/rolling.ts';
import { request } from '../support/world.ts';

// Follows docs/operations.md with two replicas of each service, which read both keys from files, as from a Secret.

const [oldKey, newKey] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];

let secrets: string;
let own: OwnStack;
let balancer: Balancer;
beforeAll(async () => {
  secrets = await mkdtemp(join(tmpdir(), 'waymark-secrets-'));
  await setKeys(oldKey, '');
  const fromFiles = {
    ...TWO_OF_EACH.serviceEnv['links-svc'],
    SIGNING_KEY: '',
    SIGNING_KEY_FILE: join(secrets, 'current'),
    SIGNING_KEY_PREVIOUS_FILE: join(secrets, 'previous'),
  };
  own = await startOwnStack({
    ...TWO_OF_EACH,
    env: { ...TWO_OF_EACH.env, SIGNING_KEY: oldKey },
    serviceEnv: Object.fromEntries(SERVICE_NAMES.map((name) => [name, fromFiles])),
  });
  balancer = new Balancer(replicasOf(own.stack, 'gateway').map(originOf));
  await balancer.allOpen();
});
afterAll(async () => {
  await balancer?.close();
  await own?.close();
  await rm(secrets, { recursive: true, force: true });
});

async function setKeys(current: string, previous: string): Promise<void> {
  await writeFile(join(secrets, 'current'), current, { mode: 0o600 });
  await writeFile(join(secrets, 'previous'), previous, { mode: 0o600 });
}

/** Returns the status of each replica that accepts identities, for an identity signed with `key`. */
async function statusesFor(key: string): Promise<number[]> {
  const headers = { [IDENTITY_HEADER]: await createSigner({ current: key }).mint(own.identity) };
  const paths = { 'links-svc': '/api/v1/me', 'analytics-svc': '/api/v1/analytics' };
  return Promise.all(
    Object.entries(paths).flatMap(([name, path]) =>
      replicasOf(own.stack, name).map(async (one) => (await request(path, { base: originOf(one), headers })).status),
    ),
  );
}

test('a rotation of the signing key in three steps fails no request, and makes the old key invalid', async () => {
  const nextOrigin = () => balancer.next();
  const [link] = await own.createLinks(['rotated']);
  const clients = new ApiLoad({ nextOrigin, linkId: link!.id, key: own.key, publicKey: own.publicKey, perSecond: 10 });
  for (const [current, previous] of [
    [oldKey, newKey],
    [newKey, oldKey],
    [newKey, ''],
  ] as const) {
    await setKeys(current, previous);
    // Restart all services concurrently, as `helm upgrade` does.
    await Promise.all(SERVICE_NAMES.map((name) => rollingRestart(own.stack, name)));
    if (previous !== '') expect(await statusesFor(previous)).toEqual([200, 200, 200, 200]);
  }
  await clients.stop();
  process.stdout.write(`the signing key was rotated under ${clients.answered} requests\n`);
  expectNoFailures(clients.failures, own.stack);
  expect(await statusesFor(newKey)).toEqual([200, 200, 200, 200]);
  expect(await statusesFor(oldKey)).toEqual([401, 401, 401, 401]);
}, 240_000);
