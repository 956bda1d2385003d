import { randomUUID } from 'node:crypto';
import { type analyticsV1, clicksToMessage } from '@waymark/proto';
import { readUserAgent } from '@waymark/user-agents';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOriginOf } from '../src/clicks/origin.ts';
import { utmName } from '../src/clicks/utm-name.ts';
import { SUMS_BY_LINK_AND_DAY, SUMS_BY_QUARTER } from '../src/database/projections.ts';
import {
  account,
  CHROME,
  type FakeLinks,
  IPAD,
  IPHONE,
  LINKS_SERVICE,
  openTestDatabase,
  purge,
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

/** Returns the number of counted clicks of the account. */
async function countOf(accountId: string): Promise<number> {
  const [row] = await db.database.query<{ n: number }>(
    "SELECT count() AS n FROM clicks WHERE account_id = {account:String} AND verdict = 'counted'",
    { parameters: { account: accountId } },
  );
  return row!.n;
}

describe('a click is in the analytics exactly once', () => {
  test('an acknowledged batch is counted', async () => {
    const id = randomUUID();
    expect(await record(service.client, someClicks(id, 50))).toMatchObject({ counted: 50, notCounted: 0 });
    expect(await countOf(id)).toBe(50);
  });

  test('a batch that is sent again after a lost answer is not counted twice', async () => {
    const id = randomUUID();
    const token = randomUUID();
    const clicks = someClicks(id, 20);
    await record(service.client, clicks, { token });
    for (let i = 0; i < 3; i++) await record(service.client, clicks, { token, maybeStored: true });
    expect(await countOf(id)).toBe(20);
  });

  test('a batch that never arrived is stored by the second try', async () => {
    const id = randomUUID();
    await record(service.client, someClicks(id, 20), { maybeStored: true });
    expect(await countOf(id)).toBe(20);
  });

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
    expect(await countOf(id)).toBe(1_500);
  });

  test('the largest batch is one part with all its sums, so that it is there whole or not at all', async () => {
    const id = randomUUID();
    await db.database.command('SYSTEM STOP MERGES clicks');
    await record(service.client, someClicks(id, 50_000));
    const parts = await db.database.query<{ _part: string; n: number }>(
      'SELECT _part, count() AS n FROM clicks WHERE account_id = {account:String} GROUP BY _part',
      { parameters: { account: id } },
    );
    expect(parts).toMatchObject([{ n: 50_000 }]);
    const sums = await db.database.query<{ name: string }>(
      `SELECT name FROM system.projection_parts
       WHERE database = {database:String} AND parent_name = {part:String} AND active ORDER BY name`,
      { parameters: { database: db.database.name, part: parts[0]!._part } },
    );
    const kept = [
      'clicks_of_links',
      'link_totals',
      ...Object.keys(SUMS_BY_QUARTER),
      ...Object.keys(SUMS_BY_LINK_AND_DAY),
    ];
    expect(sums.map(({ name }) => name)).toEqual(kept.sort());
    await db.database.command('SYSTEM START MERGES clicks');
  });

  test('two batches of equal clicks both count', async () => {
    const id = randomUUID();
    const clicks = someClicks(id, 5);
    await record(service.client, clicks);
    await record(service.client, clicks);
    expect(await countOf(id)).toBe(10);
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
  expect(await countOf(id)).toBe(1);
});

test('any clicks are stored as they were sent: ids, times and texts of any script, many or all of them the same', async () => {
  const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 20 });
  const utm = fc.oneof(fc.constantFrom('', 'News'), fc.string({ unit: 'binary', maxLength: 120 }));
  const click = fc.record({
    id: fc.uuid(),
    linkId: fc.oneof(fc.constantFrom('l1', 'l2'), text),
    atMs: fc.integer({ min: 0, max: 0xffff_ffff * 1000 }),
    utmSource: utm,
    utmCampaign: utm,
    utmMedium: utm,
    utmContent: utm,
    utmTerm: utm,
    language: fc.constantFrom('', 'de', 'zh'),
    referrer: fc.constantFrom('', 'https://www.example.org/x', 'https://bücher.example/'),
    userAgent: fc.constantFrom(CHROME, IPHONE, IPAD, 'curl/8', ''),
    prefetch: fc.boolean(),
    country: fc.constantFrom('', 'DE', 'NP'),
    visitor: fc.oneof(fc.constant(''), fc.stringMatching(/^[0-9a-f]{16}$/)),
    host: fc.constantFrom('', 'go.example.com', 'xn--bcher-kva.example'),
  });
  const originOf = createOriginOf(['localhost']);
  await fc.assert(
    fc.asyncProperty(fc.array(click, { minLength: 1, maxLength: 400, size: 'max' }), async (clicks) => {
      const accountId = randomUUID();
      await record(
        service.client,
        clicks.map((one) => ({ ...one, accountId })),
      );
      const stored = await db.database.query(
        `SELECT toString(id) AS id, link_id, toUnixTimestamp64Milli(clicked_at) AS at_ms, source, referrer,
           toString(device) AS device, browser, os, country, toString(visitor) AS visitor, host, toString(verdict) AS verdict,
           utm_campaign, utm_medium, utm_content, utm_term, language
         FROM clicks WHERE account_id = {account:String}`,
        { parameters: { account: accountId } },
      );
      const byAll = (a: unknown, b: unknown) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);
      const expected = clicks.map((one) => {
        const { device, browser, os, notCounted } = readUserAgent(one.userAgent);
        const verdict = one.prefetch ? 'prefetch' : (notCounted ?? 'counted');
        const { id, linkId, atMs, country, host, language } = one;
        const visitor = BigInt(one.visitor === '' ? 0 : `0x${one.visitor}`).toString();
        return {
          id,
          link_id: linkId,
          at_ms: atMs,
          ...originOf(one),
          device,
          browser,
          os,
          country,
          visitor,
          host,
          verdict,
          utm_campaign: utmName(one.utmCampaign),
          utm_medium: utmName(one.utmMedium),
          utm_content: utmName(one.utmContent),
          utm_term: utmName(one.utmTerm),
          language,
        };
      });
      expect(stored.sort(byAll)).toEqual(expected.sort(byAll));
    }),
    { numRuns: 8 * Number(process.env.ANALYTICS_LENGTH ?? 1) },
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
  const purgeOf = (accountId: string, linkIds: string[]) =>
    purge(
      service.client,
      linkIds.map((linkId) => ({ accountId, linkId })),
    );

  test('forgets the clicks of the links, and only theirs; a second purge changes nothing', async () => {
    const id = randomUUID();
    const other = randomUUID();
    await record(service.client, [...someClicks(id, 30), ...someClicks(other, 9)]);
    await purgeOf(id, [`${id}-0`, `${other}-0`]);
    await purgeOf(id, [`${id}-0`]);
    expect(await countOf(id)).toBe(20);
    expect(await countOf(other)).toBe(9);
  });

  test('concurrent purges of the same links all end', async () => {
    const id = randomUUID();
    await record(service.client, someClicks(id, 30));
    await Promise.all([1, 2, 3].map(() => purgeOf(id, [`${id}-1`])));
    expect(await countOf(id)).toBe(20);
  });

  test('a batch whose answer was lost and some of whose links were purged since is not stored again', async () => {
    const id = randomUUID();
    const token = randomUUID();
    const clicks = someClicks(id, 30);
    await record(service.client, clicks, { token });
    await purgeOf(id, [clicks[0]!.linkId]);
    await record(service.client, clicks, { token, maybeStored: true });
    expect(await countOf(id)).toBe(20);
  });

  test('takes links of several accounts at once', async () => {
    const ids = [randomUUID(), randomUUID()];
    for (const id of ids) await record(service.client, someClicks(id, 6));
    await purge(
      service.client,
      ids.map((id) => ({ accountId: id, linkId: `${id}-2` })),
    );
    for (const id of ids) expect(await countOf(id)).toBe(4);
  });

  test('clicks that arrive after the purge are forgotten by the next one', async () => {
    const id = randomUUID();
    await record(service.client, someClicks(id, 3));
    await purgeOf(id, [`${id}-0`]);
    await record(service.client, someClicks(id, 6));
    await purgeOf(id, [`${id}-0`]);
    expect(await countOf(id)).toBe(6);
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
        utmCampaign: '',
        utmMedium: '',
        utmContent: '',
        utmTerm: '',
        language: 'de',
        country: 'DE',
        visitor: '',
        host: '',
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
    '"clicks.visitors" must have 16 bytes for 2 clicks; it has 8.': (clicks) => {
      clicks.visitors = clicks.visitors.subarray(8);
    },
    '"clicks.countries" must be codes of two capital letters, or empty.': (clicks) => {
      clicks.countries!.texts = ['Germany'];
    },
    '"clicks.languages" must be codes of two small letters, or empty.': (clicks) => {
      clicks.languages!.texts = ['DE'];
    },
    '"clicks.utm_terms.indexes" must have 4 bytes for 2 clicks; it has 2.': (clicks) => {
      clicks.utmTerms!.indexes = new Uint8Array(2);
    },
    '"clicks.account_ids.indexes" must have 4 bytes for 2 clicks; it has 0.': (clicks) => {
      delete clicks.accountIds;
    },
    '"clicks.account_ids.texts" must have 1 to 6144 bytes each; one has 0.': (clicks) => {
      clicks.accountIds!.texts = [''];
    },
    '"clicks.link_ids.indexes" must name one of 2 texts; that of click 1 does not.': (clicks) => {
      clicks.linkIds!.indexes[2] = 2;
    },
    '"clicks.referrers.indexes" must have 4 bytes for 2 clicks; it has 5.': (clicks) => {
      clicks.referrers!.indexes = new Uint8Array(5);
    },
    '"clicks.utm_sources.texts" must have 0 to 6144 bytes each; one has 6145.': (clicks) => {
      clicks.utmSources!.texts = ['x'.repeat(6_145)];
    },
    '"clicks.hosts.indexes" must have 4 bytes for 2 clicks; it has 2.': (clicks) => {
      clicks.hosts!.indexes = new Uint8Array(2);
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
