import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { bodyPieces } from '@waymark/service-kit';

/** A body that is forwarded as it arrives. Nothing of it is read before a replica has a connection. */
export class UnreadBody extends Readable {
  readonly #body: IncomingMessage;
  readonly #limitBytes: number;

  constructor(body: IncomingMessage, limitBytes: number) {
    super();
    this.#body = body;
    this.#limitBytes = limitBytes;
  }

  /**
   * Returns the body for one attempt to send it. Ending that attempt keeps the client's connection open for the response.
   * It fails with {@link bodyPieces}.
   */
  pieces(): Readable {
    return Readable.from(bodyPieces(this.#body, this.#limitBytes), { objectMode: false });
  }

  /** Calls back when the client has sent everything. Returns a function that gives this up. */
  onceSent(callback: () => void): () => void {
    if (this.#body.readableEnded) callback();
    else this.#body.once('end', callback);
    return () => this.#body.off('end', callback);
  }
}
