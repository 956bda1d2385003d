import type { Analytics } from '@waymark/contract';
import { Link } from '../router.tsx';
import { analytics as texts } from '../texts/analytics.ts';
import { type AnalyticsSearch, withWindow } from './analytics-search.ts';
import { BarChart } from './bar-chart.tsx';
import { formatHour, formatNumber, formatShare } from './format.ts';
import { hoursOfDay } from './time-series.ts';
import { pathOf } from './use-analytics-search.ts';

/** The clicks of each hour of the day, added up over the window. */
export function HoursChart({ search, shown }: { search: AnalyticsSearch; shown: Analytics }) {
  return (
    <section className="card hours-chart" aria-labelledby="hours-chart">
      <header className="card-header">
        <h2 id="hours-chart">{texts.hours.title}</h2>
      </header>
      {shown.clicks_by_hour ? (
        <BarChart
          label={texts.hours.title}
          hint={texts.chart.keys}
          bars={hoursOfDay(shown.clicks_by_hour).map(({ hour, clicks, times }) => ({
            key: String(hour),
            value: clicks,
            previous: null,
            shortLabel: formatHour(hour),
            label: formatHour(hour),
            lines: [
              texts.chart.clicks(clicks, formatNumber(clicks)),
              formatShare(clicks, shown.clicks),
              ...(times > shown.days ? [texts.hours.repeated] : []),
              ...(times < shown.days ? [texts.hours.skipped] : []),
            ],
            href: null,
          }))}
        />
      ) : (
        <p className="card-note">
          {texts.hours.tooLong} <Link href={pathOf(withWindow(search, { days: 30 }))}>{texts.hours.shorter}</Link>
        </p>
      )}
    </section>
  );
}
