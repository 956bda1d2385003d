import { X } from 'lucide';
import { useId, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { usePrinting } from '../components/printing.ts';
import { Words } from '../components/words.tsx';
import { Link } from '../router.tsx';
import { analytics as texts } from '../texts/analytics.ts';
import { type AnalyticsSearch, withFilter } from './analytics-search.ts';
import { type BreakdownList, isLong, type ListName, type ShownRow, shownRows } from './breakdown-rows.ts';
import { formatGrowth, formatNumber, formatShare } from './format.ts';
import { CountryFlag, Pictogram } from './pictogram.tsx';
import { pathOf } from './use-analytics-search.ts';

interface BreakdownProps {
  search: AnalyticsSearch;
  list: BreakdownList;
  /** False if a change would mislead, because the clicks before are those of a longer time. */
  isComparable?: boolean;
  /** True for the list of another view, until that of this one is there. */
  isLoading?: boolean;
}

/** The clicks by one dimension, as words with bars that show their share. A row filters by it, or removes its filter. */
export function Breakdown({ search, list, isComparable = true, isLoading = false }: BreakdownProps) {
  const { part, rows, clicks } = list;
  const id = useId();
  const [all, setAll] = useState(false);
  const printing = usePrinting();
  const shown = shownRows(list, all || printing);
  return (
    <section
      className={`card breakdown is-${part}${isLoading ? ' is-loading' : ''}`}
      aria-labelledby={id}
      aria-busy={isLoading}
    >
      <header className="card-header">
        <h2 id={id}>{texts.lists.titles[part]}</h2>
        <span className="card-column" aria-hidden>
          {texts.columns.clicks}
        </span>
      </header>
      {shown.length === 0 && <p className="card-note">{texts.lists.none}</p>}
      <ol className="breakdown-rows">
        {shown.map((row) => (
          <li key={row.filter === null ? `${row.name} ` : row.value}>
            <Row
              part={part}
              search={search}
              row={isComparable ? row : { ...row, previousClicks: undefined }}
              clicks={clicks}
            />
          </li>
        ))}
      </ol>
      {isLong(list) && (
        <Button size="s" variant="ghost" aria-expanded={all} onClick={() => setAll(!all)}>
          <Words text={all ? texts.lists.fewer : texts.lists.all(rows.length)} />
        </Button>
      )}
    </section>
  );
}

interface RowProps {
  part: ListName;
  search: AnalyticsSearch;
  row: ShownRow;
  clicks: number;
}

/** The lists whose rows have a picture of what they are about. */
const PICTURED: readonly ListName[] = ['devices', 'browsers', 'operating_systems'];

function Row({ part, search, row, clicks }: RowProps) {
  const { filter, previousClicks } = row;
  const change = previousClicks === undefined ? null : formatGrowth(previousClicks, row.clicks);
  const words = (
    <>
      <svg className="breakdown-bar" aria-hidden focusable="false">
        <rect width={`${(100 * row.clicks) / clicks}%`} height="100%" rx="2" />
      </svg>
      {part === 'countries' && <CountryFlag key={row.value} code={row.value} />}
      {PICTURED.includes(part) && <Pictogram of={row.value || 'other'} />}
      <span className="breakdown-name">
        <span translate={!row.isVerbatim} dir="auto">
          <Words text={row.name} />
        </span>
        {row.detail && (
          <small dir="auto">
            <Words text={row.detail} />
          </small>
        )}
      </span>
      {change !== null && (
        <span className="breakdown-change">
          <Words text={change} />
        </span>
      )}
      <span className="breakdown-share">
        <Words text={formatShare(row.clicks, clicks)} />
      </span>
      <span className="breakdown-clicks">
        <Words text={formatNumber(row.clicks)} /> <span className="visually-hidden">{texts.columns.clicks}</span>
      </span>
    </>
  );
  if (filter === null) return <div className="breakdown-row">{words}</div>;
  const filtered = search.filters[filter] === row.value;
  return (
    <Link
      className="breakdown-row is-link"
      href={pathOf(withFilter(search, filter, filtered ? null : row.value))}
      aria-current={filtered ? 'true' : undefined}
      title={filtered ? texts.lists.stopFilter : texts.lists.filterBy}
    >
      {words}
      {filtered && <Icon of={X} size={14} className="breakdown-remove" />}
    </Link>
  );
}
