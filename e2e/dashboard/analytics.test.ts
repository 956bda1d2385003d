import { readFile } from 'node:fs/promises';
import type { Link } from '@waymark/contract';
import { type Browser, NO_BROWSER, type Page } from '@waymark/web/test/browser';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { expectAccessible, SCREENS } from '../support/accessible.ts';
import {
  BYTE_ORDER_MARK,
  type Dashboard,
  type DashboardOptions,
  openDashboard,
  pressInInputMethod,
  sharedBrowser,
} from '../support/dashboard.ts';
import { recordClicks } from '../support/recorded-clicks.ts';
import {
  api,
  BROWSER,
  createAccount,
  createLink,
  eventually,
  follow,
  stack,
  type TestAccount,
} from '../support/world.ts';

// docs/api.md, Dashboard, the analytics: the view at /app/analytics in a real browser.

const DAY_MS = 86_400_000;
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';

// The days of the tests are in the past, so that no midnight changes them.
const now = Date.now();
const day = (ago: number) => new Date(now - ago * DAY_MS).toISOString().slice(0, 10);
const WINDOW = `from=${day(4)}&to=${day(3)}&tz=UTC`;
/** A day as the page has it: Sat, 21 Nov 2026. */
const inWords = (date: string) =>
  new Intl.DateTimeFormat('en-GB', {
    timeZone: 'UTC',
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  }).format(Date.parse(date));

const rangeOf = (options: Intl.DateTimeFormatOptions) => (from: string, to: string) =>
  new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', day: 'numeric', month: 'short', ...options }).formatRange(
    Date.parse(from),
    Date.parse(to),
  );
/** Days as the page has them: 25 Oct – 23 Nov, with the year or without. */
const shortSpan = rangeOf({});
const span = rangeOf({ year: 'numeric' });

let browser: Browser | undefined;
let account: TestAccount;
let sale: Link;
let guide: Link;

beforeAll(async () => {
  browser = await sharedBrowser();
  account = await createAccount();
  sale = await createLink(account.live, { title: 'Summer sale', hashtags: ['summer'] });
  guide = await createLink(account.live, { title: 'The guide' });
  const phone = {
    ...{ userAgent: IPHONE, referrer: 'https://www.google.com/', country: 'DE' },
    ...{ language: 'de', utmCampaign: 'Summer' },
  };
  const desktop = { userAgent: BROWSER, referrer: '', country: 'FR' };
  await recordClicks(account.username, [
    { linkId: sale.id, at: `${day(4)}T10:00:00Z`, ...phone },
    { linkId: sale.id, at: `${day(4)}T10:10:00Z`, ...phone },
    { linkId: sale.id, at: `${day(4)}T14:00:00Z`, ...phone },
    { linkId: guide.id, at: `${day(3)}T09:00:00Z`, ...desktop },
    { linkId: guide.id, at: `${day(3)}T20:00:00Z`, ...desktop },
    // They do not count.
    { ...phone, linkId: sale.id, at: `${day(4)}T11:00:00Z`, userAgent: 'curl/8' },
    { ...phone, linkId: sale.id, at: `${day(4)}T12:00:00Z`, userAgent: 'curl/8' },
    { ...desktop, linkId: guide.id, at: `${day(3)}T12:00:00Z`, userAgent: 'Twitterbot/1.0' },
    // The window before.
    { linkId: guide.id, at: `${day(6)}T09:00:00Z`, ...desktop },
  ]);
});
/** The window of all tests that have no options, signed in to `account`. */
let shared: Dashboard | undefined;
afterAll(() => shared?.close());
let dashboard: Dashboard | undefined;
let page: Page;
beforeEach(({ skip }) => skip(browser === undefined, NO_BROWSER));
afterEach(async () => {
  // Those of one test are not those of the next one.
  const complaints = dashboard?.complaints.splice(0);
  if (dashboard !== shared) await dashboard?.close();
  dashboard = undefined;
  // No request to another host, nothing that the policy of the page refuses.
  expect(complaints ?? []).toEqual([]);
});

async function open(view: string, options?: DashboardOptions): Promise<void> {
  if (options !== undefined || shared === undefined) {
    dashboard = await openDashboard(browser!, { account, view: `analytics${view}`, timezoneId: 'UTC', ...options });
    if (options === undefined) shared = dashboard;
  } else {
    dashboard = shared;
    await dashboard.page.goto(`${stack.publicUrl}/app/analytics${view}`);
  }
  page = dashboard.page;
}

/** Waits as long as a busy machine may need. */
const eventual: typeof expect.poll = (read) => expect.poll(read);

/** Waits until a key figure has a value. */
async function expectFigure(name: string, value: string): Promise<void> {
  const figure = page.locator('dl > div').filter({ has: page.getByText(name, { exact: true }) });
  await eventual(() => figure.locator('strong').textContent()).toBe(value);
}

/** Waits until the address has exactly these parameters. */
async function expectAddress(parameters: Record<string, string>): Promise<void> {
  await eventual(() => Object.fromEntries(new URL(page.url()).searchParams)).toEqual(parameters);
}

const card = (title: string) => page.getByRole('region', { name: title, exact: true });
const row = (title: string, name: string) => card(title).getByRole('link', { name });
const bars = () => card('Clicks over time').getByRole('list').getByRole('link');
const chips = () => page.getByRole('list', { name: 'Filters' }).getByRole('link');
const search = () => page.getByRole('combobox', { name: 'Filter by a link or #hashtag' });
const suggestion = (name: string) => page.getByRole('listbox').getByRole('option', { name });
const window = { from: day(4), to: day(3), tz: 'UTC' };

/** Presses Tab until an element has the focus. */
async function tabTo(target: ReturnType<Page['locator']>): Promise<void> {
  for (let presses = 0; presses < 80; presses += 1) {
    if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not reach ${target}.`);
}

test('a click on a link appears without a reload', async () => {
  const visited = await createAccount();
  const { slug } = await createLink(visited.live, {});
  await open('', { account: visited });
  await page.getByRole('heading', { name: 'No clicks in this window' }).waitFor();
  expect((await follow(slug)).status).toBe(302);
  await expectFigure('Clicks', '1');
  await follow(slug);
  await expectFigure('Clicks', '2');
  await row('Top links', `/${slug}`).waitFor();
});

describe('by mouse', () => {
  test('a part filters, a chip removes the filter, and the back button brings it back', async () => {
    await open(`?${WINDOW}`);
    await expectFigure('Clicks', '5');
    await row('Sources', 'google.com').click();
    await expectAddress({ ...window, source: 'google.com' });
    await expectFigure('Clicks', '3');
    await row('Countries', 'Germany').click();
    await expectAddress({ ...window, source: 'google.com', country: 'DE' });
    await eventual(() => chips().count()).toBe(3);

    await page.goBack();
    await expectAddress({ ...window, source: 'google.com' });
    await eventual(() => chips().count()).toBe(1);
    await page.getByRole('link', { name: 'Remove the filter Source: google.com' }).click();
    await expectFigure('Clicks', '5');
    await expectAddress(window);
    await page.goBack();
    await expectFigure('Clicks', '3');
  });

  test('devices, browsers, systems, languages and campaigns filter, and a second click removes the filter', async () => {
    await open(`?${WINDOW}`);
    const parts: [string, string, string, Record<string, string>][] = [
      ['Devices', 'Mobile', '3', { device: 'mobile' }],
      ['Browsers', 'Chrome', '2', { browser: 'Chrome' }],
      ['Systems', 'iOS', '3', { os: 'iOS' }],
      ['Languages', 'German', '3', { language: 'de' }],
      ['Languages', 'Unknown language', '2', { language: 'unknown' }],
      ['UTM campaigns', 'summer', '3', { utm_campaign: 'summer' }],
    ];
    for (const [title, name, clicks, filter] of parts) {
      await row(title, name).click();
      await expectAddress({ ...window, ...filter });
      await expectFigure('Clicks', clicks);
      await row(title, name).click();
      await expectAddress(window);
      await expectFigure('Clicks', '5');
    }
  });

  test('a bar shows its words under the pointer, and its day after a click', async () => {
    await open(`?${WINDOW}&by=day`);
    const first = bars().first();
    await first.hover();
    await page
      .locator('.chart-tip')
      .getByText(inWords(day(4)))
      .waitFor();
    await first.click();
    await expectFigure('Clicks', '3');
    await expectAddress({ from: day(4), to: day(4), tz: 'UTC' });
    await expectFigure('Busiest hour', '2');
  });

  test('windows: presets, and any days', async () => {
    await open(`?${WINDOW}`);
    await page.getByRole('link', { name: '7 days' }).click();
    await expectAddress({ days: '7', tz: 'UTC' });
    await expectFigure('Clicks', '6');
    await page.getByRole('button', { name: 'Choose days' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('From').fill(day(3));
    await dialog.getByLabel('To').fill(day(4));
    await dialog.getByRole('button', { name: 'Show these days' }).click();
    await dialog.getByText('The first day must not be after the last one.').waitFor();
    await dialog.getByLabel('To').fill(day(3));
    await dialog.getByRole('button', { name: 'Show these days' }).click();
    await expectAddress({ from: day(3), to: day(3), tz: 'UTC' });
    await expectFigure('Clicks', '2');
  });

  test('another time zone has other days', async () => {
    await open(`?from=${day(3)}&to=${day(3)}&tz=UTC`);
    await expectFigure('Clicks', '2');
    // There it is a day later at 20:00 UTC.
    await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
    await expectFigure('Clicks', '1');
    await expectAddress({ from: day(3), to: day(3), tz: 'Asia/Tokyo' });
  });

  test.each(['Etc/Unknown', '+02:00'])('a browser whose zone is %s shows the days of UTC and says so', async (zone) => {
    await open(`?from=${day(3)}&to=${day(3)}`, {});
    await page.addInitScript(`
      const { resolvedOptions } = Intl.DateTimeFormat.prototype;
      Intl.DateTimeFormat.prototype.resolvedOptions = function () {
        return { ...resolvedOptions.call(this), timeZone: '${zone}' };
      };
    `);
    await page.reload();
    await expectFigure('Clicks', '2');
    const shown = page.getByLabel('Time zone').locator('option:checked');
    expect(await shown.textContent()).toBe('UTC (this browser names no time zone)');
    await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
    await expectFigure('Clicks', '1');
  });

  test('the window before is compared, or not', async () => {
    await open(`?${WINDOW}&by=day`);
    const clicks = page.locator('dl > div').first();
    await clicks.getByText('from 1 to 5').waitFor();
    await clicks.getByText(`1 in ${shortSpan(day(6), day(5))}`).waitFor();
    await page.getByRole('button', { name: 'Table' }).click();
    const cells = () => card('Clicks over time').getByRole('row').allInnerTexts();
    const words = (text: string) => text.replace(/[^\S\t]/g, ' ');
    await eventual(async () => (await cells()).map((text) => words(text).split(/ *\t */))).toEqual([
      ['Time', 'Clicks', 'Visitors', words(span(day(6), day(5)))],
      [inWords(day(4)), '3', '3', '1'],
      [inWords(day(3)), '2', '2', '0'],
    ]);
    await page.getByLabel('Compare with the 2 days before').uncheck();
    await expectAddress({ ...window, by: 'day', compare: 'no' });
    await clicks.getByText('from 1 to 5').waitFor({ state: 'detached' });
    await eventual(async () => (await cells())[1]).toContain('–');
  });

  test('hours, days, weeks and months', async () => {
    await open(`?days=90&tz=UTC`);
    await expectFigure('Clicks', '6');
    await eventual(() => bars().count()).toBe(90);
    await page.getByRole('link', { name: 'Months', exact: true }).click();
    await expectAddress({ days: '90', tz: 'UTC', by: 'month' });
    await eventual(() => bars().count()).toBeLessThan(6);
    await page.getByText('Hours are known for windows of at most 31 days.').waitFor();
    await page.getByRole('link', { name: 'Show 30 days' }).click();
    await card('Hours of the day').getByRole('img', { name: '10:00: 2 clicks' }).waitFor();
  });

  test('the export has the shown figures', async () => {
    await open(`?${WINDOW}&source=google.com`);
    await expectFigure('Clicks', '3');
    await page.locator('dl > div').first().getByText('new').waitFor();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Export CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`clicks-${day(4)}-to-${day(3)}.csv`);
    const csv = await readFile(await download.path(), 'utf8');
    expect(csv.codePointAt(0)).toBe(BYTE_ORDER_MARK);
    const lines = csv.split('\r\n');
    expect(lines).toContain(`total,${day(4)} to ${day(3)},3,3,0`);
    expect(lines).toContain('time zone,UTC,,,');
    expect(lines).toContain('filter,Source: google.com,,,');
    expect(lines).toContain('countries,Germany,3,,');
    expect(lines).toContain(`top_links,/${sale.slug},3,,0`);
  });

  test('the list of links leads to the analytics of one link', async () => {
    await open('');
    await page.getByRole('link', { name: 'Links', exact: true }).click();
    await page.getByRole('link', { name: new RegExp(`clicks.*${guide.slug}`) }).click();
    await expectAddress({ link_id: guide.id });
    await page.getByRole('link', { name: `Remove the filter Link: /${guide.slug}` }).waitFor();
    await expectFigure('Clicks', '3');
    const link = card('The link of these figures');
    await link.getByText(guide.short_url, { exact: true }).waitFor();
    await link.getByText('The guide').waitFor();
    expect(await link.getByRole('link').getAttribute('href')).toBe(guide.destination_url);
    await link.getByRole('button', { name: `QR code of ${guide.slug}` }).click();
    await page
      .getByRole('dialog')
      .getByRole('img', { name: `QR code of ${guide.short_url}` })
      .waitFor();
    await page.keyboard.press('Escape');
    await link.getByRole('button', { name: `Edit ${guide.slug}` }).click();
    await page.getByRole('textbox', { name: /^Title/ }).fill('The new guide');
    await page.getByRole('button', { name: 'Save' }).click();
    await link.getByText('The new guide').waitFor();
    expect((await api(account.live).update(guide.id, { title: guide.title })).status).toBe(200);
    await page.getByRole('link', { name: `Remove the filter Link: /${guide.slug}` }).click();
    await link.waitFor({ state: 'detached' });
  });
});

test('today is compared with yesterday until the same hour, of which both are over', async () => {
  const visited = await createAccount();
  const { id: linkId } = await createLink(visited.live, {});
  // A zone in which it is noon, so that no midnight is near.
  const fromNoon = new Date().getUTCHours() - 12;
  const zone = `Etc/GMT${fromNoon < 0 ? '' : '+'}${fromNoon}`;
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
  await recordClicks(
    visited.username,
    // Until the hour that is not over: two today, three yesterday.
    [0, 0, 2, 3, 20, 24, 26, 27, 28].map((hours) => ({ linkId, at: hoursAgo(hours) })),
  );
  await open(`?days=1&tz=${encodeURIComponent(zone)}`, { account: visited });
  await expectFigure('Clicks', '4');
  const [clicks, visitors, mean] = await page.locator('dl > div').all();
  await clicks!.getByText(/^2 until 1[23]:00, yesterday 3$/).waitFor();
  await clicks!.getByText('-33%').waitFor();
  // Visitors of a part of a day are not known.
  await visitors!.getByText('5 in all of yesterday').waitFor();
  await mean!.getByText('1.0 in all of yesterday').waitFor();
  expect(await page.locator('.change').count()).toBe(1);
  expect(await page.locator('.breakdown-change').count()).toBe(0);
  await page.getByLabel('Compare with the day before').uncheck();
  await clicks!.getByText('yesterday').waitFor({ state: 'detached' });

  await page.getByRole('link', { name: '7 days' }).click();
  await expectAddress({ days: '7', tz: zone, compare: 'no' });
  await page.getByLabel('Compare with the 7 days before').check();
  await clicks!.getByText(/^5 without today, 0 in /).waitFor();
  await clicks!.getByText('new', { exact: true }).waitFor();
  await visitors!.getByText(/^5 without today, 0 in /).waitFor();
});

test('a list that is cut has a row of all others, and one whose clicks have no value says so', async () => {
  const visited = await createAccount();
  const links = await Promise.all(Array.from({ length: 8 }, () => createLink(visited.live, {})));
  // One source more than the API reports, and clicks without a page before them.
  const clicks = Array.from({ length: 60 }, (_, index) => ({
    linkId: links[index % 8]!.id,
    at: `${day(4)}T10:00:00Z`,
    referrer: index < 51 ? `https://source-${index}.example/` : '',
    utmCampaign: index < 8 ? `campaign-${index}` : '',
  }));
  await recordClicks(visited.username, clicks);
  await open(`?${WINDOW}`, { account: visited });
  await expectFigure('Clicks', '60');
  const lastRows = async (title: string, count: number) =>
    (await card(title).locator('li').allTextContents()).slice(-count);
  await eventual(() => lastRows('Top links', 1)).toEqual(['Others (2)23.3%14 Clicks']);
  await eventual(() => lastRows('Sources', 1)).toEqual(['Others (more than 44)76.7%46 Clicks']);
  await eventual(() => lastRows('Referrers', 2)).toEqual([
    'Others (44)73.3%44 Clicks',
    'Others, or no referrer16.7%10 Clicks',
  ]);
  await eventual(() => lastRows('UTM campaigns', 2)).toEqual(['Others (2)3.3%2 Clicks', 'No campaign86.7%52 Clicks']);
  await card('Top links').getByRole('button', { name: 'Show all 8' }).click();
  await card('Top links').getByText('Others').waitFor({ state: 'detached' });
  await card('Sources').getByRole('button', { name: 'Show all 50' }).click();
  await eventual(() => lastRows('Sources', 1)).toEqual(['Others3.3%2 Clicks']);
  const clicksOfRow = /(\d+) Clicks$/;
  for (const title of ['Top links', 'Sources', 'Countries', 'Referrers', 'Devices', 'Browsers', 'UTM campaigns']) {
    const rows = await card(title).locator('li').allTextContents();
    expect([title, rows.reduce((sum, text) => sum + Number(clicksOfRow.exec(text)![1]), 0)]).toEqual([title, 60]);
  }
});

test('what is seen first is asked for first; the further lists follow, and again only after a click', async () => {
  const visited = await createAccount();
  const { id: linkId } = await createLink(visited.live, {});
  const click = { linkId, at: `${day(4)}T10:00:00Z`, country: 'DE' };
  await recordClicks(visited.username, [click]);
  await open('', { account: visited });
  await page.clock.install();
  const asked: URLSearchParams[] = [];
  page.on('response', (response) => {
    const { pathname, searchParams } = new URL(response.url());
    if (pathname === '/api/v1/analytics') asked.push(searchParams);
  });
  await page.goto(`${stack.publicUrl}/app/analytics?${WINDOW}&compare=no`);
  await eventual(() => card('Countries').locator('li').allTextContents()).toEqual(['Germany100.0%1 Clicks']);
  expect(asked[0]!.get('include')).toBe('visitors,hours');
  expect(asked[1]!.get('fields')).toContain('countries,referrers,devices');
  /** Until the page reads the first figures again. */
  const REFRESHED_MS = 60_000;
  await page.clock.fastForward(REFRESHED_MS);
  await eventual(() => asked.length).toBe(3);
  expect(asked[2]!.has('fields')).toBe(false);
  await recordClicks(visited.username, [{ ...click, country: 'FR' }]);
  await page.clock.fastForward(REFRESHED_MS);
  await expectFigure('Clicks', '2');
  await eventual(() => card('Countries').locator('li').allTextContents()).toEqual([
    'Germany50.0%1 Clicks',
    'France50.0%1 Clicks',
  ]);
});

test('an hour that the clocks repeat says which one it is, and one that they skip is not drawn', async () => {
  const visited = await createAccount();
  const { id: linkId } = await createLink(visited.live, {});
  // In Berlin, 25 October 2026 had 02:00 twice, and 29 March 2026 had no 02:00.
  await recordClicks(
    visited.username,
    [
      '2026-10-25T00:10:00Z',
      '2026-10-25T01:10:00Z',
      '2026-10-25T01:20:00Z',
      '2026-10-24T00:10:00Z',
      '2026-03-29T01:10:00Z',
    ].map((at) => ({ linkId, at })),
  );
  const dayInBerlin = (date: string) => `?from=${date}&to=${date}&tz=Europe%2FBerlin`;
  const hours = (title: string) => card(title).getByRole('list').getByRole('img');
  const labels = async (title: string, time: string) => {
    const all = await hours(title).evaluateAll((bars) => bars.map((bar) => bar.getAttribute('aria-label')!));
    return all.filter((label) => label.includes(time));
  };
  await open(dayInBerlin('2026-10-25'), { account: visited });
  await expectFigure('Clicks', '3');
  await eventual(() => labels('Clicks over time', '02:00')).toEqual([
    'Sun, 25 Oct 2026, 02:00 (first): 1 click, 1 in this hour of 24 Oct',
    'Sun, 25 Oct 2026, 02:00 (second): 2 clicks',
  ]);
  expect(await hours('Clicks over time').count()).toBe(25);
  await page.locator('dl').getByText('02:00 (second)').waitFor();
  await eventual(() => labels('Hours of the day', '02:00')).toEqual([
    '02:00: 3 clicks, 100.0%, The clocks showed it twice on a day.',
  ]);
  await page.getByRole('button', { name: 'Table' }).click();
  await page.getByRole('row', { name: 'Sun, 25 Oct 2026, 02:00 (second) 2 – –' }).waitFor();

  await page.goto(`${stack.publicUrl}/app/analytics${dayInBerlin('2026-03-29')}`);
  await expectFigure('Clicks', '1');
  await eventual(() => hours('Clicks over time').count()).toBe(23);
  expect(await labels('Clicks over time', ', 02:00')).toEqual([]);
  await eventual(() => hours('Hours of the day').count()).toBe(23);
  expect(await labels('Hours of the day', '02:00')).toEqual([]);
});

test('the last clicks appear as they come, of all links or of one, with flags and pictures', async () => {
  const visited = await createAccount();
  const [first, second] = [await createLink(visited.live, {}), await createLink(visited.live, {})];
  await open('', { account: visited });
  const latest = card('Clicks as they come');
  const links = () => latest.getByRole('row').getByRole('link').allTextContents();
  await page.getByRole('button', { name: 'Live' }).click();
  await expectAddress({ live: 'yes' });
  await latest.getByText('No clicks yet. The next one appears within seconds.').waitFor();
  await recordClicks(visited.username, [
    { linkId: first.id, at: new Date(Date.now() - 5_000), userAgent: IPHONE, country: 'DE', referrer: 'https://t.co/' },
  ]);
  await eventual(links).toEqual([`/${first.slug}`]);
  await latest.getByRole('row', { name: `/${first.slug} t.co Germany Safari, iOS` }).waitFor();
  const flag = latest.locator('img');
  await eventual(() => flag.evaluate((image) => 'naturalWidth' in image && Number(image.naturalWidth) > 0)).toBe(true);
  expect(await flag.getAttribute('alt')).toBe('');
  expect((await follow(second.slug)).status).toBe(302);
  await eventual(links).toEqual([`/${second.slug}`, `/${first.slug}`]);
  await latest.getByRole('link', { name: `/${first.slug}` }).click();
  await expectAddress({ link_id: first.id, live: 'yes' });
  await eventual(links).toEqual([`/${first.slug}`]);
  await row('Countries', 'Germany').click();
  await latest.getByText('Of the filters, only the link counts here').waitFor();
  await page.getByRole('button', { name: 'Live' }).click();
  await latest.waitFor({ state: 'detached' });
  await expectAddress({ link_id: first.id, country: 'DE' });
});

test('the last clicks are not read while the tab is hidden, nor before the API wants to be asked again', async () => {
  await open('', { allow: /429|ERR_INTERNET_DISCONNECTED|Failed to fetch/ });
  await page.clock.install();
  let asked = 0;
  let isRefused = false;
  await page.route('**/api/v1/clicks?*', (route) => {
    asked += 1;
    if (!isRefused) return route.continue();
    return route.fulfill({ status: 429, headers: { 'retry-after': '40' }, json: { error: 'Too many requests.' } });
  });
  await page.goto(`${stack.publicUrl}/app/analytics?live=yes`);
  const latest = card('Clicks as they come');
  await latest.getByRole('row').nth(1).waitFor();
  const show = (state: 'hidden' | 'visible') =>
    page.evaluate(`
      Object.defineProperty(document, 'visibilityState', { value: '${state}', configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));
    `);
  await show('hidden');
  const before = asked;
  await page.clock.runFor(60_000);
  expect(asked).toBe(before);
  await show('visible');
  await eventual(() => asked).toBeGreaterThan(before);

  isRefused = true;
  await page.clock.runFor(4_000);
  const limit = page.locator('.toast').getByText('Too many requests');
  await limit.waitFor();
  await latest.getByRole('row').nth(1).waitFor();
  const refused = asked;
  await page.clock.runFor(35_000);
  expect(asked).toBe(refused);
  isRefused = false;
  await page.clock.runFor(10_000);
  await limit.waitFor({ state: 'detached' });
  await dashboard!.context.setOffline(true);
  await page.getByText('You are offline.').waitFor();
  await latest.getByRole('row').nth(1).waitFor();
  await dashboard!.context.setOffline(false);
});

test('the difference to what a web server counts is explained, with the filters, also where nothing was clicked', async () => {
  await open(`?${WINDOW}`);
  await expectFigure('Clicks', '5');
  const explanation = page.getByRole('group').filter({ hasText: 'Why is this less than my web server counts?' });
  const reasons = () => explanation.getByRole('listitem').allInnerTexts();
  await explanation.locator('summary').click();
  await explanation.getByText('3 requests were redirected, but nobody opened the link').waitFor();
  await eventual(reasons).toEqual([
    expect.stringMatching(/^Programs\s.*\s2 requests$/s),
    expect.stringMatching(/^Link previews\s.*\s1 request$/s),
  ]);
  await row('Countries', 'France').click();
  await explanation.getByText('1 request was redirected').waitFor();
  await eventual(reasons).toHaveLength(1);
  await page.goto(`${stack.publicUrl}/app/analytics?from=${day(90)}&to=${day(89)}&tz=UTC`);
  await page.getByRole('heading', { name: 'No clicks in this window' }).waitFor();
  await explanation.locator('summary').click();
  await explanation.getByText('every request that was redirected is a click').waitFor();
});

describe('by keyboard', () => {
  test('the chart is one stop, arrow keys move in it, and Enter shows a day', async () => {
    await open(`?${WINDOW}&by=day`);
    await expectFigure('Clicks', '5');
    await tabTo(bars().last());
    await page.keyboard.press('ArrowLeft');
    expect(await bars().first().getAttribute('aria-label')).toMatch(`${inWords(day(4))}: 3 clicks, 3 visitors`);
    expect(await page.evaluate('document.activeElement.getAttribute("aria-label")')).toBe(
      await bars().first().getAttribute('aria-label'),
    );
    await page.keyboard.press('Enter');
    await expectAddress({ from: day(4), to: day(4), tz: 'UTC' });
    await expectFigure('Clicks', '3');
  });

  test('a part filters, and its chip removes the filter', async () => {
    await open(`?${WINDOW}`);
    await expectFigure('Clicks', '5');
    await tabTo(row('Countries', 'France'));
    await page.keyboard.press('Enter');
    await expectFigure('Clicks', '2');
    await page.keyboard.press('Shift+Tab');
    await page.evaluate('document.activeElement.blur()');
    await tabTo(page.getByRole('link', { name: 'Remove the filter Country: France' }));
    await page.keyboard.press('Enter');
    await expectFigure('Clicks', '5');
  });

  test('the search finds a hashtag and a link', async () => {
    await open(`?${WINDOW}`);
    await expectFigure('Clicks', '5');
    await tabTo(search());
    await page.keyboard.type('#Sum');
    await suggestion('#summer').waitFor();
    await page.keyboard.press('Enter');
    await expectAddress({ ...window, hashtag: 'summer' });
    await expectFigure('Clicks', '3');

    await page.keyboard.type('guide');
    await suggestion('The guide').waitFor();
    await page.keyboard.press('Enter');
    await expectAddress({ ...window, hashtag: 'summer', link_id: guide.id });
    await page.getByRole('heading', { name: 'No clicks match these filters' }).waitFor();
    await tabTo(page.getByRole('button', { name: 'Remove all filters' }));
    await page.keyboard.press('Enter');
    await expectFigure('Clicks', '5');
  });

  test('keys of an input method are no commands', async () => {
    await open(`?${WINDOW}`);
    await expectFigure('Clicks', '5');
    await tabTo(search());
    const session = await dashboard!.context.newCDPSession(page);
    const press = (key: string) => pressInInputMethod(session, key);
    await session.send('Input.imeSetComposition', { text: 'guide', selectionStart: 5, selectionEnd: 5 });
    await suggestion('The guide').waitFor();
    for (const key of ['ArrowDown', 'Escape', 'Enter']) {
      await press(key);
      expect(await search().inputValue()).toBe('guide');
    }
    await session.send('Input.insertText', { text: 'guide' });
    await suggestion('The guide').waitFor();
    // Safari sends the key that ended the composition only now.
    await press('Enter');
    expect(await search().inputValue()).toBe('guide');
    await expectAddress(window);
    await page.keyboard.press('Enter');
    await expectAddress({ ...window, link_id: guide.id });
  });

  test('any days can be chosen, and Escape leaves everything as it was', async () => {
    await open(`?${WINDOW}`);
    await expectFigure('Clicks', '5');
    const button = page.getByRole('button', { name: 'Choose days' });
    await tabTo(button);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(await button.evaluate((element) => element === element.ownerDocument.activeElement)).toBe(true);
    await expectAddress(window);
  });
});

describe('without figures', () => {
  test('an account without links is told the next step', async () => {
    await open('', { account: await createAccount() });
    await page.getByRole('heading', { name: 'No links yet' }).waitFor();
    await page.getByRole('button', { name: 'Create a link' }).click();
    await eventual(() => new URL(page.url()).pathname).toBe('/app/links');
  });

  test('a link that the account does not have is named as such', async () => {
    await open('?link_id=no-such-link', { allow: /404/ });
    await page.getByRole('alert').getByText('Link not found.').waitFor();
    await page.getByRole('link', { name: /^Remove the filter Link/ }).click();
    await expectFigure('Clicks', '6');
  });

  test.each([
    ['days=999', '"days" must be between 1 and 365; you sent 999.'],
    ['days=0', '"days" must be between 1 and 365; you sent 0.'],
    ['tz=Mars', '"tz" must be'],
    [`from=${day(3)}&to=${day(4)}`, '"from" must not be after "to"'],
  ])('an address with %s has the words of the API', async (parameters, words) => {
    await open(`?${parameters}`, { allow: /422/ });
    await page.getByRole('alert').getByText(words).waitFor();
    await page.getByRole('button', { name: 'Choose days' }).click();
    await page.getByRole('dialog').waitFor();
  });

  test('after an error, a repetition helps', async () => {
    await open('?days=7', { allow: /503/ });
    await expectFigure('Clicks', '6');
    const error = 'The database is down; try again soon.';
    await page.route(/api.v1.analytics/, (route) => route.fulfill({ status: 503, json: { error } }));
    await page.getByRole('link', { name: '30 days' }).click();
    await page.getByRole('alert').getByText(error).waitFor();
    await page.unroute(/api.v1.analytics/);
    await page.getByRole('button', { name: 'Try again' }).click();
    await expectFigure('Clicks', '6');
  });

  test('figures stay while the network is gone', async () => {
    await open(`?${WINDOW}`, { allow: /ERR_INTERNET_DISCONNECTED|Failed to fetch/ });
    await expectFigure('Clicks', '5');
    await dashboard!.context.setOffline(true);
    await page.getByText('You are offline.').waitFor();
    await expectFigure('Clicks', '5');
    await dashboard!.context.setOffline(false);
    await page.getByText('You are offline.').waitFor({ state: 'detached' });
    await row('Sources', 'Direct').click();
    await expectFigure('Clicks', '2');
  });
});

test.each(SCREENS)(
  'axe finds nothing in the figures, their table, the filters, the search, the dialog and the empty state on %s',
  async (_name, options) => {
    await open(`?${WINDOW}&source=google.com&country=DE&live=yes`, options);
    await expectFigure('Clicks', '3');
    await card('Clicks as they come').getByRole('row').nth(1).waitFor();
    await row('Countries', 'Germany').waitFor();
    await bars().first().focus();
    await page.getByText('Why is this less than my web server counts?').click();
    await page.getByText('2 requests were redirected').waitFor();
    await expectAccessible(page, 'the figures');
    await page.getByRole('button', { name: 'Table' }).click();
    await search().fill('guide');
    await suggestion('The guide').waitFor();
    await expectAccessible(page, 'the table and the search');
    await search().press('Escape');
    await page.getByRole('button', { name: 'Choose days' }).click();
    await page.getByRole('dialog').waitFor();
    await expectAccessible(page, 'the dialog');
    await page.keyboard.press('Escape');
    await page.goto(`${stack.publicUrl}/app/analytics?${WINDOW}&source=nowhere`);
    await page.getByRole('heading', { name: 'No clicks match these filters' }).waitFor();
    await expectAccessible(page, 'no clicks');
  },
);

test('on the narrowest screen nothing is cut or scrolls sideways, and the days do not touch the zone', async () => {
  const narrow = { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true };
  await open('?from=2025-11-25&to=2026-11-24&tz=UTC', narrow);
  const days = page.getByRole('button', { name: 'Choose days' });
  await days.waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')).toBe(0);
  const cut = await page
    .locator('.analytics-tools :is(a, button, label)')
    .evaluateAll((elements) =>
      elements
        .filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth)
        .map(({ textContent }) => textContent),
    );
  expect(cut).toEqual([]);
  const icon = (await days.locator('svg').boundingBox())!;
  expect(icon.width).toBe(icon.height);
  const [button, zone] = [(await days.boundingBox())!, (await page.getByLabel('Time zone').boundingBox())!];
  expect(button.x + button.width <= zone.x || button.y + button.height <= zone.y).toBe(true);
});

test('the bar of today says that it is not over, a bar of a past day does not', async () => {
  await open('?days=7&tz=UTC&by=day');
  await expectFigure('Clicks', '6');
  expect(await bars().last().getAttribute('aria-label')).toContain('not over yet');
  expect(await bars().first().getAttribute('aria-label')).not.toContain('not over yet');
  await card('Clicks over time').getByText('Not over yet', { exact: true }).waitFor();
});

test('nothing moves when the figures come', async () => {
  await open(`?${WINDOW}`, {});
  await page.addInitScript(`
    window.shifted = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
    }).observe({ type: 'layout-shift', buffered: true });
  `);
  await page.reload();
  await expectFigure('Clicks', '5');
  await eventually(async () => expect(await row('Countries', 'Germany').isVisible()).toBe(true));
  expect(await page.evaluate('window.shifted')).toBeLessThan(0.02);
});

test('a link filters; it is no top link of itself, and its name is in the title of the tab', async () => {
  await open(`?${WINDOW}`);
  await eventual(() => page.title()).toBe('Analytics · Waymark');
  await row('Top links', `/${guide.slug}`).click();
  await expectFigure('Clicks', '2');
  expect(await card('Top links').count()).toBe(0);
  await eventual(() => page.title()).toBe(`/${guide.slug} · Analytics · Waymark`);
  await card('Devices').getByRole('link').first().click();
  await eventual(() => page.title()).toMatch(new RegExp(`^/${guide.slug}, \\w+ · Analytics · Waymark$`));
});

test('a bar is as long as the share that it stands for, and a card as high as its rows', async () => {
  const visited = await createAccount();
  const links = await Promise.all([createLink(visited.live, {}), createLink(visited.live, {})]);
  const at = `${day(4)}T10:00:00Z`;
  await recordClicks(
    visited.username,
    [0, 0, 0, 1].map((index) => ({ linkId: links[index]!.id, at })),
  );
  await open(`?${WINDOW}`, { account: visited });
  await expectFigure('Clicks', '4');
  const lengths = async () => {
    const boxes = await card('Top links').locator('.breakdown-bar').all();
    return Promise.all(
      boxes.map(async (bar) => {
        const [whole, part] = await Promise.all([bar.boundingBox(), bar.locator('rect').boundingBox()]);
        return Math.round((100 * part!.width) / whole!.width);
      }),
    );
  };
  await eventual(lengths).toEqual([75, 25]);
  const height = async (title: string) => (await card(title).boundingBox())!.height;
  // One row, and the heading.
  expect(await height('Devices')).toBeLessThan(130);
  expect(await height('Top links')).toBeGreaterThan(await height('Devices'));
});
