import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openClickSpool } from '../src/clicks/click-spool.ts';
import {
  appendUntilKilled,
  CHILD,
  idsOf,
  newClick,
  openSpool,
  startFakeAnalytics,
  startSending,
  temporaryDirectory,
  until,
} from './click-fixtures.ts';

describe('an appended click', () => {
  test('is read in order and in batches, and removed after its acknowledgement', async () => {
    const { spool } = openSpool(temporaryDirectory());
    const clicks = Array.from({ length: 10 }, (_, i) =>
      newClick(`link-${i}`, { referer: `https://example.com/ü"${i}` }),
    );
    for (const click of clicks) expect(await spool.append(click)).toBe(true);
    expect(spool.depth()).toBe(10);
    const first = spool.nextBatch(4)!;
    expect(first.clicks).toEqual(clicks.slice(0, 4));
    spool.acknowledge(first);
    const second = spool.nextBatch(100)!;
    expect(second.clicks).toEqual(clicks.slice(4));
    expect(second.token).not.toBe(first.token);
    spool.acknowledge(second);
    expect(spool.nextBatch(100)).toBeNull();
    expect([spool.depth(), spool.bytes(), spool.oldestAgeMs()]).toEqual([0, 0, 0]);
  });

  test('is written together with all others of the same turn of the event loop', async () => {
    const { spool } = openSpool(temporaryDirectory());
    const clicks = Array.from({ length: 100 }, () => newClick());
    await Promise.all(clicks.map((click) => spool.append(click)));
    expect(spool.nextBatch(1_000)!.clicks).toEqual(clicks);
  });

  test('is still there after a close, which also writes pending clicks', async () => {
    const directory = temporaryDirectory();
    const { spool } = openSpool(directory);
    const clicks = [newClick(), newClick(), newClick()];
    await spool.append(clicks[0]!);
    const rest = clicks.slice(1).map((click) => spool.append(click));
    await spool.close();
    expect(await Promise.all(rest)).toEqual([true, true]);
    expect(await spool.append(newClick())).toBe(false);
    const { spool: again, lines } = openSpool(directory);
    expect(again.depth()).toBe(3);
    expect(again.bytes()).toBeGreaterThan(0);
    expect(again.nextBatch(10)!.clicks).toEqual(clicks);
    expect(lines).toContainEqual(expect.objectContaining({ clicks: 3 }));
  });
});

describe('a batch', () => {
  test('stays the same until it is acknowledged, despite new clicks and in the next process too', async () => {
    const directory = temporaryDirectory();
    const { spool } = openSpool(directory);
    for (let i = 0; i < 5; i += 1) await spool.append(newClick());
    const batch = spool.nextBatch(3)!;
    for (let i = 0; i < 5; i += 1) await spool.append(newClick());
    expect(batch.maybeStored).toBe(false);
    expect(spool.nextBatch(1_000)).toEqual({ ...batch, maybeStored: true });
    await spool.close();
    const { spool: again } = openSpool(directory);
    expect(again.nextBatch(1_000)).toEqual({ ...batch, maybeStored: true });
    again.acknowledge(batch);
    expect(again.nextBatch(1_000)).toMatchObject({ maybeStored: false, clicks: { length: 7 } });
  });

  test('stays well below the limit of a gRPC message', async () => {
    const { spool } = openSpool(temporaryDirectory());
    const referer = '\u00ff'.repeat(2_048);
    const clicks = Array.from({ length: 5_000 }, () => newClick('l', { referer }));
    await Promise.all(clicks.map((click) => spool.append(click)));
    const ids: string[] = [];
    for (let batch = spool.nextBatch(5_000); batch !== null; batch = spool.nextBatch(5_000)) {
      expect(Buffer.byteLength(JSON.stringify(batch.clicks))).toBeLessThan(5 * 1024 * 1024);
      ids.push(...idsOf(batch.clicks));
      spool.acknowledge(batch);
    }
    expect(ids).toEqual(idsOf(clicks));
  });

  test('that is rejected is kept and reported, and does not block the next one', async () => {
    const directory = temporaryDirectory();
    const { spool, lines, metric } = openSpool(directory);
    await spool.append(newClick('poison'));
    const batch = spool.nextBatch(1)!;
    await spool.append(newClick('good'));
    spool.reject(batch, 'id: not 16 bytes');
    expect(spool.nextBatch(10)!.clicks.map(({ linkId }) => linkId)).toEqual(['good']);
    expect(spool.dirtyLinks(10)).toEqual([]);
    expect(await metric('clicks_rejected_total')).toBe(1);
    expect(lines).toContainEqual(expect.objectContaining({ level: 50, clicks: 1, reason: 'id: not 16 bytes' }));
    const bytes = spool.bytes();
    await spool.close();
    expect(openSpool(directory).spool.bytes()).toBe(bytes);
  });
});

test('links of acknowledged clicks are dirty until they are cleared, and stay dirty if new clicks arrived meanwhile', async () => {
  const { spool } = openSpool(temporaryDirectory());
  const send = async (...linkIds: string[]) => {
    await Promise.all(linkIds.map((linkId) => spool.append(newClick(linkId))));
    spool.acknowledge(spool.nextBatch(100)!);
  };
  await send('a', 'b', 'a');
  const before = spool.dirtyLinks(10);
  expect(before.map(({ linkId }) => linkId)).toEqual(['a', 'b']);
  expect(spool.dirtyLinks(1)).toHaveLength(1);
  await send('b', 'c');
  spool.clearDirty(before);
  expect(spool.dirtyLinks(10).map(({ linkId }) => linkId)).toEqual(['b', 'c']);
});

test('a link with new clicks since its totals were read stays dirty, also after a restart', async () => {
  const directory = temporaryDirectory();
  const earlier = openSpool(directory).spool;
  await earlier.append(newClick('a'));
  earlier.acknowledge(earlier.nextBatch(10)!);
  await earlier.close();
  const { spool } = openSpool(directory);
  const read = spool.dirtyLinks(10);
  await spool.append(newClick('a'));
  spool.acknowledge(spool.nextBatch(10)!);
  spool.clearDirty(read);
  expect(spool.dirtyLinks(10).map(({ linkId }) => linkId)).toEqual(['a']);
});

test('a spool can be closed in the same turn of the event loop as an acknowledgement', async () => {
  const directory = temporaryDirectory();
  const { spool } = openSpool(directory);
  await spool.append(newClick());
  spool.acknowledge(spool.nextBatch(10)!);
  await spool.close();
  expect(openSpool(directory).spool.depth()).toBe(0);
});

describe('a spool over its limit', () => {
  test('drops, logs and counts clicks, and accepts them again when there is room', async () => {
    const { spool, lines, metric } = openSpool(temporaryDirectory(), 2_000);
    const written = await Promise.all(Array.from({ length: 100 }, () => spool.append(newClick())));
    const kept = written.filter(Boolean).length;
    expect(kept).toBeGreaterThan(5);
    expect(kept).toBeLessThan(30);
    expect(spool.depth()).toBe(kept);
    expect(spool.bytes()).toBeLessThanOrEqual(2_100);
    expect(await metric('clicks_dropped_total')).toBe(100 - kept);
    expect(await metric('clicks_appended_total')).toBe(kept);
    expect(lines.filter(({ level }) => level === 50)).toEqual([expect.objectContaining({ reason: 'spool_full' })]);
    spool.acknowledge(spool.nextBatch(100)!);
    expect(await spool.append(newClick())).toBe(true);
  });
});

test('the metrics report the depth, the size and the age of the oldest click', async () => {
  const { spool, metric } = openSpool(temporaryDirectory());
  await spool.append({ ...newClick(), clickedAtMs: Date.now() - 60_000 });
  await spool.append(newClick());
  expect(await metric('click_spool_depth')).toBe(2);
  expect(await metric('click_spool_bytes')).toBe(spool.bytes());
  expect(await metric('click_spool_oldest_age_seconds')).toBeCloseTo(60, 0);
});

describe('a spool directory', () => {
  test('refuses a second process with a clear message', async () => {
    const directory = temporaryDirectory();
    const { spool } = openSpool(directory);
    expect(() => openSpool(directory)).toThrow(/in use by another process; give each its own SPOOL_DIR/);
    const child = spawn(process.execPath, ['--conditions=@waymark/source', CHILD, directory], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let err = '';
    child.stderr.on('data', (chunk) => {
      err += chunk;
    });
    expect((await once(child, 'close'))[0]).toBe(1);
    expect(err).toContain('in use by another process');
    // The refused owners did no harm.
    expect(await spool.append(newClick())).toBe(true);
    await spool.close();
    expect(openSpool(directory).spool.depth()).toBe(1);
  });
});

describe('after a SIGKILL', () => {
  test('every acknowledged click is in the spool exactly once, and the lock is free', async () => {
    const directory = temporaryDirectory();
    const acknowledged: string[] = [];
    for (let round = 0; round < 6; round += 1)
      acknowledged.push(...(await appendUntilKilled(directory, 20 + Math.random() * 150)));
    expect(acknowledged.length).toBeGreaterThan(1_000);
    const { spool } = openSpool(directory);
    const depth = spool.depth();
    const found: string[] = [];
    for (let batch = spool.nextBatch(5_000); batch !== null; batch = spool.nextBatch(5_000)) {
      found.push(...idsOf(batch.clicks));
      spool.acknowledge(batch);
    }
    expect(found).toHaveLength(depth);
    const unique = new Set(found);
    expect(unique.size).toBe(found.length);
    expect(acknowledged.filter((id) => !unique.has(id))).toEqual([]);
  });

  test('during sending, a batch keeps its token, and no click is in two batches', async () => {
    const directory = temporaryDirectory();
    const analytics = await startFakeAnalytics();
    const acknowledged: string[] = [];
    for (let round = 0; round < 6; round += 1)
      acknowledged.push(...(await appendUntilKilled(directory, 50 + Math.random() * 200, analytics.port)));
    const opened = openSpool(directory);
    const { spool } = opened;
    startSending(opened, analytics);
    await until(() => spool.depth() === 0);
    const tokens = new Map<string, string>();
    for (const { token, ids } of analytics.received) {
      expect(tokens.get(token) ?? ids.join()).toBe(ids.join());
      tokens.set(token, ids.join());
    }
    const stored = analytics.allIds();
    const unique = new Set(stored);
    expect(unique.size).toBe(stored.length);
    expect(acknowledged.length).toBeGreaterThan(500);
    expect(acknowledged.filter((id) => !unique.has(id))).toEqual([]);
    // Every click that analytics-svc acknowledged has marked its link as dirty.
    expect(spool.dirtyLinks(100).map(({ linkId }) => linkId)).toEqual([
      'link-0',
      'link-1',
      'link-2',
      'link-3',
      'link-4',
      'link-5',
      'link-6',
    ]);
  });
});

test('a directory that cannot be created is an error at once', () => {
  const { logger } = openSpool(temporaryDirectory());
  const file = join(temporaryDirectory(), 'file');
  writeFileSync(file, '');
  expect(() => openClickSpool(join(file, 'spool'), { maxBytes: 1, logger, registry: {} as never })).toThrow();
});
