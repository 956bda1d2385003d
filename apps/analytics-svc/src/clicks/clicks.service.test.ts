import { Registry } from 'prom-client';
import { expect, test, vi } from 'vitest';
import type { RawClicks } from './click.ts';
import { createClicksService } from './clicks.service.ts';
import type { ClickBatch, ClicksStore } from './clicks.store.ts';
import { createOriginOf } from './origin.ts';

/** Returns one click for each User-Agent. */
function clicksOf(...userAgents: string[]): RawClicks {
  const none = { values: [''], indexes: new Uint16Array(userAgents.length) };
  return {
    count: userAgents.length,
    ids: new Uint8Array(16 * userAgents.length),
    clickedAtMs: new Float64Array(userAgents.length),
    accountIds: { values: ['a'], indexes: none.indexes },
    linkIds: { values: ['l'], indexes: none.indexes },
    userAgents: { values: userAgents, indexes: Uint16Array.from(userAgents.keys()) },
    referrers: none,
    utmSources: none,
    utmCampaigns: none,
    utmMediums: none,
    utmContents: none,
    utmTerms: none,
    languages: none,
    countries: none,
    visitors: new BigUint64Array(userAgents.length),
    hosts: none,
    prefetch: new Uint8Array(userAgents.length),
  };
}
const never = new AbortController().signal;

/** Returns a store whose batches end only when the test calls `finish`. */
function slowStore(): ClicksStore & { batches: (ClickBatch & { finish(error?: Error): void })[] } {
  const batches: (ClickBatch & { finish(error?: Error): void })[] = [];
  return {
    batches,
    store: (batch) =>
      new Promise((resolve, reject) => {
        batches.push({ ...batch, finish: (error) => (error ? reject(error) : resolve()) });
      }),
  };
}

function serviceWith(store: ClicksStore) {
  const registry = new Registry();
  const service = createClicksService({ store, originOf: createOriginOf(['localhost']), registry });
  return { service, registry };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('four batches are stored at one time, eight wait in order, and the next is told to come back', async () => {
  const store = slowStore();
  const { service } = serviceWith(store);
  const record = (token: string) => service.record({ token, maybeStored: false, clicks: clicksOf() }, never);
  const answers = Array.from({ length: 12 }, (_, n) => record(String(n)));
  await settled();
  expect(store.batches.map(({ token }) => token)).toEqual(['0', '1', '2', '3']);
  await expect(record('too many')).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 });
  for (let n = 0; n < 12; n++) {
    store.batches[n]!.finish();
    await settled();
  }
  await Promise.all(answers);
  expect(store.batches.map(({ token }) => token)).toEqual(Array.from({ length: 12 }, (_, n) => String(n)));
});

test('a batch that fails frees its place and is not in the metric', async () => {
  const store = slowStore();
  const { service, registry } = serviceWith(store);
  for (let n = 0; n < 10; n++) {
    const answer = service.record({ token: 't', maybeStored: false, clicks: clicksOf('curl/8') }, never);
    await vi.waitFor(() => expect(store.batches).toHaveLength(n + 1), { timeout: 30_000 });
    store.batches[n]!.finish(new Error('down'));
    await expect(answer).rejects.toThrow('down');
  }
  const last = service.record({ token: 't', maybeStored: true, clicks: clicksOf('curl/8', '') }, never);
  await vi.waitFor(() => expect(store.batches).toHaveLength(11), { timeout: 30_000 });
  expect(store.batches[10]).toMatchObject({ maybeStored: true });
  store.batches[10]!.finish();
  expect(await last).toEqual({ counted: 0, notCounted: 2 });
  const { values } = (await registry.getSingleMetric('clicks_stored_total')?.get()) ?? { values: [] };
  expect(values.map(({ labels, value }) => [labels.verdict, value])).toEqual([
    ['empty_user_agent', 1],
    ['library', 1],
  ]);
});

test('other requests run while a batch of different texts is classified', async () => {
  const store = slowStore();
  const { service } = serviceWith(store);
  const userAgents = Array.from({ length: 20_000 }, (_, n) => `${n} ${'basilisk'.repeat(46)}`);
  const answer = service.record({ token: 't', maybeStored: false, clicks: clicksOf(...userAgents) }, never);
  let turns = 0;
  for (; store.batches.length === 0; turns++) await settled();
  store.batches[0]!.finish();
  await answer;
  expect(turns).toBeGreaterThan(10);
});
