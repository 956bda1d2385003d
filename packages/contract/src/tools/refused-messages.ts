import { type AppError, waitOf } from '../errors.ts';
import { fieldsOf } from '../validate.ts';
import { MCP_BATCH_MAX_MESSAGES } from './batches.ts';

/** An HTTP response. */
export interface RefusedMessage {
  status: number;
  body: object;
}

/** The code of JSON-RPC for errors of a server. */
const SERVER_ERROR = -32000;
/** Revision 2026-07-28 names itself in each request. Its results have a type. */
const VERSION_IN_META = 'io.modelcontextprotocol/protocolVersion';

/**
 * Returns the response to an MCP message or batch that is refused with 429 or 503. SDKs show no other bodies to a model
 * or its user. A `tools/call` gets a tool result with HTTP 200, even if other messages are in its batch. Other requests
 * get a JSON-RPC error with the status of the error. Returns null if there is nothing to respond to: no request, or a
 * batch that is too long.
 */
export function refusedMessage(message: unknown, error: AppError): RefusedMessage | null {
  const messages: unknown[] = Array.isArray(message) ? message : [message];
  if (messages.length > MCP_BATCH_MAX_MESSAGES) return null;
  const requests = messages.filter(isRequest);
  if (requests.length === 0) return null;
  const responses = requests.map((request) => responseTo(request, error));
  const hasCall = requests.some(({ method }) => method === 'tools/call');
  return { status: hasCall ? 200 : error.httpStatus, body: Array.isArray(message) ? responses : responses[0]! };
}

/** Returns the message of an error for a model, which does not see the header `Retry-After`: with the seconds to wait. */
export function messageWithWait(error: AppError): string {
  const seconds = waitOf(error);
  if (seconds === undefined) return error.message;
  const wait = `in ${seconds} second${seconds === 1 ? '' : 's'}`;
  if (error.message.includes(wait)) return error.message;
  return error.message.includes('in a moment')
    ? error.message.replace('in a moment', wait)
    : `${error.message} Try again ${wait}.`;
}

interface Request {
  id: string | number;
  method: string;
  params?: unknown;
}

function isRequest(message: unknown): message is Request {
  const { id, method } = fieldsOf(message);
  return typeof method === 'string' && (typeof id === 'string' || typeof id === 'number');
}

function responseTo({ id, method, params }: Request, error: AppError): object {
  const text = messageWithWait(error);
  if (method !== 'tools/call') return { jsonrpc: '2.0', id, error: { code: SERVER_ERROR, message: text } };
  const hasType = fieldsOf(fieldsOf(params)._meta)[VERSION_IN_META] !== undefined;
  const content = [{ type: 'text', text }];
  return { jsonrpc: '2.0', id, result: { content, isError: true, ...(hasType && { resultType: 'complete' }) } };
}
