const BRACKET = '['.charCodeAt(0);
const SPACES = new Set([' ', '\t', '\n', '\r'].map((space) => space.charCodeAt(0)));
const BYTE_ORDER_MARK = Buffer.from('\uFEFF');

/** Returns how many messages the body of an MCP request has: at least 1, even if it is not JSON. */
export function batchSize(body: Buffer | undefined): number {
  if (body === undefined) return 1;
  // mcp-svc ignores a byte-order mark, so a batch behind one must count too.
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
