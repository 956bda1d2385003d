import { analytics as texts } from '../texts/analytics.ts';
import { formatChange, formatDay, formatMean, formatNumber } from './format.ts';
import { hoursOfDay } from './time-series.ts';
import type { Analytics } from './use-analytics.ts';

/** The totals of the window, and how they changed. */
export function KeyFigures({ shown, previous }: { shown: Analytics; previous: Analytics | null }) {
  const busiest = busiestOf(shown);
  return (
    <dl className="key-figures" aria-label={texts.figures.label}>
      <Figure name={texts.figures.clicks} value={shown.clicks} before={shown.previous?.clicks} format={formatNumber} />
      <Figure
        name={texts.figures.visitors}
        hint={texts.figures.visitorsHint}
        value={shown.visitors ?? 0}
        before={previous?.visitors}
        format={formatNumber}
      />
      <Figure
        name={texts.figures.mean}
        value={meanOf(shown)}
        before={previous ? meanOf(previous) : undefined}
        format={formatMean}
      />
      <div className="card key-figure">
        <dt>{busiest.name}</dt>
        <dd>
          <strong>{formatNumber(busiest.clicks)}</strong>
          <span className="key-figure-before">{busiest.time}</span>
        </dd>
      </div>
    </dl>
  );
}

function meanOf({ clicks, visitors }: Analytics): number {
  return visitors ? clicks / visitors : 0;
}

function busiestOf(shown: Analytics): { name: string; clicks: number; time: string } {
  if (shown.days === 1) {
    const sums = hoursOfDay(shown.clicks_by_hour ?? []);
    const clicks = Math.max(...sums);
    return { name: texts.figures.busiestHour, clicks, time: texts.hours.hour(sums.indexOf(clicks)) };
  }
  const { clicks, date } = shown.clicks_by_day.reduce((most, day) => (day.clicks > most.clicks ? day : most));
  return { name: texts.figures.busiestDay, clicks, time: formatDay(date) };
}

interface FigureProps {
  name: string;
  hint?: string;
  value: number;
  before: number | undefined;
  format: (value: number) => string;
}

function Figure({ name, hint, value, before, format }: FigureProps) {
  return (
    <div className="card key-figure" title={hint}>
      <dt>{name}</dt>
      <dd>
        <strong>{format(value)}</strong>
        {before !== undefined && <Change before={before} value={value} />}
        <span className="key-figure-before">{before === undefined ? hint : texts.figures.before(format(before))}</span>
      </dd>
    </div>
  );
}

function Change({ before, value }: { before: number; value: number }) {
  const direction = value > before ? 'is-up' : value < before ? 'is-down' : 'is-same';
  return <span className={`change ${direction}`}>{formatChange(before, value) ?? texts.figures.isNew}</span>;
}
