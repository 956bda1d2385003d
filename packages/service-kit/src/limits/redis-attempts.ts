import { randomUUID } from 'node:crypto';
import type { Attempt, AttemptCounter } from './attempt-counter.ts';
import { createMemoryAttempts } from './memory-attempts.ts';
import { run, subjectKeys } from './redis-counter.ts';
import type { RedisLink } from './redis-link.ts';
import { secondsOf, WINDOW_MS } from './window-counter.ts';

/**
 * Counts an attempt of KEYS[1] unless ARGV[1] have failed or are open: 1 or 0 for counted or not, the open attempts, the
 * milliseconds left of the window, and its name, which is ARGV[2] for a new one. A key is a window: Redis removes it
 * when it ends. No time left (-2: no such key, -1: a key that would stay for ever) begins another.
 */
const BEGIN = `
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('DEL', KEYS[1])
  redis.call('HSET', KEYS[1], 'used', 1, 'open', 1, 'window', ARGV[2])
  redis.call('PEXPIRE', KEYS[1], ${WINDOW_MS})
  return {1, 1, ${WINDOW_MS}, ARGV[2]}
end
local window = redis.call('HGET', KEYS[1], 'window')
if tonumber(redis.call('HGET', KEYS[1], 'used')) >= tonumber(ARGV[1]) then
  return {0, tonumber(redis.call('HGET', KEYS[1], 'open')), left, window}
end
redis.call('HINCRBY', KEYS[1], 'used', 1)
return {1, redis.call('HINCRBY', KEYS[1], 'open', 1), left, window}`;

/** Ends an attempt of KEYS[1]'s window ARGV[1], if that has not ended; ARGV[2] is 0 where it counts no more. */
const END = `
if redis.call('HGET', KEYS[1], 'window') ~= ARGV[1] then return 0 end
redis.call('HINCRBY', KEYS[1], 'open', -1)
if ARGV[2] == '0' then redis.call('HINCRBY', KEYS[1], 'used', -1) end
return 1`;

/**
 * Counts attempts for all replicas that have the same Redis, name and secret; while Redis is away, in this process's
 * memory, from nothing. An attempt whose replica dies stays open until its window ends.
 */
export function createRedisAttempts(
  link: RedisLink,
  { name, secret }: { name: string; secret: string },
): AttemptCounter {
  const memory = createMemoryAttempts();
  const keyOf = subjectKeys(name, secret);
  return {
    async begin(subject, limit): Promise<Attempt> {
      if (!link.isUp()) return memory.begin(subject, limit);
      const script = run<[number, number, number, string]>(BEGIN, keyOf(subject), String(limit), randomUUID());
      const reply = await link.ask(script);
      if (reply === null) return memory.begin(subject, limit);
      const [counted, open, leftMs, window] = reply;
      return { counted: counted === 1, open, resetSeconds: secondsOf(leftMs), window, in: 'redis' };
    },
    end(subject, attempt, hasFailed) {
      if (attempt.in === 'memory') memory.end(subject, attempt, hasFailed);
      // Nobody waits for it: what this replica asks next comes after it. Lost with Redis, it is open until the window ends.
      else if (attempt.counted && link.isUp())
        void link.ask(run<number>(END, keyOf(subject), attempt.window, hasFailed ? '1' : '0'));
    },
  };
}
