import type { JobFilter, LinkList, ListLinksQuery } from '@waymark/contract';
import { beginningOf } from '../dates.ts';
import { type SearchValues, searchValues } from '../search-values.ts';

/** The filters of the view, in its address under the names of the API. */
export const FILTER_NAMES = [
  ...['hashtag', 'visibility', 'domain', 'destination_url', 'host', 'health', 'expired', 'managed_by'],
  ...['created_after', 'created_before', 'last_clicked_before', 'archived'],
] as const;
export type FilterName = (typeof FILTER_NAMES)[number];

/** The state of the view that is in its address. */
export const QUERY_NAMES = ['q', ...FILTER_NAMES, 'sort', 'dir', 'per', 'page'] as const;
export type LinkView = SearchValues<(typeof QUERY_NAMES)[number]>;

/** Returns the view of the list that the address has, or null if it has another view. */
export function listInAddress({ pathname, search }: Location): LinkView | null {
  return /^\/app\/?(links)?$/.test(pathname) ? searchValues(new URLSearchParams(search), QUERY_NAMES) : null;
}

/** Filters by a day. The address has the date; the API gets the moment at which that day begins in the browser's zone. */
export const DAY_FILTERS = ['created_after', 'created_before', 'last_clicked_before'] as const;

/** The number of rows of a page, and the choices. */
export const PER_PAGE = 25;
export const PER_PAGE_CHOICES = [PER_PAGE, 50, 100];

/** Returns the last page of a list with this many links. */
export function lastPageOf({ total, per }: Pick<LinkList, 'total' | 'per'>): number {
  return Math.max(1, Math.ceil(total / per));
}

/**
 * Returns the query of the list for an address. Sends unknown values, too, so that the API's message says what is wrong
 * with the address.
 */
export function listQuery(view: LinkView): Partial<ListLinksQuery> {
  return {
    ...withMoments(view),
    page: view.page ?? '1',
    per: view.per ?? PER_PAGE,
  } as unknown as Partial<ListLinksQuery>;
}

/** Returns the search and the filters as the API takes them, also for an export. */
export function filterQuery({ sort: _sort, dir: _dir, per: _per, page: _page, ...filters }: LinkView): LinkView {
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

/** Returns the field that a view is sorted by, and the direction. */
export function orderOf({ sort = 'created_at', dir = 'desc' }: LinkView): { sort: string; dir: string } {
  return { sort, dir };
}

/** Returns the filters that are set. */
export function activeFilters(view: LinkView): [FilterName, string][] {
  return FILTER_NAMES.flatMap((name) => (view[name] === undefined ? [] : [[name, view[name]]]));
}

/** Returns true if the view shows only some of the links. */
export function isFiltered(view: LinkView): boolean {
  return view.q !== undefined || activeFilters(view).length > 0;
}
