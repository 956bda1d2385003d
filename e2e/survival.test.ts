import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSigner } from '@waymark/auth';
import { accountsV1, createGrpcClient } from '@waymark/proto';
import { type Stack, startStack } from '@waymark/stack';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { BROWSER, eventually } from './support/world.ts';

// Contract section 5: a click is in the analytics exactly once, and none is lost when any one process is killed with SIGKILL.
// A stack of its own, since these tests kill its processes.

let stack: Stack;
let dataDir: string;
let key: string;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'waymark-survival-'));
  stack = await startStack({
    dataDir,
    autoRestart: true,
    env: { RATE_LIMIT_PER_MINUTE: '0' },
    mongodbUrl: undefined,
    clickhouseUrl: undefined,
  });
  const accounts = createGrpcClient(accountsV1.AccountsService, { address: stack.urls.linksGrpc });
  const identity = await createSigner({ current: stack.signingKey }).mint({ kind: 'service', service: 'admin' });
  key = (await accounts.createAccount({ username: 'survivor', plan: 'developer' }, { timeoutMs: 5_000, identity }))
    .liveKey;
  accounts.close();
});
afterAll(async () => {
  await stack?.close();
  await rm(dataDir, { recursive: true, force: true });
});

test('every answered redirect is counted exactly once, whichever process is killed', async () => {
  const created = await fetch(`${stack.publicUrl}/api/v1/links`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ destination_url: 'https://example.com/', slug: 'survive' }),
  });
  expect(created.status).toBe(201);

  let answered = 0;
  for (const victim of ['analytics-svc', 'clickhouse', 'links-svc', 'mongodb', 'gateway', 'analytics-svc'] as const) {
    for (let n = 0; n < 40; n += 1) {
      if (n === 20) stack.processes[victim]!.kill('SIGKILL');
      const status = await fetch(`${stack.publicUrl}/survive`, {
        redirect: 'manual',
        headers: { 'user-agent': BROWSER },
      }).then(
        (response) => response.status,
        () => 0, // The gateway itself is down.
      );
      if (status === 302) answered += 1;
      else expect([0, 503]).toContain(status);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await eventually(async () => expect((await fetch(`${stack.publicUrl}/readyz`)).status).toBe(200), 20_000);
  }
  expect(answered).toBeGreaterThan(150);

  await eventually(async () => {
    const response = await fetch(`${stack.publicUrl}/api/v1/analytics`, {
      headers: { authorization: `Bearer ${key}` },
    });
    expect(response.status).toBe(200);
    const { clicks } = (await response.json()) as { clicks: number };
    expect(clicks).toBe(answered);
  }, 20_000);
  // And it stays so: nothing is delivered twice later on.
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const after = await fetch(`${stack.publicUrl}/api/v1/analytics`, { headers: { authorization: `Bearer ${key}` } });
  expect(((await after.json()) as { clicks: number }).clicks).toBe(answered);
}, 120_000);
