import { type SpoolEnvironment, spaceOf, type TableStats } from './spool-environment.ts';

/** A link with new clicks. `mark` changes whenever more clicks follow. */
export interface DirtyLink {
  linkId: string;
  mark: number;
}

/** The space for an id, a mark and the overhead of LMDB. */
const LINK_BYTES = 64;

/** The links with new clicks since their totals were last written. */
export class DirtyLinks {
  readonly #environment: SpoolEnvironment;

  constructor(environment: SpoolEnvironment) {
    this.#environment = environment;
  }

  /** Returns the maximum number of bytes that marking this many links writes. */
  bytesToMark(links: number): number {
    const { treeLeafPageCount, pageSize } = this.#environment.tables.dirty.getStats() as TableStats;
    return links * spaceOf(LINK_BYTES) + Math.min(links, treeLeafPageCount) * pageSize;
  }

  /** Marks links. Call it within a transaction. */
  mark(linkIds: Iterable<string>, mark: number): void {
    for (const linkId of linkIds) this.#environment.tables.dirty.put(linkId, String(mark));
  }

  /** Returns at most `limit` dirty links. */
  first(limit: number): DirtyLink[] {
    const entries = [...this.#environment.tables.dirty.getRange({ limit })];
    return entries.map(({ key, value }) => ({ linkId: key, mark: Number(value) }));
  }

  /** Clears links whose totals are up to date, except links that got new clicks after they were read. */
  clear(links: readonly DirtyLink[]): void {
    this.#environment.free(0, ({ dirty }) => {
      for (const { linkId, mark } of links) if (dirty.get(linkId) === String(mark)) dirty.remove(linkId);
    });
  }
}
