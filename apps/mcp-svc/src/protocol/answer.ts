/** The HTTP answer to a message of the protocol. */
export interface Answer {
  status: number;
  /** JSON; null where there is none. */
  body: string | null;
}

export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
/** The code of the SDKs for what the transport refuses. */
export const BAD_REQUEST = -32000;

/** A message that was refused as a whole: HTTP 400 and a JSON-RPC error for no request in particular. */
export function refusal(code: number, message: string): Answer {
  return { status: 400, body: JSON.stringify({ jsonrpc: '2.0', error: { code, message }, id: null }) };
}
