import { BUSY_MESSAGE } from '@waymark/contract';
import { afterEach, expect, test, vi } from 'vitest';
import { BOUNDS } from '../src/routes.ts';
import { startGateway, type TestGateway } from './gateway.ts';

// Fills the places of MCP requests. All of them must be held at once, before the first one is over after 4.6 seconds.

let gateway: TestGateway;
afterEach(() => gateway.close());

async function textOf(key: string) {
  const response = await post(key);
  const { result } = (await response.json()) as { result: { isError: boolean; content: { text: string }[] } };
  return [response.status, response.headers.get('retry-after'), result.isError, result.content[0]!.text];
}

function post(key: string) {
  return fetch(`${gateway.url}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_links' } }),
  });
}

test('mcp-svc has a bound of requests for an account, and one for all', async () => {
  gateway = await startGateway();
  const held: (() => void)[] = [];
  gateway.mcp.on('/mcp', (_request, response) => void held.push(() => response.end('{}')));
  const keys = Array.from({ length: BOUNDS.mcp.all / BOUNDS.mcp.each }, (_, n) =>
    gateway.accounts.addKey({ username: `user-${n}` }),
  );
  const other = gateway.accounts.addKey({ username: 'other' });
  const sent = keys.flatMap((key) => Array.from({ length: BOUNDS.mcp.each }, () => post(key)));
  await vi.waitFor(() => expect(held).toHaveLength(BOUNDS.mcp.all), { timeout: 30_000, interval: 10 });
  const [ofAccount, ofAll] = await Promise.all([textOf(keys[0]!), textOf(other)]);
  const wait = 'Try again in 1 second.';
  const bound = `More than ${BOUNDS.mcp.each} such requests at once; wait for a response. ${wait}`;
  expect(ofAccount).toEqual([200, '1', true, bound]);
  expect(ofAll).toEqual([200, '1', true, expect.stringContaining(BUSY_MESSAGE.split(';')[0]!)]);
  for (const end of held) end();
  await Promise.all(sent);
});
