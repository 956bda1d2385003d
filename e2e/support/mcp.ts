import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { BUSY_MESSAGE, LINK_ID_HINT, LINK_NOT_FOUND_MESSAGE, UNAVAILABLE_MESSAGE } from '@waymark/contract';
import { expect } from 'vitest';
import { stack, whileUnavailable } from './world.ts';

/**
 * Returns a tool's form of a REST message, without its example. For a missing link, the tool also explains where to find
 * an id. A tool without arguments says so. No tool offers null.
 */
export function messageOfTool(message: string): string {
  if (message === LINK_NOT_FOUND_MESSAGE) return `${message} ${LINK_ID_HINT}`;
  return withoutExample(message)
    .replace('the known ones are none.', 'this tool takes no arguments.')
    .replace(' must be an array or null', ' must be an array')
    .replace(' must be a string or null,', ' must be a string,')
    .replace(' must be a whole number or null', ' must be a whole number, or 0 to empty it')
    .replace(' must be a string or null', ' must be a string, or "" to empty it');
}

/** Returns a message without the example with which a tool, or an operation, answers a missing or misnamed field. */
export function withoutExample(message: string): string {
  return message.replace(/( "[^"]*" is not a known field\.)? Expected: \{.*$/, '');
}

interface ToolResult {
  isError?: boolean;
  structuredContent?: unknown;
  content: { type: string; text: string; data: string; mimeType: string }[];
}

/** Calls a tool. In the shared stack, one that reads is called again while the machine is too busy, as `request` does. */
export function callTool(
  client: { callTool(params: { name: string; arguments: Record<string, unknown> }): Promise<unknown> },
  name: string,
  args: Record<string, unknown>,
  base = stack.publicUrl,
): Promise<ToolResult> {
  const call = async () => (await client.callTool({ name, arguments: args })) as ToolResult;
  if (base !== stack.publicUrl || !/^(get|list)_/.test(name)) return call();
  return whileUnavailable(call, ({ isError, content }) => {
    const text = content[0]?.text ?? '';
    return isError === true && [BUSY_MESSAGE, UNAVAILABLE_MESSAGE].some((message) => text.startsWith(message));
  });
}

/** Connects the client of the official SDK to a gateway, with the key in a static header. */
export async function connectMcp(key: string, base = stack.publicUrl) {
  const client = new Client({ name: 'waymark-e2e', version: '1.0.0' });
  await client.connect(
    // The SDK's types are incompatible with exactOptionalPropertyTypes.
    new StreamableHTTPClientTransport(new URL('/mcp', base), {
      requestInit: { headers: { Authorization: `Bearer ${key}` } },
    }) as Parameters<typeof client.connect>[0],
  );
  return {
    client,
    /** Calls a tool and returns its result, or the text of its error. */
    async call<Result = Record<string, unknown>>(name: string, args: Record<string, unknown> = {}) {
      const result = await callTool(client, name, args, base);
      const [content] = result.content;
      expect(content?.type).toBe('text');
      const json = result.isError ? undefined : JSON.parse(content!.text);
      if (result.structuredContent !== undefined) expect(json).toEqual(result.structuredContent);
      return { isError: result.isError === true, text: content!.text, result: json as Result };
    },
    close: () => client.close(),
  };
}
