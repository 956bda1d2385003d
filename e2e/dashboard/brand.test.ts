import { type Browser, type BrowserContext, collectComplaints, NO_BROWSER, type Page } from '@waymark/web/test/browser';
import jsQR from 'jsqr';
import { PNG } from 'pngjs';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { expectAccessible, SCREENS } from '../support/accessible.ts';
import { type Branded, startBranded } from '../support/branded.ts';
import { button, createSignInLink, sharedBrowser, unique } from '../support/dashboard.ts';
import { createAccount, createLink, type TestAccount } from '../support/world.ts';

// docs/brand.md, in a browser. apps/links-svc/test/redirects-by-host.test.ts has the brands of hosts, and all languages.

/** It runs no script, and its color is unreadable in both themes unless it is adjusted. */
const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 20"><script>document.title = "hacked"</script><rect width="40" height="20" rx="4" fill="#0a7d55"/><path d="M8 14l6-8 6 8 6-8 6 8" fill="none" stroke="#fff" stroke-width="3"/></svg>';
const NAME = 'Example & Söhne';

let browser: Browser | undefined;
let branded: Branded;
let account: TestAccount;
let context: BrowserContext | undefined;
let complaints: string[] = [];
beforeAll(async () => {
  browser = await sharedBrowser();
  account = await createAccount();
  branded = await startBranded(LOGO, {
    BRAND_NAME: NAME,
    BRAND_COLOR: '#8f9a30',
    BRAND_TEXT: 'Short links of Example & Söhne, for customers and colleagues.',
    BRAND_LINK: 'https://example.com/imprint',
    BRAND_LINK_TEXT: 'Imprint',
  });
});
beforeEach(({ skip }) => skip(browser === undefined, NO_BROWSER));
afterEach(async () => {
  await context?.close();
  context = undefined;
  expect(complaints).toEqual([]);
});
afterAll(() => branded.close());

async function open(options: object, allow?: RegExp): Promise<Page> {
  context = await browser!.newContext({
    viewport: { width: 1280, height: 900 },
    locale: 'en-GB',
    reducedMotion: 'reduce',
    ...options,
  });
  complaints = collectComplaints(context, branded.url, allow);
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  return page;
}

const loadedLogo = (page: Page) =>
  expect.poll(() => page.evaluate<number>('document.images[0]?.naturalWidth ?? 0')).toBeGreaterThan(0);

for (const [screen, options] of SCREENS)
  test(`the pages for visitors have the brand and the language, and axe finds nothing, on ${screen}`, async () => {
    const [open_, expired, locked] = [unique(), unique(), unique()];
    await createLink(account.live, { slug: open_, title: 'The summer sale' });
    await createLink(account.live, { slug: expired, expires_at: '2020-01-01T00:00:00Z' });
    await createLink(account.live, { slug: locked, password: 'open sesame' });
    const page = await open({ ...options, locale: 'de-AT' }, /a status of (404|410|403) for/);
    for (const [path, heading] of [
      [unique(), 'Link nicht gefunden'],
      [expired, 'Link abgelaufen'],
      [locked, 'Passwort erforderlich'],
      [`${open_}+`, 'The summer sale'],
    ] as const) {
      await page.goto(`${branded.url}/${path}`);
      await page.getByRole('heading', { name: heading }).waitFor();
      await page.getByText(NAME, { exact: true }).waitFor();
      await page.getByRole('link', { name: 'Imprint' }).waitFor();
      await loadedLogo(page);
      expect(await page.title()).toBe(heading);
      await expectAccessible(page, heading);
    }
    await page.goto(`${branded.url}/${locked}`);
    await page.getByLabel('Passwort').fill('wrong');
    await page.getByRole('button', { name: 'Weiter' }).click();
    await page.getByRole('alert').getByText('Das Passwort ist nicht richtig.').waitFor();
    await expectAccessible(page, 'a wrong password');
  });

for (const [screen, options] of SCREENS)
  test(`the dashboard has the brand, and QR codes its logo and any colors, on ${screen}`, async () => {
    const slug = unique();
    const { short_url } = await createLink(account.live, { slug });
    const shortUrl = `${branded.url}/${slug}`;
    expect(short_url).not.toBe(shortUrl);
    const page = await open(options, /a status of 422 for GET .*%23eeeeee/);
    await page.goto(`${branded.url}/app/`);
    await page.getByRole('heading', { name: `Sign in to ${NAME}` }).waitFor();
    await loadedLogo(page);
    await expectAccessible(page, 'the sign-in');
    const token = (await createSignInLink(account.username)).split('#')[1]!;
    await page.goto('about:blank');
    await page.goto(`${branded.url}/app/#${token}`);
    await page.locator('header').getByText(NAME, { exact: true }).waitFor();
    await loadedLogo(page);
    await expect.poll(() => page.title()).toBe(`Links · ${NAME}`);
    await expectAccessible(page, 'the links');
    await button(page, `QR code of ${slug}`).click();
    const dialog = page.getByRole('dialog');
    const image = dialog.getByRole('img', { name: /^QR code of/ });
    const read = async () => {
      const { data, width, height } = PNG.sync.read(await image.screenshot());
      return jsQR.default(new Uint8ClampedArray(data), width, height)?.data;
    };
    await image.waitFor();
    await expect.poll(read).toBe(shortUrl);
    const plain = await image.getAttribute('src');
    await dialog.getByLabel('Background').fill('#ffe9d6');
    await dialog.getByLabel('Color').fill('#7a1f1f');
    await dialog.getByLabel('Logo').check();
    await expect.poll(() => image.getAttribute('src')).not.toBe(plain);
    await expect.poll(read).toBe(shortUrl);
    await expectAccessible(page, 'the QR code in colors');
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Download SVG' }).click();
    expect((await download).suggestedFilename()).toBe(`${slug}.svg`);
    await dialog.getByLabel('Color').fill('#eeeeee');
    await dialog.getByRole('alert').getByText('"color" must be darker than "background"').waitFor();
    await expectAccessible(page, 'colors that nobody can read');
  });
