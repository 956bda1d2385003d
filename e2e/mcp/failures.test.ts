import { Client as Client2026, StreamableHTTPClientTransport as Transport2026 } from '@modelcontextprotocol/client';
import { AppError, messageWithWait, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectMcp } from '../support/mcp.ts';
import { type OwnStack, startOwnStack } from '../support/own-stack.ts';
import { createAccount, eventually, request } from '../support/world.ts';
import { startGateway } from './support/services.ts';

// If a dependency fails, a tool returns a generic error, without hosts, stack traces or keys. The log
// contains the cause with the request id. Uses its own stack, because it freezes services.

let own: OwnStack;
beforeAll(async () => {
  own = await startOwnStack();
});
afterAll(() => own?.close());

const UNAVAILABLE = messageWithWait(new AppError('unavailable', UNAVAILABLE_MESSAGE));

interface Reply {
  result: { isError?: boolean; content: { text: string }[] };
}

const callTool = (name: string, requestId = 'failures') =>
  request<Reply>('/mcp', {
    method: 'POST',
    key: own.key,
    json: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name } },
    headers: { 'x-request-id': requestId },
    base: own.stack.urls.gateway,
  });

const isAnswered = (tool: string) =>
  eventually(async () => expect((await callTool(tool)).body.result?.isError).toBeUndefined());

test.each([
  ['links-svc', 'list_links'],
  ['analytics-svc', 'get_analytics'],
])('while %s is frozen, %s says so, and no more; then it works again', async (service, tool) => {
  // Also puts the key into the gateway's cache, because a frozen links-svc cannot look it up.
  await isAnswered(tool);
  const { pid } = own.stack.processes[service]!;
  const requestId = `frozen-${tool}`;
  process.kill(pid!, 'SIGSTOP');
  try {
    const { status, body } = await callTool(tool, requestId);
    expect(status).toBe(200);
    expect(body.result).toEqual({
      isError: true,
      content: [{ type: 'text', text: `${UNAVAILABLE} Request id: ${requestId}` }],
    });
    expectNothingRevealed(body);
  } finally {
    process.kill(pid!, 'SIGCONT');
  }
  // Log lines are buffered for some milliseconds, so they may arrive after the response.
  await eventually(async () => {
    const lines = own.stack.processes['mcp-svc']!.log().split('\n');
    const failure = lines.find((line) => line.includes(requestId) && line.includes('"level":"error"'));
    expect(JSON.parse(failure ?? '{}')).toMatchObject({ tool, err: { message: expect.stringMatching(/\S/) } });
    expect(failure).not.toContain(own.key);
  });
  await isAnswered(tool);
});

test('while mcp-svc is down, a client of the SDK gets a tool result; then it works again', async () => {
  const mcp = await connectMcp(own.key, own.stack.urls.gateway);
  await own.stack.processes['mcp-svc']!.stop(5_000);
  const { isError, text } = await mcp.call('list_links');
  expect([isError, text]).toEqual([true, UNAVAILABLE]);
  await own.stack.processes['mcp-svc']!.start();
  await eventually(async () => expect((await mcp.call('list_links')).isError).toBe(false));
  await mcp.close();
});

test('a key without requests left gets a tool result with the seconds to wait, in clients of both SDKs', async () => {
  const gateway = await startGateway({ RATE_LIMIT_PER_MINUTE: '20' });
  const mcp = await connectMcp((await createAccount()).live, gateway.origin);
  const modern = new Client2026(
    { name: 'waymark-failures', version: '1.0.0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  const headers = { Authorization: `Bearer ${(await createAccount()).live}` };
  await modern.connect(new Transport2026(new URL(`${gateway.origin}/mcp`), { requestInit: { headers } }));
  const clients = [
    () => mcp.call('get_me'),
    async () => {
      const { isError, content } = await modern.callTool({ name: 'get_me', arguments: {} });
      return { isError: isError === true, text: (content as { text: string }[])[0]!.text };
    },
  ];
  for (const call of clients) {
    let outcome = await call();
    for (let n = 0; n < 20 && !outcome.isError; n += 1) outcome = await call();
    expect(outcome).toMatchObject({
      isError: true,
      text: expect.stringMatching(/^This key or session may make 20 requests per minute; try again in \d+ seconds?\.$/),
    });
  }
  await Promise.all([mcp.close(), modern.close()]);
  await gateway.stop();
});

function expectNothingRevealed(body: unknown): void {
  const text = JSON.stringify(body);
  for (const word of ['127.0.0.1', 'localhost', 'svc', 'Error:', '.js', own.key, 'deadline', 'ECONN'])
    expect(text).not.toContain(word);
  for (const { ports } of Object.values(own.stack.processes))
    for (const port of Object.values(ports)) expect(text).not.toContain(String(port));
}
