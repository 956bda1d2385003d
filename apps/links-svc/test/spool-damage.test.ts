import { randomBytes } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ClickSpool } from '../src/clicks/click-spool.ts';
import {
  appendUntilKilled,
  idsOf,
  newClick,
  openSpool,
  startFakeAnalytics,
  startSending,
  temporaryDirectory,
  until,
} from './click-fixtures.ts';

const PAGE = 4_096;
const LONG = { referer: `https://example.org/${'r'.repeat(900)}` };
const dataFile = (directory: string) => join(directory, 'clicks.db');
const setAside = (directory: string) => readdirSync(directory).filter((name) => name.startsWith('clicks-broken-'));

/** Empties a spool and returns the ids of all its clicks. */
function drain(spool: ClickSpool): string[] {
  const ids: string[] = [];
  while (spool.depth() > 0) {
    const batch = spool.nextBatch(5_000);
    if (batch === null) continue;
    ids.push(...idsOf(batch.clicks));
    spool.acknowledge(batch);
  }
  return ids;
}

describe('links-svc starts with a damaged spool', () => {
  /** The directory of a killed process, and its acknowledged clicks. */
  let killed: { directory: string; acknowledged: Set<string> };

  beforeAll(async () => {
    const directory = mkdtempSync(join(tmpdir(), 'waymark-damage-'));
    const acknowledged = new Set<string>();
    while (acknowledged.size < 20_000) for (const id of await appendUntilKilled(directory, 300)) acknowledged.add(id);
    killed = { directory, acknowledged };
  });

  afterAll(() => rmSync(killed.directory, { recursive: true }));

  /** Returns the size of a file without the space that is allocated behind the last page. */
  const usedSize = (file: string) => readFileSync(file).findLastIndex((byte) => byte !== 0) + 1;
  const garble = (file: string, from: number, to: number) => {
    const bytes = readFileSync(file);
    randomBytes(to - from).copy(bytes, from);
    writeFileSync(file, bytes);
  };
  const damages: [string, (file: string, size: number) => void][] = [
    ['truncated to nothing', (file) => truncateSync(file, 0)],
    ['truncated within its first page', (file) => truncateSync(file, 100)],
    ['truncated behind its first page', (file) => truncateSync(file, PAGE)],
    ['truncated to its first pages', (file) => truncateSync(file, 3 * PAGE)],
    ['truncated to half', (file, size) => truncateSync(file, Math.floor(size / 2))],
    ['truncated within its last pages', (file, size) => truncateSync(file, size - 40 * PAGE - 7)],
    ['of other bytes', (file, size) => garble(file, 0, size)],
    ['of other bytes behind its first pages', (file, size) => garble(file, 2 * PAGE, size)],
    ['of other bytes in its first tables', (file) => garble(file, 2 * PAGE, 12 * PAGE)],
    [
      'of zeros in its second half',
      (file, size) => {
        const bytes = readFileSync(file);
        writeFileSync(file, bytes.fill(0, Math.floor(size / 2)));
      },
    ],
  ];

  test.each(damages)(
    'whose file is %s',
    async (_, damage) => {
      const directory = join(temporaryDirectory(), 'spool');
      cpSync(killed.directory, directory, { recursive: true });
      damage(dataFile(directory), usedSize(dataFile(directory)));
      const copy = join(temporaryDirectory(), 'spool');
      cpSync(directory, copy, { recursive: true });

      // A real process starts with it, and appends until it is killed.
      const later = await appendUntilKilled(directory, 50);
      expect(later.length).toBeGreaterThan(0);
      const found = drain(openSpool(directory).spool);
      const unique = new Set(found);
      expect(unique.size).toBe(found.length);
      expect(later.filter((id) => !unique.has(id))).toEqual([]);

      const { spool, lines, metric } = openSpool(copy);
      const read = new Set(drain(spool));
      const kept = setAside(copy);
      const loud = lines.filter(({ level }) => level >= 50);
      expect(await metric('click_spool_damaged_files')).toBe(kept.length);
      if (loud.length === 0) {
        // The damaged pages were free.
        expect([...killed.acknowledged].filter((id) => !read.has(id))).toEqual([]);
        return;
      }
      if (kept.length > 0) {
        expect(loud.filter(({ level }) => level === 60)).toEqual([
          expect.objectContaining({ path: join(copy, kept[0]!), reason: expect.stringMatching(/./) }),
        ]);
        expect(existsSync(join(copy, kept[0]!, 'clicks.db'))).toBe(true);
      } else {
        expect(await metric('clicks_unreadable_total')).toBeGreaterThan(0);
      }
    },
    60_000,
  );

  test('but uses the intact spool of a killed process unchanged', async () => {
    const directory = join(temporaryDirectory(), 'spool');
    cpSync(killed.directory, directory, { recursive: true });
    const { spool, lines, metric } = openSpool(directory);
    const found = new Set(drain(spool));
    expect([...killed.acknowledged].filter((id) => !found.has(id))).toEqual([]);
    expect(setAside(directory)).toEqual([]);
    expect(lines.filter(({ level }) => level >= 40)).toEqual([]);
    expect(await metric('click_spool_damaged_files')).toBe(0);
  });
});

/** Overwrites each page of the file that contains a text. */
function overwritePages(directory: string, text: string): void {
  const bytes = readFileSync(dataFile(directory));
  for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + 1))
    bytes.fill(0, at - (at % PAGE), at - (at % PAGE) + PAGE);
  writeFileSync(dataFile(directory), bytes);
}

/**
 * Creates a spool with three clicks in the queue, the first in a batch that may have been sent, and a damaged table.
 */
async function damagedTable(directory: string) {
  const { spool } = openSpool(directory);
  await spool.append(newClick('the-dirty-link'));
  spool.acknowledge(spool.nextBatch(1)!);
  const clicks = [newClick(), newClick(), newClick()];
  for (const click of clicks) await spool.append(click);
  const batch = spool.nextBatch(1)!;
  await spool.close();
  overwritePages(directory, 'the-dirty-link');
  return { clicks, batch };
}

describe('a damaged file', () => {
  test('is set aside, and its readable clicks are sent with their original token', async () => {
    const directory = temporaryDirectory();
    const { clicks, batch } = await damagedTable(directory);
    const { spool } = openSpool(directory);
    expect(setAside(directory)).toHaveLength(1);
    expect(spool.depth()).toBe(3);
    expect(spool.nextBatch(10)).toEqual({ ...batch, maybeStored: true });
    expect(drain(spool)).toEqual(idsOf(clicks));
    await spool.append(newClick('another'));
    spool.acknowledge(spool.nextBatch(10)!);
    expect(spool.dirtyLinks(10).map(({ linkId }) => linkId)).toContain('another');
  });

  test('loses only the clicks of its damaged pages', async () => {
    const directory = temporaryDirectory();
    const { spool: earlier } = openSpool(directory);
    const clicks = Array.from({ length: 3_000 }, (_, n) => newClick(n % 1_000 === 500 ? 'on-a-damaged-page' : 'link'));
    await Promise.all(clicks.map((click) => earlier.append(click)));
    await earlier.close();
    overwritePages(directory, 'on-a-damaged-page');
    const { spool } = openSpool(directory);
    expect(setAside(directory)).toHaveLength(1);
    const found = drain(spool);
    expect(found).toEqual(idsOf(clicks).filter((id) => found.includes(id)));
    expect(found.length).toBeLessThan(3_000);
    // A page has about 30 clicks.
    expect(found.length).toBeGreaterThan(2_880);
  });

  test('is replaced while links-svc runs, and no click that is appended meanwhile is lost', async () => {
    const directory = temporaryDirectory();
    const { spool, lines, metric } = openSpool(directory);
    // More than SQLite keeps in memory and in its log.
    const clicks = Array.from({ length: 20_000 }, (_, n) => newClick(n === 200 ? 'on-a-damaged-page' : 'link', LONG));
    await Promise.all(clicks.map((click) => spool.append(click)));
    const batch = spool.nextBatch(100)!;
    // Whole groups, of which each has a few long clicks.
    expect(batch.clicks.length).toBeGreaterThan(96);
    overwritePages(directory, 'on-a-damaged-page');
    const found = new Set(drain(spool));
    expect([...found].slice(0, batch.clicks.length)).toEqual(idsOf(batch.clicks));
    expect([...found]).toEqual(idsOf(clicks).filter((id) => found.has(id)));
    expect(found.size).toBeLessThan(20_000);
    expect(found.size).toBeGreaterThan(19_980);
    expect(await metric('click_spool_damaged_files')).toBe(1);
    expect(lines.filter(({ level }) => level === 60)).toHaveLength(1);
    const later = newClick();
    expect(await spool.append(later)).toBe(true);
    await spool.close();
    expect(drain(openSpool(directory).spool)).toEqual([later.id]);
  });

  test('in which a whole batch was lost does not take later clicks with it', async () => {
    const directory = temporaryDirectory();
    const { spool: earlier } = openSpool(directory);
    const clicks = Array.from({ length: 3_000 }, () => newClick('on-a-damaged-page', LONG));
    await Promise.all(clicks.map((click) => earlier.append(click)));
    await earlier.close();
    const { spool, metric } = openSpool(directory);
    const batch = spool.nextBatch(3_000)!;
    overwritePages(directory, 'on-a-damaged-page');
    expect(spool.oldestAgeMs()).toBe(0);
    expect(await metric('click_spool_damaged_files')).toBe(1);
    const later = newClick();
    await spool.append(later);
    spool.acknowledge(batch);
    expect(drain(spool)).toEqual([later.id]);
  });

  test('is never deleted, and counts for the size of the spool until it is moved away', async () => {
    const directory = temporaryDirectory();
    await damagedTable(directory);
    const { spool: second } = openSpool(directory);
    await second.close();
    await damagedTable(directory);
    const { spool, metric } = openSpool(directory, 40_000);
    expect(setAside(directory)).toHaveLength(2);
    expect(await metric('click_spool_damaged_files')).toBe(2);
    expect(await metric('click_spool_bytes')).toBeGreaterThan(40_000);
    expect(await spool.append(newClick())).toBe(false);
    for (const name of setAside(directory)) rmSync(join(directory, name), { recursive: true });
    expect(await metric('click_spool_damaged_files')).toBe(0);
    expect(await spool.append(newClick())).toBe(true);
  });
});

describe('unreadable clicks', () => {
  /** Overwrites the middle of the clicks on this link. */
  function garbleClicks(directory: string, linkId: string): void {
    const bytes = readFileSync(dataFile(directory));
    for (let at = bytes.indexOf(linkId); at !== -1; at = bytes.indexOf(linkId, at + 1)) bytes.fill(0xff, at, at + 4);
    writeFileSync(dataFile(directory), bytes);
  }

  test('are counted and logged once, and all later clicks are sent', async () => {
    const directory = temporaryDirectory();
    const { spool: earlier } = openSpool(directory);
    const clicks = ['first', 'garbled', 'third', 'fourth'].map((linkId) => newClick(linkId));
    for (const click of clicks) await earlier.append(click);
    earlier.acknowledge(earlier.nextBatch(1)!);
    await earlier.close();
    garbleClicks(directory, 'garbled');

    const analytics = await startFakeAnalytics();
    const { spool, lines, logger, metric } = openSpool(directory);
    const sender = startSending({ spool, logger }, analytics, { gatherMs: 5 });
    const more = newClick('more');
    await spool.append(more);
    await until(() => spool.depth() === 0);
    expect(analytics.allIds()).toEqual(idsOf([clicks[2]!, clicks[3]!, more]));
    expect(await metric('clicks_unreadable_total')).toBe(1);
    expect(await metric('click_spool_damaged_files')).toBe(0);
    expect(spool.bytes()).toBeGreaterThan(0);
    await sender.close(1_000);
    await spool.close();
    const again = openSpool(directory);
    expect(again.spool.depth()).toBe(0);
    expect(again.spool.bytes()).toBeGreaterThan(0);
    for (const log of [lines, again.lines])
      expect(log.filter(({ level }) => level >= 40)).toHaveLength(log === lines ? 1 : 0);
  });

  test('do not change the token of the rest of their batch, so that no click counts twice', async () => {
    const directory = temporaryDirectory();
    const { spool: earlier } = openSpool(directory);
    const clicks = ['first', 'garbled', 'third'].map((linkId) => newClick(linkId));
    for (const click of clicks) await earlier.append(click);
    earlier.acknowledge(earlier.nextBatch(1)!);
    const batch = earlier.nextBatch(10)!;
    expect(batch).toMatchObject({ clicks: clicks.slice(1) });
    await earlier.close();
    garbleClicks(directory, 'garbled');

    const { spool } = openSpool(directory);
    const rest = spool.nextBatch(10)!;
    expect(rest).toMatchObject({ token: batch.token, maybeStored: true, clicks: [clicks[2]] });
    spool.acknowledge(rest);
    expect(spool.depth()).toBe(0);
    expect(spool.nextBatch(10)).toBeNull();
  });

  test('leave the spool empty and usable if all clicks are unreadable', async () => {
    const directory = temporaryDirectory();
    const { spool: earlier } = openSpool(directory);
    for (let i = 0; i < 5; i += 1) await earlier.append(newClick('garbled'));
    earlier.nextBatch(2);
    await earlier.close();
    garbleClicks(directory, 'garbled');
    const { spool, metric } = openSpool(directory);
    expect(await metric('click_spool_oldest_age_seconds')).toBe(0);
    while (spool.depth() > 0) expect(spool.nextBatch(2)).toBeNull();
    expect(await metric('clicks_unreadable_total')).toBe(5);
    const click = newClick();
    await spool.append(click);
    expect(spool.nextBatch(2)!.clicks).toEqual([click]);
  });
});
