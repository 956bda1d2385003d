const BRACKET = '['.charCodeAt(0);
const SPACES = new Set([' ', '\t', '\n', '\r'].map((space) => space.charCodeAt(0)));

/** How many messages the body of an MCP request has: those of a JSON-RPC batch; 1 for all else, also for what is no JSON. */
export function batchSize(body: Buffer | undefined): number {
  const first = body?.findIndex((byte) => !SPACES.has(byte)) ?? -1;
  if (body === undefined || body[first] !== BRACKET) return 1;
  try {
    return Math.max(1, (JSON.parse(body.toString()) as unknown[]).length);
  } catch {
    return 1;
  }
}
