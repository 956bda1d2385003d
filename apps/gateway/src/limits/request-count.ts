import { argumentsOf, BULK_MAX_OPERATIONS, BULK_TOOL, fieldsOf, withoutJsonText } from '@waymark/contract';

/** How much of the rate limit an MCP request takes. */
export interface McpCount {
  /** The messages of the batch: at least 1, even if the body is not JSON. */
  messages: number;
  /** The messages that call no tool. They do not count as requests. */
  others: number;
  /** The requests that it counts as: one for each call of a tool, and one for each operation of a bulk edit. */
  requests: number;
}

/** Counts the messages and operations of an MCP request. */
export function countMcp(body: Buffer | undefined): McpCount {
  const json = jsonOf(body);
  const messages: unknown[] = Array.isArray(json) ? json : [json];
  const calls = messages.filter((message) => fieldsOf(message).method === 'tools/call');
  const requests = calls.reduce<number>((sum, call) => sum + countCall(call), 0);
  const count = Math.max(1, messages.length);
  return { messages: count, others: count - calls.length, requests };
}

/** Returns how many requests the body of `POST /api/v1/links/bulk` counts as: one for each operation, at least 1. */
export function countBulk(body: Buffer | undefined): number {
  return countOperations(jsonOf(body));
}

function countCall(call: unknown): number {
  const { params } = fieldsOf(call);
  const { name, arguments: input } = fieldsOf(params);
  return name === BULK_TOOL ? countOperations(argumentsOf(input)) : 1;
}

/** Too many operations are refused as a whole, so they count as one request. */
function countOperations(input: unknown): number {
  const operations = withoutJsonText(fieldsOf(input).operations);
  const count = Array.isArray(operations) ? operations.length : 1;
  return count === 0 || count > BULK_MAX_OPERATIONS ? 1 : count;
}

/**
 * Returns the JSON of a body, or undefined if it is not JSON. The services ignore a byte-order mark, so it must not hide
 * anything.
 */
export function jsonOf(body: Buffer | undefined): unknown {
  try {
    return JSON.parse((body ?? '').toString().replace(/^\uFEFF/, ''));
  } catch {
    return undefined;
  }
}
