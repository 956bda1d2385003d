import type { Analytics } from '@waymark/contract';
import type { ComponentChildren } from 'preact';
import { serverNow } from '../api/server-clock.ts';
import { Words } from '../components/words.tsx';
import { addDays } from '../dates.ts';
import { analytics as texts } from '../texts/analytics.ts';
import {
  formatChange,
  formatClock,
  formatDay,
  formatGrowth,
  formatHour,
  formatMean,
  formatNumber,
  formatShortSpan,
} from './format.ts';
import { passOf } from './time-series.ts';
import { type Compared, type Comparison, comparisonOf, endsToday } from './window-before.ts';

/** The totals of the window, and how they changed. */
export function KeyFigures({ shown, previous }: { shown: Analytics; previous: Analytics | null }) {
  const now = serverNow();
  const busiest = busiestOf(shown);
  const comparison = comparisonOf(shown, previous, now);
  const isToday = shown.days === 1 && endsToday(shown, now);
  /** Says what a figure was, and when. `whole` is that of all of the window before. */
  const before = (
    compared: Compared | null | undefined,
    whole: number | null | undefined,
    format: FigureProps['format'],
  ) =>
    comparison && compared
      ? wordsOfPart(shown, isToday, comparison.part, format(compared.now), format(compared.before))
      : whole == null
        ? null
        : wordsOfWhole(shown, isToday, format(whole));
  const clicks = comparison?.clicks;
  const visitors = comparison?.visitors;
  const means = comparison && meansOf(comparison);
  const wholeMean = previous && meanOf(previous.clicks, previous.visitors);
  return (
    <dl className="key-figures" aria-label={texts.figures.label}>
      <Figure
        name={texts.figures.clicks}
        value={shown.clicks}
        format={formatNumber}
        change={clicks && <Change {...clicks} words={formatGrowth(clicks.before, clicks.now)} />}
        before={before(clicks, shown.previous?.clicks, formatNumber)}
      />
      <Figure
        name={texts.figures.visitors}
        hint={texts.figures.visitorsHint}
        value={shown.visitors ?? 0}
        format={formatNumber}
        change={visitors && <Change {...visitors} words={formatGrowth(visitors.before, visitors.now)} />}
        before={before(visitors, previous?.visitors, formatNumber)}
      />
      <Figure
        name={texts.figures.mean}
        value={meanOf(shown.clicks, shown.visitors) ?? 0}
        format={formatMean}
        change={means && <Change {...means} words={formatChange(means.before, means.now)!} />}
        before={before(means, wholeMean, formatMean)}
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

function wordsOfPart(
  shown: Analytics,
  isToday: boolean,
  part: Comparison['part'],
  now: string,
  before: string,
): string {
  const words = texts.figures.before;
  if (part.kind === 'until-hour') return words.yesterdayUntil(now, before, formatHour(part.hour));
  if (part.kind === 'whole') return wordsOfWhole(shown, isToday, before);
  const { from, to } = shown.previous!;
  return words.withoutToday(now, before, formatShortSpan(from, addDays(to, -1)));
}

/** Returns the clicks of each visitor. Null without visitors. */
function meanOf(clicks: number, visitors: number | undefined): number | null {
  return visitors ? clicks / visitors : null;
}

/** Null unless there were visitors in both windows. */
function meansOf({ clicks, visitors }: Comparison): Compared | null {
  const now = meanOf(clicks.now, visitors?.now);
  const before = meanOf(clicks.before, visitors?.before);
  return now === null || before === null ? null : { now, before };
}

function busiestOf(shown: Analytics): { name: string; clicks: number; time: string } {
  const hours = shown.clicks_by_hour;
  if (shown.days === 1 && hours !== undefined) {
    const clicks = Math.max(...hours.map((hour) => hour.clicks));
    const index = hours.findIndex((hour) => hour.clicks === clicks);
    return { name: texts.figures.busiestHour, clicks, time: formatClock(hours[index]!.hour, passOf(hours, index)) };
  }
  const { clicks, date } = shown.clicks_by_day.reduce((most, day) => (day.clicks > most.clicks ? day : most));
  return { name: texts.figures.busiestDay, clicks, time: formatDay(date) };
}

interface FigureProps {
  name: string;
  hint?: string;
  value: number;
  format: (value: number) => string;
  change: ComponentChildren;
  /** Says what it was, and when. Null if it is not known. */
  before: string | null;
}

function Figure({ name, hint = '', value, format, change, before }: FigureProps) {
  return (
    <div className="card key-figure" title={hint}>
      <dt>{name}</dt>
      <dd>
        <strong>
          <Words text={format(value)} />
        </strong>
        {change}
        <span className="key-figure-before">
          <Words text={before ?? hint} />
        </span>
      </dd>
    </div>
  );
}

function Change({ before, now, words }: Compared & { words: string }) {
  const direction = now > before ? 'is-up' : now < before ? 'is-down' : 'is-same';
  return (
    <span className={`change ${direction}`}>
      <Words text={words} />
    </span>
  );
}
