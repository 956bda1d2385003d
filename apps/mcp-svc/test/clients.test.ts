import { Client as Client2026, StreamableHTTPClientTransport as Transport2026 } from '@modelcontextprotocol/client';
import { Client as Client2025 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport2025 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { LINK_ID_HINT, LINK_NOT_FOUND_MESSAGE, MCP_INSTRUCTIONS, TOOL_NAMES } from '@waymark/contract';
import { Client as Client2024 } from 'mcp-sdk-2024/client/index.js';
import { StreamableHTTPClientTransport as Transport2024 } from 'mcp-sdk-2024/client/streamableHttp.js';
import { describe, expect, test } from 'vitest';
import { LINK } from './fake-services.ts';
import type { Stack } from './stack.ts';
import { startTestStack } from './test-stack.ts';

const INFO = { name: 'test-client', version: '1.0.0' };

type AnyClient = Client2024 | Client2025 | Client2026;

/** The official clients, configured with only a URL and a header: "any MCP client that can send a static header". */
const CLIENTS: Record<string, (stack: Stack) => Promise<{ client: AnyClient; revision?: string }>> = {
  // It knows no revision after 2024-11-05, and refuses a server that answers with another one.
  'the first client of the SDK with Streamable HTTP': async (stack: Stack) => {
    const client = new Client2024(INFO);
    const transport = new Transport2024(stack.url, { requestInit: { headers: stack.identity } });
    await client.connect(transport as Transport as Parameters<typeof client.connect>[0]);
    return { client };
  },
  'the client of the SDK of 2025': async (stack: Stack) => {
    const client = new Client2025(INFO);
    const transport = new Transport2025(stack.url, { requestInit: { headers: stack.identity } });
    await client.connect(transport as Transport);
    return { client, revision: transport.protocolVersion! };
  },
  'the client of the SDK of 2026, as it comes': async (stack: Stack) => {
    const client = new Client2026(INFO);
    await client.connect(new Transport2026(stack.url, { requestInit: { headers: stack.identity } }));
    return { client, revision: client.getNegotiatedProtocolVersion()! };
  },
  'the client of the SDK of 2026, with the revision of 2026': async (stack: Stack) => {
    const client = new Client2026(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    await client.connect(new Transport2026(stack.url, { requestInit: { headers: stack.identity } }));
    return { client, revision: client.getNegotiatedProtocolVersion()! };
  },
};

describe.each(Object.entries(CLIENTS))('%s', (name, connect) => {
  test('connects with the URL and a header, lists and calls every tool, and sees errors as results', async () => {
    const stack = await startTestStack();
    const { client, revision } = await connect(stack);
    if (revision !== undefined) expect(revision).toBe(name.endsWith('revision of 2026') ? '2026-07-28' : '2025-11-25');
    expect(client.getInstructions()).toBe(MCP_INSTRUCTIONS);

    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual([...TOOL_NAMES]);

    // The client validates structured content against the output schemas in the list of tools.
    const call = (tool: string, args: Record<string, unknown> = {}) => client.callTool({ name: tool, arguments: args });
    expect((await call('get_me')).structuredContent).toMatchObject({ username: 'ada' });
    expect((await call('list_links', { q: 'x' })).structuredContent).toMatchObject({ links: [LINK], total: 1 });
    expect((await call('create_link', { destination_url: 'https://a.b' })).structuredContent).toEqual(LINK);
    expect((await call('update_link', { id: LINK.id, title: 'x' })).structuredContent).toEqual(LINK);
    expect((await call('delete_link', { id: LINK.id })).structuredContent).toEqual({ id: LINK.id, deleted: true });
    expect((await call('get_analytics', { days: 1 })).structuredContent).toMatchObject({ days: 1, clicks: 3 });

    const missing = await call('delete_link', { id: 'nope' });
    expect(missing).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: `${LINK_NOT_FOUND_MESSAGE} ${LINK_ID_HINT}` }],
    });
    await expect(call('no_such_tool')).rejects.toThrow('Unknown tool');
    await client.close();
  });
});

test('a client without the header gets 401 and does not look for an OAuth server', async () => {
  const stack = await startTestStack();
  const client = new Client2025(INFO);
  await expect(client.connect(new Transport2025(stack.url) as Transport)).rejects.toThrow(/401|API key/);
});
