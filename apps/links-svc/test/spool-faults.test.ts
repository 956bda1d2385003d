import { closeSync, openSync, readdirSync, rmSync, statfsSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  idsOf,
  newClick,
  openSpool,
  smallDisk,
  startFakeAnalytics,
  startSending,
  temporaryDirectory,
  until,
} from './click-fixtures.ts';

// docs/operations.md, Clicks: what happens to the spool on a bad or a full disk.

const LONG = { 'user-agent': 'x'.repeat(500), referer: `https://example.org/${'r'.repeat(500)}` };

test('a damaged file is set aside, named in the log and counted, and a new one takes clicks', async () => {
  const directory = temporaryDirectory();
  const earlier = openSpool(directory);
  await Promise.all(Array.from({ length: 500 }, () => earlier.spool.append(newClick('l', LONG))));
  await earlier.spool.close();
  truncateSync(join(directory, 'clicks.db'), 3 * 4_096);

  // At the start.
  const { spool, logger, lines, metric } = openSpool(directory);
  const aside = () => readdirSync(directory).filter((name) => name.startsWith('clicks-broken-'));
  expect(aside()).toHaveLength(1);
  const fatal = () => lines.filter(({ level }) => level === 60);
  expect(fatal()).toMatchObject([{ path: join(directory, aside()[0]!), reason: expect.any(String) }]);
  expect(spool.depth()).toBe(0);

  // While links-svc runs, with a batch on its way: its acknowledgement must not take later clicks. There are more clicks
  // than SQLite has in memory, so it reads the file again.
  await spool.append(newClick('l', LONG));
  const batch = spool.nextBatch(1)!;
  await Promise.all(Array.from({ length: 10_000 }, () => spool.append(newClick('l', LONG))));
  for (const name of ['clicks.db', 'clicks.db-wal'])
    writeFileSync(join(directory, name), Buffer.alloc(2_000_000, 'not SQLite'));
  expect(spool.nextBatch(1)).toBeNull();
  expect(fatal()).toHaveLength(2);
  expect(aside()).toHaveLength(2);
  spool.acknowledge(batch);
  const later = newClick('l', LONG);
  expect(await spool.append(later)).toBe(true);
  const analytics = await startFakeAnalytics();
  startSending({ spool, logger }, analytics, { gatherMs: 5 });
  await until(() => spool.depth() === 0);
  expect(analytics.allIds()).toEqual([later.id]);
  expect(await metric('click_spool_damaged_files')).toBe(2);
});

test('a full disk drops and counts clicks, and loses none that was acknowledged', async (context) => {
  const disk = smallDisk(16) ?? context.skip('needs the right to mount a file system');
  const { spool, logger, metric } = openSpool(join(disk, 'spool'));
  const filler = join(disk, 'of-others');
  const file = openSync(filler, 'w');
  writeSync(file, Buffer.alloc(8 * 1_024 * 1_024));
  closeSync(file);
  const acknowledged: string[] = [];
  let dropped = 0;
  while (dropped < 500) {
    const clicks = Array.from({ length: 50 }, (_, n) => newClick(`link-${n}`, LONG));
    const written = await Promise.all(clicks.map((click) => spool.append(click)));
    acknowledged.push(...idsOf(clicks.filter((_click, n) => written[n])));
    dropped += written.filter((ok) => !ok).length;
  }
  expect(statfsSync(disk).bavail).toBeLessThan(16);
  expect(await metric('clicks_dropped_total')).toBe(dropped);
  expect(await metric('clicks_appended_total')).toBe(acknowledged.length);

  rmSync(filler);
  const analytics = await startFakeAnalytics();
  startSending({ spool, logger }, analytics, { gatherMs: 5 });
  await until(() => spool.depth() === 0);
  expect(analytics.allIds()).toEqual(acknowledged);
});
