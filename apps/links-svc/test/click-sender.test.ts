import { AppError } from '@waymark/contract';
import { describe, expect, test } from 'vitest';
import { REFERRER_MAX_LENGTH, USER_AGENT_MAX_LENGTH } from '../src/clicks/click.ts';
import { startTotalsRefresher } from '../src/clicks/totals-refresher.ts';
import { UTM_MAX_LENGTH } from '../src/clicks/utm.ts';
import {
  analyticsOf,
  idsOf,
  later,
  newClick,
  openSpool,
  startFakeAnalytics,
  startSending,
  temporaryDirectory,
  until,
} from './click-fixtures.ts';

async function harness({ send = true, gatherMs = 20, maxBatch = 5_000 } = {}) {
  const analytics = await startFakeAnalytics();
  const opened = openSpool(temporaryDirectory());
  const connection = analyticsOf(analytics);
  const start = () => startSending(opened, analytics, { gatherMs, maxBatch });
  return { analytics, ...opened, connection, start, sender: send ? start() : undefined };
}

async function append(spool: { append(click: ReturnType<typeof newClick>): Promise<boolean> }, count: number) {
  const clicks = Array.from({ length: count }, (_, i) => newClick(`link-${i % 3}`));
  expect(await Promise.all(clicks.map((click) => spool.append(click)))).not.toContain(false);
  return clicks;
}

describe('the sender', () => {
  test('sends every fact of a click', async () => {
    const { analytics, spool } = await harness();
    let seen: unknown;
    analytics.onBatch = ({ clicks }) => {
      seen = clicks[0];
    };
    const click = { ...newClick('link-9', { referer: 'https://example.com/é' }), clickedAtMs: 1_800_000_000_123 };
    const utm = { utmSource: 'news', utmCampaign: 'c', utmMedium: 'm', utmContent: 'n', utmTerm: 't' };
    await spool.append({ ...click, ...utm, language: 'de', host: 'go.example.com', prefetch: true });
    await until(() => spool.depth() === 0);
    expect(seen).toEqual({
      id: click.id,
      accountId: 'account-1',
      linkId: 'link-9',
      clickedAtMs: 1_800_000_000_123,
      userAgent: 'Mozilla/5.0',
      referrer: 'https://example.com/é',
      ...utm,
      language: 'de',
      country: 'DE',
      visitor: '0123456789abcdef',
      host: 'go.example.com',
      prefetch: true,
    });
  });

  test('gathers clicks for a moment, and sends a full batch at once', async () => {
    const { analytics, spool } = await harness({ gatherMs: 500, maxBatch: 50 });
    for (let i = 0; i < 5; i += 1) await append(spool, 2);
    await until(() => spool.depth() === 0);
    expect(analytics.received).toHaveLength(1);

    // Gathers for longer than the test runs, so only full batches are sent.
    const patient = await harness({ gatherMs: 600_000, maxBatch: 50 });
    for (let i = 0; i < 10; i += 1) await append(patient.spool, 25);
    await until(() => patient.spool.depth() === 0);
    expect(patient.analytics.received.map(({ ids }) => ids.length)).toEqual(Array(5).fill(50));
  });

  test('asks whether links exist only if their clicks are a day old, or later than now', async () => {
    const { analytics, spool, logger } = await harness({ send: false });
    const now = Date.now();
    const ages = { young: 23, old: 25, future: -1 };
    const clicks = Object.entries(ages).map(([linkId, hours]) => ({
      ...newClick(linkId),
      clickedAtMs: now - hours * 3_600_000,
    }));
    await Promise.all([...clicks, newClick('old')].map((click) => spool.append(click)));
    const asked: string[][] = [];
    const existingLinks = async (linkIds: string[]) => {
      asked.push(linkIds);
      return ['future'];
    };
    startSending({ spool, logger }, analytics, { existingLinks });
    await until(() => spool.depth() === 0);
    expect(asked).toEqual([['old', 'future']]);
    expect(analytics.allIds()).toHaveLength(3);
  });

  test('keeps clicks in the spool until analytics-svc has acknowledged them', async () => {
    const { analytics, spool, metric } = await harness();
    const database = Promise.withResolvers<void>();
    analytics.onBatch = () => database.promise;
    await append(spool, 3);
    await until(() => analytics.received.length === 1);
    expect(spool.depth()).toBe(3);
    expect(await metric('clicks_sent_total')).toBe(0);
    database.resolve();
    await until(() => spool.depth() === 0);
    expect(await metric('clicks_sent_total')).toBe(3);
  });

  test('sends an identical batch until it is acknowledged, and later clicks after it', async () => {
    const { analytics, spool, lines } = await harness();
    let failures = 0;
    analytics.onBatch = () => {
      failures += 1;
      if (failures <= 3) throw new AppError('unavailable', 'The database is down.');
    };
    const first = await append(spool, 3);
    await until(() => failures > 0);
    const second = await append(spool, 3);
    await until(() => spool.depth() === 0);
    const [one, ...others] = analytics.received;
    expect(one!.ids).toEqual(idsOf(first));
    const repeated = { ...one, maybeStored: true };
    expect(one!.maybeStored).toBe(false);
    expect(others.slice(0, 3)).toEqual([repeated, repeated, repeated]);
    expect(others[3]!.maybeStored).toBe(false);
    expect(others.at(-1)!.ids).toEqual(idsOf(second));
    expect(analytics.allIds()).toEqual(idsOf([...first, ...second]));
    const messages = lines.map(({ msg }) => msg).filter((msg) => msg.includes('sending clicks'));
    expect(messages).toEqual([expect.stringContaining('failed'), expect.stringContaining('works again')]);
  });

  test('repeats a batch with the same token after a lost response, so that no click counts twice', async () => {
    const { analytics, spool } = await harness();
    let lost = 0;
    analytics.onBatch = async ({ token, clicks }) => {
      if (lost > 0) return;
      lost += 1;
      analytics.batches.set(token, new Map(clicks.map(({ id, linkId }) => [id, linkId])));
      throw new AppError('internal', 'It was stored, and then something broke.');
    };
    const clicks = await append(spool, 4);
    await until(() => spool.depth() === 0);
    expect(analytics.received.map(({ maybeStored }) => maybeStored)).toEqual([false, true]);
    expect(analytics.allIds()).toEqual(idsOf(clicks));
  });

  test('keeps clicks in the file during an outage and sends all of them in order afterwards', async () => {
    const { analytics, spool } = await harness({ maxBatch: 40 });
    const before = await append(spool, 10);
    await until(() => spool.depth() === 0);
    await analytics.stop();
    const meanwhile = [];
    for (let i = 0; i < 30; i += 1) meanwhile.push(...(await append(spool, 10)));
    expect(spool.depth()).toBe(300);
    await analytics.start();
    await until(() => spool.depth() === 0);
    const seen = new Set<string>();
    const inOrder = analytics.received.flatMap(({ ids }) => ids).filter((id) => !seen.has(id) && seen.add(id));
    expect(inOrder).toEqual(idsOf([...before, ...meanwhile]));
    expect(analytics.allIds()).toHaveLength(310);
  });

  test.each(['invalid', 'too_large'] as const)(
    'continues with the next batch if one is refused as %s',
    async (code) => {
      const { analytics, spool, metric } = await harness({ maxBatch: 1 });
      analytics.onBatch = ({ clicks }) => {
        if (clicks[0]!.linkId === 'link-1') throw new AppError(code, 'clicks[0].id: must be 16 bytes');
      };
      await spool.append(newClick('link-0'));
      await spool.append(newClick('link-1'));
      await spool.append(newClick('link-2'));
      await until(() => spool.depth() === 0);
      expect(analytics.allIds()).toHaveLength(2);
      expect(await metric('clicks_rejected_total')).toBe(1);
    },
  );

  test('sends distinct clicks with the longest fields in batches that fit into a message', async () => {
    const { analytics, spool, metric } = await harness({ maxBatch: 20_000 });
    const longest = (start: number, character: string, length: number) => `${start}`.padEnd(length, character);
    const clicks = Array.from({ length: 1_500 }, (_, n) => ({
      ...newClick(`link-${n}`),
      userAgent: longest(n, '\u00ff', USER_AGENT_MAX_LENGTH),
      referrer: longest(n, '\u00ff', REFERRER_MAX_LENGTH),
      utmSource: longest(n, '\uffff', UTM_MAX_LENGTH),
      utmCampaign: longest(n, '\uffff', UTM_MAX_LENGTH),
      utmMedium: longest(n, '\uffff', UTM_MAX_LENGTH),
      utmContent: longest(n, '\uffff', UTM_MAX_LENGTH),
      utmTerm: longest(n, '\uffff', UTM_MAX_LENGTH),
    }));
    await Promise.all(clicks.map((click) => spool.append(click)));
    await until(() => spool.depth() === 0);
    expect(await metric('clicks_rejected_total')).toBe(0);
    expect(analytics.allIds()).toEqual(idsOf(clicks));
    expect(analytics.batches.size).toBeLessThan(5);
  });

  test('sends the clicks of an earlier run without waiting for a new click', async () => {
    const { analytics, spool, start } = await harness({ send: false });
    await append(spool, 3);
    start();
    await until(() => analytics.allIds().length === 3);
  });
});

describe('a clean shutdown', () => {
  test('sends the remaining clicks before close resolves', async () => {
    const { analytics, spool, sender } = await harness({ gatherMs: 60_000 });
    await append(spool, 7);
    await sender!.close(5_000);
    expect(spool.depth()).toBe(0);
    expect(analytics.allIds()).toHaveLength(7);
  });

  test('ends at the deadline if analytics-svc is down, and keeps the clicks for the next start', async () => {
    const { analytics, spool, sender, lines, start } = await harness();
    await analytics.stop();
    await append(spool, 7);
    await sender!.close(300);
    expect(spool.depth()).toBe(7);
    expect(lines).toContainEqual(
      expect.objectContaining({ clicks: 7, msg: expect.stringContaining('remain in the spool') }),
    );
    await analytics.start();
    start();
    await until(() => analytics.allIds().length === 7);
  });

  test('ends at the deadline if analytics-svc does not respond', async () => {
    const { analytics, spool, sender } = await harness();
    analytics.onBatch = () => new Promise(() => {});
    await append(spool, 1);
    await until(() => analytics.received.length === 1);
    await sender!.close(200);
    expect(spool.depth()).toBe(1);
  });
});

describe('the totals of links', () => {
  test('are requested after clicks are acknowledged, and written as absolute values', async () => {
    const { analytics, spool, connection, logger } = await harness();
    const written = new Map<string, unknown>();
    const refresher = startTotalsRefresher({
      spool,
      analytics: connection,
      logger,
      everyMs: 20,
      applyTotals: async (totals) => {
        for (const { linkId, ...rest } of totals) written.set(linkId, rest);
      },
    });
    later(() => refresher.close(0));
    await append(spool, 7);
    await until(() => written.size === 3 && spool.dirtyLinks(10).length === 0);
    expect(Object.fromEntries(written)).toEqual({
      'link-0': { clicks: 3, lastClickedAt: new Date(1_800_000_000_123) },
      'link-1': { clicks: 2, lastClickedAt: new Date(1_800_000_000_123) },
      'link-2': { clicks: 2, lastClickedAt: new Date(1_800_000_000_123) },
    });
    const asked = analytics.totalsRequested.length;
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(analytics.totalsRequested).toHaveLength(asked);
  });

  test('survive an outage of either database, because a link stays dirty until its totals are written', async () => {
    const { analytics, spool, connection, logger } = await harness();
    await append(spool, 3);
    await until(() => spool.depth() === 0);
    let attempts = 0;
    const written: string[] = [];
    const refresher = startTotalsRefresher({
      spool,
      analytics: connection,
      logger,
      everyMs: 10,
      applyTotals: async (totals) => {
        attempts += 1;
        if (attempts <= 2) throw new AppError('unavailable', 'down');
        written.push(...totals.map(({ linkId }) => linkId));
      },
    });
    later(() => refresher.close(0));
    await until(() => written.length === 3);
    expect(attempts).toBe(3);
    await until(() => spool.dirtyLinks(10).length === 0);
    expect(analytics.totalsRequested.length).toBe(3);
  });

  test('are read again while a replica of ClickHouse lags, until they have every acknowledged click', async () => {
    const { analytics, spool, connection, logger } = await harness();
    await append(spool, 3);
    await until(() => spool.depth() === 0);
    analytics.isComplete = false;
    const rounds: number[] = [];
    const refresher = startTotalsRefresher({
      spool,
      analytics: connection,
      logger,
      everyMs: 10,
      applyTotals: async (totals) => void rounds.push(totals.length),
    });
    later(() => refresher.close(0));
    await until(() => rounds.length > 2);
    expect(spool.dirtyLinks(10)).toHaveLength(3);
    analytics.isComplete = true;
    await until(() => spool.dirtyLinks(10).length === 0);
    expect(new Set(rounds)).toEqual(new Set([3]));
  });

  test('are refreshed once more by close', async () => {
    const { spool, connection, logger } = await harness();
    const written: string[] = [];
    const refresher = startTotalsRefresher({
      spool,
      analytics: connection,
      logger,
      everyMs: 60_000,
      applyTotals: async (totals) => void written.push(...totals.map(({ linkId }) => linkId)),
    });
    await append(spool, 3);
    await until(() => spool.depth() === 0);
    await refresher.close(5_000);
    expect(written.sort()).toEqual(['link-0', 'link-1', 'link-2']);
  });

  test('are requested in several requests if they exceed one', async () => {
    const { analytics, spool, connection, logger } = await harness();
    await Promise.all(Array.from({ length: 2_500 }, (_, i) => spool.append(newClick(`link-${i}`))));
    await until(() => spool.depth() === 0);
    const refresher = startTotalsRefresher({
      spool,
      analytics: connection,
      logger,
      everyMs: 10,
      applyTotals: async () => {},
    });
    later(() => refresher.close(0));
    await until(() => spool.dirtyLinks(1).length === 0);
    expect(analytics.totalsRequested.map((ids) => ids.length)).toEqual([1_000, 1_000, 500]);
  });
});
