import { expect, test } from 'vitest';
import { SharedReads } from './shared-reads.ts';

/** Reads that end when the test says so. */
function heldReads() {
  const reads = new SharedReads<string>();
  const started: { name: string; end: PromiseWithResolvers<string> }[] = [];
  const never = new AbortController().signal;
  const get = (name: string, { key = 'one', signal = never } = {}) =>
    reads.get(
      key,
      () => {
        const end = Promise.withResolvers<string>();
        started.push({ name, end });
        return end.promise;
      },
      signal,
    );
  return { get, started, names: () => started.map(({ name }) => name) };
}

test('a caller gets a read that began after it asked, shared with all who asked meanwhile', async () => {
  const { get, started, names } = heldReads();
  const first = get('first');
  const others = [get('second'), get('third'), get('fourth')];
  expect(names()).toEqual(['first']);
  started[0]!.end.resolve('before');
  expect(await first).toBe('before');
  await expect.poll(names).toEqual(['first', 'fourth']);
  const late = get('late');
  started[1]!.end.resolve('after');
  expect(await Promise.all(others)).toEqual(['after', 'after', 'after']);
  await expect.poll(names).toEqual(['first', 'fourth', 'late']);
  started[2]!.end.resolve('last');
  expect(await late).toBe('last');
  get('again');
  expect(names()).toEqual(['first', 'fourth', 'late', 'again']);
});

test('reads of different things run concurrently', () => {
  const { get, names } = heldReads();
  get('one');
  get('other', { key: 'other' });
  expect(names()).toEqual(['one', 'other']);
});

test('a failed read fails for those who share it, and the next one runs', async () => {
  const { get, started, names } = heldReads();
  const first = get('first');
  const second = get('second');
  started[0]!.end.reject(new Error('failed'));
  await expect(first).rejects.toThrow('failed');
  await expect.poll(names).toEqual(['first', 'second']);
  started[1]!.end.resolve('done');
  expect(await second).toBe('done');
});

test('a caller that leaves gets its reason at once, and the read continues for the others', async () => {
  const { get, started, names } = heldReads();
  const [leaving, gone] = [new AbortController(), AbortSignal.abort(new Error('gone'))];
  const first = get('first', { signal: leaving.signal });
  const second = get('second', { signal: gone });
  const third = get('third');
  await expect(second).rejects.toThrow('gone');
  leaving.abort(new Error('left'));
  await expect(first).rejects.toThrow('left');
  expect(names()).toEqual(['first']);
  started[0]!.end.resolve('done');
  await expect.poll(names).toEqual(['first', 'third']);
  started[1]!.end.resolve('next');
  expect(await third).toBe('next');
});
