import { axeFindings, type Page } from '@waymark/web/test/browser';
import { expect } from 'vitest';
import { button, dashboardTests, field, row, unique } from '../support/dashboard.ts';
import { recordClicks } from '../support/recorded-clicks.ts';
import { createLink, stack } from '../support/world.ts';

// docs/dashboard.md, Reading: paper, scripts from right to left, colours that the system chooses, 400 % zoom, time zones.

const inDashboard = dashboardTests();
const open = (page: Page, view: string) => page.goto(`${stack.publicUrl}/app/${view}`);

/** Returns the texts on the page that are cut, or that no reader sees. */
const CUT = `(() => {
  const range = document.createRange();
  const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  const cut = [];
  while (texts.nextNode()) {
    const { currentNode: text } = texts;
    const parent = text.parentElement;
    if (text.data.trim() === '' || !parent.checkVisibility() || parent.closest('.visually-hidden, option')) continue;
    range.selectNodeContents(text);
    for (const { left, right, width } of range.getClientRects()) {
      const box = parent.closest('main').getBoundingClientRect();
      if (width > 0 && (left < box.left - 1 || right > box.right + 1)) cut.push('outside: ' + text.data);
    }
    for (let around = parent; around; around = around.parentElement) {
      const { overflowX, overflowY, display } = getComputedStyle(around);
      if (display === 'inline' || (overflowX === 'visible' && overflowY === 'visible')) continue;
      const tooWide = around.scrollWidth > around.clientWidth + 1 && around !== document.documentElement;
      const tooHigh = around.scrollHeight > around.clientHeight + 1 && around !== document.documentElement;
      if (tooWide || tooHigh) cut.push('cut: ' + text.data);
    }
  }
  return [...new Set(cut)];
})()`;
const print = async (page: Page) => {
  await page.emulateMedia({ media: 'print' });
  await page.evaluate(`dispatchEvent(new Event('beforeprint'))`);
};
const LONG = 'a title that is much longer than any column of the list or of the analytics has room for, to its end.';

inDashboard(
  'a printed view has all rows, whole texts and URLs, its filters and its days, and no navigation',
  async ({ page, account }) => {
    const slug = unique();
    const destination_url = `https://www.example.com/${'long/'.repeat(30)}end/`;
    const title = `${slug}, ${LONG}`;
    const link = await createLink(account.live, { slug, destination_url, title, hashtags: ['sale'] });
    const countries = ['DE', 'FR', 'US', 'GB', 'NL', 'ES', 'PL', 'JP', 'IT', 'SE'];
    const at = new Date(Date.now() - 3_600_000);
    await recordClicks(
      account.username,
      countries.map((country) => ({ linkId: link.id!, at, country })),
    );
    await open(page, 'links?hashtag=sale');
    await row(page, slug).waitFor();
    expect((await page.evaluate<string[]>(CUT)).join()).toContain(title);
    await print(page);
    expect(await page.evaluate<string[]>(CUT)).toEqual([]);
    expect(await page.getByRole('navigation', { name: 'Main' }).isVisible()).toBe(false);
    await page.getByText(title).waitFor();
    expect(await page.locator('.filter-chip').textContent()).toContain('sale');
    const urls = `['.links-short > a', '.links-destination'].map((of) => document.querySelector(of)).map((element) =>
      getComputedStyle(element, element.tagName === 'A' ? '::after' : '::before').content)`;
    const [short, destination] = await page.evaluate<[string, string]>(urls);
    expect(short).toContain(`${stack.publicUrl}/${slug}`);
    expect(destination).toContain(destination_url);

    await page.emulateMedia({ media: 'screen' });
    await open(page, 'analytics?days=7&hashtag=sale&tz=UTC');
    const rows = page.locator('.is-countries .breakdown-row');
    await expect.poll(() => rows.count()).toBe(7);
    await print(page);
    await expect.poll(() => rows.count()).toBe(countries.length);
    expect(await page.evaluate<string[]>(CUT)).toEqual([]);
    // The chart, its figures, the days and the filter.
    await page.locator('.clicks-chart .chart-plot').waitFor();
    expect(await page.locator('.clicks-chart tbody tr').count()).toBe(7);
    await button(page, /^Choose days/).waitFor();
    await page.locator('.chip').getByText('sale').waitFor();
    await page.emulateMedia({ media: 'screen', colorScheme: 'dark' });
    await page.evaluate(`dispatchEvent(new Event('afterprint'))`);
    await expect.poll(() => rows.count()).toBe(7);

    // The browser itself says when it prints. Paper is white, whatever the screen is.
    await page.evaluate(`addEventListener('beforeprint', () => queueMicrotask(() => queueMicrotask(() => {
      window.printed = document.querySelectorAll('.is-countries .breakdown-row').length;
    })))`);
    await page.pdf({ format: 'A4' });
    expect(await page.evaluate('window.printed')).toBe(countries.length);
    await page.emulateMedia({ media: 'print' });
    expect(await page.evaluate(`getComputedStyle(document.querySelector('.card')).backgroundColor`)).toBe(
      'rgb(255, 255, 255)',
    );
  },
);

interface Written {
  textContent: string;
  matches(selector: string): boolean;
}
const isRightToLeft = (one: Written) => one.matches(':dir(rtl)');

/** Returns for each text whether its direction is from right to left. */
const directionsOf = (page: Page, selector: string) =>
  page
    .locator(selector)
    .evaluateAll((all: Written[]) => Object.fromEntries(all.map((one) => [one.textContent, one.matches(':dir(rtl)')])));

inDashboard(
  'what people wrote has the direction of its script, and the sentences around it keep theirs',
  async ({ page, account }) => {
    const [hebrew, arabic] = ['שלום, עולם!', 'تخفيضات الصيف (٢٠٢٦)؟'];
    const slug = unique();
    const link = await createLink(account.live, {
      slug,
      title: hebrew,
      description: arabic,
      note: `${hebrew} example.com`,
      hashtags: ['מבצע', 'sale'],
    });
    await createLink(account.live, { title: 'Left (to right)!' });
    await recordClicks(account.username, [{ linkId: link.id!, at: new Date() }]);
    await open(page, 'links');
    await row(page, slug).waitFor();
    expect(await directionsOf(page, '.links-title, .hashtag')).toEqual({
      [hebrew]: true,
      'Left (to right)!': false,
      '#מבצע': true,
      '#sale': false,
    });
    // The mark at its end is on its left, and all titles begin in one column.
    const side = await page.evaluate<[number, number, number]>(`(() => {
      const title = document.querySelector('.links-title:dir(rtl) a').firstChild;
      const at = (index) => {
        const range = document.createRange();
        range.setStart(title, index);
        range.setEnd(title, index + 1);
        return range.getBoundingClientRect().left;
      };
      return [at(0), at(title.length - 1), document.querySelector('.links-title:dir(ltr) a').getBoundingClientRect().left];
    })()`);
    expect(side[1]).toBeLessThan(side[0]);
    expect(Math.abs(side[1] - side[2])).toBeLessThan(2);

    await button(page, `More for ${slug}`).click();
    await button(page, 'Edit').click();
    await page.getByRole('dialog').waitFor();
    expect(await field(page, 'Destination URL').evaluate(isRightToLeft)).toBe(false);
    for (const label of ['Title', 'Hashtags'])
      expect([label, await field(page, label).evaluate(isRightToLeft)]).toEqual([label, true]);
    await page.keyboard.press('Escape');
    await open(page, `links?hashtag=${encodeURIComponent('מבצע')}&q=${encodeURIComponent('שלום')}`);
    expect(await page.getByRole('searchbox').evaluate(isRightToLeft)).toBe(true);
    expect(Object.values(await directionsOf(page, '.filter-chip [translate=no]'))).toEqual([true]);
    expect(Object.values(await directionsOf(page, 'h1'))).toEqual([false]);
    await open(page, `links/${link.id}`);
    await page.getByText(arabic).waitFor();
    const facts = await directionsOf(page, '.link-facts dd');
    expect([facts[hebrew], facts[arabic], facts[`${hebrew} example.com`], facts.Public]).toEqual([
      true,
      true,
      true,
      undefined,
    ]);
    await open(page, 'analytics?days=7');
    await page.locator('.is-top_links small').waitFor();
    expect(await directionsOf(page, '.is-top_links small')).toEqual({ [hebrew]: true });
    // A key and the question before it is deleted: the question mark stays at its end.
    await open(page, 'settings');
    await button(page, 'Create a restricted key…').click();
    const form = page.getByRole('dialog', { name: 'Create a restricted key' });
    await form.getByLabel('Name').fill(hebrew);
    await form.getByLabel('Create links').check();
    await form.getByRole('button', { name: 'Create the key' }).click();
    await button(page, 'Copy the key').click();
    await button(page, 'I have copied it').click();
    expect((await directionsOf(page, '.restricted-keys strong'))[hebrew]).toBe(true);
    await button(page, `Delete… ${hebrew}`).click();
    expect(await directionsOf(page, 'dialog h2, dialog h2 [dir=auto]')).toEqual({
      [`Delete the key ${hebrew}?`]: false,
      [hebrew]: true,
    });
  },
);

inDashboard(
  'with forced colours, what is selected, current and focused, the bars of charts and their legend can be seen',
  async ({ page, account }) => {
    const slug = unique();
    const link = await createLink(account.live, { slug, visibility: 'private', hashtags: ['sale'] });
    await recordClicks(account.username, [{ linkId: link.id!, at: new Date() }]);
    const style = (selector: string, ...names: string[]) =>
      page.evaluate<string[]>(
        `((style) => ${JSON.stringify(names)}.map((name) => style[name]))(getComputedStyle(document.querySelector('${selector}')))`,
      );
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme, forcedColors: 'active' });
      const canvas = colorScheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(0, 0, 0)';
      await open(page, 'links');
      await page.getByLabel(`Select ${slug}`, { exact: true }).check();
      for (const current of ['.links-selected', '.shell-nav [aria-current]'])
        expect(await style(current, 'outlineStyle', 'outlineWidth')).toEqual(['solid', '2px']);
      for (const edged of ['.badge', '.hashtag', '.bulk-bar'])
        expect(await style(edged, 'borderTopStyle')).toEqual(['solid']);
      await page.keyboard.press('Tab');
      expect(await style(':focus', 'outlineStyle', 'outlineWidth')).toEqual(['solid', '3px']);
      expect(await axeFindings(page)).toEqual([]);
      await open(page, 'analytics?days=7&hashtag=sale');
      await page.locator('.breakdown-row').first().waitFor();
      const [bar] = await style('.chart-now', 'fill');
      expect(bar).not.toBe(canvas);
      const swatch = `getComputedStyle(document.querySelector('.legend > span'), '::before').backgroundColor`;
      expect(await page.evaluate(swatch)).toBe(bar);
      expect(await style('.chip', 'borderTopStyle')).toEqual(['solid']);
      expect(await axeFindings(page)).toEqual([]);
    }
  },
);

/** A screen of 1280 × 1024 pixels at 400 %. */
const ZOOMED = { viewport: { width: 320, height: 256 } };
const SIDEWAYS = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

inDashboard(
  'at 400 % nothing scrolls sideways or covers the page, and a dialog can be read, sent and closed',
  async ({ page, account }) => {
    const slug = unique();
    const link = await createLink(account.live, { slug, title: LONG, hashtags: ['sale', 'a-rather-long-hashtag'] });
    await recordClicks(account.username, [{ linkId: link.id!, at: new Date() }]);
    const stuck = `[...document.querySelectorAll('body *')].filter((one) => one.checkVisibility() &&
      ['fixed', 'sticky'].includes(getComputedStyle(one).position) && one.getBoundingClientRect().height > 0)
      .map(({ className }) => className)`;
    for (const view of ['links', `links/${link.id}`, 'analytics', 'hosts', 'jobs', 'activity', 'settings']) {
      await open(page, view);
      await page.locator('h1').waitFor();
      await page.waitForLoadState('networkidle');
      if (view === 'links') await page.getByLabel(`Select ${slug}`, { exact: true }).check();
      expect([view, await page.evaluate(SIDEWAYS)]).toEqual([view, 0]);
      expect([view, await page.evaluate<string[]>(stuck)]).toEqual([view, []]);
      expect(await axeFindings(page)).toEqual([]);
    }
    // The date and the buttons of a link have places of their own.
    await open(page, 'links');
    const box = async (selector: string) => (await row(page, slug).locator(selector).boundingBox())!;
    await row(page, slug).waitFor();
    const [created, actions] = [await box('time'), await box('.links-actions button >> nth=0')];
    expect(created.x + created.width).toBeLessThanOrEqual(actions.x);

    await open(page, 'settings');
    await button(page, 'Create a restricted key…').click();
    const form = page.getByRole('dialog', { name: 'Create a restricted key' });
    await form.getByLabel('Name').fill('Agent');
    await page.route('**/api/v1/me/keys/restricted', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({ status: 500, json: { error: 'Not now.' } })
        : route.continue(),
    );
    await form.getByLabel('Name').press('Enter');
    const notice = form.getByRole('alert').getByText('Not now.');
    await notice.waitFor();
    const { y, height } = (await notice.boundingBox())!;
    expect([y >= 0, y + height <= ZOOMED.viewport.height]).toEqual([true, true]);
    expect(await page.evaluate(SIDEWAYS)).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    await form.getByRole('button', { name: 'Cancel' }).click();
    await button(page, 'Discard').click();
    await form.waitFor({ state: 'detached' });
  },
  { ...ZOOMED, allow: /status of 500/ },
);

inDashboard(
  'a new link on a phone breaks its URL between words alone',
  async ({ page }) => {
    const slug = unique();
    await button(page, 'New link').first().click();
    await field(page, 'Destination').fill('https://example.com/');
    await field(page, 'Short link').fill(slug);
    await button(page, 'Create').click();
    const heading = page.getByRole('heading', { name: `${slug} is ready.` });
    await heading.waitFor();
    // A word that is on two lines has two boxes.
    const broken = await page.evaluate<string[]>(`(() => {
      const texts = document.createTreeWalker(document.querySelector('.link-ready h2'), NodeFilter.SHOW_TEXT);
      const words = [];
      while (texts.nextNode()) {
        for (const { 0: word, index } of texts.currentNode.data.matchAll(/[^\\s/-]+/g)) {
          const range = document.createRange();
          range.setStart(texts.currentNode, index);
          range.setEnd(texts.currentNode, index + word.length);
          if (range.getClientRects().length > 1) words.push(word);
        }
      }
      return words;
    })()`);
    expect(broken).toEqual([]);
  },
  { viewport: { width: 320, height: 740 }, hasTouch: true, isMobile: true },
);

inDashboard(
  'Asia/Kolkata has this name in every browser, and typing it finds it',
  async ({ page, account }) => {
    const asked: (string | null)[] = [];
    page.on('request', (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === '/api/v1/analytics') asked.push(searchParams.get('tz'));
    });
    const link = await createLink(account.live, {});
    await recordClicks(account.username, [{ linkId: link.id!, at: new Date() }]);
    const zone = page.getByLabel('Time zone');
    const shown = async () => (await zone.locator('option:checked').textContent())!;
    await open(page, 'analytics');
    await page.locator('.breakdown-row').first().waitFor();
    expect(await shown()).toBe('Kolkata (Asia/Kolkata), this browser');
    await zone.focus();
    await page.keyboard.type('kathm');
    expect(await shown()).toBe('Kathmandu (Asia/Kathmandu)');
    await expect.poll(() => new URL(page.url()).searchParams.get('tz')).toBe('Asia/Kathmandu');
    // An address that another browser made.
    await open(page, 'analytics?tz=Asia/Calcutta');
    await page.locator('.breakdown-row').first().waitFor();
    expect(await shown()).toContain('Kolkata (Asia/Kolkata)');
    expect(asked[0]).toBe('Asia/Kolkata');
    expect(asked).not.toContain('Asia/Calcutta');
  },
  { timezoneId: 'Asia/Calcutta' },
);
