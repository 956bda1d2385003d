import { X } from 'lucide';
import { Icon } from '../components/icon.tsx';
import { Words } from '../components/words.tsx';
import { useLink } from '../links/use-link.ts';
import { Link } from '../router.tsx';
import { analytics as texts } from '../texts/analytics.ts';
import { type AnalyticsSearch, FILTERS, withFilter } from './analytics-search.ts';
import { nameOfFilter, nameOfLink } from './breakdown-rows.ts';
import { pathOf } from './use-analytics-search.ts';

/** The filters of the view. A press on one removes it. */
export function FilterChips({ search }: { search: AnalyticsSearch }) {
  const { filters } = search;
  const names = FILTERS.filter((name) => filters[name] !== undefined);
  const linkName = useLinkName(filters.link_id);
  if (names.length === 0) return null;
  return (
    <ul className="chips" aria-label={texts.filters.label}>
      {names.map((name) => {
        const value = name === 'link_id' ? linkName : nameOfFilter(name, filters[name]!);
        // Otherwise it is in words, such as “Germany”.
        const isVerbatim = name === 'link_id' || value.endsWith(filters[name]!);
        return (
          <li key={name}>
            <Link
              className="chip"
              href={pathOf(withFilter(search, name, null))}
              aria-label={texts.filters.remove(texts.filters.names[name], value)}
            >
              <span className="chip-name">{texts.filters.names[name]}</span>{' '}
              <Words text={value} verbatim={isVerbatim ? value : ''} />
              <Icon of={X} size={14} />
            </Link>
          </li>
        );
      })}
      {names.length > 1 && (
        <li>
          <Link className="chips-clear" href={pathOf({ ...search, filters: {} })}>
            {texts.filters.clear}
          </Link>
        </li>
      )}
    </ul>
  );
}

/** Returns the filters of the view, for the title of the document. */
export function useFilterNames({ filters }: AnalyticsSearch): string {
  const linkName = useLinkName(filters.link_id);
  return FILTERS.filter((name) => filters[name] !== undefined)
    .map((name) => (name === 'link_id' ? linkName : nameOfFilter(name, filters[name]!)))
    .join(', ');
}

function useLinkName(id: string | undefined): string {
  const link = useLink(id);
  if (link.data) return nameOfLink(link.data);
  return link.isError ? texts.filters.unknownLink : '…';
}
