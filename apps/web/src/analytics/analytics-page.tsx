import type { Analytics } from '@waymark/contract';
import { Download, Radio, RotateCw } from 'lucide';
import { messageOf } from '../api/api-error.ts';
import { serverNow } from '../api/server-clock.ts';
import { Button } from '../components/button.tsx';
import { ErrorState } from '../components/error-state.tsx';
import { Icon } from '../components/icon.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { Words } from '../components/words.tsx';
import { saveCsv } from '../save-file.ts';
import { analytics as texts } from '../texts/analytics.ts';
import { shared } from '../texts/shared.ts';
import { daysOf, withFilter } from './analytics-search.ts';
import { Breakdown } from './breakdown.tsx';
import { breakdownLists, FIRST_LISTS, FURTHER_LISTS } from './breakdown-rows.ts';
import { ClicksChart } from './clicks-chart.tsx';
import { analyticsCsv } from './export-csv.ts';
import { FilterChips, useFilterNames } from './filter-chips.tsx';
import { FilterSearch } from './filter-search.tsx';
import { formatSpan } from './format.ts';
import { HoursChart } from './hours-chart.tsx';
import { KeyFigures } from './key-figures.tsx';
import { LatestClicks } from './latest-clicks.tsx';
import { LinkSummary } from './link-summary.tsx';
import { NoClicks } from './no-clicks.tsx';
import { NotCounted } from './not-counted.tsx';
import { barsOf } from './time-series.ts';
import { useAnalytics } from './use-analytics.ts';
import { useAnalyticsSearch } from './use-analytics-search.ts';
import { endsToday } from './window-before.ts';
import { WindowPicker } from './window-picker.tsx';
import { ZonePicker } from './zone-picker.tsx';
import './analytics.css';

const TODAY_WEIGHS_LITTLE_DAYS = 28;

/** The view at `/app/analytics`. */
export function AnalyticsPage() {
  const [search, show] = useAnalyticsSearch();
  const { query, previous, further, isFurtherOfView, unit } = useAnalytics(search);
  const shown = query.data;
  const loading = query.isPending || query.isPlaceholderData;
  const bars = shown ? barsOf(shown, previous, unit) : [];
  const hasClicks = shown !== undefined && shown.clicks > 0;
  const lists = shown ? breakdownLists(shown, FIRST_LISTS) : [];
  const furtherLists = further.data ? breakdownLists(further.data.answer, FURTHER_LISTS) : [];
  const isComplete = !hasClicks || isFurtherOfView;

  function exportCsv() {
    if (!shown) return;
    const all = hasClicks ? [...lists, ...furtherLists] : lists;
    saveCsv(analyticsCsv(shown, previous, bars, all), texts.export.fileName(shown.from, shown.to));
  }
  return (
    <div className="analytics">
      <PageHeader title={texts.title} about={useFilterNames(search)}>
        <Button aria-pressed={search.live} onClick={() => show({ ...search, live: !search.live })}>
          <Icon of={Radio} size={16} />
          {texts.latest.show}
        </Button>
        <Button onClick={exportCsv} disabled={!shown || loading || !isComplete}>
          <Icon of={Download} size={16} />
          {texts.export.action}
        </Button>
      </PageHeader>
      <section className="analytics-tools" aria-label={texts.toolbar}>
        <WindowPicker search={search} onShow={show} />
        <ZonePicker search={search} onShow={show} />
        <FilterSearch onChoose={({ filter, value }) => show(withFilter(search, filter, value))} />
        <label className="analytics-compare">
          <input
            type="checkbox"
            checked={search.compare}
            onChange={({ currentTarget }) => show({ ...search, compare: currentTarget.checked })}
          />
          <span>
            {texts.compare.short}
            <span className="analytics-compare-rest">
              <Words text={texts.compare.rest(daysOf(search.window))} />
            </span>
          </span>
        </label>
      </section>
      <FilterChips search={search} />
      {search.filters.link_id !== undefined && <LinkSummary id={search.filters.link_id} />}
      {search.live && <LatestClicks search={search} />}
      <p className="visually-hidden" role="status">
        {loading ? (
          <Words text={texts.state.loading} />
        ) : (
          shown && <Words text={texts.state.loaded(formatSpan(shown.from, shown.to))} />
        )}
      </p>
      {shown && query.isError && (
        <p className="notice" role="alert">
          <Words text={texts.state.stale(messageOf(query.error))} />
          <Button size="s" onClick={() => query.refetch()}>
            <Icon of={RotateCw} size={14} />
            {shared.retry}
          </Button>
        </p>
      )}
      {query.isPending && <Placeholder />}
      {!shown && query.isError && (
        <div className="card">
          <ErrorState error={query.error} onRetry={() => query.refetch()} />
        </div>
      )}
      {shown && (
        <div className={loading ? 'analytics-figures is-loading' : 'analytics-figures'} aria-busy={loading}>
          {!hasClicks ? (
            <NoClicks search={search} shown={shown} onShow={show} />
          ) : (
            <>
              <KeyFigures shown={shown} previous={previous} />
              <ClicksChart search={search} shown={shown} unit={unit} bars={bars} />
              {lists.map((list) => (
                <Breakdown key={list.part} search={search} list={list} isComparable={areLinksComparable(shown)} />
              ))}
              {further.isPending && <FurtherPlaceholder />}
              {further.isError && (
                <div className="card">
                  <ErrorState error={further.error} onRetry={() => further.refetch()} />
                </div>
              )}
              {furtherLists.map((list) => (
                <Breakdown key={list.part} search={search} list={list} isLoading={!isFurtherOfView} />
              ))}
              {!further.isPending && <HoursChart search={search} shown={shown} />}
            </>
          )}
          {!(hasClicks && further.isPending) && <NotCounted search={search} />}
        </div>
      )}
    </div>
  );
}

/**
 * Returns true if the clicks of links can be compared with those before. Those of a part of a window are not known, so a
 * window that ends today must be so long that today weighs little.
 */
function areLinksComparable(shown: Analytics): boolean {
  return shown.days >= TODAY_WEIGHS_LITTLE_DAYS || !endsToday(shown, serverNow());
}

/** Shows placeholders of the figures while they load, so that nothing moves afterwards. */
function Placeholder() {
  return (
    <div className="analytics-figures is-loading" aria-hidden>
      <div className="key-figures">
        {['a', 'b', 'c', 'd'].map((key) => (
          <div key={key} className="card key-figure" />
        ))}
      </div>
      <div className="card clicks-chart" />
      <div className="card breakdown is-top_links" />
      <div className="card breakdown is-sources" />
      <FurtherPlaceholder />
    </div>
  );
}

/** In place of the first two of the further lists. */
function FurtherPlaceholder() {
  return (
    <>
      <div className="card breakdown is-loading" aria-hidden />
      <div className="card breakdown is-loading" aria-hidden />
    </>
  );
}
