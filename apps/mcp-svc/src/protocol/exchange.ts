import type { ToolOutcome } from '../tools/call-tool.ts';
import { responseBody } from './response-body.ts';

/** The part of a JSON-RPC message that the types of both SDKs share. */
interface Message {
  jsonrpc: '2.0';
}

/**
 * The transport of one request and its response. Its server lives as long as the request and shares no state, so equal
 * ids of different clients cannot collide (ADR 17). It sends nothing else, so there is nothing to close.
 */
export class Exchange<AnyMessage extends Message, Extra = unknown> {
  onmessage?: <Received extends AnyMessage>(message: Received, extra?: Extra) => void;
  onclose?: () => void;
  onerror?: (error: Error) => void;
  #answer: ((response: AnyMessage) => void) | undefined;
  #json: string | undefined;

  async start(): Promise<void> {}

  async close(): Promise<void> {}

  async send(message: AnyMessage): Promise<void> {
    this.#answer?.(message);
  }

  /**
   * Returns a result of `tools/call` for the SDK's server, without the tool's JSON. The server would only inspect the
   * JSON and keep it in memory until the next full garbage collection, so {@link bodyOf} adds it later.
   */
  resultOf(outcome: ToolOutcome) {
    if ('failure' in outcome) return { content: [{ type: 'text' as const, text: outcome.failure }], isError: true };
    this.#json = outcome.json;
    return { content: [], structuredContent: {} };
  }

  /** Returns the body of the server's response, with the tool's JSON if there is one. */
  bodyOf(response: AnyMessage): Buffer {
    const json = this.#json;
    this.#json = undefined;
    return responseBody(response, json);
  }

  /** Passes the request to the connected server and returns its response. */
  respond(request: AnyMessage, extra?: Extra): Promise<AnyMessage> {
    return new Promise((resolve) => {
      this.#answer = resolve;
      this.onmessage?.(withoutNullArguments(request), extra);
    });
  }
}

/** Removes `"arguments": null`, which Go's SDK sends for a nil map. The SDKs here accept an object or no field only. */
function withoutNullArguments<AnyMessage extends Message>(message: AnyMessage): AnyMessage {
  const { params } = message as { params?: { arguments?: unknown } };
  if (params?.arguments !== null) return message;
  const { arguments: _, ...others } = params;
  return { ...message, params: others };
}
