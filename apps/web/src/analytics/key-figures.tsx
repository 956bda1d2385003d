import type { Analytics } from '@waymark/contract';
import { serverNow } from '../api/server-clock.ts';
import { Words } from '../components/words.tsx';
import { analytics as texts } from '../texts/analytics.ts';
import { formatChange, formatDay, formatHour, formatMean, formatNumber, formatShortSpan } from './format.ts';
import { hoursOfDay } from './time-series.ts';
import { clicksBefore, endsToday } from './window-before.ts';

/** The totals of the window, and how they changed. */
export function KeyFigures({ shown, previous }: { shown: Analytics; previous: Analytics | null }) {
  const now = serverNow();
  const busiest = busiestOf(shown);
  const isToday = shown.days === 1 && endsToday(shown, now);
  /** A figure of the whole window before. Visitors of a part of a day are not known, so that of today does not compare. */
  const whole = (value: number | null, format: (value: number) => string): FigureBefore | null =>
    value === null ? null : { value, words: wordsOfWhole(shown, isToday, format(value)), isComparable: !isToday };
  const clicks = clicksBefore(shown, previous, now);
  return (
    <dl className="key-figures" aria-label={texts.figures.label}>
      <Figure
        name={texts.figures.clicks}
        value={shown.clicks}
        before={
          clicks && {
            value: clicks.clicks,
            words:
              clicks.untilHour === null
                ? wordsOfWhole(shown, isToday, formatNumber(clicks.clicks))
                : wordsUntil(shown, isToday, formatNumber(clicks.clicks), formatHour(clicks.untilHour)),
            isComparable: true,
          }
        }
        format={formatNumber}
      />
      <Figure
        name={texts.figures.visitors}
        hint={texts.figures.visitorsHint}
        value={shown.visitors ?? 0}
        before={whole(previous?.visitors ?? null, formatNumber)}
        format={formatNumber}
      />
      <Figure
        name={texts.figures.mean}
        value={meanOf(shown) ?? 0}
        before={whole(previous && meanOf(previous), formatMean)}
        format={formatMean}
      />
      <div className="card key-figure">
        <dt>
          <Words text={busiest.name} />
        </dt>
        <dd>
          <strong>
            <Words text={formatNumber(busiest.clicks)} />
          </strong>
          <span className="key-figure-before">
            <Words text={busiest.time} />
          </span>
        </dd>
      </div>
    </dl>
  );
}

function wordsOfWhole({ days, previous }: Analytics, isToday: boolean, value: string): string {
  const words = texts.figures.before;
  if (isToday) return words.yesterday(value);
  const { from, to } = previous!;
  return days === 1 ? words.day(value, formatDay(from)) : words.days(value, formatShortSpan(from, to));
}

function wordsUntil({ previous }: Analytics, isToday: boolean, value: string, hour: string): string {
  const words = texts.figures.before;
  if (isToday) return words.yesterdayUntil(value, hour);
  return words.daysUntil(value, formatShortSpan(previous!.from, previous!.to), hour);
}

/** Null without visitors. */
function meanOf({ clicks, visitors }: Analytics): number | null {
  return visitors ? clicks / visitors : null;
}

function busiestOf(shown: Analytics): { name: string; clicks: number; time: string } {
  if (shown.days === 1) {
    const sums = hoursOfDay(shown.clicks_by_hour ?? []);
    const clicks = Math.max(...sums);
    return { name: texts.figures.busiestHour, clicks, time: formatHour(sums.indexOf(clicks)) };
  }
  const { clicks, date } = shown.clicks_by_day.reduce((most, day) => (day.clicks > most.clicks ? day : most));
  return { name: texts.figures.busiestDay, clicks, time: formatDay(date) };
}

interface FigureBefore {
  value: number;
  /** Says what it was, and when. */
  words: string;
  /** False if a change from it would mislead. */
  isComparable: boolean;
}

interface FigureProps {
  name: string;
  hint?: string;
  value: number;
  before: FigureBefore | null;
  format: (value: number) => string;
}

function Figure({ name, hint = '', value, before, format }: FigureProps) {
  return (
    <div className="card key-figure" title={hint}>
      <dt>{name}</dt>
      <dd>
        <strong>
          <Words text={format(value)} />
        </strong>
        {before?.isComparable && <Change before={before.value} value={value} />}
        <span className="key-figure-before">
          <Words text={before?.words ?? hint} />
        </span>
      </dd>
    </div>
  );
}

function Change({ before, value }: { before: number; value: number }) {
  const direction = value > before ? 'is-up' : value < before ? 'is-down' : 'is-same';
  return (
    <span className={`change ${direction}`}>
      <Words text={formatChange(before, value) ?? texts.figures.isNew} />
    </span>
  );
}
