import type { SavedFilterQuery } from '@waymark/contract';

/** The saved filters of an account. It exists from the first one on. */
export interface SavedFiltersDocument {
  /** The account. */
  _id: string;
  /** Oldest first. */
  filters: StoredFilter[];
}

export interface StoredFilter {
  id: string;
  name: string;
  query: SavedFilterQuery;
  created_at: Date;
}
