import { AppError } from '@waymark/contract';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { RedirectDocument } from '../database/documents/redirect.ts';
import { LinkCache, type LinkCacheOptions } from './link-cache.ts';

// Timers run only when a test moves them, so whoever waits for one without reason never gets a result.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const stored: RedirectDocument = {
  _id: '/a',
  link_id: 'l1',
  account_id: 'a1',
  destination_url: 'https://example.com/',
  visibility: 'public',
  password_hash: null,
  expires_at: null,
  expired_url: null,
  redirect_code: 302,
  rules: [],
};

function harness(options: Partial<Pick<LinkCacheOptions, 'maxEntries' | 'changes'>> = {}) {
  const state = {
    nowMs: 1_000_000,
    /** The keys of each query. */
    lookups: [] as string[][],
    answer: async (): Promise<RedirectDocument | null> => stored,
  };
  const cache = new LinkCache({
    findRedirects: async (ids) => {
      state.lookups.push([...ids]);
      const answer = await state.answer();
      return new Map(answer === null ? [] : ids.map((id) => [id, answer]));
    },
    now: () => state.nowMs,
    changes: { trueUntil: (readAt) => readAt, isStale: () => false },
    ...options,
  });
  return { cache, state };
}

const down = () => Promise.reject(new AppError('unavailable', 'down'));
const turn = () => new Promise((resolve) => setImmediate(resolve));
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('without news of changes an entry is used for 1.8 seconds', async () => {
  const { cache, state } = harness();
  expect(await cache.find('a')).toMatchObject({ id: 'l1', location: 'https://example.com/' });
  state.nowMs += 1_799;
  expect(cache.peek('a')).toMatchObject({ id: 'l1' });
  expect(await cache.find('a')).toMatchObject({ id: 'l1' });
  state.nowMs += 1;
  expect(cache.peek('a')).toBeUndefined();
  state.answer = async () => ({ ...stored, destination_url: 'https://example.com/new' });
  expect(await cache.find('a')).toMatchObject({ location: 'https://example.com/new' });
});

test('an entry that is stale is not used', async () => {
  let staleBefore = 0;
  const { cache, state } = harness({
    changes: { trueUntil: (readAt) => readAt, isStale: (_account, readAt) => readAt < staleBefore },
  });
  await cache.find('a');
  staleBefore = state.nowMs + 1;
  expect(cache.peek('a')).toBeUndefined();
  state.nowMs += 1;
  await cache.find('a');
  expect(cache.peek('a')).toMatchObject({ id: 'l1' });
});

test('an entry without a known change is used without a lookup, and read again in the background after half a minute', async () => {
  const { cache, state } = harness({
    changes: { trueUntil: (readAt) => Math.max(readAt, state.nowMs - 400), isStale: () => false },
  });
  await cache.find('a');
  state.nowMs += 29_999;
  expect(await cache.find('a')).toMatchObject({ id: 'l1' });
  await pass(250);
  expect(state.lookups).toEqual([['a']]);
  state.nowMs += 1;
  expect(await cache.find('a')).toMatchObject({ id: 'l1' });
  await pass(250);
  expect(state.lookups).toEqual([['a'], ['a']]);
});

test('the duration of a lookup counts as age', async () => {
  const { cache, state } = harness();
  state.answer = async () => {
    state.nowMs += 1_500;
    return stored;
  };
  await cache.find('a');
  state.nowMs += 300;
  await cache.find('a');
  expect(state.lookups).toHaveLength(2);
});

test('lookups of one turn of the event loop share one query, and many keys take several', async () => {
  const { cache, state } = harness({ changes: { trueUntil: () => state.nowMs, isStale: () => false } });
  const slugs = Array.from({ length: 450 }, (_, i) => `s${i}`);
  await Promise.all(slugs.map((slug) => cache.find(slug)));
  expect(state.lookups.map((keys) => keys.length)).toEqual([200, 200, 50]);
  state.nowMs += 30_000;
  for (const slug of slugs.slice(0, 50)) {
    cache.find(slug);
    await turn();
  }
  await pass(250);
  expect(state.lookups.slice(3).map((keys) => keys.length)).toEqual([50]);
});

test('a waiting visitor does not wait for a query to fill up', async () => {
  let isCurrent = true;
  const { cache, state } = harness({
    changes: { trueUntil: (readAt) => (isCurrent ? state.nowMs : readAt), isStale: () => false },
  });
  await cache.find('a');
  state.nowMs += 30_000;
  cache.find('a');
  isCurrent = false;
  await cache.find('a');
  expect(state.lookups).toEqual([['a'], ['a']]);
});

test('a slow database gets fewer and larger queries', async () => {
  const { cache, state } = harness();
  const slow = Promise.withResolvers<RedirectDocument | null>();
  state.answer = () => slow.promise;
  const answers = [];
  for (let i = 0; i < 50; i += 1) {
    answers.push(cache.find(`s${i}`));
    await turn();
  }
  expect(state.lookups.length).toBe(2);
  slow.resolve(stored);
  await Promise.all(answers);
  expect(state.lookups.length).toBe(3);
});

test('an unknown slug is cached too, and evicts no links', async () => {
  const { cache, state } = harness({ maxEntries: 10 });
  await cache.find('a');
  state.answer = async () => null;
  for (let i = 0; i < 100; i += 1) expect(await cache.find(`guess${i}`)).toBeNull();
  expect(await cache.find('guess99')).toBeNull();
  expect(await cache.find('a')).toMatchObject({ id: 'l1' });
  expect(state.lookups).toHaveLength(101);
});

test('concurrent requests for one slug share a lookup', async () => {
  const { cache, state } = harness();
  await Promise.all(Array.from({ length: 50 }, () => cache.find('a')));
  expect(state.lookups).toEqual([['a']]);
});

test('a password applies only to a protected link, and a protected link without one is closed', async () => {
  const { cache, state } = harness();
  state.answer = async () => ({ ...stored, password_hash: 'left over' });
  expect(await cache.find('a')).toMatchObject({ passwordHash: null });
  state.answer = async () => ({ ...stored, visibility: 'password-protected', password_hash: 'hash' });
  expect(await cache.find('b')).toMatchObject({ passwordHash: 'hash' });
  state.answer = async () => ({ ...stored, visibility: 'password-protected' });
  expect(await cache.find('c')).toBeNull();
});

test('a lookup that began before a change does not restore the old entry', async () => {
  const { cache, state } = harness();
  const slow = Promise.withResolvers<RedirectDocument | null>();
  state.answer = () => slow.promise;
  const before = cache.find('a');
  await turn();
  cache.invalidate('a');
  state.answer = async () => null;
  expect(await cache.find('a')).toBeNull();
  slow.resolve(stored);
  expect(await before).toMatchObject({ id: 'l1' });
  expect(await cache.find('a')).toBeNull();
});

describe('"redirects of cached links go on" while the database is down', () => {
  test('known links redirect at once from the last entry, and unknown ones are unavailable', async () => {
    const { cache, state } = harness();
    await cache.find('a');
    state.nowMs += 5_000;
    state.answer = down;
    for (let i = 0; i < 20; i += 1) expect(await cache.find('a')).toMatchObject({ id: 'l1' });
    await expect(cache.find('b')).rejects.toMatchObject({ code: 'unavailable' });
    await turn();
    // The first lookup, the one that noticed the outage, and the one that checked whether it is over.
    expect(state.lookups).toEqual([['a'], ['a'], ['a']]);
  });

  test('a database that does not respond delays one visitor by half a second, and no later one until it responds', async () => {
    const { cache, state } = harness();
    for (const slug of ['a', 'b']) await cache.find(slug);
    state.nowMs += 5_000;
    const responses: ((link: RedirectDocument) => void)[] = [];
    state.answer = () => new Promise((resolve) => responses.push(resolve));
    let isWaiting = true;
    const first = cache.find('a').finally(() => {
      isWaiting = false;
    });
    await pass(499);
    expect(isWaiting).toBe(true);
    await pass(1);
    expect(await first).toMatchObject({ id: 'l1' });
    const later = ['a', 'b', 'a'].map((slug) => cache.find(slug));
    // A timer of 0 ms within another one takes 1 ms.
    await pass(2);
    for (const found of later) expect(await found).toMatchObject({ id: 'l1' });
    for (const respond of responses) respond(stored);
    await turn();
    // The next visitor waits again, because the database responds.
    state.answer = async () => ({ ...stored, destination_url: 'https://example.com/new' });
    state.nowMs += 5_000;
    expect(await cache.find('a')).toMatchObject({ location: 'https://example.com/new' });
  });

  test('one lookup notices the return of the database, and all entries are refreshed', async () => {
    const { cache, state } = harness();
    await cache.find('a');
    state.nowMs += 5_000;
    state.answer = down;
    await cache.find('a');
    state.answer = async () => ({ ...stored, destination_url: 'https://example.com/changed' });
    state.nowMs += 300;
    await cache.find('a');
    await pass(20);
    expect(await cache.find('a')).toMatchObject({ location: 'https://example.com/changed' });
    expect(await cache.find('b')).toMatchObject({ id: 'l1' });
  });

  test('an entry older than an hour is not used', async () => {
    const { cache, state } = harness();
    await cache.find('a');
    state.answer = down;
    state.nowMs += 3_600_001;
    await expect(cache.find('a')).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('a slug without a link is unavailable and not absent, so that private and unknown links look the same', async () => {
    const { cache, state } = harness();
    state.answer = async () => ({ ...stored, visibility: 'private' });
    await cache.find('secret');
    state.answer = async () => null;
    await cache.find('nothing');
    state.nowMs += 5_000;
    state.answer = down;
    await expect(cache.find('secret')).rejects.toMatchObject({ code: 'unavailable' });
    await expect(cache.find('nothing')).rejects.toMatchObject({ code: 'unavailable' });
    await expect(cache.find('never-asked')).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('visitors who wait behind a failed query do not wait for another one to fail', async () => {
    const { cache, state } = harness();
    const slow = Promise.withResolvers<never>();
    state.answer = () => slow.promise;
    const answers = [];
    for (let i = 0; i < 10; i += 1) {
      answers.push(Promise.resolve(cache.find(`s${i}`)).catch((error: AppError) => error.code));
      await turn();
    }
    slow.reject(new AppError('unavailable', 'down'));
    expect(new Set(await Promise.all(answers))).toEqual(new Set(['unavailable']));
    expect(state.lookups).toHaveLength(2);
  });

  test('an error that is not an outage is not hidden by an old entry', async () => {
    const { cache, state } = harness();
    await cache.find('a');
    state.nowMs += 5_000;
    state.answer = () => Promise.reject(new Error('bug'));
    await expect(cache.find('a')).rejects.toThrow('bug');
  });
});
