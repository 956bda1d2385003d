import type { operations } from '../api/api.gen.ts';
import type { JobFilter } from '../jobs/jobs.ts';
import type { SearchValues } from '../search-params.ts';

export type ListQuery = NonNullable<operations['listLinks']['parameters']['query']>;

/** The filters of the view, in its address under the names of the API. */
export const FILTER_NAMES = ['hashtag', 'visibility', 'domain', 'archived', 'last_clicked_before'] as const;
export type FilterName = (typeof FILTER_NAMES)[number];

/** The state of the view that is in its address. */
export const QUERY_NAMES = ['q', ...FILTER_NAMES, 'sort', 'dir', 'page'] as const;
export type LinkView = SearchValues<(typeof QUERY_NAMES)[number]>;

export const PER_PAGE = 25;

/**
 * Returns the query of the list for an address. Values that the API does not know are sent all the same, so that its
 * message tells what is wrong with the address.
 */
export function listQuery(view: LinkView): ListQuery {
  return { ...view, page: view.page ?? '1', per: PER_PAGE } as unknown as ListQuery;
}

/** Returns the search and the filters, which an export has, too. */
export function filterQuery({ sort: _sort, dir: _dir, page: _page, ...filters }: LinkView): LinkView {
  return filters;
}

/** Returns the filter of a job on the links that the list finds. Unlike the list, a job needs at least one. */
export function jobFilter(view: LinkView): JobFilter {
  return { archived: 'false', ...filterQuery(view) } as JobFilter;
}

/** Returns the filters that are set. */
export function activeFilters(view: LinkView): [FilterName, string][] {
  return FILTER_NAMES.flatMap((name) => (view[name] === undefined ? [] : [[name, view[name]]]));
}

/** Returns true if the view shows only some of the links. */
export function isFiltered(view: LinkView): boolean {
  return view.q !== undefined || activeFilters(view).length > 0;
}
