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

function harness(options: Partial<Pick<LinkCacheOptions, 'patienceMs' | 'maxEntries' | 'changes'>> = {}) {
  const state = {
    nowMs: 1_000_000,
    /** The keys of each query. */
    lookups: [] as string[][],
    answer: async (): Promise<StoredRedirect | null> => stored,
  };
  const cache = new LinkCache({
    findForRedirects: async (slugKeys) => {
      state.lookups.push([...slugKeys]);
      const answer = await state.answer();
      return new Map(answer === null ? [] : slugKeys.map((slugKey) => [slugKey, answer]));
    },
    now: () => state.nowMs,
    changes: { trueUntil: (_linkId, readAt) => readAt },
    ...options,
  });
  return { cache, state };
}

const down = () => Promise.reject(new AppError('unavailable', 'down'));
const turn = () => new Promise((resolve) => setImmediate(resolve));
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('an answer is taken for a second, and then for another 0.8 while it is asked for anew', async () => {
  const { cache, state } = harness();
  expect(await cache.find('a')).toMatchObject({ id: 'l1', location: 'https://example.com/' });
  state.nowMs += 999;
  expect(cache.find('a')).toMatchObject({ id: 'l1' });
  state.nowMs += 1;
  state.answer = async () => ({ ...stored, destinationUrl: 'https://example.com/new' });
  // Nobody waits for the database here …
  expect(cache.find('a')).toMatchObject({ location: 'https://example.com/' });
  expect(cache.find('a')).toMatchObject({ location: 'https://example.com/' });
  await sleep(250);
  // … and the next visitor gets the new value.
  expect(cache.find('a')).toMatchObject({ location: 'https://example.com/new' });
  expect(state.lookups).toEqual([['a'], ['a']]);
});

test('an answer that no change contradicts is taken without asking, and asked for anew after half a minute without waiting', async () => {
  const { cache, state } = harness({
    changes: { trueUntil: (_linkId, readAt) => Math.max(readAt, state.nowMs - 400) },
  });
  await cache.find('a');
  state.nowMs += 29_999;
  expect(cache.find('a')).toMatchObject({ id: 'l1' });
  await sleep(250);
  expect(state.lookups).toEqual([['a']]);
  state.nowMs += 1;
  expect(cache.find('a')).toMatchObject({ id: 'l1' });
  await sleep(250);
  expect(state.lookups).toEqual([['a'], ['a']]);
});

test('"within 2 seconds on all others": an older answer is waited for', async () => {
  const { cache, state } = harness();
  await cache.find('a');
  state.nowMs += 1_800;
  state.answer = async () => ({ ...stored, destinationUrl: 'https://example.com/new' });
  expect(await cache.find('a')).toMatchObject({ location: 'https://example.com/new' });
});

test('the time that a lookup took counts as age, so that freshness holds', async () => {
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

test('what is asked for in one turn, or needs no waiting, is one query; many keys are several', async () => {
  const { cache, state } = harness();
  const slugs = Array.from({ length: 450 }, (_, i) => `s${i}`);
  await Promise.all(slugs.map((slug) => cache.find(slug)));
  expect(state.lookups.map((keys) => keys.length)).toEqual([200, 200, 50]);
  state.nowMs += 1_200;
  for (const slug of slugs.slice(0, 50)) {
    cache.find(slug);
    await turn();
  }
  await sleep(250);
  expect(state.lookups.slice(3).map((keys) => keys.length)).toEqual([50]);
});

test('someone who waits does not wait for the others of a query to gather', async () => {
  const { cache, state } = harness();
  await cache.find('a');
  state.nowMs += 1_200;
  cache.find('a');
  state.nowMs += 700;
  const before = performance.now();
  await cache.find('a');
  expect(performance.now() - before).toBeLessThan(40);
  expect(state.lookups).toEqual([['a'], ['a']]);
});

test('a slow database is asked fewer and larger questions, not more', async () => {
  const { cache, state } = harness();
  const slow = Promise.withResolvers<StoredRedirect | null>();
  state.answer = () => slow.promise;
  const answers = [];
  for (let i = 0; i < 50; i += 1) {
    answers.push(cache.find(`s${i}`));
    await turn();
  }
  expect(state.lookups.length).toBe(4);
  slow.resolve(stored);
  await Promise.all(answers);
  expect(state.lookups.length).toBe(5);
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
  expect(state.lookups).toEqual([['a']]);
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
    await turn();
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
    await turn();
    // The first lookup, the one that noticed the outage, and the one that checked whether it is over.
    expect(state.lookups).toEqual([['a'], ['a'], ['a']]);
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
    await sleep(20);
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

  test('those who wait behind a query that found the database down do not wait for another to find it too', async () => {
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
    expect(state.lookups).toHaveLength(4);
  });

  test('a failure that is no outage is not hidden by an old answer', async () => {
    const { cache, state } = harness();
    await cache.find('a');
    state.nowMs += 5_000;
    state.answer = () => Promise.reject(new Error('bug'));
    await expect(cache.find('a')).rejects.toThrow('bug');
  });
});
