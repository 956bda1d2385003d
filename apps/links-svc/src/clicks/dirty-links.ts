import type { SpoolFile } from './spool-file.ts';

/** A link whose clicks grew. `mark` changes when they grow again. */
export interface DirtyLink {
  linkId: string;
  mark: number;
}

/** The links whose clicks grew since their totals were last written. */
export class DirtyLinks {
  readonly #file: SpoolFile;

  constructor(file: SpoolFile) {
    this.#file = file;
  }

  /** Marks links, within a transaction. */
  mark(linkIds: Iterable<string>, mark: number): void {
    for (const linkId of linkIds) this.#file.tables.dirty.put(linkId, String(mark));
  }

  /** At most `limit` of them. */
  first(limit: number): DirtyLink[] {
    const entries = [...this.#file.tables.dirty.getRange({ limit })];
    return entries.map(({ key, value }) => ({ linkId: key, mark: Number(value) }));
  }

  /** Clears links whose totals are up to date, except those whose clicks grew again since they were read. */
  clear(links: readonly DirtyLink[]): void {
    this.#file.transaction(({ dirty }) => {
      for (const { linkId, mark } of links) if (dirty.get(linkId) === String(mark)) dirty.remove(linkId);
    });
  }
}
