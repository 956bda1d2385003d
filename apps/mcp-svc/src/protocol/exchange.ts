import type { ToolOutcome } from '../tools/call-tool.ts';

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

  async start(): Promise<void> {}

  async close(): Promise<void> {}

  async send(message: AnyMessage): Promise<void> {
    this.#answer?.(message);
  }

  /** Passes the request to the connected server and returns its response. */
  respond(request: AnyMessage, extra?: Extra): Promise<AnyMessage> {
    return new Promise((resolve) => {
      this.#answer = resolve;
      this.onmessage?.(request, extra);
    });
  }
}

/**
 * Returns the result of `tools/call`: what a tool returned, as text and as structured content or an image, or its failure.
 * Some clients show nothing but structured content, so an image is never beside it.
 */
export function callResult(outcome: ToolOutcome) {
  if ('failure' in outcome) return { content: [text(outcome.failure)], isError: true };
  const { json, png } = outcome.result;
  return {
    content: [text(JSON.stringify(json)), ...(png === undefined ? [] : [image(png)])],
    ...(png === undefined && { structuredContent: json as Record<string, unknown> }),
  };
}

const text = (words: string) => ({ type: 'text' as const, text: words });
const image = (png: Uint8Array) => ({
  type: 'image' as const,
  data: Buffer.from(png).toString('base64'),
  mimeType: 'image/png',
});

/** Returns the body of a response. */
export function bodyOf(response: object): Buffer {
  return Buffer.from(JSON.stringify(response));
}
