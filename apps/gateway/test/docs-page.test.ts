import { openApiDocument } from '@waymark/contract';
import {
  axeFindings,
  type Browser,
  type BrowserContextOptions,
  collectComplaints,
  NO_BROWSER,
  type Page,
  startBrowser,
} from '@waymark/web/test/browser';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGateway, type TestGateway } from './gateway.ts';

// `GET /docs` in a real browser.

let gateway: TestGateway;
let browser: Browser | undefined;
beforeAll(async () => {
  gateway = await startGateway();
  browser = await startBrowser();
});
afterAll(async () => {
  await browser?.close();
  await gateway.close();
});

/** Opens the page. `complaints` collects what the browser logs: refused resources, failed requests and errors. */
async function openPage(options: BrowserContextOptions): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser!.newPage(options);
  const complaints = collectComplaints(page.context(), gateway.url);
  await page.goto(`${gateway.url}/docs`);
  await page.locator('.opblock').first().waitFor();
  return { page, complaints };
}

/** One of each colour and kind of body, besides the one that sends a request. All of them take axe minutes. */
const OPENED = ['.opblock-put', '.opblock-delete', '#operations-Jobs-startImport'];

test('the page shows every operation, and sends requests with a key, by keyboard alone', async ({ skip }) => {
  skip(browser === undefined, NO_BROWSER);
  const { page, complaints } = await openPage({ colorScheme: 'light', viewport: { width: 1280, height: 900 } });

  const { paths, webhooks } = openApiDocument('https://go.example') as Record<
    'paths' | 'webhooks',
    Record<string, object>
  >;
  const operations = Object.entries({ ...paths, ...webhooks }).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((method) => method !== 'parameters')
      .map((method) => `${method.toUpperCase()}${path}`),
  );
  const shown = await page.locator('.opblock').evaluateAll((blocks) =>
    blocks.map((block) => {
      const text = (selector: string) => block.querySelector(selector)!.textContent;
      return `${text('.opblock-summary-method')}${text('.opblock-summary-path')}`;
    }),
  );
  expect(shown.toSorted()).toEqual(operations.toSorted());

  const key = await authorize(page);
  const list = page.locator('#operations-Links-listLinks');
  await list.locator('.opblock-summary-control').press('Enter');
  await list.getByPlaceholder('q', { exact: true }).fill('summer sale');
  await list.locator('.execute').press('Enter');
  await list.locator('.live-responses-table').getByText('200', { exact: true }).waitFor();
  const received = gateway.links.received.at(-1)!;
  expect(received.url).toMatch(/^\/api\/v1\/links\?q=summer%20sale&/);
  expect(received.headers['x-waymark-identity']).toBeDefined();
  expect(await list.locator('.curl').textContent()).toContain('Authorization: Bearer <API_KEY>');
  expect(await page.content()).not.toContain(key);
  await expectAccessible(page, OPENED.length + 1);
  expect(complaints).toEqual([]);

  const analytics = page.locator('#operations-Analytics-getAnalytics');
  await analytics.locator('.opblock-summary-control').click();
  const sent = page.waitForRequest(/\/api\/v1\/analytics/);
  await analytics.locator('.execute').click();
  // A parameter that nobody filled in is not sent.
  expect(new URL((await sent).url()).searchParams.get('source')).toBeNull();
  await page.close();
});

test('the page is accessible on a dark phone too', async ({ skip }) => {
  skip(browser === undefined, NO_BROWSER);
  const { page, complaints } = await openPage({ colorScheme: 'dark', viewport: { width: 360, height: 740 } });
  await authorize(page);
  await expectAccessible(page, OPENED.length);
  expect(complaints).toEqual([]);
  await page.close();
});

/** Enters a key, with an accessible dialog, and returns it. */
async function authorize(page: Page): Promise<string> {
  await page.getByRole('button', { name: 'Authorize' }).press('Enter');
  const key = gateway.accounts.addKey({ username: 'ada' });
  await page.locator('.modal-ux input[type=password]').fill(key);
  expect(await axeFindings(page, '.modal-ux')).toEqual([]);
  await page.locator('.modal-ux input').press('Enter');
  await page.getByRole('button', { name: 'Logout' }).waitFor();
  expect(await axeFindings(page, '.modal-ux')).toEqual([]);
  await page.locator('.btn-done').press('Enter');
  return key;
}

/** Opens one operation of each kind, so that this many are open, and checks the page. */
async function expectAccessible(page: Page, open: number): Promise<void> {
  for (const one of OPENED) await page.locator(`${one} .opblock-summary-control`).first().press('Enter');
  await expect.poll(() => page.locator('.opblock .execute').count()).toBe(open);
  expect(await axeFindings(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
}
