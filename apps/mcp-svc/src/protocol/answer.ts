/** The HTTP response to an MCP message. */
export interface Answer {
  status: number;
  /** JSON in UTF-8; null if there is no body. */
  body: Buffer | null;
}

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
/** The SDKs' code for messages that the transport refuses. */
export const BAD_REQUEST = -32000;

/** Returns a refusal: HTTP 400 and a JSON-RPC error, with the id of `message` if that is a request. */
export function refusal(
  code: number,
  text: string,
  { data, message }: { data?: unknown; message?: unknown } = {},
): Answer {
  const error = { code, message: text, ...(data !== undefined && { data }) };
  return { status: 400, body: Buffer.from(JSON.stringify({ jsonrpc: '2.0', error, id: idOfRequest(message) })) };
}

function idOfRequest(message: unknown): string | number | null {
  const { method, id } = (message ?? {}) as { method?: unknown; id?: unknown };
  return typeof method === 'string' && (typeof id === 'string' || typeof id === 'number') ? id : null;
}
