import { FiltersEngine, Request } from '@ghostery/adblocker';
import { openApiDocument } from '@waymark/contract';
import type { Page } from '@waymark/web/test/browser';
import { expect, test } from 'vitest';
import { button, dashboardTests, row, unique } from '../support/dashboard.ts';
import { createLink, stack } from '../support/world.ts';

// A content blocker with the general rules of the usual lists takes nothing away from the page.

const inDashboard = dashboardTests();

/** General rules of EasyList and EasyPrivacy about words that a link shortener may use: for any site, and for each kind. */
const RULES = `
/assets/analytics-
/assets/analytics.
/assets/tracking-
-analytics-events.
-page-analytics.
.analytics.min.
/analytics-client-
/analytics-event-
/analytics-js.
/analytics.js?
/analytics/click?
/analytics/collect?
/analytics/event
/analytics/page/*
/analytics/report/*
/analytics/v1/*
/analytics?token=
/analytics?url=
/api/analytics/*
/api/analytics?
/api/analytics|
/api/log?
/api/track?guid
/api/v1/collector
/api/v1/metrics
/api/v1/stat?
/api/v1/track/*
/app/tracking/*
/click-tracker.
/ad-banner.
/ads/links/*
/beacon.js
###ad-banner
###ads
##.ad-banner
##.ads
##.advertisement
##.banner-ad
##.sponsored-links
##.text-ads
`;
const engine = FiltersEngine.parse(RULES);

const SOURCE_URL = `${stack.publicUrl}/app/`;
const isBlocked = (url: string, type: 'script' | 'xhr' | 'stylesheet' | 'image' | 'document') =>
  engine.match(Request.fromRawDetails({ url, type, sourceUrl: SOURCE_URL })).match;

/** Returns the styles that hide elements of the page by their class or id. */
async function stylesThatHide(page: Page): Promise<string> {
  const [classes, ids] = await page.evaluate<[string[], string[]]>(`
    ['class', 'id'].map((name) => [...new Set([...document.querySelectorAll('[' + name + ']')].flatMap(
      (element) => element.getAttribute(name).split(/\\s+/),
    ))])
  `);
  expect(classes.length).toBeGreaterThan(10);
  const url = page.url();
  const { hostname } = new URL(url);
  return engine.getCosmeticsFilters({ url, hostname, domain: hostname, classes, ids, getBaseRules: false }).styles;
}

inDashboard('the rules stop no request and hide no element of any view', async ({ page, account }) => {
  expect(isBlocked(`${SOURCE_URL}assets/analytics-page-0a1b2c3d.js`, 'script')).toBe(true);
  const slug = unique();
  await createLink(account.live, { slug, title: 'Sale', hashtags: ['ads'] });
  const blocked: string[] = [];
  await page.route('**', (route, request) => {
    const types = { script: 'script', stylesheet: 'stylesheet', image: 'image', document: 'document' } as const;
    const type = types[request.resourceType() as keyof typeof types] ?? 'xhr';
    if (!isBlocked(request.url(), type)) return route.continue();
    blocked.push(request.url());
    return route.abort();
  });
  const expectVisible = async (view: string) => expect(await stylesThatHide(page), view).toBe('');

  await page.reload();
  await page.getByLabel(`Select ${slug}`).check();
  await button(page, /^Filters/).click();
  await expectVisible('links, with a selection and filters');
  await button(page, `QR code of ${slug}`).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Copy' }).click();
  await page.locator('.toast').waitFor();
  await expectVisible('a dialog with a message');
  await page.keyboard.press('Escape');
  await button(page, 'New link').click();
  await page.getByText('More options').click();
  await expectVisible('the form');
  await page.keyboard.press('Escape');
  const menu = page.getByRole('navigation', { name: 'Main' });
  await row(page, slug).getByRole('link', { name: 'Analytics' }).click();
  await page.getByRole('heading', { name: 'No clicks match these filters' }).waitFor();
  await expectVisible('the analytics of a link');
  await menu.getByRole('link', { name: 'Jobs' }).click();
  await page.getByRole('heading', { name: 'No jobs yet' }).waitFor();
  await expectVisible('the jobs');
  await menu.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('region', { name: 'Full Access' }).waitFor();
  await expectVisible('the settings');
  expect(blocked).toEqual([]);
});

test('the rules stop no operation of the API', () => {
  const paths = Object.keys(openApiDocument(stack.publicUrl).paths ?? {});
  expect(paths.length).toBeGreaterThan(10);
  const urls = paths
    .map((path) => stack.publicUrl + path.replaceAll(/\{\w+\}/g, '019a4f0e8f2c7d31a4b6'))
    .flatMap((url) => [url, `${url}?link_id=a&source=google.com&hashtag=ads&tz=UTC`]);
  expect(urls.filter((url) => isBlocked(url, 'xhr'))).toEqual([]);
});
