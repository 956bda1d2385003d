/** A message of JSON-RPC, with what the bridge reads of it. */
export interface Message {
  id?: string | number | null;
  method?: string;
  params?: Record<string, unknown> & { _meta?: Record<string, unknown> };
}

/** The parameter that `Mcp-Name` repeats. */
const NAMED_BY: Record<string, string> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' };

/**
 * Returns the headers that Streamable HTTP repeats of a message: its revision, which is that of the handshake before
 * 2026-07-28, and since then the method and the name, too.
 */
export function headersOf({ method, params }: Message, negotiated: string | undefined): Record<string, string> {
  const own = params?._meta?.['io.modelcontextprotocol/protocolVersion'];
  if (typeof own !== 'string') return negotiated === undefined ? {} : { 'mcp-protocol-version': negotiated };
  const name = params?.[NAMED_BY[method ?? ''] ?? ''];
  return {
    'mcp-protocol-version': own,
    ...(method !== undefined && { 'mcp-method': method }),
    ...(typeof name === 'string' && { 'mcp-name': encoded(name) }),
  };
}

/** Returns a name as a header has it: in Base64 if it is more than printable ASCII. */
function encoded(name: string): string {
  const isPlain = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(name) && !name.startsWith('=?base64?');
  return isPlain ? name : `=?base64?${Buffer.from(name).toString('base64')}?=`;
}
