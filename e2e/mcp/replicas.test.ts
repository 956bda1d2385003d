import { setTimeout as sleep } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount, type TestAccount } from '../support/world.ts';
import { type Service, startGateway, startMcpSvc } from './support/services.ts';

let account: TestAccount;
let replicas: Service[];
let gateway: Service;
beforeAll(async () => {
  account = await createAccount();
  replicas = await Promise.all([startMcpSvc(), startMcpSvc()]);
  gateway = await startGateway({ MCP_URL: replicas.map(({ origin }) => origin).join(',') });
});
afterAll(async () => {
  await gateway.stop();
  await Promise.all(replicas.map((replica) => replica.stop()));
});

/** Enough clients that calls are in flight at every moment of a restart. */
const CLIENTS = 3;

test.each(['2025-11-25', '2026-07-28'])(
  'calls of %s alternate between two replicas, and clients do not notice the restart of one',
  async (revision) => {
    let stopped = false;
    let calls = 0;
    const callUntilStopped = async () => {
      const client = new Client(
        { name: 'waymark-e2e', version: '1.0.0' },
        revision === '2026-07-28' ? { versionNegotiation: { mode: { pin: revision } } } : {},
      );
      await client.connect(
        new StreamableHTTPClientTransport(new URL('/mcp', gateway.origin), {
          requestInit: { headers: { Authorization: `Bearer ${account.live}` } },
        }),
      );
      expect(client.getNegotiatedProtocolVersion()).toBe(revision);
      while (!stopped) {
        const { structuredContent } = await client.callTool({ name: 'get_me', arguments: {} });
        expect(structuredContent).toMatchObject({ username: account.username });
        calls += 1;
        await sleep(5);
      }
      await client.close();
    };
    const before = replicas[1]!.answered();
    const clients = Promise.all(Array.from({ length: CLIENTS }, callUntilStopped));
    // Racing against `clients` reports a failure immediately, not after the restarts.
    const atWork = async (count: number) => {
      const until = calls + count;
      while (calls < until && !stopped) await Promise.race([sleep(10), clients]);
    };
    try {
      await atWork(50);
      const old = replicas[1]!;
      await old.stop();
      expect(old.answered() - before).toBeGreaterThan(20);
      await atWork(20);
      replicas[1] = await startMcpSvc(Number(new URL(old.origin).port));
      expect(replicas[1]!.origin).toBe(old.origin);
      // The gateway ejects an unreachable replica for a second, then uses it again.
      await expect.poll(() => replicas[1]!.answered()).toBeGreaterThan(20);
    } finally {
      stopped = true;
    }
    await clients;
    expect(calls).toBeGreaterThan(100);
  },
);
