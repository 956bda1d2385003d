import { COLUMNS_MAX } from '../sizes.ts';
import { Columns } from './columns.ts';
import { shownName } from './values.ts';

/** Finds out what the columns of each row mean, and remembers those that are not used. */
export class ColumnsOfRows {
  readonly #mapping: Readonly<Record<string, string>> | undefined;
  /** The columns so far, in the order of the file. */
  readonly #names = new Set<string>();
  readonly #meaningless = new Set<string>();
  /** Columns of fields that a row took from another column. */
  readonly #skipped = new Set<string>();
  readonly #chosen = new Set<string>();
  #last: { names: readonly string[]; columns: Columns } | null = null;

  /** @param mapping the column of each field, if it is given */
  constructor(mapping: Readonly<Record<string, string>> | undefined) {
    this.#mapping = mapping;
  }

  /** The columns so far that no link got anything from, in the order of the file. */
  get unused(): string[] {
    const isUnused = (name: string) =>
      this.#meaningless.has(name) || (this.#skipped.has(name) && !this.#chosen.has(name));
    return [...new Set([...this.#names].filter(isUnused).map(shownName))];
  }

  /** Returns what columns of these names mean. Most rows have the same columns as the one before. */
  of(names: readonly string[]): Columns {
    if (this.#last !== null && isSame(names, this.#last.names)) return this.#last.columns;
    const columns = this.#mapping === undefined ? Columns.byName(names) : Columns.mapped(names, this.#mapping);
    for (const name of names) if (this.#names.size < COLUMNS_MAX) this.#names.add(name);
    for (const name of columns.unused) if (this.#names.has(name)) this.#meaningless.add(name);
    this.#last = { names, columns };
    return columns;
  }

  /** Notes from which of the columns of a field that a row fills its value is. */
  choose([chosen, ...skipped]: readonly string[]): void {
    if (chosen !== undefined && this.#names.has(chosen)) this.#chosen.add(chosen);
    for (const name of skipped) if (this.#names.has(name)) this.#skipped.add(name);
  }
}

function isSame(names: readonly string[], others: readonly string[]): boolean {
  return (
    names === others || (names.length === others.length && names.every((name, position) => name === others[position]))
  );
}
