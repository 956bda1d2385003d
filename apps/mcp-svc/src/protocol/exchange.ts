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
  readonly #response = Promise.withResolvers<AnyMessage>();

  async start(): Promise<void> {}

  async close(): Promise<void> {}

  async send(message: AnyMessage): Promise<void> {
    this.#response.resolve(message);
  }

  /** Gives the request to the server that is connected, and what it answers. */
  respond(request: AnyMessage, extra?: Extra): Promise<AnyMessage> {
    this.onmessage?.(request, extra);
    return this.#response.promise;
  }
}
