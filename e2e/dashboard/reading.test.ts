import type { Page } from '@waymark/web/test/browser';
import { expect } from 'vitest';
import { button, dashboardTests, row, unique } from '../support/dashboard.ts';
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
