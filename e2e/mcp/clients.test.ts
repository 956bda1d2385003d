import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { Client as Client2026, StreamableHTTPClientTransport as Transport2026 } from '@modelcontextprotocol/client';
import { Client as Client2025 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as Transport2025 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { type Account, type Link, type LinkList, MCP_INSTRUCTIONS, TOOL_NAMES } from '@waymark/contract';
import { Client as Client2024 } from 'mcp-sdk-2024/client/index.js';
import { StreamableHTTPClientTransport as Transport2024 } from 'mcp-sdk-2024/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePorts } from '../support/free-ports.ts';
import { createAccount, stack, type TestAccount } from '../support/world.ts';
import { scriptOf } from './support/run-tool.ts';

// docs/mcp.md: a client needs only the URL and a header with the key.

const INFO = { name: 'waymark-e2e', version: '1.0.0' };
const MCP_URL = `${stack.publicUrl}/mcp`;
const UNKNOWN_KEY = `key_live_${'x'.repeat(40)}`;

let account: TestAccount;
/** The home folder of the clients, which may write files. */
let home: string;
beforeAll(async () => {
  account = await createAccount();
  home = await mkdtemp(join(tmpdir(), 'waymark-clients-'));
});
afterAll(() => rm(home, { recursive: true, force: true }));

const withKey = (key: string) => ({ requestInit: { headers: { Authorization: `Bearer ${key}` } } });

/** Starts `waymark mcp` as a local server, as Claude Desktop does with the settings of docs/mcp.md. */
function local(key: string, url = stack.publicUrl): StdioClientTransport {
  return new StdioClientTransport({
    command: process.execPath,
    args: [scriptOf('@waymark/cli', 'waymark'), 'mcp'],
    env: {
      WAYMARK_URL: url,
      WAYMARK_KEY: key,
      PATH: process.env.PATH!,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE!,
      HOME: home,
    },
    stderr: 'pipe',
  });
}

type AnyClient = Client2024 | Client2025 | Client2026;

const CLIENTS: Record<string, (key: string) => Promise<{ client: AnyClient; revision?: string }>> = {
  'the client of @modelcontextprotocol/sdk 1.10.2': async (key) => {
    const client = new Client2024(INFO);
    const transport = new Transport2024(new URL(MCP_URL), withKey(key));
    await client.connect(transport as Transport as Parameters<typeof client.connect>[0]);
    return { client };
  },
  'the client of @modelcontextprotocol/sdk': async (key) => {
    const client = new Client2025(INFO);
    const transport = new Transport2025(new URL(MCP_URL), withKey(key));
    await client.connect(transport as Transport);
    return { client, revision: transport.protocolVersion! };
  },
  'the client of @modelcontextprotocol/client, as it comes': async (key) => {
    const client = new Client2026(INFO);
    await client.connect(new Transport2026(new URL(MCP_URL), withKey(key)));
    return { client, revision: client.getNegotiatedProtocolVersion()! };
  },
  'the client of @modelcontextprotocol/client, with revision 2026-07-28': async (key) => {
    const client = new Client2026(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    await client.connect(new Transport2026(new URL(MCP_URL), withKey(key)));
    return { client, revision: client.getNegotiatedProtocolVersion()! };
  },
  'waymark mcp': async (key) => {
    const client = new Client2025(INFO);
    await client.connect(local(key));
    return { client };
  },
  'waymark mcp, with revision 2026-07-28': async (key) => {
    const client = new Client2026(INFO, { versionNegotiation: { mode: { pin: '2026-07-28' } } });
    await client.connect(local(key) as Parameters<typeof client.connect>[0]);
    return { client, revision: client.getNegotiatedProtocolVersion()! };
  },
};

describe.each(Object.entries(CLIENTS))('%s', (name, connect) => {
  test('connects, lists the tools, calls them and sees refusals as results', async () => {
    const { client, revision } = await connect(account.live);
    if (revision !== undefined) expect(revision).toBe(name.endsWith('2026-07-28') ? '2026-07-28' : '2025-11-25');
    expect(client.getInstructions()).toBe(MCP_INSTRUCTIONS);
    const { tools } = await client.listTools();
    expect(tools.map((tool) => tool.name)).toEqual([...TOOL_NAMES]);

    // The clients validate results against the output schemas of the tool list.
    const call = async <Result>(tool: string, args: Record<string, unknown> = {}) =>
      (await client.callTool({ name: tool, arguments: args })).structuredContent as Result;
    expect((await call<Account>('get_me')).username).toBe(account.username);
    const link = await call<Link>('create_link', { destination_url: 'https://example.com/', title: name });
    expect((await call<Link>('update_link', { id: link.id, note: 'ä 😀' })).note).toBe('ä 😀');
    expect((await call<LinkList>('list_links', { q: link.slug })).links.map(({ id }) => id)).toEqual([link.id]);
    expect(await call('get_analytics', { days: 1 })).toMatchObject({ days: 1, clicks: 0 });
    expect(await call('delete_link', { id: link.id })).toEqual({ id: link.id, deleted: true });
    expect(await client.callTool({ name: 'delete_link', arguments: { id: link.id } })).toMatchObject({
      isError: true,
      content: [{ type: 'text', text: expect.stringContaining('not found') }],
    });
    await expect(client.callTool({ name: 'no_such_tool', arguments: {} })).rejects.toThrow('Unknown tool');
    await client.close();
  });

  test('sees no private link with a Public Links Only key', async () => {
    const owner = await connect(account.live);
    const { structuredContent } = await owner.client.callTool({
      name: 'create_link',
      arguments: { destination_url: 'https://example.com/', visibility: 'private' },
    });
    const { id, slug } = structuredContent as Link;
    const agent = await connect(account.public);
    const list = await agent.client.callTool({ name: 'list_links', arguments: { q: slug } });
    expect(list.structuredContent).toMatchObject({ links: [], total: 0 });
    const update = await agent.client.callTool({ name: 'update_link', arguments: { id, title: 'x' } });
    expect(update.isError).toBe(true);
    await Promise.all([owner.client.close(), agent.client.close()]);
  });

  test('stops at once without a valid key', async () => {
    await expect(connect(UNKNOWN_KEY)).rejects.toThrow();
  });
});

test('calls of n8n and Cline, which add arguments of their own, work', async () => {
  const { client } = await CLIENTS['the client of @modelcontextprotocol/sdk']!(account.live);
  const n8n = { sessionId: 'x', action: 'sendMessage', chatInput: 'hi', toolCallId: 'y' };
  const call = (name: string, args: object) => client.callTool({ name, arguments: { ...args } });
  expect((await call('get_me', n8n)).structuredContent).toMatchObject({ username: account.username });
  expect((await call('list_links', { ...n8n, per: 1 })).structuredContent).toMatchObject({ per: 1 });
  expect((await call('list_links', { task_progress: '- [x] a' })).isError).toBeUndefined();
  await client.close();
});

test.each([
  ['the key', () => local(UNKNOWN_KEY), /\/mcp does not accept the key: /],
  [
    'the address',
    () => local(account.live, 'http://127.0.0.1:9'),
    /http:\/\/127.0.0.1:9\/mcp does not respond: .*Check/,
  ],
  ['what is missing', () => local(''), /run "waymark login .*or set WAYMARK_URL and WAYMARK_KEY|set WAYMARK_KEY too/],
])('waymark mcp says what is wrong: %s', async (_, start, expected) => {
  const transport = start();
  const logged = text(transport.stderr as Readable);
  const client = new Client2025(INFO);
  await expect(client.connect(transport)).rejects.toThrow(expected);
  await client.close();
  expect(await logged).toMatch(expected);
});

test('waymark mcp goes on after the server was away, and what it was asked meanwhile is an error', async () => {
  const [port] = await freePorts(1);
  const forward: RequestListener = async (request, response) => {
    const body = await text(request);
    const { authorization, 'mcp-protocol-version': revision } = request.headers;
    const headers = { authorization: authorization!, 'content-type': 'application/json' };
    const answer = await fetch(MCP_URL, {
      method: 'POST',
      headers: { ...headers, ...(revision && { 'mcp-protocol-version': String(revision) }) },
      body,
    });
    const content = Buffer.from(await answer.arrayBuffer());
    response.writeHead(answer.status, { 'content-type': 'application/json', connection: 'close' }).end(content);
  };
  const open = async () => {
    const server = createServer(forward).listen(port, '127.0.0.1');
    await once(server, 'listening');
    return server;
  };
  const first = await open();
  const client = new Client2025(INFO);
  await client.connect(local(account.live, `http://127.0.0.1:${port}`));
  const me = { name: 'get_me', arguments: {} };
  expect((await client.callTool(me)).structuredContent).toMatchObject({ username: account.username });
  await new Promise((resolve) => first.close(resolve));
  await expect(client.callTool(me)).rejects.toThrow(/does not respond: ECONNREFUSED/);
  const second = await open();
  expect((await client.callTool(me)).structuredContent).toMatchObject({ username: account.username });
  await client.close();
  second.closeAllConnections();
  await new Promise((resolve) => second.close(resolve));
});
