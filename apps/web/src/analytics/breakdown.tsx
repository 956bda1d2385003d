import { X } from 'lucide';
import { useId, useState } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { Words } from '../components/words.tsx';
import { Link } from '../router.tsx';
import { analytics as texts } from '../texts/analytics.ts';
import { type AnalyticsSearch, type FilterName, withFilter } from './analytics-search.ts';
import { type BreakdownRow, clicksOf } from './breakdown-rows.ts';
import { formatChange, formatNumber, formatShare } from './format.ts';
import { pathOf } from './use-analytics-search.ts';

interface BreakdownProps {
  part: keyof typeof texts.lists.titles;
  search: AnalyticsSearch;
  /** The filter that a row sets. Null if the API has none for them. */
  filter: FilterName | null;
  rows: readonly BreakdownRow[];
  /** The clicks in none of the rows. */
  otherClicks: number;
  clicks: number;
  /** False if the clicks before are those of a longer time. */
  isComparable: boolean;
}

const ROWS_SHOWN = 6;
/** The key of the row of all others. The API has no such value. */
const OTHERS = '';

/** The clicks by one dimension, as words with bars that show their share. A row filters by it, or removes its filter. */
export function Breakdown({ part, search, filter, rows, otherClicks, clicks, isComparable }: BreakdownProps) {
  const id = useId();
  const [all, setAll] = useState(false);
  // One more row takes no more space than one for all others.
  const isCut = rows.length > ROWS_SHOWN + 1;
  const shown = all || !isCut ? rows : rows.slice(0, ROWS_SHOWN);
  const hidden = rows.slice(shown.length);
  const others: BreakdownRow = {
    value: OTHERS,
    name: texts.lists.others(otherClicks > 0 ? null : hidden.length),
    isVerbatim: false,
    clicks: clicksOf(hidden) + otherClicks,
  };
  return (
    <section className={`card breakdown is-${part}`} aria-labelledby={id}>
      <header className="card-header">
        <h2 id={id}>{texts.lists.titles[part]}</h2>
        <span className="card-column" aria-hidden>
          {texts.columns.clicks}
        </span>
      </header>
      {rows.length === 0 && <p className="card-note">{texts.lists.none}</p>}
      <ol className="breakdown-rows">
        {shown.map((row) => (
          <li key={row.value}>
            <Row
              search={search}
              filter={filter}
              row={isComparable ? row : { ...row, previousClicks: undefined }}
              clicks={clicks}
            />
          </li>
        ))}
        {others.clicks > 0 && (
          <li key={OTHERS}>
            <Row search={search} filter={null} row={others} clicks={clicks} />
          </li>
        )}
      </ol>
      {isCut && (
        <Button size="s" variant="ghost" aria-expanded={all} onClick={() => setAll(!all)}>
          <Words text={all ? texts.lists.fewer : texts.lists.all(rows.length)} />
        </Button>
      )}
    </section>
  );
}

interface RowProps {
  search: AnalyticsSearch;
  filter: FilterName | null;
  row: BreakdownRow;
  clicks: number;
}

function Row({ search, filter, row, clicks }: RowProps) {
  const change = row.previousClicks === undefined ? null : formatChange(row.previousClicks, row.clicks);
  const words = (
    <>
      <svg className="breakdown-bar" aria-hidden focusable="false">
        <rect width={`${(100 * row.clicks) / clicks}%`} height="100%" rx="2" />
      </svg>
      <span className="breakdown-name">
        <span translate={!row.isVerbatim}>
          <Words text={row.name} />
        </span>
        {row.detail && (
          <small>
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
