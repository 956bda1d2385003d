import type { Readable } from 'node:stream';
import type { AccountIdentity } from '@waymark/auth';
import { type ExportLinksQuery, exportHeader, exportLines } from '@waymark/contract';
import { TextStreams } from '@waymark/service-kit';
import type { ListsService } from './lists.service.ts';

const LIMITS = { name: 'exports', concurrency: 20, ofAccount: 2, ofAll: 400 };

/** The exports that run in this process. */
export class LinkExports {
  readonly #service: Pick<ListsService, 'export'>;
  readonly #streams = new TextStreams(LIMITS);

  constructor(service: Pick<ListsService, 'export'>) {
    this.#service = service;
  }

  /** Returns the text of an export ({@link TextStreams.start}). */
  stream(identity: AccountIdentity, query: ExportLinksQuery): Promise<Readable> {
    const { format } = query;
    return this.#streams.start(
      identity.accountId,
      exportHeader(format),
      this.#service.export(identity, query),
      (links) => exportLines(format, links),
    );
  }
}
