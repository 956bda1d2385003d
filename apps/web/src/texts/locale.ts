/** The language of the texts, so that numbers and dates are in the same one whatever the browser's language is. */
export const LOCALE = 'en-GB';

const NUMBER = new Intl.NumberFormat(LOCALE);
const MEGABYTES = new Intl.NumberFormat(LOCALE, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
const DAY = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium' });
const MINUTE = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' });

/** Returns a number with separators: 12,345. */
export function numberText(value: number): string {
  return NUMBER.format(value);
}

/** Returns a number with its noun: 1 link, 2 links. */
export function countText(n: number, one: string, many = `${one}s`): string {
  return `${numberText(n)} ${n === 1 ? one : many}`;
}

/** Returns a size in megabytes, with one digit: 12.3. */
export function megabytesText(bytes: number): string {
  return MEGABYTES.format(bytes / 1e6);
}

/** Returns the day of a moment, in the browser's time zone: 24 Nov 2026. */
export function dayText(moment: string | Date): string {
  return DAY.format(new Date(moment));
}

/** Returns the day and the minute of a moment, in the browser's time zone: 24 Nov 2026, 22:35. */
export function minuteText(moment: string | Date): string {
  return MINUTE.format(new Date(moment));
}
