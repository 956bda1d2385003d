import type { BulkOperation, BulkResult } from '@waymark/contract';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { BulkProgress } from './bulk-edit.ts';

/** Requests that the API received: how many operations each had, and its key. */
let received: { size: number; key: string | null }[] = [];
/** What the API answers, one for each request; then 200. */
let answers: (Response | 'lost')[] = [];

beforeEach(() => {
  received = [];
  answers = [];
  vi.stubGlobal('location', { origin: 'http://localhost' });
  vi.stubGlobal('window', { localStorage: { getItem: () => '{"token":"sess_1"}' } });
  vi.stubGlobal('fetch', async (request: Request) => {
    const { operations } = (await request.json()) as { operations: BulkOperation[] };
    received.push({ size: operations.length, key: request.headers.get('idempotency-key') });
    const answer = answers.shift();
    if (answer === 'lost') throw new TypeError('network');
    return answer ?? Response.json({ results: operations.map(() => ({ status: 204 })) });
  });
});
afterEach(() => vi.unstubAllGlobals());

const deletions = (count: number): BulkOperation[] =>
  Array.from({ length: count }, (_, id) => ({ op: 'delete', id: String(id) }));
const tooMany = () => Response.json({ error: 'Too many.' }, { status: 429, headers: { 'retry-after': '0' } });

async function run(operations: BulkOperation[], signal = new AbortController().signal) {
  const { runBulk } = await import('./bulk-edit.ts');
  const results: BulkResult[] = [];
  const progress: BulkProgress[] = [];
  await runBulk(operations, {
    signal,
    onProgress: (now) => progress.push(now),
    onResult: (result, index) => {
      expect(index).toBe(results.length);
      results.push(result);
    },
  });
  return { results, progress };
}

test('sends as many operations as the API allows, each batch with a key of its own', async () => {
  const { results, progress } = await run(deletions(250));
  expect(results).toHaveLength(250);
  expect(received.map(({ size }) => size)).toEqual([100, 100, 50]);
  expect(new Set(received.map(({ key }) => key)).size).toBe(3);
  expect(progress.map(({ done, stoppable }) => [done, stoppable])).toEqual([
    [0, true],
    [100, true],
    [200, false],
    [250, false],
  ]);
});

test('sends a batch again with the same key if the response got lost', async () => {
  const headers = { 'retry-after': '0' };
  for (const status of [502, 503, 504]) {
    received = [];
    answers = [Response.json({ error: 'Busy.' }, { status, headers })];
    expect((await run(deletions(3))).results).toHaveLength(3);
    expect(received).toHaveLength(2);
    expect(new Set(received.map(({ key }) => key)).size).toBe(1);
  }
  received = [];
  answers = ['lost'];
  expect((await run(deletions(3))).results).toHaveLength(3);
  expect(new Set(received.map(({ key }) => key)).size).toBe(1);
});

test('stopped after a lost response, it does not say that nothing was done', async () => {
  answers = ['lost'];
  const stopping = new AbortController();
  const { runBulk } = await import('./bulk-edit.ts');
  const running = runBulk(deletions(3), {
    signal: stopping.signal,
    onProgress: ({ waitSeconds }) => {
      if (waitSeconds !== null) setTimeout(() => stopping.abort());
    },
    onResult: () => undefined,
  });
  await expect(running).rejects.toMatchObject({ status: 0 });
});

test('waits for the rate limit, and cuts batches that are larger than it', async () => {
  answers = [tooMany(), tooMany(), tooMany(), tooMany()];
  const { results, progress } = await run(deletions(100));
  expect(results).toHaveLength(100);
  expect(received.map(({ size }) => size).slice(0, 5)).toEqual([100, 100, 50, 25, 13]);
  expect(progress.filter(({ waitSeconds }) => waitSeconds !== null)).toHaveLength(4);
});

test('ends with the API’s message if it refuses a whole batch', async () => {
  answers = [Response.json({ error: 'No.' }, { status: 403 })];
  await expect(run(deletions(1))).rejects.toThrow('No.');
});

test('a link that is gone already counts as deleted', async () => {
  const gone = { status: 404, error: 'Link not found.' };
  answers = [Response.json({ results: [{ status: 204 }, gone, gone] })];
  const operations: BulkOperation[] = [...deletions(2), { op: 'update', id: '2', link: {} }];
  expect((await run(operations)).results).toEqual([{ status: 204 }, { status: 204 }, gone]);
});

test('stops when it is told', async () => {
  const stopping = new AbortController();
  stopping.abort();
  expect((await run(deletions(5), stopping.signal)).results).toEqual([]);
  expect(received).toEqual([]);
});

test('no batch is larger than the API’s body, and each has at least one operation', async () => {
  const { batchSize } = await import('./bulk-edit.ts');
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 60_000 }), { minLength: 1, maxLength: 150 }), (lengths) => {
      const operations: BulkOperation[] = lengths.map((length) => ({ op: 'delete', id: 'ö'.repeat(length) }));
      for (let start = 0; start < operations.length; ) {
        const size = batchSize(operations, start);
        expect(size).toBeGreaterThan(0);
        expect(size).toBeLessThanOrEqual(100);
        const body = JSON.stringify({ operations: operations.slice(start, start + size) });
        if (size > 1) expect(new TextEncoder().encode(body).length).toBeLessThanOrEqual(256 * 1024);
        start += size;
      }
    }),
    { numRuns: 20 },
  );
});
