import type { Analytics } from '@waymark/contract';
import { Table2 } from 'lucide';
import { useState } from 'preact/hooks';
import { serverNow } from '../api/server-clock.ts';
import { Button } from '../components/button.tsx';
import { Icon } from '../components/icon.tsx';
import { usePrinting } from '../components/printing.ts';
import { Words } from '../components/words.tsx';
import { addDays, dateIn, isTimeZone } from '../dates.ts';
import { Link } from '../router.tsx';
import { analytics as texts } from '../texts/analytics.ts';
import { type AnalyticsSearch, type Unit, withWindow } from './analytics-search.ts';
import { BarChart } from './bar-chart.tsx';
import { ClicksTable } from './clicks-table.tsx';
import { formatBar, formatBarShort, formatNumber, formatShortSpan, formatSpan } from './format.ts';
import { type Bar, isUnfinished, unitsOf } from './time-series.ts';
import { pathOf } from './use-analytics-search.ts';

interface ClicksChartProps {
  search: AnalyticsSearch;
  shown: Analytics;
  unit: Unit;
  bars: readonly Bar[];
}

/** The clicks of the window, by hour, day, week or month. A bar leads to the view of its days. */
export function ClicksChart({ search, shown, unit, bars }: ClicksChartProps) {
  const [asTable, setAsTable] = useState(false);
  const printing = usePrinting();
  const now = serverNow();
  const today = isTimeZone(shown.tz) ? dateIn(shown.tz, now) : '';
  const unfinished = bars.map((bar) => isUnfinished(bar, today, now));
  return (
    <section className="card clicks-chart" aria-labelledby="clicks-chart">
      <header className="card-header">
        <h2 id="clicks-chart">{texts.chart.title}</h2>
        <nav className="segments" aria-label={texts.chart.unit}>
          {unitsOf(shown.days).map((each) => (
            <Link
              key={each}
              href={pathOf({ ...search, unit: each })}
              aria-current={each === unit ? 'true' : undefined}
              replace
            >
              {texts.chart.units[each]}
            </Link>
          ))}
        </nav>
        <Button size="s" variant="ghost" aria-pressed={asTable} onClick={() => setAsTable(!asTable)}>
          <Icon of={Table2} size={16} />
          {texts.chart.table}
        </Button>
      </header>
      {(printing || !asTable) && (
        <BarChart
          label={texts.chart.title}
          hint={shown.days > 1 ? texts.chart.keysFilter : texts.chart.keys}
          bars={bars.map((bar, index) => ({
            key: bar.key,
            value: bar.clicks,
            previous: bar.previousClicks,
            shortLabel: formatBarShort(bar),
            label: formatBar(bar),
            unfinished: unfinished[index]!,
            lines: [...linesOf(bar, shown.days), ...(unfinished[index] ? [texts.chart.unfinished] : [])],
            href: shown.days > 1 ? pathOf(withWindow(search, { from: bar.from, to: bar.to })) : null,
          }))}
        />
      )}
      {(printing || asTable) && <ClicksTable bars={bars} previous={shown.previous} />}
      <p className="legend">
        <span className="legend-now">
          <Words text={formatSpan(shown.from, shown.to)} />
        </span>
        {unfinished.includes(true) && <span className="legend-unfinished">{texts.chart.legendUnfinished}</span>}
        {shown.previous && (
          <span className="legend-before">
            <Words text={texts.chart.legendBefore(formatSpan(shown.previous.from, shown.previous.to))} />
          </span>
        )}
      </p>
    </section>
  );
}

function linesOf({ from, to, hour, clicks, visitors, previousClicks }: Bar, days: number): string[] {
  const lines = [texts.chart.clicks(clicks, formatNumber(clicks))];
  if (visitors !== null) lines.push(texts.chart.visitors(visitors, formatNumber(visitors)));
  if (previousClicks !== null) {
    const ofDay = hour === null ? texts.chart.beforeDay : texts.chart.beforeHour;
    const words = from === to ? ofDay : texts.chart.beforeDays;
    lines.push(words(formatNumber(previousClicks), formatShortSpan(addDays(from, -days), addDays(to, -days))));
  }
  return lines;
}
