import { analytics as texts } from '../texts/analytics.ts';
import { LOCALE } from '../texts/locale.ts';
import type { Bar } from './time-series.ts';

const NUMBER = new Intl.NumberFormat(LOCALE);
const COMPACT = new Intl.NumberFormat(LOCALE, { notation: 'compact', maximumFractionDigits: 1 });
const ONE_DIGIT = new Intl.NumberFormat(LOCALE, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const SHARE = new Intl.NumberFormat(LOCALE, {
  style: 'percent',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});
const CHANGE = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 0, signDisplay: 'exceptZero' });
const COUNTRY = new Intl.DisplayNames(LOCALE, { type: 'region', fallback: 'code' });

const LANGUAGE = new Intl.DisplayNames(LOCALE, { type: 'language', fallback: 'code' });

const dates = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(LOCALE, { timeZone: 'UTC', ...options });
const DAY = dates({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' });
const SHORT_DAY = dates({ day: 'numeric', month: 'short' });
const SPAN = dates({ day: 'numeric', month: 'short', year: 'numeric' });
const MONTH = dates({ month: 'short', year: 'numeric' });
const SHORT_MONTH = dates({ month: 'short' });

/** Returns a number with separators: 12,345. */
export function formatNumber(value: number): string {
  return NUMBER.format(value);
}

/** Returns a number in at most 5 characters for an axis: 12.3k. */
export function formatCompact(value: number): string {
  return COMPACT.format(value);
}

/** Returns a mean with one digit: 41.3. */
export function formatMean(value: number): string {
  return ONE_DIGIT.format(value);
}

/** Returns a share of a whole: 12.5%. The share of nothing is 0.0%. Only nothing is 0.0%, and only all of it 100.0%. */
export function formatShare(part: number, whole: number): string {
  const share = whole === 0 ? 0 : part / whole;
  if (share > 0 && share < 0.0005) return `<${SHARE.format(0.001)}`;
  if (share < 1 && share >= 0.9995) return `>${SHARE.format(0.999)}`;
  return SHARE.format(share);
}

/** From here on, a change is a factor: nobody reads +172,771%. */
const FACTOR_FROM = 10;

/** Returns the change from one number to another: +25%, −10%, 0% or ×12. Null if it began with nothing. Only nothing is −100%. */
export function formatChange(before: number, now: number): string | null {
  if (before === 0) return now === 0 ? CHANGE.format(0) : null;
  if (now / before >= FACTOR_FROM) return `×${NUMBER.format(Math.round(now / before))}`;
  return CHANGE.format(Math.max((now - before) / before, now === 0 ? -1 : -0.99));
}

/**
 * Returns the change from one number of clicks or visitors to another. Growth from nothing and changes of a single one are
 * in words, because their percentages say nothing.
 */
export function formatGrowth(before: number, now: number): string {
  if (before === 0 && now > 0) return texts.change.isNew;
  if (before === 1 && now !== 1) return texts.change.fromOne(NUMBER.format(now));
  return formatChange(before, now)!;
}

/** Returns the name of a country of ISO 3166-1 alpha-2, or the text itself if there is none. */
export function countryName(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? (COUNTRY.of(code) ?? code) : code;
}

/** Returns the name of a language of two letters, or the text itself if there is none. */
export function languageName(code: string): string {
  return /^[a-z]{2}$/.test(code) ? (LANGUAGE.of(code) ?? code) : code;
}

/** Returns an ISO date in words: Sat, 21 Nov 2026. */
export function formatDay(date: string): string {
  return DAY.format(Date.parse(date));
}

/** Returns a moment in a time zone, with seconds: 21 Nov, 09:41:03. */
export function formatMoment(moment: string, timeZone: string): string {
  const time = { hour: '2-digit', minute: '2-digit', second: '2-digit' } as const;
  return new Intl.DateTimeFormat(LOCALE, { timeZone, day: 'numeric', month: 'short', ...time }).format(
    Date.parse(moment),
  );
}

/** Returns the days from one ISO date to another in words: 25 Oct – 23 Nov 2026. An address may have them reversed. */
export function formatSpan(from: string, to: string): string {
  if (from > to) return `${SPAN.format(Date.parse(from))} – ${SPAN.format(Date.parse(to))}`;
  return SPAN.formatRange(Date.parse(from), Date.parse(to));
}

/** Returns the days from one ISO date to another in a few words: 25 Oct – 23 Nov. */
export function formatShortSpan(from: string, to: string): string {
  return SHORT_DAY.formatRange(Date.parse(from), Date.parse(to));
}

/** Returns an hour of the day: 09:00. */
export function formatHour(hour: number): string {
  return `${String(hour).padStart(2, '0')}:00`;
}

/** Returns when an hour begins, and which one it is of two that the clocks show alike: 02:00 (second). */
export function formatClock(hour: string, pass: Bar['pass']): string {
  const clock = hour.slice(11, 16);
  return pass === null ? clock : texts.hours.pass(clock, pass);
}

/** Returns what a bar stands for, for a table and for screen readers. */
export function formatBar({ from, to, hour, pass }: Bar): string {
  if (hour !== null) return `${formatDay(from)}, ${formatClock(hour, pass)}`;
  return from === to ? formatDay(from) : formatSpan(from, to);
}

/** Returns the few characters below a bar. */
export function formatBarShort({ key, from, hour }: Bar): string {
  if (hour !== null) return hour.slice(11, 16);
  if (key.length > 'yyyy-mm'.length) return SHORT_DAY.format(Date.parse(from));
  return (key.endsWith('-01') ? MONTH : SHORT_MONTH).format(Date.parse(from));
}
