import { COLUMNS_MAX } from '../sizes.ts';
import { Columns } from './columns.ts';
import { shownName } from './values.ts';

/** Finds out what the columns of each row mean, and remembers those that mean nothing. */
export class ColumnsOfRows {
  readonly #mapping: Readonly<Record<string, string>> | undefined;
  readonly #unused = new Set<string>();
  #last: { names: readonly string[]; columns: Columns } | null = null;

  /** @param mapping the column of each field, if it is given */
  constructor(mapping: Readonly<Record<string, string>> | undefined) {
    this.#mapping = mapping;
  }

  /** The columns so far that mean nothing. */
  get unused(): string[] {
    return [...this.#unused];
  }

  /** Returns what columns of these names mean. Most rows have the same columns as the one before. */
  of(names: readonly string[]): Columns {
    if (this.#last !== null && isSame(names, this.#last.names)) return this.#last.columns;
    const columns = this.#mapping === undefined ? Columns.byName(names) : Columns.mapped(names, this.#mapping);
    for (const name of columns.unused) if (this.#unused.size < COLUMNS_MAX) this.#unused.add(shownName(name));
    this.#last = { names, columns };
    return columns;
  }
}

function isSame(names: readonly string[], others: readonly string[]): boolean {
  return (
    names === others || (names.length === others.length && names.every((name, position) => name === others[position]))
  );
}
