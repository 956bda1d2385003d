import type { Database } from '../database/database.ts';
import type { StoredFilter } from '../database/documents/saved-filters.ts';
import { BOUNDED } from '../database/operation-options.ts';

/** Reads saved filters. Every method throws `unavailable` in an outage. */
export class SavedFiltersStore {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Returns the saved filters of an account, oldest first. */
  async listOf(_id: string): Promise<StoredFilter[]> {
    const found = await this.#database.run(() => this.#database.collections.savedFilters.findOne({ _id }, BOUNDED));
    return found?.filters ?? [];
  }

  /** Removes every saved filter of an account. */
  async deleteAllOf(_id: string): Promise<void> {
    await this.#database.run(() => this.#database.collections.savedFilters.deleteOne({ _id }, BOUNDED));
  }
}
