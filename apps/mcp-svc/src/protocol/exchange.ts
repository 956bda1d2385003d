import type { ToolOutcome } from '../tools/call-tool.ts';
import { responseBody } from './response-body.ts';

/** What the transports of both SDKs have in common, as far as one request needs it. */
interface Message {
  jsonrpc: '2.0';
}

/**
 * The transport of one request and its response, for a server that lives as long as the request: nothing of it is
 * shared with another one, so ids of clients cannot meet. It sends nothing else; there is nothing to close.
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
   * A result of `tools/call` for the server, which is not given what the tool gave: it would only look at it, and keep it
   * for as long as it stays, until all old objects are collected. {@link bodyOf} puts it in.
   */
  resultOf(outcome: ToolOutcome) {
    if ('failure' in outcome) return { content: [{ type: 'text' as const, text: outcome.failure }], isError: true };
    this.#json = outcome.json;
    return { content: [], structuredContent: {} };
  }

  /** The body of the server's response. */
  bodyOf(response: AnyMessage): Buffer {
    const json = this.#json;
    this.#json = undefined;
    return responseBody(response, json);
  }

  /** Gives the request to the server that is connected, and what it answers. */
  respond(request: AnyMessage, extra?: Extra): Promise<AnyMessage> {
    return new Promise((resolve) => {
      this.#answer = resolve;
      this.onmessage?.(withoutNullArguments(request), extra);
    });
  }
}

/** Go's SDK sends `"arguments": null` for a nil map; the SDKs here accept an object or nothing. */
function withoutNullArguments<AnyMessage extends Message>(message: AnyMessage): AnyMessage {
  const { params } = message as { params?: { arguments?: unknown } };
  if (params?.arguments !== null) return message;
  const { arguments: _, ...others } = params;
  return { ...message, params: others };
}
