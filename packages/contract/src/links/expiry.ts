import { timeOfRfc3339 } from '../time.ts';

const AHEAD_MAX_YEARS = 100;

/** Returns true if a client may send this `expires_at`: a time at most 100 years ahead, or an empty text for never. */
export function isExpiry(text: string): boolean {
  if (text === '') return true;
  const time = timeOfRfc3339(text);
  if (time === null) return false;
  const latest = new Date();
  latest.setUTCFullYear(latest.getUTCFullYear() + AHEAD_MAX_YEARS);
  return time <= latest;
}
