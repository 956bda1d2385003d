import { timeOfRfc3339 } from '@waymark/contract';
import { RowError } from '../rows/row.ts';
import { isNo, shown, textOf } from './values.ts';

/** A date, maybe with a time, maybe with a zone. */
const TIME = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d(?:\.\d{1,9})?)? ?(Z|UTC|[+-]\d\d(?::?\d\d)?)?)?$/i;
/** What MySQL writes for no time. */
const NO_TIME = /^0000-00-00(?: 00:00:00)?$/;

/** From this year on, an expiry means never: databases write 9999-12-31, people 2999. */
const NEVER_YEAR = 2200;

/**
 * Reads an expiry like {@link timeOf}.
 * @throws {RowError}
 */
export function expiryOf(value: unknown, column: string): Date | null {
  const expiry = timeOf('expiry', value, column);
  return expiry !== null && expiry.getUTCFullYear() >= NEVER_YEAR ? null : expiry;
}

/**
 * Reads the time that a column has: RFC 3339, Unix seconds or milliseconds, and times of databases. Without a zone they are UTC. Returns null if there
 * is no time.
 * @throws {RowError}
 */
export function timeOf(meaning: string, value: unknown, column: string): Date | null {
  if (isNo(value)) return null;
  const text = textOf(value, column).trim();
  if (NO_TIME.test(text)) return null;
  const time = /^\d{9,10}$/.test(text)
    ? new Date(Number(text) * 1_000)
    : /^\d{12,13}$/.test(text)
      ? new Date(Number(text))
      : timeOfRfc3339(rfc3339Of(text));
  if (time === null)
    throw new RowError(`The ${meaning} ${shown(text)} cannot be read; write it like 2024-03-01T10:00:00Z.`);
  return time;
}

function rfc3339Of(text: string): string {
  const [, date, time = '00:00', seconds = ':00', zone = 'Z'] = TIME.exec(text) ?? [];
  return `${date}T${time}${seconds}${/^(Z|UTC)$/i.test(zone) ? 'Z' : offsetOf(zone)}`;
}

/** Returns a zone such as `+01` or `+0530` as RFC 3339 has it. */
function offsetOf(zone: string): string {
  const digits = zone.slice(1).replace(':', '');
  return `${zone[0]}${digits.slice(0, 2)}:${digits.slice(2) || '00'}`;
}
