import type { Page } from '@waymark/web/test/browser';
import { MongoClient } from 'mongodb';
import { afterAll, expect } from 'vitest';
import { expectAccessible, SCREENS } from '../support/accessible.ts';
import {
  bulkCreate,
  button,
  createSignInLink,
  dashboardTests,
  field,
  row,
  shownSlugs,
  unique,
} from '../support/dashboard.ts';
import { accounts, api, asAdmin, createLink, eventually, follow, stack } from '../support/world.ts';

// docs/dashboard.md, Links: order, rows, filters, saved filters, health and hashtags.

const inDashboard = dashboardTests();
const database = new MongoClient(stack.mongodbUrl);
afterAll(() => database.close());

const dialog = (page: Page) => page.getByRole('dialog');
const query = (page: Page) => new URL(page.url()).searchParams.toString();
const chips = (page: Page) => page.locator('.filter-chip').allTextContents();

/** Makes a destination broken, as its checks do after a day. */
async function breakLink(slug: string, status: number | null): Promise<void> {
  const health = { state: 'broken', status, since: new Date('2026-11-12T10:00:00Z'), checked_at: new Date() };
  const links = database.db(stack.database).collection('links');
  const { modifiedCount } = await links.updateOne({ slug }, { $set: { health, broken: true } });
  expect(modifiedCount).toBe(1);
}

inDashboard('the heads of columns sort in both directions, and say so', async ({ page, account }) => {
  for (const slug of ['b', 'c', 'a']) await createLink(account.live, { slug: `${slug}-${account.username}` });
  const [a, b, c] = ['a', 'b', 'c'].map((slug) => `${slug}-${account.username}`);
  await page.reload();
  const head = (name: string) => page.getByRole('columnheader', { name, exact: true });
  const sortOf = (name: string) => head(name).getAttribute('aria-sort');
  await head('Created').waitFor();
  expect([await sortOf('Created'), await sortOf('Link'), await sortOf('Clicks')]).toEqual(['descending', null, null]);
  await button(page, 'Created').click();
  await expect.poll(() => shownSlugs(page)).toEqual([b, c, a]);
  expect(await sortOf('Created')).toBe('ascending');
  await head('Link').getByRole('button').click();
  await expect.poll(() => shownSlugs(page)).toEqual([a, b, c]);
  expect([await sortOf('Created'), await sortOf('Link')]).toEqual([null, 'ascending']);
  await head('Link').getByRole('button').click();
  await expect.poll(() => shownSlugs(page)).toEqual([c, b, a]);
  await head('Clicks').getByRole('button').click();
  await expect.poll(() => sortOf('Clicks')).toBe('descending');
  expect(query(page)).toBe('sort=clicks&dir=desc');
  expect(await page.getByLabel('Sort by').inputValue()).toBe('clicks desc');
});

inDashboard(
  'the rows of a page are chosen, in the address, and what is selected is theirs',
  async ({ page, account }) => {
    await bulkCreate(account.live, Array.from({ length: 60 }, unique));
    await page.goto(`${stack.publicUrl}/app/links?page=2`);
    await page.getByText('26–50 of 60').waitFor();
    await page.getByLabel('Rows per page').selectOption('50');
    await page.getByText('1–50 of 60').waitFor();
    expect(query(page)).toBe('per=50');
    expect(await page.locator('tbody tr').count()).toBe(50);
    await page.getByLabel('Select all links of this page').check();
    await page.getByText('50 links selected').waitFor();
    await button(page, 'Next page').click();
    await page.getByText('51–60 of 60').waitFor();
    await page.getByLabel('Rows per page').selectOption('100');
    await page.getByText('1–60 of 60').waitFor();
    await page.getByLabel('Rows per page').selectOption('25');
    await page.getByText('1–25 of 60').waitFor();
    expect(query(page)).toBe('');
    // A page past the end gives way to the last one of this length.
    await page.goto(`${stack.publicUrl}/app/links?per=50&page=9`);
    await page.getByText('51–60 of 60').waitFor();
    expect(query(page)).toBe('per=50&page=2');
  },
);

inDashboard('twelve links are visible on 1280 by 800 pixels', async ({ page, account }) => {
  for (let made = 0; made < 14; made += 1)
    await createLink(account.live, {
      slug: unique(),
      title: 'A title of a usual length, and then some more words of it',
      destination_url: `https://example.com/${'path/'.repeat(30)}`,
      hashtags: ['sale', 'summer'],
    });
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.reload();
  await button(page, 'Not now').click();
  await page.locator('tbody tr').nth(13).waitFor();
  const bottom = await page.locator('tbody tr').nth(11).boundingBox();
  expect(bottom!.y + bottom!.height).toBeLessThanOrEqual(800);
});

inDashboard(
  'filters by creation, expiry, owner and health are chips that can be removed',
  async ({ page, account }) => {
    const [plain, expired, managed, broken] = Array.from({ length: 4 }, unique) as [string, string, string, string];
    await createLink(account.live, { slug: plain });
    await createLink(account.live, { slug: expired, expires_at: '2020-01-01T00:00:00Z' });
    await createLink(account.live, { slug: managed, managed_by: 'team-a/links.yaml' });
    await createLink(account.live, { slug: broken });
    await breakLink(broken, 404);
    await page.reload();
    await button(page, /^Filters/).click();
    const shown = (slugs: string[]) =>
      expect.poll(async () => (await shownSlugs(page)).toSorted()).toEqual(slugs.toSorted());
    const remove = (name: string) => button(page, `Remove the filter ${name}`).click();
    await page.getByLabel('Health', { exact: true }).selectOption('Broken');
    await shown([broken]);
    await remove('Broken');
    await page.getByLabel('Expired', { exact: true }).selectOption('Not expired');
    await shown([plain, managed, broken]);
    await remove('Not expired');
    await field(page, 'Managed by').fill('team-a/links.yaml');
    await page.keyboard.press('Enter');
    await shown([managed]);
    await remove('Managed by team-a/links.yaml');
    const today = await page.evaluate<string>("new Intl.DateTimeFormat('en-CA').format(new Date())");
    await field(page, 'Created from').fill(today);
    await shown([plain, expired, managed, broken]);
    await field(page, 'Created before').fill(today);
    await page.getByText('No link matches').waitFor();
    expect(await chips(page)).toEqual([`Created from ${today}`, `Created before ${today}`]);
    await remove(`Created from ${today}`);
    await remove(`Created before ${today}`);
    await shown([plain, expired, managed, broken]);
    expect(query(page)).toBe('');
    // Without a field: an address from elsewhere.
    await page.goto(`${stack.publicUrl}/app/links?destination_url=https://example.com/other`);
    await page.getByText('No link matches').waitFor();
    await remove('Destination https://example.com/other');
    await shown([plain, expired, managed, broken]);
    await page.goto(`${stack.publicUrl}/app/links?created_after=May`);
    await page.getByText('“Created from” must be a date').waitFor();
  },
  { allow: /status of 422/ },
);

inDashboard('a broken destination is marked in words, with its status and since when', async ({ page, account }) => {
  const [gone, nowhere, fine] = Array.from({ length: 3 }, unique) as [string, string, string];
  for (const slug of [gone, nowhere, fine]) await createLink(account.live, { slug });
  await breakLink(gone, 410);
  await breakLink(nowhere, null);
  await page.reload();
  await row(page, gone).getByText('Broken since 12 Nov 2026 (410)', { exact: true }).waitFor();
  await row(page, nowhere).getByText('Broken since 12 Nov 2026', { exact: true }).waitFor();
  expect(await row(page, fine).textContent()).not.toContain('Broken');
});

inDashboard('archived links still redirect, said where links are archived', async ({ page, account }) => {
  const [one, two] = [unique(), unique()];
  await bulkCreate(account.live, [one, two]);
  await page.reload();
  await button(page, `More for ${one}`).click();
  await button(page, 'Archive').click();
  await page.locator('.toast').getByText(`${one} is archived. It still redirects.`).waitFor();
  await page.getByLabel(`Select ${two}`).check();
  await page.getByRole('region', { name: 'Selected links' }).getByRole('button', { name: 'Archive' }).click();
  await dialog(page).getByText('Archived links still redirect.').waitFor();
});

inDashboard('a saved filter is there for a colleague, who opens and deletes it', async ({ page, account, context }) => {
  const [old, young] = [unique(), unique()];
  await createLink(account.live, { slug: old, hashtags: ['ünï'], title: 'Sale' });
  await createLink(account.live, { slug: young });
  await page.reload();
  await button(page, 'Saved filters').click();
  await dialog(page).getByText('To save one, search or filter the list first.').waitFor();
  expect(await page.getByLabel('Save this list as').count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.goto(`${stack.publicUrl}/app/links?q=sale&hashtag=ünï&last_clicked_before=2030-01-01&sort=title&per=50`);
  await button(page, 'Saved filters').click();
  await field(page, 'Save this list as').fill('Quiet sales');
  await page.keyboard.press('Enter');
  await page.locator('.toast').getByText('Quiet sales is saved.').waitFor();

  const colleague = await context.newPage();
  await colleague.goto(await createSignInLink(account.username));
  await row(colleague, young).waitFor();
  await button(colleague, 'Saved filters').click();
  await dialog(colleague).getByRole('link', { name: 'Quiet sales' }).click();
  await expect.poll(() => shownSlugs(colleague)).toEqual([old]);
  await dialog(colleague).waitFor({ state: 'detached' });
  expect(new URLSearchParams(query(colleague))).toEqual(
    new URLSearchParams({ q: 'sale', hashtag: 'ünï', last_clicked_before: '2030-01-01', sort: 'title' }),
  );
  await button(colleague, 'Saved filters').click();
  await button(colleague, 'Delete the filter Quiet sales').click();
  await expect.poll(() => dialog(colleague).getByRole('link').count()).toBe(0);
  await button(colleague, 'Undo').click();
  await dialog(colleague).getByRole('link', { name: 'Quiet sales' }).waitFor();
});

inDashboard(
  'what the API says to a filter that it refuses is shown, and the name is kept',
  async ({ page }) => {
    await page.goto(`${stack.publicUrl}/app/links?q=sale`);
    await button(page, 'Saved filters').click();
    await page.route('**/api/v1/me/filters', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill({
            status: 422,
            json: { error: 'An account can have at most 50 saved filters; delete one first.' },
          })
        : route.continue(),
    );
    await field(page, 'Save this list as').fill('One more');
    await page.keyboard.press('Enter');
    await dialog(page).getByRole('alert').getByText('An account can have at most 50 saved filters').waitFor();
    expect(await field(page, 'Save this list as').inputValue()).toBe('One more');
  },
  { allow: /status of 422/ },
);

inDashboard('a viewer opens saved filters, and saves and deletes none', async ({ page, account }) => {
  await page.goto(`${stack.publicUrl}/app/links?q=sale`);
  await button(page, 'Saved filters').click();
  await field(page, 'Save this list as').fill('Sales');
  await page.keyboard.press('Enter');
  await page.locator('.toast').getByText('Sales is saved.').waitFor();
  await signInAsViewer(page, account.username);
  await page.goto(`${stack.publicUrl}/app/links?q=other`);
  await button(page, 'Saved filters').click();
  await dialog(page).getByRole('link', { name: 'Sales' }).waitFor();
  expect(await button(page, 'Delete the filter Sales').count()).toBe(0);
  expect(await page.getByLabel('Save this list as').count()).toBe(0);
});

async function signInAsViewer(page: Page, username: string): Promise<void> {
  const { url } = await accounts.createSignInLink({ username, role: 'viewer' }, await asAdmin());
  await page.goto('about:blank');
  await page.goto(url);
  await page.getByRole('heading', { name: 'Links' }).waitFor();
  // Until its successor is there, the page has the session before.
  await button(page, 'New link').first().waitFor({ state: 'detached' });
}

const hashtagsOf = async (key: string, query = '') =>
  Object.fromEntries(
    (await api(key).list(`?archived=any${query}`)).body.links.map((link) => [link.slug, link.hashtags]),
  );
const openHashtags = async (page: Page) => {
  await page.goto(`${stack.publicUrl}/app/hashtags`);
  await page.getByRole('table').waitFor();
};
const shownHashtags = (page: Page) =>
  page
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) => [...row.querySelectorAll('td')].slice(0, 3).map((cell) => cell.textContent)),
    );

inDashboard(
  'a hashtag has its links and clicks, and leads to the list and to its analytics',
  async ({ page, account }) => {
    const [one, two] = [unique(), unique()];
    await createLink(account.live, { slug: one, hashtags: ['ünï', 'sale'] });
    await createLink(account.live, { slug: two, hashtags: ['sale'] });
    await follow(two);
    await eventually(async () => expect((await api(account.live).list(`?q=${two}`)).body.links[0]!.clicks).toBe(1));
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Hashtags' }).click();
    await expect
      .poll(() => shownHashtags(page))
      .toEqual([
        ['#sale', '2', '1'],
        ['#ünï', '1', '0'],
      ]);
    await page.getByRole('link', { name: '1: analytics of #sale' }).click();
    await page.getByRole('link', { name: 'Remove the filter Hashtag: #sale' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: '#ünï', exact: true }).click();
    await expect.poll(() => shownSlugs(page)).toEqual([one]);
    await button(page, /^Filters/).click();
    await page.getByRole('link', { name: 'All hashtags' }).click();
    await page.getByRole('heading', { name: 'Hashtags' }).waitFor();
  },
);

inDashboard(
  'a hashtag is renamed in archived links, too, said before, and undone',
  async ({ page, account }) => {
    const [one, two] = [unique(), unique()];
    await createLink(account.live, { slug: one, hashtags: ['spring', 'sale'] });
    await createLink(account.live, { slug: two, hashtags: ['spring'], archived: true });
    await openHashtags(page);
    await page.getByText('Archived links are not counted, and some have hashtags.', { exact: true }).waitFor();
    await button(page, 'Rename #spring').click();
    await dialog(page).getByText('2 links have #spring, 1 archived one included.').waitFor();
    await field(page, 'New name').fill('no good');
    await page.keyboard.press('Enter');
    await dialog(page)
      .locator('.field-error')
      .getByText(/^“Hashtag” must be 1 to 50/)
      .waitFor();
    await field(page, 'New name').fill('#Frühling');
    await page.keyboard.press('Enter');
    await page.locator('.toast').getByText('2 links changed.').waitFor();
    await expect
      .poll(() => shownHashtags(page))
      .toEqual([
        ['#frühling', '1', '0'],
        ['#sale', '1', '0'],
      ]);
    expect(await hashtagsOf(account.live)).toEqual({ [one]: ['frühling', 'sale'], [two]: ['frühling'] });
    await button(page, 'Undo').click();
    await button(page, 'Rename #spring').waitFor();
    await expect.poll(() => hashtagsOf(account.live)).toEqual({ [one]: ['spring', 'sale'], [two]: ['spring'] });
  },
  { allow: /status of 422/ },
);

inDashboard(
  'a rename to a hashtag that exists says that it merges, also if only archived links have it',
  async ({ page, account }) => {
    const [one, two] = [unique(), unique()];
    await createLink(account.live, { slug: one, hashtags: ['a', 'b'] });
    await createLink(account.live, { slug: two, hashtags: ['kept'], archived: true });
    await openHashtags(page);
    await button(page, 'Rename #a').click();
    await field(page, 'New name').fill('B');
    await dialog(page).getByText('#b exists: its links and those with #a become one hashtag.').waitFor();
    await button(page, 'Merge into #b').click();
    await page.locator('.toast').getByText('1 link changed.').waitFor();
    expect(await hashtagsOf(account.live)).toEqual({ [one]: ['b'], [two]: ['kept'] });
    await button(page, 'Rename #b').click();
    await dialog(page).getByText('1 link has #b.').waitFor();
    await field(page, 'New name').fill('kept');
    await page.keyboard.press('Enter');
    await dialog(page).getByText('#kept exists: its links and those with #b become one hashtag.').waitFor();
    expect(await hashtagsOf(account.live)).toEqual({ [one]: ['b'], [two]: ['kept'] });
    await button(page, 'Merge into #kept').click();
    await expect.poll(() => hashtagsOf(account.live)).toEqual({ [one]: ['kept'], [two]: ['kept'] });
  },
);

inDashboard('no more links lose a hashtag than the dialog said', async ({ page, account }) => {
  const [one, two] = [unique(), unique()];
  await createLink(account.live, { slug: one, hashtags: ['old', 'sale'] });
  await openHashtags(page);
  await button(page, 'Remove #old').click();
  await dialog(page).getByText('1 link has #old.').waitFor();
  await dialog(page).getByText('The links stay.').waitFor();
  await createLink(account.live, { slug: two, hashtags: ['old'] });
  await dialog(page).getByRole('button', { name: 'Remove', exact: true }).click();
  await dialog(page).getByRole('alert').getByText('2 links match by now, not 1. Nothing was done.').waitFor();
  await dialog(page).getByText('2 links have #old.').waitFor();
  expect(await hashtagsOf(account.live)).toEqual({ [one]: ['old', 'sale'], [two]: ['old'] });
  await dialog(page).getByRole('button', { name: 'Remove', exact: true }).click();
  await page.locator('.toast').getByText('2 links changed.').waitFor();
  expect(await hashtagsOf(account.live)).toEqual({ [one]: ['sale'], [two]: [] });
});

inDashboard('a viewer sees the hashtags, and changes none', async ({ page, account }) => {
  await createLink(account.live, { hashtags: ['sale'] });
  await signInAsViewer(page, account.username);
  await openHashtags(page);
  expect(await shownHashtags(page)).toEqual([['#sale', '1', '0']]);
  expect(await page.locator('tbody').getByRole('button').count()).toBe(0);
});

for (const [screen, options] of SCREENS) {
  inDashboard(
    `axe finds nothing in what is about filters and hashtags on ${screen}`,
    async ({ page, account }) => {
      const slug = unique();
      await createLink(account.live, { slug, hashtags: ['sale', 'a-rather-long-hashtag-that-needs-space'] });
      await createLink(account.live, { hashtags: ['sale'], archived: true });
      await breakLink(slug, 404);
      await page.goto(`${stack.publicUrl}/app/links?health=broken&sort=clicks&per=50`);
      await button(page, 'Filters (1)').click();
      await row(page, slug)
        .getByText(/^Broken since/)
        .waitFor();
      await expectAccessible(page, 'a broken link, with the filters');
      await button(page, 'Saved filters').click();
      await field(page, 'Save this list as').waitFor();
      await expectAccessible(page, 'no saved filters');
      await field(page, 'Save this list as').fill('A name that is as long as a name of a filter may be');
      await page.keyboard.press('Enter');
      await dialog(page).waitFor({ state: 'detached' });
      await button(page, 'Saved filters').click();
      await button(page, /^Delete the filter/).waitFor();
      await expectAccessible(page, 'a saved filter');
      await openHashtags(page);
      await expectAccessible(page, 'the hashtags');
      await button(page, 'Rename #sale').click();
      await dialog(page).getByText('2 links have').waitFor();
      await field(page, 'New name').fill('a-rather-long-hashtag-that-needs-space');
      await button(page, /^Merge into/).waitFor();
      await expectAccessible(page, 'a rename that merges');
      await page.keyboard.press('Escape');
      await button(page, 'Remove #sale').click();
      await dialog(page).getByText('2 links have').waitFor();
      await expectAccessible(page, 'the removal of a hashtag');
    },
    options,
  );
}
