import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attempt, AttemptCounter } from './attempt-counter.ts';
import { createMemoryAttempts } from './memory-attempts.ts';
import { run, subjectKeys } from './redis-counter.ts';
import type { RedisLink } from './redis-link.ts';
import { secondsOf, WINDOW_MS } from './window-counter.ts';

/** No request takes longer. An attempt that is open for longer was lost with its replica and counts as failed. */
const OPEN_MAX_MS = 5_000;
/** How long to wait before the end of an attempt is sent again, if Redis does not respond. */
const END_AGAIN_AFTER_MS = 100;
const END_TRIES = 30;

/**
 * Counts the attempt ARGV[2] of KEYS[1] unless ARGV[1] attempts have failed or are open. Returns 1 or 0 (counted or
 * not), the number of open attempts, and the milliseconds until the window ends. A key is a window: a hash of `used`
 * (failed and open attempts) and the start time of each open attempt. The key expires with its window. A PTTL below 0
 * (-2: no key, -1: a key without expiry) starts a new window.
 */
const BEGIN = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], 'used', 1, ARGV[2], now)
  redis.call('PEXPIRE', KEYS[1], ${WINDOW_MS})
  return {1, 1, ${WINDOW_MS}}
end
local used, open = 0, 0
local fields = redis.call('HGETALL', KEYS[1])
for i = 1, #fields, 2 do
  local value = tonumber(fields[i + 1])
  if fields[i] == 'used' then used = value elseif now - value < ${OPEN_MAX_MS} then open = open + 1 end
end
if used >= tonumber(ARGV[1]) then return {0, open, left} end
redis.call('HINCRBY', KEYS[1], 'used', 1)
redis.call('HSET', KEYS[1], ARGV[2], now)
return {1, open + 1, left}`;

/** Ends the attempt ARGV[1] of KEYS[1], unless it or its window has ended. ARGV[2] is 0 if it no longer counts. */
const END = `
if redis.call('HDEL', KEYS[1], ARGV[1]) == 0 then return 0 end
if ARGV[2] == '0' then redis.call('HINCRBY', KEYS[1], 'used', -1) end
return 1`;

/**
 * Creates a counter that all replicas with the same Redis, name and secret share. While Redis is unavailable, it counts
 * in this process's memory, without the counts in Redis. An attempt whose replica dies counts as failed.
 */
export function createRedisAttempts(
  link: RedisLink,
  { name, secret }: { name: string; secret: string },
): AttemptCounter {
  const memory = createMemoryAttempts();
  const keyOf = subjectKeys(name, secret);

  async function endInRedis(subject: string, id: string, hasFailed: boolean): Promise<void> {
    const end = run<number>(END, keyOf(subject), id, hasFailed ? '1' : '0');
    for (let tries = 0; tries < END_TRIES; tries += 1) {
      if (link.isUp() && (await link.send(end)) !== null) return;
      await sleep(END_AGAIN_AFTER_MS, undefined, { ref: false });
    }
  }

  return {
    async begin(subject, limit): Promise<Attempt> {
      if (!link.isUp()) return memory.begin(subject, limit);
      const id = randomUUID();
      const reply = await link.send(run<[number, number, number]>(BEGIN, keyOf(subject), String(limit), id));
      if (reply === null) {
        // Redis may have counted it all the same, or count it later.
        void endInRedis(subject, id, false);
        return memory.begin(subject, limit);
      }
      const [counted, open, leftMs] = reply;
      return { counted: counted === 1, open, resetSeconds: secondsOf(leftMs), id, in: 'redis' };
    },
    end(subject, attempt, hasFailed) {
      if (attempt.in === 'memory') memory.end(subject, attempt, hasFailed);
      // Not awaited: unless it must be retried, it reaches Redis before this replica's next command.
      else if (attempt.counted) void endInRedis(subject, attempt.id, hasFailed);
    },
  };
}
