import { useCallback, useMemo } from 'preact/hooks';
import { useLocation } from '../router.tsx';
import { useSearchParameters } from '../search-params.ts';
import { type AnalyticsSearch, readSearch, writeSearch } from './analytics-search.ts';

/** Returns the path of a view. */
export function pathOf(search: AnalyticsSearch): string {
  const parameters = writeSearch(search).toString();
  return parameters === '' ? '/analytics' : `/analytics?${parameters}`;
}

/** Returns the view of the address, and a function that goes to another view with an entry in the history. */
export function useAnalyticsSearch(): [AnalyticsSearch, (search: AnalyticsSearch) => void] {
  const parameters = useSearchParameters();
  const [, navigate] = useLocation();
  const search = useMemo(() => readSearch(parameters), [parameters]);
  const show = useCallback((next: AnalyticsSearch) => navigate(pathOf(next)), [navigate]);
  return [search, show];
}
