import { requireNeed } from '@waymark/auth';
import {
  AppError,
  BUSY_MESSAGE,
  LINK_ID_HINT,
  LINK_NOT_FOUND_MESSAGE,
  messageWithWait,
  needOf,
  shortenName,
  TOOL_NAMES,
  TOOLS,
  type ToolName,
  toAppError,
  UNAVAILABLE_MESSAGE,
  waitOf,
} from '@waymark/contract';
import { withoutAddedArguments } from './added-arguments.ts';
import type { Caller, ToolHandler, ToolResult } from './tool-handlers.ts';
import type { ObserveToolCall } from './tool-metrics.ts';

/** The result of a tool, or the message that says what went wrong. */
export type ToolOutcome = { result: ToolResult } | { failure: string };

/** Calls a tool by its name. */
export type CallTool = (name: string, args: Record<string, unknown>, call: Caller) => Promise<ToolOutcome>;

/** An error of the protocol. It becomes a JSON-RPC error with its code, while a failed tool call is a result. */
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
 * Creates the function that calls tools by name. If the caller can correct an error, the failure has the same message
 * as in REST. Otherwise it has a generic message, and the cause is in the log under the request id.
 * @throws {ProtocolFault} `-32602` (from the returned function) if there is no such tool.
 */
export function createCallTool(handlers: Record<ToolName, ToolHandler>, observe: ObserveToolCall): CallTool {
  return async (name, args, call) => {
    if (!isToolName(name, handlers))
      throw new ProtocolFault(
        INVALID_PARAMS,
        `Unknown tool "${shortenName(name)}"; the known ones are ${TOOL_NAMES.join(', ')}.`,
      );
    const startedMs = performance.now();
    try {
      requireNeed(call.identity, needOf(name));
      const result = await handlers[name](withoutAddedArguments(args, argumentsOf(name)), call);
      observe(name, 'ok', performance.now() - startedMs);
      return { result };
    } catch (thrown) {
      const error = toAppError(thrown);
      // If another service rejects our identity, that is our fault: the gateway has already checked the caller's key.
      const refused = error.httpStatus < 500 && error.code !== 'unauthenticated';
      observe(name, refused ? 'refused' : 'failed', performance.now() - startedMs);
      const seconds = waitOf(error);
      if (seconds !== undefined) call.onWait(seconds);
      return { failure: refused ? refusalOf(error) : report(error, name, call) };
    }
  };
}

function isToolName(name: string, handlers: Record<ToolName, ToolHandler>): name is ToolName {
  return Object.hasOwn(handlers, name);
}

function argumentsOf(name: ToolName): string[] {
  const { inputSchema } = TOOLS.find((tool) => tool.name === name)!;
  return Object.keys(inputSchema.properties as object);
}

/** Returns the message of REST. For a missing link it adds how to find it. */
function refusalOf(error: AppError): string {
  return error.message === LINK_NOT_FOUND_MESSAGE ? `${error.message} ${LINK_ID_HINT}` : messageWithWait(error);
}

/**
 * Logs an error on our side and returns the message for the caller. If the client has disconnected, only `internal` is
 * logged, because the disconnection cancels other work.
 */
function report(error: AppError, tool: ToolName, call: Caller): string {
  if (error.code === 'internal' || !call.signal.aborted)
    call.log.error({ err: error.code === 'internal' ? (error.cause ?? error) : error, tool }, 'tool failed');
  return `${wordsOf(error)} Request id: ${call.requestId}`;
}

/** Returns a generic message. For a 503 it says whether the service is too busy or unavailable. */
function wordsOf({ httpStatus, message, code, retryAfterSeconds = 1 }: AppError): string {
  if (httpStatus !== 503) return 'Something went wrong on our side; try again later.';
  const words = message === BUSY_MESSAGE ? BUSY_MESSAGE : UNAVAILABLE_MESSAGE;
  return messageWithWait(new AppError(code, words, { retryAfterSeconds }));
}
