import { randomFillSync } from 'node:crypto';

const RANDOM_BYTES = 10;
const POOL_BYTES = RANDOM_BYTES * 1_024;
const pool = Buffer.allocUnsafe(POOL_BYTES);
let used = POOL_BYTES;

/** Of the id before: on a busy server most ids are of the same millisecond. */
let timeMs = Number.NaN;
let timeDigits = '';

/**
 * A new UUIDv7 (RFC 9562, section 5.7) for a moment in milliseconds, as 32 hexadecimal digits: unique, and in the
 * order of time across milliseconds.
 */
export function clickId(atMs: number): string {
  // One call for a thousand ids: asking the kernel for each would cost more than all else here.
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
