import { createHmac, hkdfSync } from 'node:crypto';
import { createMemoryCounter } from './memory-counter.ts';
import type { RedisCommand, RedisLink } from './redis-link.ts';
import { secondsOf, type Taken, type Usage, WINDOW_MS, WINDOW_SECONDS, type WindowCounter } from './window-counter.ts';

/**
 * Counts ARGV[2] events of KEYS[1], all or none: none when there would be more than ARGV[1]. Replies 1 or 0 for counted
 * or not, the events of the window, and the milliseconds left of it. A key is a window: it is made with the time that
 * it has, and Redis removes it after that. No time left (-2: no such key, -1: a key that would stay for ever) begins
 * another.
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

/** The events of KEYS[1]'s window and the milliseconds left of it. */
const PEEK = `
local left = redis.call('PTTL', KEYS[1])
if left < 0 then return {0, ${WINDOW_MS}} end
return {tonumber(redis.call('GET', KEYS[1])), left}`;

/** ARGV[1] events less in KEYS[1]'s window, if it has not ended; never below none. */
const GIVE_BACK = `
if redis.call('PTTL', KEYS[1]) < 0 then return 0 end
local less = math.min(tonumber(ARGV[1]), tonumber(redis.call('GET', KEYS[1])))
return redis.call('DECRBY', KEYS[1], less)`;

const PREFIX = 'waymark:limits';
/** Enough that no two subjects meet. */
const HASH_BYTES = 16;

/**
 * One script in one round trip. Sent as it is each time, not by its hash: it is shorter than a packet, and so a Redis
 * that restarted or failed over need not be told first.
 */
export function run<Reply>(script: string, key: string, ...values: string[]): RedisCommand<Reply> {
  return (client) => client.eval(script, { keys: [key], arguments: values }) as Promise<Reply>;
}

/** Asks Redis for all that a counter needs of it: scripts, and a write each time, since the limit is never reached. */
export const probeCounter: RedisCommand<unknown> = run(TAKE, `${PREFIX}:probe`, String(Number.MAX_SAFE_INTEGER), '1');

/**
 * Names the keys of subjects. A subject is not readable in Redis: its key is an HMAC of it with a key made of the
 * secret, since the plain hash of an address is found by trying all addresses.
 */
export function subjectKeys(name: string, secret: string): (subject: string) => string {
  const hashKey = Buffer.from(hkdfSync('sha256', secret, '', `${PREFIX}:${name}`, 32));
  return (subject) => {
    const hash = createHmac('sha256', hashKey).update(subject).digest();
    return `${PREFIX}:${name}:${hash.toString('base64url', 0, HASH_BYTES)}`;
  };
}

/**
 * A counter that all replicas share which have the same Redis, name and secret; while Redis is away it counts in this
 * process's memory, from nothing.
 */
export function createRedisCounter(link: RedisLink, { name, secret }: { name: string; secret: string }): WindowCounter {
  const memory = createMemoryCounter();
  const keyOf = subjectKeys(name, secret);

  async function take(subject: string, limit: number, events: number): Promise<Taken> {
    const reply = await link.ask(run<[number, number, number]>(TAKE, keyOf(subject), String(limit), String(events)));
    if (reply === null) return memory.take(subject, limit, events);
    const [counted, used, leftMs] = reply;
    return { counted: counted === 1, events, used, resetSeconds: secondsOf(leftMs), in: 'redis' };
  }

  async function peek(subject: string): Promise<Usage> {
    const reply = await link.ask(run<[number, number]>(PEEK, keyOf(subject)));
    if (reply === null) return memory.peek(subject);
    const [used, leftMs] = reply;
    return { used, resetSeconds: used === 0 ? WINDOW_SECONDS : secondsOf(leftMs) };
  }

  return {
    take: (subject, limit, events = 1) =>
      link.isUp() ? take(subject, limit, events) : memory.take(subject, limit, events),
    peek: (subject) => (link.isUp() ? peek(subject) : memory.peek(subject)),
    giveBack(subject, taken) {
      if (taken.in === 'memory') memory.giveBack(subject, taken);
      // Nobody waits for it: what this replica asks next comes after it. Lost with Redis, it counts until the window ends.
      else if (taken.counted && link.isUp())
        void link.ask(run<number>(GIVE_BACK, keyOf(subject), String(taken.events)));
    },
  };
}
