import { type SpoolEnvironment, spaceOf, type TableStats } from './spool-environment.ts';

/** A link whose clicks grew. `mark` changes when they grow again. */
export interface DirtyLink {
  linkId: string;
  mark: number;
}

/** An id, a mark, and what LMDB needs for them. */
const LINK_BYTES = 64;

/** The links whose clicks grew since their totals were last written. */
export class DirtyLinks {
  readonly #environment: SpoolEnvironment;

  constructor(environment: SpoolEnvironment) {
    this.#environment = environment;
  }

  /** How many bytes marking so many links writes at most. */
  bytesToMark(links: number): number {
    const { treeLeafPageCount, pageSize } = this.#environment.tables.dirty.getStats() as TableStats;
    return links * spaceOf(LINK_BYTES) + Math.min(links, treeLeafPageCount) * pageSize;
  }

  /** Marks links, within a transaction. */
  mark(linkIds: Iterable<string>, mark: number): void {
    for (const linkId of linkIds) this.#environment.tables.dirty.put(linkId, String(mark));
  }

  /** At most `limit` of them. */
  first(limit: number): DirtyLink[] {
    const entries = [...this.#environment.tables.dirty.getRange({ limit })];
    return entries.map(({ key, value }) => ({ linkId: key, mark: Number(value) }));
  }

  /** Clears links whose totals are up to date, except those whose clicks grew again since they were read. */
  clear(links: readonly DirtyLink[]): void {
    this.#environment.free(0, ({ dirty }) => {
      for (const { linkId, mark } of links) if (dirty.get(linkId) === String(mark)) dirty.remove(linkId);
    });
  }
}
