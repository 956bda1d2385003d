import { AppError } from '@waymark/contract';

/**
 * The bytes that the records of `Idempotency-Key`s take, by the hour in which they were written, in hours since the
 * epoch. Each API key of an account has its own, so use of the other key does not show.
 */
type KeptBytes = Record<string, number>;

/** More than one key needs that creates a link of the usual size 600 times a minute, all day. */
export const KEPT_BYTES_MAX = 512 * 1_024 * 1_024;
/** What a record takes besides its answer, with the index. */
const RECORD_BYTES = 256;
const HOUR_MS = 3_600_000;
/** A record lives for a day from any moment of its hour. */
const HOURS = 25;

/**
 * Returns what is still kept now.
 * @throws {AppError} `rate_limited` if that is too much for one more record.
 */
export function checkKeptBytes(kept: KeptBytes, nowMs: number): KeptBytes {
  const hours = Object.entries(kept).filter(([hour]) => endOf(hour) > nowMs);
  const total = hours.reduce((sum, [, bytes]) => sum + bytes, 0);
  if (total < KEPT_BYTES_MAX) return Object.fromEntries(hours);
  const ends = hours.map(([hour]) => endOf(hour));
  throw new AppError(
    'rate_limited',
    'Too many responses are kept for requests with an "Idempotency-Key"; try again later, or send fewer links in each.',
    { retryAfterSeconds: Math.ceil((Math.min(...ends) - nowMs) / 1_000) },
  );
}

/** Returns what is kept with one more record, whose answer has this many bytes. */
export function withRecord(kept: KeptBytes, answerBytes: number, nowMs: number): KeptBytes {
  const hour = Math.floor(nowMs / HOUR_MS);
  return { ...kept, [hour]: (kept[hour] ?? 0) + answerBytes + RECORD_BYTES };
}

function endOf(hour: string): number {
  return (Number(hour) + HOURS) * HOUR_MS;
}
