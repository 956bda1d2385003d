import { closeSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ClickSpool } from '../src/clicks/click-spool.ts';
import {
  appendUntilKilled,
  idsOf,
  newClick,
  openSpool,
  smallDisk,
  startFakeAnalytics,
  startSending,
  until,
} from './click-fixtures.ts';

const LONG = { 'user-agent': 'x'.repeat(500), referer: `https://example.org/${'r'.repeat(500)}` };

/** Fills the rest of a disk. */
function fillUp(directory: string): string {
  const path = join(directory, 'of-others');
  const file = openSync(path, 'w');
  for (let bytes = 1_024 * 1_024; bytes >= 1; ) {
    try {
      if (writeSync(file, Buffer.alloc(bytes, 1)) < bytes) throw new Error('the disk is full');
    } catch {
      bytes = Math.floor(bytes / 2);
    }
  }
  closeSync(file);
  return path;
}

/** Appends clicks until many are refused, and returns the ids of the accepted ones. */
async function appendUntilFull(spool: ClickSpool): Promise<string[]> {
  const taken: string[] = [];
  for (let refused = 0; refused < 2_000; ) {
    const clicks = Array.from({ length: 50 }, (_, n) => newClick(`link-${n}`, LONG));
    const written = await Promise.all(clicks.map((click) => spool.append(click)));
    taken.push(...idsOf(clicks.filter((_click, n) => written[n])));
    refused += written.filter((ok) => !ok).length;
  }
  return taken;
}

describe('a full disk', () => {
  test('drops and counts new clicks, and has room again after the stored clicks are sent', async (context) => {
    const disk = smallDisk(40) ?? context.skip('needs the right to mount a file system');
    const analytics = await startFakeAnalytics();
    const { spool, lines, logger, metric } = openSpool(join(disk, 'spool'));
    const taken = await appendUntilFull(spool);
    expect(taken.length).toBeGreaterThan(1_000);
    expect(await metric('clicks_dropped_total')).toBeGreaterThanOrEqual(2_000);
    expect(await metric('clicks_appended_total')).toBe(taken.length);
    expect(statfsSync(disk).bavail).toBe(0);
    // A full disk causes only a few log lines, however many clicks are lost.
    expect(lines.length).toBeLessThan(10);

    startSending({ spool, logger }, analytics, { gatherMs: 5 });
    await until(() => spool.depth() === 0);
    expect(analytics.allIds()).toEqual(taken);
    expect(analytics.received.length).toBe(analytics.batches.size);

    // The disk is as full as before. The free space is in the file of the spool.
    const clicks = Array.from({ length: 500 }, () => newClick('later', LONG));
    for (const click of clicks) expect(await spool.append(click)).toBe(true);
    await until(() => spool.depth() === 0);
    expect(analytics.allIds()).toEqual([...taken, ...idsOf(clicks)]);
  });

  test('that others filled does not prevent sending, nor rejecting batches', async (context) => {
    const disk = smallDisk(40) ?? context.skip('needs the right to mount a file system');
    const { spool, metric } = openSpool(join(disk, 'spool'));
    for (let i = 0; i < 100; i += 1)
      await Promise.all(Array.from({ length: 50 }, () => spool.append(newClick('l', LONG))));
    const depth = spool.depth();
    const filler = fillUp(disk);
    const refused = spool.nextBatch(1_000_000)!;
    spool.reject(refused, 'id: not 16 bytes');
    for (let batch = spool.nextBatch(1_000); batch !== null; batch = spool.nextBatch(1_000)) spool.acknowledge(batch);
    expect(spool.depth()).toBe(0);
    expect((await metric('clicks_sent_total')) + refused.clicks.length).toBe(depth);
    spool.clearDirty(spool.dirtyLinks(10));
    expect(spool.dirtyLinks(10)).toEqual([]);
    rmSync(filler);
  });

  test('does not prevent the start of links-svc, and a kill neither loses nor doubles a click', async (context) => {
    const disk = smallDisk(40) ?? context.skip('needs the right to mount a file system');
    const directory = join(disk, 'spool');
    const acknowledged = await appendUntilKilled(directory, 50);
    const { spool: earlier } = openSpool(directory);
    acknowledged.push(...(await appendUntilFull(earlier)));
    await earlier.close();
    fillUp(disk);

    const analytics = await startFakeAnalytics();
    for (let round = 0; round < 3; round += 1)
      acknowledged.push(...(await appendUntilKilled(directory, 30, analytics.port)));
    const { spool, logger } = openSpool(directory);
    startSending({ spool, logger }, analytics);
    await until(() => spool.depth() === 0);
    const stored = analytics.allIds();
    const unique = new Set(stored);
    expect(unique.size).toBe(stored.length);
    expect(acknowledged.filter((id) => !unique.has(id))).toEqual([]);
  });
});
