import { Readable } from 'node:stream';
import type { AccountIdentity } from '@waymark/auth';
import { AppError, type ExportLinksQuery, exportHeader, exportLines, type Link } from '@waymark/contract';
import { FairQueue, piecesWithoutDeadline, REQUEST_MAX_MS, timeLeftMs } from '@waymark/service-kit';
import type { ListsService } from './lists.service.ts';

/** How many pieces of exports may be read concurrently. */
const CONCURRENCY = 20;
/** A client that reads slowly keeps its export running, but it takes part of the concurrency only for the next piece. */
const EXPORTS_OF_ACCOUNT = 2;
const RETRY_AFTER_SECONDS = 10;
/** How long a piece after the first one may wait for its turn. */
const PIECE_WAIT_MAX_MS = 60_000;

/** The exports that run in this process. */
export class LinkExports {
  readonly #service: Pick<ListsService, 'export'>;
  readonly #runningOf = new Map<string, number>();
  readonly #reads = new FairQueue({ concurrency: CONCURRENCY, maxWaiting: Infinity });

  constructor(service: Pick<ListsService, 'export'>) {
    this.#service = service;
  }

  /**
   * Returns the text of an export. It holds one piece of the links at a time, and reads the next one when the client
   * has read it. Only the first piece is read within the deadline of the request, so that an outage gets an error response.
   * @throws {AppError} `rate_limited` if the account has two exports that still run, `unavailable` if too many are read.
   */
  async stream(identity: AccountIdentity, query: ExportLinksQuery): Promise<Readable> {
    const end = this.#begin(identity.accountId);
    try {
      const pieces = this.#inTurn(identity.accountId, this.#service.export(identity, query));
      const first = await pieces.next();
      const stream = Readable.from(textOf(query, first.value ?? [], pieces), { objectMode: false });
      return stream.once('close', end);
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Yields the pieces of an account's export. Each is read when its turn has come. */
  async *#inTurn(accountId: string, pieces: AsyncGenerator<Link[]>): AsyncGenerator<Link[]> {
    let waitMaxMs = timeLeftMs(REQUEST_MAX_MS);
    try {
      for (;;) {
        const { value, done } = await this.#reads.run([accountId], () => pieces.next(), waitMaxMs);
        if (done) return;
        yield value;
        waitMaxMs = PIECE_WAIT_MAX_MS;
      }
    } finally {
      await pieces.return(undefined);
    }
  }

  /** Counts an export. Returns the function that ends it. */
  #begin(accountId: string): () => void {
    const ofAccount = this.#runningOf.get(accountId) ?? 0;
    if (ofAccount >= EXPORTS_OF_ACCOUNT)
      throw new AppError(
        'rate_limited',
        `${EXPORTS_OF_ACCOUNT} exports of this account still run; wait until one has ended.`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    this.#runningOf.set(accountId, ofAccount + 1);
    return () => {
      const left = this.#runningOf.get(accountId)! - 1;
      if (left === 0) this.#runningOf.delete(accountId);
      else this.#runningOf.set(accountId, left);
    };
  }
}

async function* textOf(
  { format }: ExportLinksQuery,
  first: Link[],
  others: AsyncIterable<Link[]>,
): AsyncGenerator<string> {
  yield exportHeader(format) + exportLines(format, first);
  for await (const links of piecesWithoutDeadline(others)) yield exportLines(format, links);
}
