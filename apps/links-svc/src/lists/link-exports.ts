import { Readable } from 'node:stream';
import type { AccountIdentity } from '@waymark/auth';
import { AppError, BUSY_MESSAGE, type ExportLinksQuery, exportHeader, exportLines, type Link } from '@waymark/contract';
import { piecesWithoutDeadline } from '@waymark/service-kit';
import type { ListsService } from './lists.service.ts';

/** How many exports may run concurrently. A client that reads slowly keeps its export running. */
const CONCURRENCY = 20;
const CONCURRENCY_OF_ACCOUNT = 2;
const RETRY_AFTER_SECONDS = 10;

/** The exports that run in this process. */
export class LinkExports {
  readonly #service: Pick<ListsService, 'export'>;
  readonly #runningOf = new Map<string, number>();
  #running = 0;

  constructor(service: Pick<ListsService, 'export'>) {
    this.#service = service;
  }

  /**
   * Returns the text of an export. It holds one piece of the links at a time, and reads the next one when the client
   * has read it. Only the first piece is read within the deadline of the request, so that an outage gets an error response.
   * @throws {AppError} `rate_limited` if the account has two exports that still run, `unavailable` if too many run.
   */
  async stream(identity: AccountIdentity, query: ExportLinksQuery): Promise<Readable> {
    const end = this.#begin(identity.accountId);
    try {
      const pieces = this.#service.export(identity, query);
      const first = await pieces.next();
      const stream = Readable.from(textOf(query, first.value ?? [], pieces), { objectMode: false });
      return stream.once('close', end);
    } catch (error) {
      end();
      throw error;
    }
  }

  /** Counts an export. Returns the function that ends it. */
  #begin(accountId: string): () => void {
    const ofAccount = this.#runningOf.get(accountId) ?? 0;
    if (ofAccount >= CONCURRENCY_OF_ACCOUNT)
      throw new AppError(
        'rate_limited',
        `${CONCURRENCY_OF_ACCOUNT} exports of this account still run; wait until one has ended.`,
        { retryAfterSeconds: RETRY_AFTER_SECONDS },
      );
    if (this.#running >= CONCURRENCY) throw new AppError('unavailable', BUSY_MESSAGE);
    this.#running += 1;
    this.#runningOf.set(accountId, ofAccount + 1);
    return () => {
      this.#running -= 1;
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
