/** Requests as clients of the revisions with a handshake and of revision 2026-07-28 send them. */

export const HANDSHAKE_REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'];
export const REVISION_2026 = '2026-07-28';

/** Builds a request of the revisions with a handshake. Without a version header, it belongs to 2025-03-26. */
export function request(method: string, params?: unknown, id: string | number = 1) {
  return { jsonrpc: '2.0', id, method, ...(params !== undefined && { params }) };
}

export const INITIALIZE = {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1.0.0' },
};

/** The description of the client in every request of revision 2026-07-28. */
export const META = {
  'io.modelcontextprotocol/protocolVersion': REVISION_2026,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/** Builds a request of revision 2026-07-28 and the headers that it needs. */
export function modern(method: string, params: Record<string, unknown> = {}) {
  return {
    body: request(method, { ...params, _meta: META }),
    headers: {
      'mcp-protocol-version': REVISION_2026,
      'mcp-method': method,
      ...(typeof params.name === 'string' && { 'mcp-name': params.name }),
    } as Record<string, string>,
  };
}
