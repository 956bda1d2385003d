const BRACKET = '['.charCodeAt(0);
const SPACES = new Set([' ', '\t', '\n', '\r'].map((space) => space.charCodeAt(0)));
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/** How many messages the body of an MCP request has: those of a JSON-RPC batch; 1 for all else, also for what is no JSON. */
export function batchSize(body: Buffer | undefined): number {
  if (body === undefined) return 1;
  // mcp-svc drops it.
  const hasMark = body.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
  const json = hasMark ? body.subarray(BYTE_ORDER_MARK.length) : body;
  const first = json.findIndex((byte) => !SPACES.has(byte));
  if (json[first] !== BRACKET) return 1;
  try {
    return Math.max(1, (JSON.parse(json.toString()) as unknown[]).length);
  } catch {
    return 1;
  }
}
