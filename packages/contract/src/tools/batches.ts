/** The maximum number of messages in a JSON-RPC batch over MCP. They run concurrently, so the number is limited. */
export const MCP_BATCH_MAX_MESSAGES = 20;

/** The response body for a longer batch, sent with HTTP 400. */
export const MCP_BATCH_TOO_LONG = {
  jsonrpc: '2.0',
  error: { code: -32600, message: `A batch may have at most ${MCP_BATCH_MAX_MESSAGES} messages.` },
  id: null,
} as const;
