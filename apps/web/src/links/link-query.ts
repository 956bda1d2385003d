import type { JobFilter, ListLinksQuery } from '@waymark/contract';
import { beginningOf } from '../dates.ts';
import type { SearchValues } from '../search-params.ts';

/** The filters of the view, in its address under the names of the API. */
export const FILTER_NAMES = ['hashtag', 'visibility', 'domain', 'host', 'archived', 'last_clicked_before'] as const;
export type FilterName = (typeof FILTER_NAMES)[number];

/** The state of the view that is in its address. */
export const QUERY_NAMES = ['q', ...FILTER_NAMES, 'sort', 'dir', 'page'] as const;
export type LinkView = SearchValues<(typeof QUERY_NAMES)[number]>;

/** Filters by a day. The address has the date; the API gets the moment at which that day begins in the browser's zone. */
const DAY_FILTERS = ['last_clicked_before'] as const;

export const PER_PAGE = 25;

/** Returns the last page of a list with this many links. */
export function lastPageOf(total: number): number {
  return Math.max(1, Math.ceil(total / PER_PAGE));
}

/**
 * Returns the query of the list for an address. Sends unknown values, too, so that the API's message says what is wrong
 * with the address.
 */
export function listQuery(view: LinkView): Partial<ListLinksQuery> {
  return { ...withMoments(view), page: view.page ?? '1', per: PER_PAGE } as unknown as Partial<ListLinksQuery>;
}

/** Returns the search and the filters as the API takes them, also for an export. */
export function filterQuery({ sort: _sort, dir: _dir, page: _page, ...filters }: LinkView): LinkView {
  return withMoments(filters);
}

/**
 * Returns the filter of a job on the links that the list finds. A job needs a filter that narrows the links, or `all`,
 * which finds archived links, too. Every link was created since 1970.
 */
export function jobFilter(view: LinkView): JobFilter {
  const filters = filterQuery(view);
  const { q = '', archived = 'false', ...others } = filters;
  const narrows = q.trim() !== '' || archived === 'true' || Object.values(others).some((value) => value !== undefined);
  if (narrows) return filters as JobFilter;
  return archived === 'any' ? { all: true } : { created_after: '1970-01-01' };
}

function withMoments(view: LinkView): LinkView {
  const query = { ...view };
  for (const name of DAY_FILTERS) {
    const date = view[name];
    if (date !== undefined) query[name] = beginningOf(date);
  }
  return query;
}

/** Returns the filters that are set. */
export function activeFilters(view: LinkView): [FilterName, string][] {
  return FILTER_NAMES.flatMap((name) => (view[name] === undefined ? [] : [[name, view[name]]]));
}

/** Returns true if the view shows only some of the links. */
export function isFiltered(view: LinkView): boolean {
  return view.q !== undefined || activeFilters(view).length > 0;
}
