import { randomFillSync } from 'node:crypto';

const RANDOM_BYTES = 10;
const POOL_BYTES = RANDOM_BYTES * 1_024;
const pool = Buffer.allocUnsafe(POOL_BYTES);
let used = POOL_BYTES;

/** The time of the previous id. On a busy server most ids share their millisecond with the previous one. */
let timeMs = Number.NaN;
let timeDigits = '';

/**
 * Returns a new UUIDv7 (RFC 9562, section 5.7) for a time in milliseconds, as 32 hexadecimal digits. Ids are unique,
 * and ids of different milliseconds sort by time.
 */
export function clickId(atMs: number): string {
  // Random bytes are fetched for many ids at once, because each call is expensive.
  if (used === POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  pool[used] = (pool[used]! & 0x0f) | 0x70;
  pool[used + 2] = (pool[used + 2]! & 0x3f) | 0x80;
  const random = pool.toString('hex', used, used + RANDOM_BYTES);
  used += RANDOM_BYTES;
  if (atMs !== timeMs) {
    timeMs = atMs;
    timeDigits = atMs.toString(16).padStart(12, '0');
  }
  return timeDigits + random;
}
