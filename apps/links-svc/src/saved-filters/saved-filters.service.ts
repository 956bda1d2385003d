import { randomUUID } from 'node:crypto';
import {
  AppError,
  NO_SUCH_FILTER_MESSAGE,
  SAVED_FILTERS_FULL_MESSAGE,
  SAVED_FILTERS_MAX,
  type SavedFilter,
  type SaveFilterInput,
} from '@waymark/contract';
import type { ChangeQueue } from '../changes/change-queue.ts';
import type { StoredFilter } from '../database/documents/saved-filters.ts';
import type { SavedFiltersStore } from './saved-filters.store.ts';

export interface SavedFiltersServiceDeps {
  savedFilters: Pick<SavedFiltersStore, 'listOf'>;
  changes: Pick<ChangeQueue, 'run'>;
}

/** About how many bytes the filters of an account take at most. */
const CHANGE_BYTES = 262_144;

/** The use cases of saved filters. The transports check who may call them. */
export class SavedFiltersService {
  readonly #deps: SavedFiltersServiceDeps;

  constructor(deps: SavedFiltersServiceDeps) {
    this.#deps = deps;
  }

  /** Returns the saved filters of an account, by name. */
  async list(accountId: string): Promise<SavedFilter[]> {
    const filters = await this.#deps.savedFilters.listOf(accountId);
    return filters.map(shownFilter).sort((a, b) => a.name.localeCompare(b.name, 'en'));
  }

  /**
   * Saves a filter.
   * @throws {AppError} `invalid` if the account has as many as it can.
   */
  save(accountId: string, { name, query }: SaveFilterInput): Promise<SavedFilter> {
    return this.#change(accountId, (filters, now) => {
      if (filters.length >= SAVED_FILTERS_MAX) throw new AppError('invalid', SAVED_FILTERS_FULL_MESSAGE);
      const filter = { id: randomUUID(), name, query, created_at: now };
      return { filters: [...filters, filter], result: shownFilter(filter) };
    });
  }

  /**
   * Deletes a saved filter.
   * @throws {AppError} `not_found`.
   */
  delete(accountId: string, id: string): Promise<void> {
    return this.#change(accountId, (filters) => {
      const others = filters.filter((one) => one.id !== id);
      if (others.length === filters.length) throw new AppError('not_found', NO_SUCH_FILTER_MESSAGE);
      return { filters: others, result: undefined };
    });
  }

  #change<Result>(
    accountId: string,
    decide: (filters: readonly StoredFilter[], now: Date) => { filters: StoredFilter[]; result: Result },
  ): Promise<Result> {
    return this.#deps.changes.run({
      accountId,
      size: 1,
      bytes: CHANGE_BYTES,
      reads: () => ({ savedFilters: [accountId] }),
      decide: ({ documents, now }) => {
        const { filters, result } = decide(documents.savedFilters.get(accountId)?.filters ?? [], now);
        documents.savedFilters.put({ _id: accountId, filters });
        return result;
      },
    });
  }
}

function shownFilter({ created_at, ...filter }: StoredFilter): SavedFilter {
  return { ...filter, created_at: created_at.toISOString() };
}
