import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { startTestStack } from './test-stack.ts';

test.each(['2025-11-25', '2026-07-28'])(
  'in %s, calls alternate between two replicas, and clients do not notice the replacement of one',
  async (revision) => {
    const replicas = [await startTestStack(), await startTestStack()];
    const answered = [0, 0];
    let turn = 0;
    /** Sends each request to the next replica, as a load balancer does. */
    const alternate = (_url: URL | string, init?: RequestInit) => {
      const index = turn++ % replicas.length;
      answered[index]! += 1;
      return fetch(replicas[index]!.url, init);
    };
    const client = new Client(
      { name: 'test', version: '1.0.0' },
      revision === '2026-07-28' ? { versionNegotiation: { mode: { pin: revision } } } : {},
    );
    await client.connect(
      new StreamableHTTPClientTransport(replicas[0]!.url, {
        requestInit: { headers: replicas[0]!.identity },
        fetch: alternate,
      }),
    );
    const callTen = async () => {
      for (let call = 0; call < 10; call += 1) {
        const { structuredContent } = await client.callTool({ name: 'get_me', arguments: {} });
        expect(structuredContent).toMatchObject({ username: 'ada' });
      }
    };
    expect(client.getNegotiatedProtocolVersion()).toBe(revision);
    await callTen();
    await replicas[1]!.close();
    replicas[1] = await startTestStack();
    await callTen();
    expect(Math.min(...answered)).toBeGreaterThanOrEqual(10);
    await client.close();
  },
);

test('calls work again after a service was restarted', async () => {
  const stack = await startTestStack();
  expect((await stack.call('get_me')).result.structuredContent.username).toBe('ada');
  await stack.services.restart();
  await expect.poll(async () => (await stack.call('get_me')).result.structuredContent?.username).toBe('ada');
});
