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
  /** Let go with the response: a server is only collected with old objects, and would keep the response until then. */
  #answer: ((response: AnyMessage) => void) | undefined;

  async start(): Promise<void> {}

  async close(): Promise<void> {}

  async send(message: AnyMessage): Promise<void> {
    this.#answer?.(message);
    this.#answer = undefined;
  }

  /** Gives the request to the server that is connected, and what it answers. */
  respond(request: AnyMessage, extra?: Extra): Promise<AnyMessage> {
    return new Promise((resolve) => {
      this.#answer = resolve;
      this.onmessage?.(request, extra);
    });
  }
}
