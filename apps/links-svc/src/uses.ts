import type { Logger } from '@waymark/service-kit';

export interface UsesDeps<Used> {
  /** For the log: `a key`. */
  what: string;
  idOf(used: Used): string;
  /** Begins to write that it is used now. Returns null if what is stored is recent enough. */
  write(used: Used): Promise<unknown> | null;
  logger: Logger;
}

/**
 * Records uses of keys or sessions. One in use is looked up every two seconds by each gateway. No lookup waits for the
 * write, and only one write runs for each. If it fails, the next use writes again.
 */
export class Uses<Used> {
  readonly #deps: UsesDeps<Used>;
  readonly #writing = new Set<string>();

  constructor(deps: UsesDeps<Used>) {
    this.#deps = deps;
  }

  /** Records that it is used now. */
  record(used: Used): void {
    const { what, idOf, write, logger } = this.#deps;
    const id = idOf(used);
    const writing = this.#writing.has(id) ? null : write(used);
    if (writing === null) return;
    this.#writing.add(id);
    writing
      .catch((err: unknown) => logger.warn({ err }, `could not record the use of ${what}`))
      .finally(() => this.#writing.delete(id));
  }
}
