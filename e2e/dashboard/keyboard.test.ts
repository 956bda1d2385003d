import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@waymark/web/test/browser';
import { expect } from 'vitest';
import { bulkCreate, dashboardTests, LOOKED, shownSlugs, unique } from '../support/dashboard.ts';
import { api, BROWSER, createLink, request } from '../support/world.ts';

// docs/api.md, Dashboard: “Works … by keyboard”. No test of this file uses the mouse or sets the focus by script.

const inDashboard = dashboardTests();

/** Presses Tab (or Shift+Tab) until the element with the focus has this name. Fails if a whole round does not find it. */
async function tabTo(page: Page, name: string | RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const seen: string[] = [];
  for (let presses = 0; presses < 150; presses += 1) {
    const focused = await nameOfFocus(page);
    if (typeof name === 'string' ? focused === name : name.test(focused)) return;
    seen.push(focused);
    await page.keyboard.press(key);
  }
  throw new Error(`${name} is not reached by ${key}; reached: ${[...new Set(seen)].join(' | ')}`);
}

/** Returns the name of the element with the focus: its label, or its text. */
function nameOfFocus(page: Page): Promise<string> {
  return page.evaluate<string>(`(() => {
    const element = document.activeElement;
    const label = element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent;
    return label.trim();
  })()`);
}

inDashboard('skips to the content', async ({ page }) => {
  await page.keyboard.press('Tab');
  expect(await nameOfFocus(page)).toBe('Skip to the content');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  expect(await nameOfFocus(page)).toBe('Import');
});

inDashboard('creates, edits, archives, restores and deletes a link', async ({ page, account }) => {
  const slug = unique();
  await page.getByText('Make your first short link').waitFor();
  await tabTo(page, 'New link');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'New link' }).waitFor();
  await expect.poll(() => nameOfFocus(page)).toBe('Destination URL');
  await page.keyboard.type('https://example.com/by-keyboard');
  await tabTo(page, /^Short link/);
  await page.keyboard.type(slug);
  await page.keyboard.press('Enter');
  await expect.poll(() => shownSlugs(page)).toEqual([slug]);
  // The focus returns to where it was.
  await expect.poll(() => nameOfFocus(page)).toBe('New link');

  await tabTo(page, `More for ${slug}`);
  await page.keyboard.press('Enter');
  await tabTo(page, 'Edit');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: `Edit ${slug}` }).waitFor();
  await tabTo(page, /^Title/);
  await page.keyboard.type('Typed');
  await tabTo(page, 'Save');
  await page.keyboard.press('Space');
  await page.getByText('Typed', { exact: true }).waitFor();

  await expect.poll(() => nameOfFocus(page)).toBe(`More for ${slug}`);
  await page.keyboard.press('Enter');
  await tabTo(page, 'Archive');
  await page.keyboard.press('Enter');
  await page.getByText(/is archived\. It still redirects\.$/).waitFor();
  await expect.poll(() => shownSlugs(page)).toEqual([]);
  await tabTo(page, 'Undo');
  await page.keyboard.press('Enter');
  await expect.poll(() => shownSlugs(page)).toEqual([slug]);

  await tabTo(page, `More for ${slug}`);
  await page.keyboard.press('Enter');
  await tabTo(page, 'Delete…');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: `Delete ${slug}?` }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await shownSlugs(page)).toEqual([slug]);
  await expect.poll(() => nameOfFocus(page)).toBe(`More for ${slug}`);
  await page.keyboard.press('Enter');
  await tabTo(page, 'Delete…');
  await page.keyboard.press('Enter');
  await tabTo(page, 'Delete the link');
  await page.keyboard.press('Enter');
  await page.getByText('The link is deleted.').waitFor();
  expect((await api(account.live).list('?archived=any')).body.total).toBe(0);
});

inDashboard('Undo is the next stop after archiving, also above a long list', async ({ page, account }) => {
  await bulkCreate(account.live, Array.from({ length: 25 }, unique));
  await page.reload();
  const [first] = await expect
    .poll(() => shownSlugs(page))
    .toHaveLength(25)
    .then(() => shownSlugs(page));
  await tabTo(page, `More for ${first}`);
  await page.keyboard.press('Enter');
  await tabTo(page, 'Archive');
  await page.keyboard.press('Enter');
  await expect.poll(() => nameOfFocus(page)).toBe('Links');
  await page.keyboard.press('Tab');
  expect(await nameOfFocus(page)).toBe('Undo');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await shownSlugs(page))[0]).toBe(first);
});

inDashboard(
  'follows a link, and sees its click without a reload',
  async ({ page, account, context }) => {
    const destination = createServer((_request, response) => response.end('The destination.')).listen(0, '127.0.0.1');
    try {
      await once(destination, 'listening');
      const slug = unique();
      const { port } = destination.address() as AddressInfo;
      await createLink(account.live, { slug, destination_url: `http://127.0.0.1:${port}/` });
      await page.reload();
      await expect.poll(() => shownSlugs(page)).toEqual([slug]);
      await tabTo(page, slug);
      const opened = context.waitForEvent('page');
      await page.keyboard.press('Enter');
      const visited = await opened;
      await visited.getByText('The destination.').waitFor();
      await visited.close();
      await tabTo(page, 'Analytics', 'Shift+Tab');
      await page.keyboard.press('Enter');
      const clicks = page.locator('dl > div').filter({ has: page.getByText('Clicks', { exact: true }) });
      await expect.poll(() => clicks.locator('strong').textContent()).toBe('1');
    } finally {
      destination.close();
    }
  },
  { userAgent: BROWSER, allow: /a request to http:..127\.0\.0\.1|favicon|404/ },
);

inDashboard('a dialog keeps the focus', async ({ page }) => {
  await page.getByText('Make your first short link').waitFor();
  await tabTo(page, 'New link');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  for (let presses = 0; presses < 25; presses += 1) {
    await page.keyboard.press('Tab');
    // The browser's own controls, which are between the last and the first element, count as the body.
    const place = `document.activeElement === document.body || document.activeElement.closest('dialog') !== null`;
    expect(await page.evaluate(place)).toBe(true);
  }
});

inDashboard('searches, filters, selects and edits in bulk', async ({ page, account }) => {
  const [one, two] = [unique(), unique()];
  await createLink(account.live, { slug: one, title: 'Spring' });
  await createLink(account.live, { slug: two, title: 'Autumn', visibility: 'unlisted' });
  await page.reload();
  await expect.poll(() => shownSlugs(page)).toEqual([two, one]);
  await tabTo(page, 'Search links');
  await page.keyboard.type('spring');
  await expect.poll(() => shownSlugs(page)).toEqual([one]);
  await page.keyboard.press('Control+A');
  await page.keyboard.press('Delete');
  await page.keyboard.press('Enter');
  await expect.poll(() => shownSlugs(page)).toEqual([two, one]);
  await tabTo(page, 'Filters');
  await page.keyboard.press('Enter');
  await tabTo(page, 'Visibility');
  await page.keyboard.type('Unlisted');
  await expect.poll(() => shownSlugs(page)).toEqual([two]);
  await tabTo(page, 'Clear all');
  await page.keyboard.press('Enter');
  await expect.poll(() => shownSlugs(page)).toEqual([two, one]);

  await tabTo(page, 'Select all links of this page');
  await page.keyboard.press('Space');
  await page.getByText('2 links selected').waitFor();
  await tabTo(page, 'Add hashtags');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type('season');
  await page.keyboard.press('Enter');
  await page.getByText('2 links changed.').waitFor();
  expect((await api(account.live).list('?hashtag=season')).body.total).toBe(2);
});

inDashboard('imports a file', async ({ page }) => {
  const slug = unique();
  const file = join(tmpdir(), `${slug}.csv`);
  await writeFile(file, `destination_url,slug\nhttps://example.com/,${slug}\n`);
  await page.getByText('Make your first short link').waitFor();
  await tabTo(page, 'Import');
  await page.keyboard.press('Enter');
  // Before the key is pressed: the browser must know that a test waits for its dialog.
  const chooser = page.waitForEvent('filechooser');
  await tabTo(page, 'File');
  await page.keyboard.press('Enter');
  await (await chooser).setFiles(file);
  // The button that goes on has the focus.
  await page.getByRole('region', { name: 'First rows' }).waitFor();
  await expect.poll(() => nameOfFocus(page)).toBe('Import');
  await page.keyboard.press('Enter');
  await page.getByText('1 link created.').waitFor();
  await expect.poll(() => shownSlugs(page)).toEqual([slug]);
});

inDashboard('undoes a job', async ({ page, account }) => {
  await createLink(account.live, { title: 'Before' });
  const json = { kind: 'edit', filter: { all: true }, change: { title: 'After' } };
  expect((await request('/api/v1/jobs', { method: 'POST', key: account.live, json })).status).toBe(200);
  await tabTo(page, 'Jobs');
  await page.keyboard.press('Enter');
  await page.getByRole('article').waitFor();
  await tabTo(page, 'Undo');
  await page.keyboard.press('Enter');
  // A key began it, so the page asks.
  await tabTo(page, 'Undo the job');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await api(account.live).list()).body.links[0]!.title).toBe('Before');
  // The button is gone, and the focus is on the job.
  await page.getByRole('article').nth(1).and(page.locator(':focus')).waitFor();
});

inDashboard('adds a host, copies its record and looks for it', async ({ page }) => {
  const host = `${unique()}.example.com`;
  await tabTo(page, 'Hosts');
  await page.keyboard.press('Enter');
  await page.getByText('No hosts of your own yet').waitFor();
  await tabTo(page, 'Add a host');
  await page.keyboard.press('Enter');
  await expect.poll(() => nameOfFocus(page)).toBe('Host');
  await page.keyboard.type(host);
  await page.keyboard.press('Enter');
  await page.getByRole('article', { name: host }).waitFor();
  await expect.poll(() => nameOfFocus(page)).toBe('Add a host');
  await tabTo(page, `Copy the value of the TXT record of ${host}`);
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toMatch(/^waymark-/);
  await tabTo(page, `Verify ${host}`);
  await page.keyboard.press('Enter');
  await page.getByText(LOOKED).waitFor();
  expect(await nameOfFocus(page)).toBe(`Verify ${host}`);
});

inDashboard('creates a key', async ({ page, account }) => {
  await tabTo(page, 'Settings');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'API keys' }).waitFor();
  await page.getByRole('region', { name: 'Full Access' }).waitFor();
  await tabTo(page, 'Create a key…');
  await page.keyboard.press('Enter');
  await tabTo(page, 'Create the key');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog', { name: 'Your new Full Access key' }).waitFor();
  await expect.poll(() => nameOfFocus(page)).toBe('Copy the key');
  await page.keyboard.press('Enter');
  const key = await page.getByRole('dialog').locator('pre').first().textContent();
  expect(key).toMatch(/^key_live_/);
  await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(key);
  await expect.poll(async () => (await api(account.live).me()).status, { interval: 500 }).toBe(401);
  expect((await api(key!).me()).status).toBe(200);
});
