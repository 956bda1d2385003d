import { useCallback, useMemo } from 'preact/hooks';
import { useLocation, useQueryText } from './router.tsx';
import { type SearchValues, searchValues } from './search-values.ts';

/** Returns the query parameters of the address. */
export function useSearchParameters(): URLSearchParams {
  const search = useQueryText();
  return useMemo(() => new URLSearchParams(search), [search]);
}

/**
 * Keeps the state of a view in the query of the address, so that it can be shared and the back button works. Reads only
 * `names`; an empty value counts as none. `set` changes the given ones (`undefined` removes) and keeps the others. With
 * `replace`, the change is no step of the history: for each letter of a search.
 */
export function useSearchState<Name extends string>(
  names: readonly Name[],
): [SearchValues<Name>, (changes: SearchValues<Name>, options?: { replace?: boolean }) => void] {
  const parameters = useSearchParameters();
  const [path, navigate] = useLocation();
  const values = useMemo(() => searchValues(parameters, names), [parameters, names]);
  const set = useCallback(
    (changes: SearchValues<Name>, options: { replace?: boolean } = {}) => {
      // The address of this moment: there may be several changes before the next render.
      const next = new URLSearchParams(window.location.search);
      for (const [name, value] of Object.entries(changes) as [Name, string | undefined][]) {
        if (value) next.set(name, value);
        else next.delete(name);
      }
      navigate(next.size === 0 ? path : `${path}?${next}`, options);
    },
    [path, navigate],
  );
  return [values, set];
}
