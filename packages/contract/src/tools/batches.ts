/** The longest JSON-RPC batch that is served over MCP: its messages run concurrently. */
export const MCP_BATCH_MAX_MESSAGES = 20;

/** The body of the answer to a longer one, with HTTP 400. */
export const MCP_BATCH_TOO_LONG = {
  jsonrpc: '2.0',
  error: { code: -32600, message: `A batch may have at most ${MCP_BATCH_MAX_MESSAGES} messages.` },
  id: null,
} as const;
