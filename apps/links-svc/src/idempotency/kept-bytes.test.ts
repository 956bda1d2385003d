import { expect, test } from 'vitest';
import { checkKeptBytes, KEPT_BYTES_MAX, withRecord } from './kept-bytes.ts';

const HOUR_MS = 3_600_000;
const NOW = 500_000 * HOUR_MS + 1_000;

test('what is kept is counted by the hour, until the last record of the hour has expired', () => {
  let kept = withRecord(checkKeptBytes({}, NOW), 1_000, NOW);
  kept = withRecord(checkKeptBytes(kept, NOW), 1_000, NOW);
  expect(kept).toEqual({ 500000: 2_512 });
  const later = NOW + 24 * HOUR_MS;
  kept = withRecord(checkKeptBytes(kept, later), 1_000, later);
  expect(kept).toEqual({ 500000: 2_512, 500024: 1_256 });
  expect(checkKeptBytes(kept, NOW + 25 * HOUR_MS)).toEqual({ 500024: 1_256 });
});

test('a record is refused when the account has the most that is kept, until the oldest hour is free', () => {
  const kept = { 499990: KEPT_BYTES_MAX / 2, 500000: KEPT_BYTES_MAX / 2 };
  expect(() => checkKeptBytes(kept, NOW)).toThrow(
    expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 15 * 3_600 - 1 }),
  );
  expect(checkKeptBytes(kept, NOW + 15 * HOUR_MS)).toEqual({ 500000: KEPT_BYTES_MAX / 2 });
});
