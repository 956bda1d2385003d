import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { LINK_ID_HINT, LINK_NOT_FOUND_MESSAGE } from '@waymark/contract';
import { expect } from 'vitest';
import { stack } from './world.ts';

/** REST's message as a tool says it: a missing link also says where an id comes from. */
export function messageOfTool(message: string): string {
  return message === LINK_NOT_FOUND_MESSAGE ? `${message} ${LINK_ID_HINT}` : message;
}

/** The SDK's own client, connected to the gateway with the key in a static header. */
export async function connectMcp(key: string) {
  const client = new Client({ name: 'waymark-e2e', version: '1.0.0' });
  await client.connect(
    // The SDK's own types are not written for exactOptionalPropertyTypes.
    new StreamableHTTPClientTransport(new URL('/mcp', stack.publicUrl), {
      requestInit: { headers: { Authorization: `Bearer ${key}` } },
    }) as Parameters<typeof client.connect>[0],
  );
  return {
    client,
    /** Calls a tool and gives what it answered: the structured content, or the text of a failure. */
    async call<Result = Record<string, unknown>>(name: string, args: Record<string, unknown> = {}) {
      const result = await client.callTool({ name, arguments: args });
      const [content] = result.content as { type: string; text: string }[];
      expect(content?.type).toBe('text');
      if (!result.isError) expect(JSON.parse(content!.text)).toEqual(result.structuredContent);
      return { isError: result.isError === true, text: content!.text, result: result.structuredContent as Result };
    },
    close: () => client.close(),
  };
}
