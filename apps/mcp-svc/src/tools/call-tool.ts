import {
  type AppError,
  LINK_ID_HINT,
  TOOL_NAMES,
  type ToolName,
  toAppError,
  UNAVAILABLE_MESSAGE,
} from '@waymark/contract';
import type { ToolCall, ToolHandler } from './tool-handlers.ts';
import type { ObserveToolCall } from './tool-metrics.ts';

/** What a tool gave, as JSON, or the words that say what went wrong. */
export type ToolOutcome = { json: string } | { failure: string };

/** Calls a tool by its name. */
export type CallTool = (name: string, args: Record<string, unknown>, call: ToolCall) => Promise<ToolOutcome>;

/** A fault of the protocol: answered as a JSON-RPC error with its code, where a tool's own failure is a result. */
export class ProtocolFault extends Error {
  override readonly name = 'ProtocolFault';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export const INVALID_PARAMS = -32602;

/**
 * Calls tools by their names. What a caller can mend is a failure in REST's own words; what failed behind is one too, with
 * no more than that it failed, and its cause is in the log under the request id.
 * @throws {ProtocolFault} `-32602` (from what it returns) where there is no such tool.
 */
export function createCallTool(handlers: Record<ToolName, ToolHandler>, observe: ObserveToolCall): CallTool {
  return async (name, args, call) => {
    if (!isToolName(name, handlers))
      throw new ProtocolFault(INVALID_PARAMS, `Unknown tool "${shorten(name)}"; known are ${TOOL_NAMES.join(', ')}.`);
    const startedMs = performance.now();
    try {
      const result = await handlers[name](args, call);
      observe(name, 'ok', performance.now() - startedMs);
      return { json: JSON.stringify(result) };
    } catch (thrown) {
      const error = toAppError(thrown);
      // A sister that does not believe our identity is our fault, not the caller's: the gateway has checked the key.
      const refused = error.httpStatus < 500 && error.code !== 'unauthenticated';
      observe(name, refused ? 'refused' : 'failed', performance.now() - startedMs);
      return { failure: refused ? refusalOf(error) : report(error, name, call) };
    }
  };
}

function isToolName(name: string, handlers: Record<ToolName, ToolHandler>): name is ToolName {
  return Object.hasOwn(handlers, name);
}

/** The message of REST; where nothing was found, also where an id comes from: models send slugs. */
function refusalOf({ code, message }: AppError): string {
  return code === 'not_found' ? `${message} ${LINK_ID_HINT}` : message;
}

/** Logs what failed on our side, and gives the words for the caller. */
function report(error: AppError, tool: ToolName, call: ToolCall): string {
  call.log.error({ err: error.code === 'internal' ? (error.cause ?? error) : error, tool }, 'tool failed');
  const words = error.httpStatus === 503 ? UNAVAILABLE_MESSAGE : 'Something went wrong on our side; try again later.';
  return `${words} Request id: ${call.requestId}`;
}

const NAME_MAX_LENGTH = 60;

function shorten(name: string): string {
  const characters = [...name.toWellFormed()];
  return characters.length > NAME_MAX_LENGTH
    ? `${characters.slice(0, NAME_MAX_LENGTH).join('')}…`
    : name.toWellFormed();
}
