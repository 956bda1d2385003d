import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto';
import { createSigner } from '@waymark/auth';
import { ANALYTICS_PARTS } from '@waymark/contract';
import { analyticsV1, clicksToMessage, createGrpcClient, type ReportedClick } from '@waymark/proto';
import { beforeAll, describe, expect, test } from 'vitest';
import { connectMcp } from '../support/mcp.ts';
import { accounts, api, asAdmin, BROWSER, createAccount, createLink, eventually, stack } from '../support/world.ts';

// docs/api.md, Analytics: figures that need links-svc, too: visitors of links by their hashtags and visibility, against a
// plain count. apps/analytics-svc/test/analytics.test.ts has every figure and message.

const DAY_MS = 86_400_000;
const account = await createAccount();

const queryOf = (parameters: Record<string, string | number>) =>
  `?${new URLSearchParams(Object.entries(parameters).map(([name, value]): [string, string] => [name, String(value)]))}`;

/** Returns the ISO date of a moment in a time zone. */
function dateOf(ms: number, timeZone: string): string {
  return new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(ms);
}

describe('visitors', () => {
  const VISITORS = 1_000;
  const COUNTRIES = ['DE', 'FR', 'US', ''];
  const LANGUAGES = ['de', 'fr', 'en', 'es', ''];
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
          userAgent: BROWSER,
          referrer: '',
          utmSource: visitor % 2 === 0 ? 'letter' : '',
          utmCampaign: visitor % 3 === 0 ? 'Summer' : '',
          utmMedium: '',
          utmContent: '',
          utmTerm: '',
          language: LANGUAGES[visitor % LANGUAGES.length]!,
          country: COUNTRIES[visitor % COUNTRIES.length]!,
          // As links-svc makes it: another number each UTC day.
          visitor: createHash('sha256')
            .update(`${visitor} ${Math.floor(clickedAtMs / DAY_MS)}`)
            .digest('hex')
            .slice(0, 16),
          host: '',
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
        { timeoutMs: 30_000, identity },
      );
    rpc.close();
    await eventually(async () => {
      expect((await api(account.live).analytics('?days=5')).body.clicks).toBe(clicks.length);
    });
  });

  const FILTERS: [Record<string, string>, (click: ModelClick) => boolean][] = [
    [{ hashtag: '#Tagged' }, ({ isTagged }) => isTagged],
    [
      { hashtag: 'tagged', country: 'FR', source: 'direct' },
      ({ isTagged, country, utmSource }) => isTagged && country === 'FR' && utmSource === '',
    ],
    [
      { language: 'unknown', utm_campaign: 'SUMMER' },
      ({ language, utmCampaign }) => language === '' && utmCampaign === 'Summer',
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

  test('clicks by hashtag and country are a plain count, for both keys', async () => {
    for (const key of [account.live, account.public]) {
      const { status, body } = await api(key).analytics('?days=5&cross=hashtag,country');
      expect(status, JSON.stringify(body)).toBe(200);
      const counted = clicks.filter(({ isTagged, isHidden }) => isTagged && (key === account.live || !isHidden));
      const byCountry = [...Map.groupBy(counted, ({ country }) => country || null)]
        .map(([country, some]) => ({ hashtag: 'tagged', country, clicks: some.length }))
        .sort((a, b) => b.clicks - a.clicks || ((a.country ?? '') < (b.country ?? '') ? -1 : 1));
      expect(body.cross).toEqual(byCountry);
    }
  });

  test('REST and MCP give the same JSON, with every part', async () => {
    const more = { top: 2, top_by: 'growth', tz: 'Asia/Kathmandu', cross: 'country,hashtag' };
    const parameters = { days: 5, include: ANALYTICS_PARTS.join(), ...more };
    const { body } = await api(account.live).analytics(queryOf(parameters));
    const mcp = await connectMcp(account.live);
    const tool = await mcp.call('get_analytics', parameters);
    await mcp.close();
    expect(tool.text).toBe(JSON.stringify(body));
    expect(body.top_links).toHaveLength(2);
  });
});
