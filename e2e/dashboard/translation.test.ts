import type { Page } from '@waymark/web/test/browser';
import { expect } from 'vitest';
import { bulkCreate, button, dashboardTests, LOOKED, row, unique } from '../support/dashboard.ts';
import { recordClicks } from '../support/recorded-clicks.ts';
import { api, BROWSER, createLink, request } from '../support/world.ts';

// A page that the browser translates. `support/dashboard.ts` adds to every test: no text changes without its element.

const inDashboard = dashboardTests();

/** Does what Chrome's translator does: puts elements with other words in place of the text nodes. Here, in capitals. */
const TRANSLATE = `(() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const nodes = [];
  while (texts.nextNode()) nodes.push(texts.currentNode);
  for (const node of nodes) {
    if (node.data.trim() === '' || node.parentElement.closest('[translate=no], textarea, script, style')) continue;
    const inner = document.createElement('font');
    inner.append(node.data.toUpperCase());
    const outer = document.createElement('font');
    outer.append(inner);
    node.replaceWith(outer);
  }
})()`;
const translate = (page: Page) => page.evaluate(TRANSLATE);

const wordsOfView = async (page: Page) => (await page.locator('main').textContent())!.toLowerCase();

/** Waits until the view shows what it shows in another tab, where it was not translated. */
async function expectTrue(page: Page, other: Page): Promise<void> {
  await other.goto(page.url());
  await other.locator('[aria-busy=true]').waitFor({ state: 'detached' });
  await expect
    .poll(async () => {
      const [shown, expected] = await Promise.all([page, other].map(wordsOfView));
      return shown === expected || [shown, expected];
    })
    .toBe(true);
}

/** Opens another tab with the same session. */
async function openTab(page: Page): Promise<Page> {
  const [tab] = await Promise.all([page.context().waitForEvent('page'), page.evaluate('void open(location.href)')]);
  return tab;
}

inDashboard('the list, its selection and its messages are true on a translated page', async ({ page, account }) => {
  await createLink(account.live, { slug: unique(), title: 'Old title', visibility: 'unlisted', hashtags: ['sale'] });
  await bulkCreate(account.live, Array.from({ length: 26 }, unique));
  await page.reload();
  const slugs = (await api(account.live).list('?per=100')).body.links.map(({ slug }) => slug);
  await page.getByLabel(`Select ${slugs[0]}`).check();
  await translate(page);
  expect(await page.getByRole('region', { name: 'Selected links' }).textContent()).toContain('1 LINK SELECTED');
  for (const slug of slugs.slice(1, 3)) await page.getByLabel(`Select ${slug}`).check();
  await page.getByText('3 links selected').waitFor();
  await button(page, 'Clear the selection').click();

  await translate(page);
  await button(page, 'Next page').click();
  await page.getByText('26–27 of 27').waitFor();
  // The names of links are not translated.
  await translate(page);
  const last = slugs.at(-1)!;
  expect(await row(page, last).locator('.links-short > a').textContent()).toBe(last);
  expect(await row(page, last).locator('.hashtag').textContent()).toBe('#sale');
  await button(page, `More for ${last}`).click();
  await button(page, 'Edit').click();
  await page.getByRole('dialog').waitFor();
  await translate(page);
  expect(await page.getByRole('dialog').getByRole('heading').textContent()).toBe(`EDIT ${last}`);
  await page.getByRole('dialog').locator('[name=title]').fill('New title');
  await page.getByRole('dialog').locator('[name=visibility]').selectOption('private');
  await page.locator('.field-hint').getByText('Nobody can follow it').waitFor();
  await page.getByRole('dialog').locator('[type=submit]').click();
  await page.getByText('The link is saved.').waitFor();
  await row(page, last).getByText('New title').waitFor();
  await row(page, last).getByText('Private').waitFor();
  await expectTrue(page, await openTab(page));

  await translate(page);
  await button(page, `Copy the short URL of ${last}`).click();
  await page.getByText('Copied:').waitFor();
  await translate(page);
  expect(await page.locator('.toast').textContent()).toContain(`/${last}`);
  await button(page, `More for ${last}`).click();
  await button(page, 'Archive').click();
  await page.getByText(/is archived\. It still redirects\.$/).waitFor();
  await page.getByText('26–26 of 26').waitFor();
});

inDashboard('hosts are true on a translated page', async ({ page, account }) => {
  const host = `${unique()}.example.com`;
  await request('/api/v1/hosts', { method: 'POST', key: account.live, json: { host } });
  await page.reload();
  await page.getByRole('link', { name: 'Hosts' }).click();
  await page.getByRole('article', { name: host }).waitFor();
  await translate(page);
  expect(await page.getByRole('article').getByRole('heading').textContent()).toBe(host);
  await button(page, `Edit… ${host}`).click();
  await page.getByRole('dialog').locator('[name=root_url]').fill('https://example.com/');
  await page.getByRole('dialog').locator('[type=submit]').click();
  await page.getByText('The host is saved.').waitFor();
  await expectTrue(page, await openTab(page));
  await translate(page);
  await button(page, `Verify ${host}`).click();
  await page.getByText(LOOKED).waitFor();
});

inDashboard('figures are true on a translated page', async ({ page, account }) => {
  const { id } = await createLink(account.live, { slug: unique(), title: 'Sale' });
  const at = (hoursAgo: number) => new Date(Date.now() - hoursAgo * 3_600_000).toISOString();
  const click = { linkId: id, userAgent: BROWSER, referrer: '', country: 'DE' };
  const other = { ...click, referrer: 'https://news.example/', country: 'FR' };
  await recordClicks(account.username, [
    { ...click, at: at(60 * 24) },
    ...[40, 50, 60].flatMap((hours) => [
      { ...click, at: at(hours) },
      { ...other, at: at(hours) },
    ]),
  ]);
  await page.getByRole('link', { name: 'Analytics' }).click();
  const clicks = page.locator('dl > div').first();
  await expect.poll(() => clicks.textContent()).toContain('6');
  const tab = await openTab(page);
  for (const name of ['90 days', '7 days', 'Days', 'Today', '12 months']) {
    await translate(page);
    await page.locator('.segments').getByRole('link', { name: name.toUpperCase(), exact: true }).click();
    await expectTrue(page, tab);
  }
  for (const name of ['news.example', 'France']) {
    await translate(page);
    await page.locator('.breakdown').getByRole('link', { name }).click();
    await expectTrue(page, tab);
  }
});
