import { createHmac, hkdfSync } from 'node:crypto';
import { createMemoryCounter } from './memory-counter.ts';
import type { RedisCommand, RedisLink } from './redis-link.ts';
import { secondsOf, WINDOW_MS, type WindowCounter } from './window-counter.ts';

/**
 * Counts ARGV[2] events of KEYS[1]: all of them, or none if the total would exceed ARGV[1]. Returns 1 or 0 (counted or
 * not), the events of the window, and the milliseconds until it ends. A key is a window and expires with it. A PTTL
 * below 0 (-2: no key, -1: a key without expiry) starts a new window.
 */
const TAKE = `
local limit, events = tonumber(ARGV[1]), tonumber(ARGV[2])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  if events > limit then return {0, 0, ${WINDOW_MS}} end
  redis.call('SET', KEYS[1], events, 'PX', ${WINDOW_MS})
  return {1, events, ${WINDOW_MS}}
end
local used = tonumber(redis.call('GET', KEYS[1]))
if used + events > limit then return {0, used, left} end
return {1, redis.call('INCRBY', KEYS[1], events), left}`;

/** Refunds ARGV[1] events of KEYS[1]'s current window, if there is one. The count does not go below 0. */
const REFUND = `
if redis.call('PTTL', KEYS[1]) < 0 then return 0 end
local less = math.min(tonumber(ARGV[1]), tonumber(redis.call('GET', KEYS[1])))
return redis.call('DECRBY', KEYS[1], less)`;

const PREFIX = 'waymark:limits';
/** Long enough that the keys of two subjects do not collide. */
const HASH_BYTES = 16;

/**
 * Returns a command that runs a script in one round trip. It sends the script and not its hash. The script fits in one
 * packet, and a Redis that restarted or failed over does not have to load it first.
 */
export function run<Reply>(script: string, key: string, ...values: string[]): RedisCommand<Reply> {
  return (client) => client.eval(script, { keys: [key], arguments: values }) as Promise<Reply>;
}

/** Tests all that a counter needs from Redis: scripts and writes. Every probe writes, since its limit is so high. */
export const probeCounter: RedisCommand<unknown> = run(TAKE, `${PREFIX}:probe`, String(Number.MAX_SAFE_INTEGER), '1');

/**
 * Returns a function that maps a subject to its Redis key: an HMAC of the subject, with a key derived from the secret.
 * A plain hash would not hide an address, because somebody could hash all addresses and compare.
 */
export function subjectKeys(name: string, secret: string): (subject: string) => string {
  const hashKey = Buffer.from(hkdfSync('sha256', secret, '', `${PREFIX}:${name}`, 32));
  return (subject) => {
    const hash = createHmac('sha256', hashKey).update(subject).digest();
    return `${PREFIX}:${name}:${hash.toString('base64url', 0, HASH_BYTES)}`;
  };
}

/**
 * Creates a counter that all replicas with the same Redis, name and secret share. While Redis is unavailable, it counts
 * in this process's memory, without the counts in Redis.
 */
export function createRedisCounter(link: RedisLink, { name, secret }: { name: string; secret: string }): WindowCounter {
  const memory = createMemoryCounter();
  const keyOf = subjectKeys(name, secret);

  return {
    async count(subject, limit, events = 1) {
      if (!link.isUp()) return memory.count(subject, limit, events);
      const reply = await link.send(run<[number, number, number]>(TAKE, keyOf(subject), String(limit), String(events)));
      if (reply === null) return memory.count(subject, limit, events);
      const [counted, used, leftMs] = reply;
      return { counted: counted === 1, events, used, resetSeconds: secondsOf(leftMs), in: 'redis' };
    },
    refund(subject, result) {
      if (result.in === 'memory') memory.refund(subject, result);
      // Not awaited: Redis runs this replica's next command after it. If it fails, the events stay counted.
      else if (result.counted && link.isUp())
        void link.send(run<number>(REFUND, keyOf(subject), String(result.events)));
    },
  };
}
