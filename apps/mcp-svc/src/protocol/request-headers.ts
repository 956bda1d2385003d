import type { JSONRPCRequest } from '@modelcontextprotocol/server';

/** The headers of an HTTP request as Node parses them. */
export type RequestHeaders = Record<string, string | string[] | undefined>;

/** Returns the header without surrounding white space; undefined if it is missing. */
export function headerOf(headers: RequestHeaders, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value.trim() : undefined;
}

/**
 * Returns what is wrong with the headers of a request of revision 2026-07-28, or null. The version and the method are
 * required, and for a tool call the tool's name. Proxies route by these headers, so they must match the body
 * (SEP-2243). `classifyInboundRequest` has already compared the version and the method.
 */
export function headerFault({ method, params }: JSONRPCRequest, headers: RequestHeaders): string | null {
  for (const name of ['MCP-Protocol-Version', 'Mcp-Method'])
    if (headerOf(headers, name.toLowerCase()) === undefined) return `The header ${name} is missing.`;
  const tool = method === 'tools/call' ? params?.name : undefined;
  if (typeof tool !== 'string') return null;
  const named = headerOf(headers, 'mcp-name');
  if (named === undefined) return 'The header Mcp-Name is missing; it must name the tool.';
  return decoded(named) === tool ? null : 'The header Mcp-Name names another tool than the body.';
}

/** Decodes a name. Names that are not plain ASCII are sent as `=?base64?…?=` of their UTF-8. Null if malformed. */
function decoded(value: string): string | null {
  const base64 = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  if (base64 === undefined) return value;
  const bytes = Buffer.from(base64, 'base64');
  return bytes.toString('base64') === base64 ? bytes.toString() : null;
}
