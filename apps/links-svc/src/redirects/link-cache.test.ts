import { AppError } from '@waymark/contract';
import { describe, expect, test } from 'vitest';
import { LinkCache, type LinkCacheOptions, type StoredRedirect } from './link-cache.ts';

const stored: StoredRedirect = {
  id: 'l1',
  accountId: 'a1',
  destinationUrl: 'https://example.com/',
  visibility: 'public',
  passwordHash: null,
};

function harness(options: Partial<LinkCacheOptions> = {}) {
  const state = {
    nowMs: 1_000_000,
    lookups: [] as string[],
    answer: async (): Promise<StoredRedirect | null> => stored,
  };
  const cache = new LinkCache({
    findForRedirect: (slugKey) => {
      state.lookups.push(slugKey);
      return state.answer();
    },
    now: () => state.nowMs,
    ...options,
  });
  return { cache, state };
}

const down = () => Promise.reject(new AppError('unavailable', 'down'));
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('an answer is taken for a second, then asked for again', async () => {
  const { cache, state } = harness();
  expect(await cache.find('a')).toMatchObject({ id: 'l1', location: 'https://example.com/' });
  state.nowMs += 999;
  expect(cache.find('a')).toMatchObject({ id: 'l1' });
  expect(state.lookups).toHaveLength(1);
  state.nowMs += 1;
  state.answer = async () => ({ ...stored, destinationUrl: 'https://example.com/new' });
  expect(await cache.find('a')).toMatchObject({ location: 'https://example.com/new' });
  expect(state.lookups).toHaveLength(2);
});

test('the time that a lookup took counts as age, so that freshness holds', async () => {
  const { cache, state } = harness();
  state.answer = async () => {
    state.nowMs += 700;
    return stored;
  };
  await cache.find('a');
  state.nowMs += 400;
  await cache.find('a');
  expect(state.lookups).toHaveLength(2);
});

test('a slug without a link is remembered too, and does not push out links', async () => {
  const { cache, state } = harness({ maxEntries: 10 });
  await cache.find('a');
  state.answer = async () => null;
  for (let i = 0; i < 100; i += 1) expect(await cache.find(`guess${i}`)).toBeNull();
  expect(cache.find('guess99')).toBeNull();
  expect(cache.find('a')).toMatchObject({ id: 'l1' });
  expect(state.lookups).toHaveLength(101);
});

test('many at once are one lookup', async () => {
  const { cache, state } = harness();
  await Promise.all(Array.from({ length: 50 }, () => cache.find('a')));
  expect(state.lookups).toEqual(['a']);
});

test('"private, deleted, unknown … cannot be told apart": a private link is no link here', async () => {
  const { cache, state } = harness();
  state.answer = async () => ({ ...stored, visibility: 'private' });
  expect(await cache.find('a')).toBeNull();
});

test('a password only counts for a protected link, and a protected link without one is closed', async () => {
  const { cache, state } = harness();
  state.answer = async () => ({ ...stored, passwordHash: 'left over' });
  expect(await cache.find('a')).toMatchObject({ passwordHash: null });
  state.answer = async () => ({ ...stored, visibility: 'password-protected', passwordHash: 'hash' });
  expect(await cache.find('b')).toMatchObject({ passwordHash: 'hash' });
  state.answer = async () => ({ ...stored, visibility: 'password-protected' });
  expect(await cache.find('c')).toBeNull();
});

describe('"A change of a link is seen by redirects at once on the replica that made it"', () => {
  test('after invalidate the next visitor asks the database', async () => {
    const { cache, state } = harness();
    await cache.find('a');
    state.answer = async () => null;
    cache.invalidate('a');
    expect(await cache.find('a')).toBeNull();
    state.answer = async () => stored;
    cache.invalidate('a');
    expect(await cache.find('a')).toMatchObject({ id: 'l1' });
  });

  test('a lookup that began before the change does not bring the old answer back', async () => {
    const { cache, state } = harness();
    const slow = Promise.withResolvers<StoredRedirect | null>();
    state.answer = () => slow.promise;
    const before = cache.find('a');
    cache.invalidate('a');
    state.answer = async () => null;
    expect(await cache.find('a')).toBeNull();
    slow.resolve(stored);
    expect(await before).toMatchObject({ id: 'l1' });
    expect(cache.find('a')).toBeNull();
  });
});

describe('"redirects of cached links go on" while the database is down', () => {
  test('known links are answered from what was last read, at once; unknown ones are unavailable', async () => {
    const { cache, state } = harness();
    await cache.find('a');
    state.nowMs += 5_000;
    state.answer = down;
    for (let i = 0; i < 20; i += 1) expect(await cache.find('a')).toMatchObject({ id: 'l1' });
    await expect(cache.find('b')).rejects.toMatchObject({ code: 'unavailable' });
    // The first one, one that found out, one that tried whether it is back.
    expect(state.lookups).toEqual(['a', 'a', 'a']);
  });

  test('a database that does not answer at all costs a visitor half a second, once', async () => {
    const { cache, state } = harness({ patienceMs: 30 });
    await cache.find('a');
    state.nowMs += 5_000;
    state.answer = () => new Promise(() => {});
    const before = performance.now();
    expect(await cache.find('a')).toMatchObject({ id: 'l1' });
    expect(performance.now() - before).toBeLessThan(500);
  });

  test('the database’s return is noticed by one lookup, and everything is fresh again', async () => {
    const { cache, state } = harness();
    await cache.find('a');
    state.nowMs += 5_000;
    state.answer = down;
    await cache.find('a');
    state.answer = async () => ({ ...stored, destinationUrl: 'https://example.com/changed' });
    state.nowMs += 300;
    await cache.find('a');
    await turn();
    expect(await cache.find('a')).toMatchObject({ location: 'https://example.com/changed' });
    expect(await cache.find('b')).toMatchObject({ id: 'l1' });
  });

  test('what was read longer than an hour ago is not good enough', async () => {
    const { cache, state } = harness();
    await cache.find('a');
    state.answer = down;
    state.nowMs += 3_600_001;
    await expect(cache.find('a')).rejects.toMatchObject({ code: 'unavailable' });
  });

  test('a slug that led nowhere is unavailable, not absent, so that a private link cannot be told from an unknown one', async () => {
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

  test('a failure that is no outage is not hidden by an old answer', async () => {
    const { cache, state } = harness();
    await cache.find('a');
    state.nowMs += 5_000;
    state.answer = () => Promise.reject(new Error('bug'));
    await expect(cache.find('a')).rejects.toThrow('bug');
  });
});
