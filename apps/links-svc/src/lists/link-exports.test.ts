import type { AccountIdentity } from '@waymark/auth';
import type { ExportLinksQuery, Link } from '@waymark/contract';
import { afterEach, expect, test, vi } from 'vitest';
import { LinkExports } from './link-exports.ts';

const WAIT = { timeout: 30_000 };
afterEach(() => vi.useRealTimers());

const QUERY = { format: 'ndjson' } as ExportLinksQuery;
const LINK = { id: 'x', note: 'n'.repeat(100_000) } as Link;
const of = (accountId: string) => ({ accountId }) as AccountIdentity;

test('exports whose clients do not read take places of their account only, however many accounts they have', async () => {
  const exports = new LinkExports({
    async *export() {
      for (;;) yield [LINK];
    },
  });
  const unread = [];
  for (let n = 0; n < 50; n++) unread.push(await exports.stream(of(`slow-${n >> 1}`), QUERY));
  for (const stream of unread) stream.read(0);
  for (const stream of unread) await vi.waitFor(() => expect(stream.readableLength).toBeGreaterThan(0), WAIT);
  const stream = await exports.stream(of('ada'), QUERY);
  let bytes = 0;
  for await (const piece of stream) {
    bytes += piece.length;
    if (bytes > 5_000_000) break;
  }
  await expect(exports.stream(of('slow-1'), QUERY)).rejects.toMatchObject({ code: 'rate_limited' });
  for (const one of unread) one.destroy();
  await vi.waitFor(async () => (await exports.stream(of('slow-1'), QUERY)).destroy(), WAIT);
});

test('exports that the database does not answer keep others waiting until their time is over: 503', async () => {
  vi.useFakeTimers();
  const exports = new LinkExports({
    async *export() {
      yield await new Promise<Link[]>(() => {});
    },
  });
  for (let n = 0; n < 20; n++) void exports.stream(of(`${n}`), QUERY);
  const refused = expect(exports.stream(of('ada'), QUERY)).rejects.toMatchObject({ code: 'unavailable' });
  await vi.advanceTimersByTimeAsync(5_000);
  await refused;
});
