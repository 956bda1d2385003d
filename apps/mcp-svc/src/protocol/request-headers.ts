import type { JSONRPCRequest } from '@modelcontextprotocol/server';

/** The headers of an HTTP request, as Node gives them. */
export type RequestHeaders = Record<string, string | string[] | undefined>;

/** The header, where it was sent once, without white space around it. */
export function headerOf(headers: RequestHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value.trim() : undefined;
}

/**
 * What is wrong with the headers of a request of revision 2026-07-28, in words, or null: the version and the method
 * must be there, and the tool of a call; that the version and the method are the body's is known already
 * (`classifyInboundRequest`). Proxies route by these headers, so a request must not say one thing to them and another
 * to the server (SEP-2243).
 */
export function headerFault({ method, params }: JSONRPCRequest, headers: RequestHeaders): string | null {
  for (const name of ['MCP-Protocol-Version', 'Mcp-Method'])
    if (headerOf(headers, name.toLowerCase()) === undefined) return `The header ${name} is missing.`;
  const tool = method === 'tools/call' ? params?.name : undefined;
  if (typeof tool !== 'string') return null;
  const named = headerOf(headers, 'mcp-name');
  if (named === undefined) return 'The header Mcp-Name is missing; it must name the tool.';
  return decoded(named) === tool ? null : 'The header Mcp-Name does not name the tool that the body names.';
}

/** A name that is no plain ASCII comes as `=?base64?…?=`, of its UTF-8. Null where that is not well-formed. */
function decoded(value: string): string | null {
  const base64 = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  if (base64 === undefined) return value;
  const bytes = Buffer.from(base64, 'base64');
  return bytes.toString('base64') === base64 ? bytes.toString() : null;
}
