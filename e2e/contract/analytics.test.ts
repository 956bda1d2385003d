import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto';
import { createSigner } from '@waymark/auth';
import { ANALYTICS_PARTS, LINK_NOT_FOUND_MESSAGE } from '@waymark/contract';
import { analyticsV1, clicksToMessage, createGrpcClient, type ReportedClick } from '@waymark/proto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectMcp, messageOfTool } from '../support/mcp.ts';
import { accounts, api, asAdmin, createAccount, createLink, eventually, stack } from '../support/world.ts';

// docs/api.md, Analytics: the parameters of the analytics, their messages over REST and MCP, and distinct visitors
// against a plain count.

const DAY_MS = 86_400_000;
const account = await createAccount();
const mcp = await connectMcp(account.live);
afterAll(() => mcp.close());

const queryOf = (parameters: Record<string, string | number>) =>
  `?${new URLSearchParams(Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]))}`;

/** Returns the ISO date of a moment in a time zone. */
function dateOf(ms: number, timeZone: string): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(ms);
}

describe('what does not fit is refused, with the same message over REST and MCP', () => {
  const day = (ago: number) => dateOf(Date.now() - ago * DAY_MS, 'UTC');
  const NOT_BOTH = 'Send either "days" or "from" and "to", not both.';
  const PARTS = `a comma-separated list of ${ANALYTICS_PARTS.join(', ')}, each at most once and without spaces`;
  test.each<[Record<string, string | number>, string]>([
    [{ days: 366 }, '"days" must be between 1 and 365; you sent 366.'],
    [{ days: 7, from: day(1), to: day(0) }, NOT_BOTH],
    [{ days: 7, from: day(1) }, NOT_BOTH],
    [{ from: day(1) }, '"from" and "to" must be sent together; "to" is missing.'],
    [{ to: day(1) }, '"from" and "to" must be sent together; "from" is missing.'],
    [{ from: '2026-2-1', to: day(0) }, '"from" must be a date such as 2026-02-28; you sent "2026-2-1".'],
    [{ from: '2026-02-29', to: day(0) }, '"from" must be a date such as 2026-02-28; you sent "2026-02-29".'],
    [{ from: day(0), to: day(1) }, `"from" must not be after "to"; you sent ${day(0)} and ${day(1)}.`],
    [{ from: day(366), to: day(0) }, '"from" and "to" must span at most 366 days; you sent 367.'],
    [{ days: 32, include: 'hours' }, '"include" can have hours for at most 31 days; the window has 32.'],
    [{ include: 'hours,hours' }, `"include" must be ${PARTS}; you sent "hours,hours".`],
    [{ include: 'cities' }, `"include" must be ${PARTS}; you sent "cities".`],
    [{ include: '' }, `"include" must be ${PARTS}; you sent "".`],
    [{ top: 0 }, '"top" must be between 1 and 100; you sent 0.'],
    [{ top: 101 }, '"top" must be between 1 and 100; you sent 101.'],
    [{ top_by: 'name' }, '"top_by" must be one of clicks, growth, decline; you sent "name".'],
    [{ top_by: 'growth' }, '"top_by" can be growth only with "previous" in "include".'],
    [{ top_by: 'decline', include: 'countries' }, '"top_by" can be decline only with "previous" in "include".'],
    [
      { hashtag: 'a b' },
      '"hashtag" must be 1 to 50 letters, digits, "_" or "-" (counted after lower-casing); you sent "a b".',
    ],
    ...['device', 'country', 'browser', 'os'].map((name): [Record<string, string>, string] => [
      { [name]: '' },
      `"${name}" must be 1 to 255 characters long; you sent 0.`,
    ]),
    [{ link_id: 'no-such-link' }, LINK_NOT_FOUND_MESSAGE],
  ])('%o: %s', async (parameters, message) => {
    const { status, body } = await api(account.live).analytics(queryOf(parameters));
    expect([status, body]).toEqual([message === LINK_NOT_FOUND_MESSAGE ? 404 : 422, { error: message }]);
    const tool = await mcp.call('get_analytics', parameters);
    expect([tool.isError, tool.text]).toEqual([true, messageOfTool(message)]);
  });

  test('a window that ends after today in the zone', async () => {
    // It may be tomorrow already when the request arrives.
    const later = day(-2);
    const { status, body } = await api(account.live).analytics(queryOf({ from: day(0), to: later }));
    expect(status).toBe(422);
    expect(body).toEqual({
      error: expect.stringMatching(`^"to" must not be after today, [0-9-]{10}; you sent ${later}\\.$`),
    });
  });
});

describe('visitors', () => {
  const VISITORS = 1_000;
  const DESKTOP = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0';
  const PHONE =
    'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36';
  const COUNTRIES = ['DE', 'FR', 'US', ''];
  const now = Date.now();

  interface ModelClick extends ReportedClick {
    isHidden: boolean;
    isTagged: boolean;
  }
  const clicks: ModelClick[] = [];
  const linkIds: string[] = [];

  beforeAll(async () => {
    const { account: found } = await accounts.getAccount({ username: account.username }, await asAdmin());
    const fields = [{}, { hashtags: ['tagged'] }, { hashtags: ['tagged'], visibility: 'private' }];
    for (const one of fields) linkIds.push((await createLink(account.live, one)).id);
    for (let visitor = 0; visitor < VISITORS; visitor += 1) {
      for (let visits = randomInt(1, 7); visits > 0; visits -= 1) {
        const clickedAtMs = now - randomInt(3 * DAY_MS);
        const link = randomInt(fields.length);
        clicks.push({
          id: randomBytes(16).toString('hex'),
          accountId: found!.id,
          linkId: linkIds[link]!,
          clickedAtMs,
          userAgent: visitor % 3 === 0 ? PHONE : DESKTOP,
          referrer: '',
          utmSource: visitor % 2 === 0 ? 'letter' : '',
          country: COUNTRIES[visitor % COUNTRIES.length]!,
          // As links-svc makes it: another number each UTC day.
          visitor: createHash('sha256')
            .update(`${visitor} ${Math.floor(clickedAtMs / DAY_MS)}`)
            .digest('hex')
            .slice(0, 16),
          prefetch: false,
          isHidden: link === 2,
          isTagged: link > 0,
        });
      }
    }
    const rpc = createGrpcClient(analyticsV1.AnalyticsService, { address: stack.analyticsGrpc });
    const identity = await createSigner({ current: stack.signingKey }).mint({ kind: 'service', service: 'links-svc' });
    for (let sent = 0; sent < clicks.length; sent += 1_000)
      await rpc.recordClicks(
        { batchToken: randomUUID(), clicks: clicksToMessage(clicks.slice(sent, sent + 1_000)), maybeStored: false },
        { timeoutMs: 15_000, identity },
      );
    rpc.close();
    await eventually(async () => {
      expect((await api(account.live).analytics('?days=5')).body.clicks).toBe(clicks.length);
    });
  });

  const FILTERS: [Record<string, string>, (click: ModelClick) => boolean][] = [
    [{}, () => true],
    [{ country: 'de' }, ({ country }) => country === 'DE'],
    [{ country: 'Unknown' }, ({ country }) => country === ''],
    [{ country: 'ZZ' }, () => false],
    [{ device: 'mobile' }, ({ userAgent }) => userAgent === PHONE],
    [{ browser: 'firefox' }, ({ userAgent }) => userAgent === DESKTOP],
    [{ os: 'ANDROID' }, ({ userAgent }) => userAgent === PHONE],
    [{ source: 'Letter' }, ({ utmSource }) => utmSource === 'letter'],
    [{ hashtag: '#Tagged' }, ({ isTagged }) => isTagged],
    [
      { hashtag: 'tagged', country: 'FR', source: 'direct' },
      ({ isTagged, country, utmSource }) => isTagged && country === 'FR' && utmSource === '',
    ],
  ];

  test.each(FILTERS)(
    'of %o, in three zones and for both keys, are a plain count over three days',
    async (filter, has) => {
      for (const tz of ['UTC', 'Asia/Kathmandu', 'America/Los_Angeles'])
        for (const key of [account.live, account.public]) {
          const counted = clicks.filter((click) => has(click) && (key === account.live || !click.isHidden));
          const days = Map.groupBy(counted, ({ clickedAtMs }) => dateOf(clickedAtMs, tz));
          const parameters = { ...filter, tz, from: dateOf(now - 3 * DAY_MS, tz), to: dateOf(now, tz) };
          const query = queryOf({ ...parameters, include: 'visitors,countries' });
          const { status, body } = await api(key).analytics(query);
          expect(status, JSON.stringify(body)).toBe(200);
          expect(body).toMatchObject({ ...parameters, source: filter.source ?? null, include: 'visitors,countries' });
          expect(body.clicks_by_day).toEqual(
            body.clicks_by_day.map(({ date }) => ({
              date,
              clicks: days.get(date)?.length ?? 0,
              visitors: new Set(days.get(date)?.map(({ visitor }) => visitor)).size,
            })),
          );
          expect(body.visitors).toBe(body.clicks_by_day.reduce((sum, { visitors }) => sum + visitors!, 0));
          expect(body.clicks).toBe(counted.length);
          const byCountry = Map.groupBy(counted, ({ country }) => country || null);
          expect(new Map(body.countries!.map(({ country, clicks }) => [country, clicks]))).toEqual(
            new Map([...byCountry].map(([country, some]) => [country, some.length])),
          );
        }
    },
  );

  test('of one link are those of its clicks; a link that the key does not see is 404', async () => {
    for (const [index, id] of linkIds.entries()) {
      const query = queryOf({ days: 5, link_id: id, include: 'visitors' });
      const ofLink = clicks.filter(({ linkId }) => linkId === id);
      const { body } = await api(account.live).analytics(query);
      expect([body.clicks, body.link_id]).toEqual([ofLink.length, id]);
      const asPublic = await api(account.public).analytics(query);
      expect(asPublic.status).toBe(index === 2 ? 404 : 200);
      if (index === 2) expect(asPublic.body).toEqual({ error: LINK_NOT_FOUND_MESSAGE });
      else expect(asPublic.body).toEqual(body);
    }
  });

  test('REST and MCP give the same JSON, with every part', async () => {
    const parameters = { days: 5, include: ANALYTICS_PARTS.join(), top: 2, top_by: 'growth', tz: 'Asia/Kathmandu' };
    const { body } = await api(account.live).analytics(queryOf(parameters));
    const tool = await mcp.call('get_analytics', parameters);
    expect(tool.text).toBe(JSON.stringify(body));
    expect(body.top_links).toHaveLength(2);
  });

  test('without parameters, the answer has the ten fields that it always had', async () => {
    const { body } = await api(account.live).analytics();
    expect(Object.keys(body)).toEqual(
      'days source tz from to clicks clicks_by_day devices sources top_links'.split(' '),
    );
  });
});
