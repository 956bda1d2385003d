import { randomUUID } from 'node:crypto';
import { type analyticsV1, clicksToMessage, packTexts } from '@waymark/proto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSourceOf } from '../src/clicks/source.ts';
import { visitorOf } from '../src/clicks/visitor.ts';
import { CLICK_TABLES } from '../src/database/schema.ts';
import {
  account,
  CHROME,
  type FakeLinks,
  IPAD,
  IPHONE,
  LINKS_SERVICE,
  openTestDatabase,
  record,
  type SentClick,
  signer,
  startFakeLinks,
  startService,
  type TestDatabase,
  type TestService,
} from './harness.ts';

let db: TestDatabase;
let links: FakeLinks;
let service: TestService;
beforeAll(async () => {
  db = await openTestDatabase();
  links = await startFakeLinks();
  service = await startService({ ...db.env, LINKS_GRPC: links.address });
});
afterAll(async () => {
  await service?.close();
  await links?.close();
  await db?.close();
});

/** Returns clicks of an account on three links of its own, before and after the end of a month. */
function someClicks(accountId: string, count: number): SentClick[] {
  const endOfMonth = Date.UTC(2026, 9, 1);
  return Array.from({ length: count }, (_, n) => ({
    accountId,
    linkId: `${accountId}-${n % 3}`,
    atMs: endOfMonth + (n % 2 === 0 ? -1 : 1) * 60_000 * n,
  }));
}

/** Returns the number of clicks that each table counts for the account. */
async function countsOf(accountId: string): Promise<Record<string, number>> {
  const sums = {
    clicks: "SELECT countIf(verdict = 'counted') AS n FROM clicks",
    clicks_by_day:
      "SELECT sumIf(desktop + mobile + tablet + other, link = 0 AND from_source = '') AS n FROM clicks_by_day",
    links_by_day: "SELECT sumIf(clicks, from_source = '') AS n FROM links_by_day",
    link_totals: 'SELECT sum(clicks) AS n FROM link_totals',
  };
  const counts: Record<string, number> = {};
  for (const [table, sql] of Object.entries(sums)) {
    const rows = await db.database.query<{ n: number }>(`${sql} WHERE account_id = {account:String}`, {
      parameters: { account: accountId },
    });
    counts[table] = rows[0]!.n;
  }
  return counts;
}
const all = (n: number) => Object.fromEntries(CLICK_TABLES.map((table) => [table, n]));

describe('a click is in the analytics exactly once', () => {
  test('an acknowledged batch is in every table', async () => {
    const id = randomUUID();
    expect(await record(service.client, someClicks(id, 50))).toMatchObject({ counted: 50, notCounted: 0 });
    expect(await countsOf(id)).toEqual(all(50));
  });

  test('a batch that is sent again after a lost answer is not counted twice', async () => {
    const id = randomUUID();
    const token = randomUUID();
    const clicks = someClicks(id, 20);
    await record(service.client, clicks, { token });
    for (let i = 0; i < 3; i++) await record(service.client, clicks, { token, maybeStored: true });
    expect(await countsOf(id)).toEqual(all(20));
  });

  test('a batch that never arrived is stored by the second try', async () => {
    const id = randomUUID();
    await record(service.client, someClicks(id, 20), { maybeStored: true });
    expect(await countsOf(id)).toEqual(all(20));
  });

  test.each(
    Array.from({ length: 2 ** CLICK_TABLES.length }, (_, bits) => CLICK_TABLES.filter((_, i) => bits & (1 << i))),
  )(
    'a batch that a killed database had stored in %s only is completed, whichever tables they are',
    async (...stored) => {
      const id = randomUUID();
      const token = randomUUID();
      const clicks = someClicks(id, 12);
      await record(service.client, clicks, { token });
      for (const table of CLICK_TABLES) {
        if (stored.includes(table)) continue;
        // Leaves the database as if it had lost this table's part of the batch.
        const marks = table === 'clicks' ? '' : " OR account_id = ''";
        await db.database.command(
          `ALTER TABLE ${table} DELETE WHERE account_id = {account:String}${marks} SETTINGS mutations_sync = 1`,
          { parameters: { account: id } },
        );
      }
      await record(service.client, clicks, { token, maybeStored: true });
      expect(await countsOf(id)).toEqual(all(12));
    },
  );

  test('crafted User-Agents are stored before their sender gives up', async () => {
    const id = randomUUID();
    const clicks = someClicks(id, 1_500).map((click, n) => ({
      ...click,
      userAgent: [
        `Mozilla/5.0 (X11; Linux) ${n} archos venue${'7011'.repeat(125)}`,
        `Mozilla/5.0 (Linux; ${n}) ${'droid '.repeat(80)}`,
        `Mozilla/5.0 (X11; Linux) ${n} ${'basilisk'.repeat(60)}`,
      ][n % 3]!,
    }));
    expect(await record(service.client, clicks)).toMatchObject({ counted: 1_500 });
    expect(await countsOf(id)).toEqual(all(1_500));
  });

  test('the largest batch is one part in every table, so that it is there whole or not at all', async () => {
    const id = randomUUID();
    for (const table of CLICK_TABLES) await db.database.command(`SYSTEM STOP MERGES ${table}`);
    await record(service.client, someClicks(id, 50_000));
    for (const table of CLICK_TABLES) {
      const parts = await db.database.query(
        `SELECT uniqExact(_part) AS parts FROM ${table} WHERE account_id = {account:String}`,
        { parameters: { account: id } },
      );
      expect([table, parts]).toEqual([table, [{ parts: 1 }]]);
      await db.database.command(`SYSTEM START MERGES ${table}`);
    }
    expect(await countsOf(id)).toEqual(all(50_000));
  });

  test('two batches of equal clicks both count', async () => {
    const id = randomUUID();
    const clicks = someClicks(id, 5);
    await record(service.client, clicks);
    await record(service.client, clicks);
    expect(await countsOf(id)).toEqual(all(10));
  });
});

test('bots, previews, libraries, empty User-Agents and prefetches are stored with the reason, but count nowhere', async () => {
  const id = randomUUID();
  const at = { accountId: id, linkId: 'l', atMs: Date.UTC(2026, 9, 1) };
  const answer = await record(service.client, [
    { ...at, userAgent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
    { ...at, userAgent: 'Twitterbot/1.0' },
    { ...at, userAgent: 'curl/8.14.1' },
    { ...at, userAgent: '' },
    { ...at, prefetch: true },
    at,
  ]);
  expect(answer).toMatchObject({ counted: 1, notCounted: 5 });
  const stored = await db.database.query<{ verdict: string }>(
    'SELECT toString(verdict) AS verdict FROM clicks WHERE account_id = {account:String}',
    { parameters: { account: id } },
  );
  expect(stored.map(({ verdict }) => verdict).sort()).toEqual([
    'bot',
    'counted',
    'empty_user_agent',
    'library',
    'prefetch',
    'preview',
  ]);
  expect(await countsOf(id)).toEqual(all(1));
});

test('any clicks are stored as they were sent: ids, times and texts of any script, many or all of them the same', async () => {
  const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 });
  const click = fc.record({
    id: fc.uuid(),
    linkId: fc.oneof(fc.constantFrom('l1', 'l2'), text),
    atMs: fc.integer({ min: 0, max: 0xffff_ffff * 1000 }),
    utmSource: fc.oneof(fc.constantFrom('', 'news'), fc.string({ unit: 'grapheme', maxLength: 20 })),
    referrer: fc.constantFrom('', 'https://www.example.org/x', 'https://bücher.example/'),
    userAgent: fc.constantFrom(CHROME, IPHONE, IPAD, 'curl/8', ''),
    prefetch: fc.boolean(),
  });
  const sourceOf = createSourceOf('localhost');
  await fc.assert(
    fc.asyncProperty(fc.array(click, { minLength: 1, maxLength: 400, size: 'max' }), async (clicks) => {
      const accountId = randomUUID();
      await record(
        service.client,
        clicks.map((one) => ({ ...one, accountId })),
      );
      const stored = await db.database.query(
        `SELECT toString(id) AS id, link_id, toUnixTimestamp64Milli(clicked_at) AS at_ms, source,
           toString(device) AS device, toString(verdict) AS verdict
         FROM clicks WHERE account_id = {account:String}`,
        { parameters: { account: accountId } },
      );
      const byAll = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
      const expected = clicks.map((one) => {
        const { device, notCounted } = visitorOf(one.userAgent);
        const verdict = one.prefetch ? 'prefetch' : (notCounted ?? 'counted');
        return { id: one.id, link_id: one.linkId, at_ms: one.atMs, source: sourceOf(one), device, verdict };
      });
      expect(stored.sort(byAll)).toEqual(expected.sort(byAll));
    }),
    { numRuns: 25 },
  );
});

describe('GetLinkTotals', () => {
  test('gives all counted clicks and the last one; a link without a click is missing', async () => {
    const id = randomUUID();
    const atMs = Date.UTC(2026, 9, 1, 0, 0, 0, 7);
    await record(service.client, [
      { accountId: id, linkId: `${id}-a`, atMs },
      { accountId: id, linkId: `${id}-a`, atMs: atMs - 1 },
      { accountId: id, linkId: `${id}-b`, atMs, userAgent: 'curl/8' },
    ]);
    const { totals } = await service.client.getLinkTotals(
      { linkIds: [`${id}-a`, `${id}-b`, `${id}'c`] },
      { timeoutMs: 5_000, identity: await signer.mint(LINKS_SERVICE) },
    );
    expect(totals.map(({ linkId, clicks, lastClickedAt }) => [linkId, Number(clicks), lastClickedAt])).toEqual([
      [`${id}-a`, 2, expect.objectContaining({ seconds: BigInt(atMs - 7) / 1000n, nanos: 7_000_000 })],
    ]);
  });
});

describe('PurgeLinks', () => {
  const purge = async (accountId: string, linkIds: string[]) =>
    service.client.purgeLinks(
      { accountId, linkIds },
      { timeoutMs: 15_000, identity: await signer.mint(LINKS_SERVICE) },
    );

  test('forgets the clicks of the links, and only theirs; a second purge changes nothing', async () => {
    const id = randomUUID();
    const other = randomUUID();
    await record(service.client, [...someClicks(id, 30), ...someClicks(other, 9)]);
    await purge(id, [`${id}-0`, `${other}-0`]);
    await purge(id, [`${id}-0`]);
    expect(await countsOf(id)).toEqual(all(20));
    expect(await countsOf(other)).toEqual(all(9));
  });

  test('two purges of the same links at one time take their clicks once', async () => {
    const id = randomUUID();
    await record(service.client, someClicks(id, 30));
    await Promise.allSettled([purge(id, [`${id}-1`]), purge(id, [`${id}-1`]), purge(id, [`${id}-1`])]);
    expect(await countsOf(id)).toEqual(all(20));
  });

  test('a batch whose answer was lost and some of whose links were purged since is not stored again', async () => {
    const id = randomUUID();
    const token = randomUUID();
    const clicks = someClicks(id, 30);
    await record(service.client, clicks, { token });
    await purge(id, [clicks[0]!.linkId]);
    await record(service.client, clicks, { token, maybeStored: true });
    expect(await countsOf(id)).toEqual(all(20));
  });

  test('clicks that arrive after the purge are forgotten by the next one', async () => {
    const id = randomUUID();
    await record(service.client, someClicks(id, 3));
    await purge(id, [`${id}-0`]);
    await record(service.client, someClicks(id, 6));
    await purge(id, [`${id}-0`]);
    expect(await countsOf(id)).toEqual(all(6));
  });
});

describe('only links-svc may', () => {
  test.each(['recordClicks', 'getLinkTotals', 'purgeLinks'] as const)('%s', async (method) => {
    const call = async (identity: string | undefined) =>
      service.client[method]({}, { timeoutMs: 5_000, ...(identity && { identity }) });
    await expect(call(await signer.mint(account('a')))).rejects.toMatchObject({ code: 'forbidden' });
    await expect(call(await signer.mint({ kind: 'service', service: 'mcp-svc' }))).rejects.toMatchObject({
      code: 'forbidden',
    });
    await expect(call(undefined)).rejects.toMatchObject({ code: 'unauthenticated' });
  });
});

describe('a message whose columns do not go together is refused, with words that say where', () => {
  const two = () =>
    clicksToMessage(
      ['l1', 'l2'].map((linkId) => ({
        id: randomUUID().replaceAll('-', ''),
        accountId: 'a',
        linkId,
        clickedAtMs: Date.now(),
        userAgent: CHROME,
        referrer: '',
        utmSource: '',
        prefetch: false,
      })),
    );
  const refused: Record<string, (clicks: analyticsV1.Clicks) => void> = {
    '"clicks.ids" must have 32 bytes for 2 clicks; it has 31.': (clicks) => {
      clicks.ids = clicks.ids.subarray(1);
    },
    '"clicks.clicked_at_ms" must have 16 bytes for 2 clicks; it has 0.': (clicks) => {
      clicks.clickedAtMs = new Uint8Array();
    },
    '"clicks.clicked_at_ms" must be milliseconds since 1970, before 2106.': (clicks) => {
      clicks.clickedAtMs[15] = 1;
    },
    '"clicks.prefetch" must have 2 bytes for 2 clicks; it has 3.': (clicks) => {
      clicks.prefetch = new Uint8Array(3);
    },
    '"clicks.account_ids.indexes" must have 4 bytes for 2 clicks; it has 0.': (clicks) => {
      delete clicks.accountIds;
    },
    '"clicks.account_ids.texts" must have 1 to 6144 bytes each; one has 0.': (clicks) => {
      clicks.accountIds!.texts = packTexts(['']);
    },
    '"clicks.link_ids.texts" must not end within a text.': (clicks) => {
      clicks.linkIds!.texts = packTexts(['l1', 'l2']).subarray(0, -1);
    },
    '"clicks.link_ids.indexes" must name one of 2 texts; that of click 1 does not.': (clicks) => {
      clicks.linkIds!.indexes[2] = 2;
    },
    '"clicks.referrers.indexes" must have 4 bytes for 2 clicks; it has 5.': (clicks) => {
      clicks.referrers!.indexes = new Uint8Array(5);
    },
    '"clicks.utm_sources.texts" must have 0 to 6144 bytes each; one has 6145.': (clicks) => {
      clicks.utmSources!.texts = packTexts(['x'.repeat(6_145)]);
    },
    '"clicks.count" must be at most 50000; you sent 50001.': (clicks) => {
      clicks.count = 50_001;
    },
  };
  test.each(Object.entries(refused))('%s', async (message, spoil) => {
    const clicks = two();
    spoil(clicks);
    const call = service.client.recordClicks(
      { batchToken: 't', clicks },
      { timeoutMs: 5_000, identity: await signer.mint(LINKS_SERVICE) },
    );
    await expect(call).rejects.toMatchObject({ code: 'invalid', message: expect.stringContaining(message) });
  });
});
