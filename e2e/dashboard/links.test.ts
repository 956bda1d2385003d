import { readFile } from 'node:fs/promises';
import type { ImportPreview } from '@waymark/contract';
import { axeFindings, type Page } from '@waymark/web/test/browser';
import { expect } from 'vitest';
import {
  BYTE_ORDER_MARK,
  bulkCreate,
  button,
  dashboardTests,
  field,
  openBulkEdit,
  pressInInputMethod,
  row,
  shownSlugs,
  unique,
} from '../support/dashboard.ts';
import { api, createAccount, createLink, eventually, follow, request, stack } from '../support/world.ts';

// docs/api.md, Dashboard: “Links: list, search, filter, create, edit, archive, delete, bulk, copy, QR code, … export of
// CSV.” By mouse; keyboard.test.ts does the same by keyboard. jobs.test.ts and imports.test.ts have the rest.

const inDashboard = dashboardTests();

inDashboard(
  'creates a link, counts its click, edits it, archives it with undo, and deletes it',
  async ({ page, account }) => {
    const slug = unique();
    await page.getByText('Make your first short link').waitFor();
    await button(page, 'New link').first().click();
    await page.getByLabel('Destination URL').fill('not a url');
    await button(page, 'Create link').click();
    const destination = page.getByLabel('Destination URL');
    await expect.poll(() => destination.getAttribute('aria-invalid')).toBe('true');
    // The words of the API with the label of the field, at the field, which has the focus.
    expect(await page.locator('.field-error').textContent()).toMatch(/^“Destination URL” must be/);
    await expect.poll(() => destination.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
    await destination.fill('https://example.com/summer?x=1');
    await field(page, 'Short link').fill(slug);
    await field(page, 'Title').fill('Summer sale');
    await field(page, 'Hashtags').fill('sale, #Summer');
    await button(page, 'Create link').click();
    await row(page, slug).waitFor();
    await page.getByText(`/${slug} is ready.`).waitFor();
    const ready = page.getByRole('region', { name: 'New link' });
    await ready.getByRole('img', { name: /^QR code of/ }).waitFor();
    await ready.getByRole('button', { name: 'Copy', exact: true }).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toMatch(new RegExp(`/${slug}$`));

    const redirect = await follow(slug);
    expect([redirect.status, redirect.headers.get('location')]).toEqual([302, 'https://example.com/summer?x=1']);
    // The link opened in another tab. Back in this one at once, the click is not counted yet.
    await refocus(page);
    await expect.poll(() => row(page, slug).locator('.links-clicks').textContent()).toBe('1');

    await button(page, `More for ${slug}`).click();
    await page.getByRole('button', { name: 'Edit' }).click();
    await field(page, 'Title').fill('Winter sale');
    await page.getByLabel('Visibility', { exact: true }).last().selectOption('password-protected');
    await button(page, 'Save').click();
    expect(await page.locator('.field-error, .notice-danger').first().textContent()).toContain('password');
    await page.getByLabel('Password', { exact: true }).fill('open sesame');
    await button(page, 'Save').click();
    await row(page, slug).getByText('Winter sale').waitFor();
    await row(page, slug).getByText('Password-protected').waitFor();
    expect((await follow(slug)).status).toBe(200);

    await button(page, `More for ${slug}`).click();
    await page.getByRole('button', { name: 'Archive' }).click();
    await page.getByText(/is archived\. It still redirects\.$/).waitFor();
    await expect.poll(() => shownSlugs(page)).toEqual([]);
    await button(page, 'Undo').click();
    await row(page, slug).waitFor();

    await button(page, `More for ${slug}`).click();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await page.getByRole('dialog', { name: `Delete ${slug}?` }).waitFor();
    await button(page, 'Cancel').click();
    expect(await shownSlugs(page)).toEqual([slug]);
    await button(page, `More for ${slug}`).click();
    await page.getByRole('button', { name: 'Delete…' }).click();
    await button(page, 'Delete the link').click();
    await page.getByText('Make your first short link').waitFor();
    expect((await api(account.live).list('?archived=any')).body.total).toBe(0);
    expect((await follow(slug)).status).toBe(404);
  },
  // The browser reports each refused request of the form.
  { allow: /status of 422/ },
);

inDashboard(
  'searches while typing and filters; the address holds the view, so that the back button works',
  async ({ page, account }) => {
    const [sale, docs, old] = [unique(), unique(), unique()];
    await createLink(account.live, { slug: sale, title: 'Summer sale', hashtags: ['sale'], visibility: 'unlisted' });
    await createLink(account.live, { slug: docs, title: 'Docs', destination_url: 'https://docs.example.org/start' });
    await createLink(account.live, { slug: old, title: 'Old sale', hashtags: ['sale'], archived: true });
    await page.reload();
    await expect.poll(() => shownSlugs(page)).toEqual([docs, sale]);

    const requests: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('q=')) requests.push(request.url());
    });
    await page.getByRole('searchbox', { name: 'Search links' }).pressSequentially('summer');
    await expect.poll(() => shownSlugs(page)).toEqual([sale]);
    await expect.poll(() => new URL(page.url()).search).toBe('?q=summer');
    expect(requests.length).toBeLessThan('summer'.length);

    // What looks encoded is text.
    await page.getByRole('searchbox', { name: 'Search links' }).fill('50%25');
    await expect.poll(() => new URL(page.url()).search).toBe('?q=50%2525');
    await page.reload();
    await expect.poll(() => page.getByRole('searchbox', { name: 'Search links' }).inputValue()).toBe('50%25');

    await page.getByRole('searchbox', { name: 'Search links' }).fill('');
    await expect.poll(() => shownSlugs(page)).toEqual([docs, sale]);
    await button(page, 'Show links with #sale').click();
    await expect.poll(() => shownSlugs(page)).toEqual([sale]);
    await button(page, 'Filters (1)').click();
    await page.getByLabel('Archived').selectOption('any');
    await expect.poll(() => shownSlugs(page)).toEqual([old, sale]);
    expect(Object.fromEntries(new URL(page.url()).searchParams)).toEqual({ hashtag: 'sale', archived: 'any' });
    await page.getByLabel('Sort by').selectOption('Oldest first');
    await expect.poll(() => shownSlugs(page)).toEqual([sale, old]);

    await page.reload();
    await expect.poll(() => shownSlugs(page)).toEqual([sale, old]);
    await page.goBack();
    await expect.poll(() => shownSlugs(page)).toEqual([old, sale]);
    await page.goBack();
    await expect.poll(() => shownSlugs(page)).toEqual([sale]);
    await button(page, 'Remove the filter #sale').click();
    await expect.poll(() => shownSlugs(page)).toEqual([docs, sale]);
    await button(page, /^Filters/).click();
    await page.getByLabel('Destination domain').fill('example.org');
    await page.getByLabel('Destination domain').press('Enter');
    await expect.poll(() => shownSlugs(page)).toEqual([docs]);
    await page.getByLabel('Visibility').selectOption('Private');
    await page.getByText('No link matches').waitFor();
    await button(page, 'Clear all').first().click();
    await expect.poll(() => shownSlugs(page)).toEqual([docs, sale]);
  },
);

const AUCKLAND = 'Pacific/Auckland';
inDashboard(
  'a day of a filter begins at the browser’s midnight: in the list, in an export and in a job',
  async ({ page, account }) => {
    const slugs = Array.from({ length: 27 }, unique);
    await bulkCreate(account.live, slugs);
    await follow(slugs[0]!);
    await eventually(async () => {
      const { links } = (await api(account.live).list(`?q=${slugs[0]}`)).body;
      expect(links[0]!.clicks).toBe(1);
    });
    await page.reload();
    await button(page, /^Filters/).click();
    const since = field(page, 'Not clicked since');
    // The link that was clicked today is not listed.
    await since.fill(new Intl.DateTimeFormat('en-CA', { timeZone: AUCKLAND }).format(new Date()));
    await page.getByText('1–25 of 26').waitFor();

    const midnight = '2026-05-31T12:00:00.000Z';
    const sent = (path: string) => page.waitForRequest((request) => new URL(request.url()).pathname === path);
    const momentOf = (url: string) => new URL(url).searchParams.get('last_clicked_before');
    const [list] = await Promise.all([sent('/api/v1/links'), since.fill('2026-06-01')]);
    expect(momentOf(list.url())).toBe(midnight);
    await page.getByText('not clicked since 2026-06-01').waitFor();
    expect(momentOf(page.url())).toBe('2026-06-01');
    const [file] = await Promise.all([sent('/api/v1/links/export'), button(page, 'Export').click()]);
    expect(momentOf(file.url())).toBe(midnight);
    await page.getByLabel('Select all links of this page').check();
    await button(page, 'Select all 26').click();
    await selection(page).getByRole('button', { name: 'Archive', exact: true }).click();
    const [job] = await Promise.all([
      sent('/api/v1/jobs'),
      page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click(),
    ]);
    expect(job.postDataJSON().filter.last_clicked_before).toBe(midnight);
    await page.getByText('26 links changed.').waitFor();
  },
  { timezoneId: AUCKLAND },
);

inDashboard('a typed day is one filter: one request and one step of Back', async ({ page, account }) => {
  await createLink(account.live, { slug: unique() });
  await page.reload();
  await button(page, /^Filters/).click();
  const since = field(page, 'Not clicked since');
  const requests: string[] = [];
  page.on('request', (request) => {
    if (request.url().includes('last_clicked_before')) requests.push(request.url());
  });
  await since.focus();
  // The same day in each order of day and month.
  await page.keyboard.type('11112026');
  expect(await since.inputValue()).toBe('2026-11-11');
  // On a busy machine, the field is left before the page has shown what Enter did.
  await page.evaluate(`{
    const field = document.activeElement;
    field.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
    field.blur();
  }`);
  await expect.poll(() => new URL(page.url()).search).toBe('?last_clicked_before=2026-11-11');
  await page.getByText('not clicked since 2026-11-11').waitFor();
  await expect.poll(() => requests).toHaveLength(1);
  await page.goBack();
  await expect.poll(() => new URL(page.url()).search).toBe('');
  await expect.poll(() => since.inputValue()).toBe('');
  expect(requests).toHaveLength(1);

  // The field cannot show a moment of an address, and keeps it.
  await page.goto(`${stack.publicUrl}/app/links?last_clicked_before=2026-11-11T09:00:00Z`);
  await button(page, /^Filters/).click();
  await since.focus();
  await since.blur();
  expect(new URL(page.url()).searchParams.get('last_clicked_before')).toBe('2026-11-11T09:00:00Z');
});

inDashboard('Enter of an input method applies no filter', async ({ page, context, account }) => {
  await createLink(account.live, { slug: unique() });
  await page.reload();
  await button(page, /^Filters/).click();
  const domain = page.getByLabel('Destination domain');
  await domain.focus();
  const session = await context.newCDPSession(page);
  const text = 'example.org';
  await session.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length });
  await pressInInputMethod(session, 'Enter');
  expect(new URL(page.url()).search).toBe('');
  await session.send('Input.insertText', { text });
  await pressInInputMethod(session, 'Enter');
  expect(new URL(page.url()).search).toBe('');
  await page.keyboard.press('Enter');
  await expect.poll(() => new URL(page.url()).search).toBe('?domain=example.org');
});

inDashboard('shows long lists in pages, and edits many links at once', async ({ page, account }) => {
  const slugs = Array.from({ length: 130 }, (_, index) => `${unique()}-${index}`);
  await page.getByText('Make your first short link').waitFor();
  await bulkCreate(account.live, slugs);
  await page.reload();
  await page.getByText('1–25 of 130').waitFor();
  await button(page, 'Next page').click();
  await page.getByText('26–50 of 130').waitFor();
  expect(new URL(page.url()).searchParams.get('page')).toBe('2');
  const second = await shownSlugs(page);
  const selection = page.getByRole('region', { name: 'Selected links' });
  expect(second).toHaveLength(25);

  await page.getByLabel(`Select ${second[0]}`, { exact: true }).check();
  await page.getByText('1 link selected').waitFor();
  await page.getByLabel('Select all links of this page').check();
  await page.getByText('25 links selected').waitFor();
  await button(page, 'Add hashtags').click();
  await field(page, 'Hashtags').fill('everywhere');
  await button(page, 'Apply').click();
  await page.getByText('25 links changed.').waitFor();
  expect((await api(account.live).list('?hashtag=everywhere')).body.total).toBe(25);

  await page.getByLabel('Select all links of this page').check();
  await selection.getByRole('button', { name: 'Archive', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
  await page.getByText('26–50 of 105').waitFor();
  const archived = page.locator('.toast').filter({ hasText: '25 links archived' });
  await archived.getByText('25 links changed.').waitFor();
  await archived.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('26–50 of 130').waitFor();

  // One of the selected links is gone meanwhile.
  const third = await shownSlugs(page);
  for (const slug of third.slice(0, 3)) await page.getByLabel(`Select ${slug}`, { exact: true }).check();
  const gone = (await api(account.live).list(`?q=${third[1]}`)).body.links[0]!;
  expect((await api(account.live).delete(gone.id)).status).toBe(204);
  await openBulkEdit(page, 'Delete');
  await page.getByRole('dialog', { name: 'Delete 3 links?' }).getByRole('button', { name: 'Delete' }).click();
  await page.getByText('2 links deleted, 1 refused.').waitFor();
  expect((await api(account.live).list()).body.total).toBe(127);
});

inDashboard('without its last row, the last page gives way to the one before', async ({ page, account }) => {
  const slugs = Array.from({ length: 27 }, unique);
  await bulkCreate(account.live, slugs);
  const pageInAddress = () => new URL(page.url()).searchParams.get('page');
  // An address that was right once.
  await page.goto(`${stack.publicUrl}/app/links?page=9`);
  await page.getByText('26–27 of 27').waitFor();
  expect(pageInAddress()).toBe('2');

  await button(page, `More for ${slugs[1]}`).click();
  await button(page, 'Delete…').click();
  await button(page, 'Delete the link').click();
  await page.getByText('26–26 of 26').waitFor();
  await button(page, `More for ${slugs[0]}`).click();
  await button(page, 'Archive').click();
  await page.getByText('1–25 of 25').waitFor();
  expect(pageInAddress()).toBeNull();
  expect(await shownSlugs(page)).toHaveLength(25);
  await button(page, 'Undo').click();
  await page.getByText('1–25 of 26').waitFor();

  // The rows of the last page leave the filter by their own edit.
  const all = (await api(account.live).list('?archived=any&per=100')).body.links;
  const operations = all.map(({ id }) => ({ op: 'update', id, link: { hashtags: ['summer'] } }));
  expect((await api(account.live).bulk(operations)).status).toBe(200);
  await page.goto(`${stack.publicUrl}/app/links?hashtag=summer&page=2`);
  await page.getByText('26–26 of 26').waitFor();
  await page.getByLabel('Select all links of this page').check();
  await openBulkEdit(page, 'Remove hashtags');
  await field(page, 'Hashtags').fill('summer');
  await button(page, 'Apply').click();
  await page.getByText('1–25 of 25').waitFor();
});

inDashboard(
  'deleting a link that is gone is done; what else is tried with one says so, and the row goes',
  async ({ page, account }) => {
    const kept = await createLink(account.live, { slug: unique() });
    /** Opens the menu of a link that is deleted elsewhere. */
    const openMenuOfGone = async () => {
      const { id, slug } = await createLink(account.live, { slug: unique() });
      await page.reload();
      await row(page, slug).waitFor();
      expect((await api(account.live).delete(id)).status).toBe(204);
      await button(page, `More for ${slug}`).click();
    };
    await openMenuOfGone();
    await button(page, 'Delete…').click();
    await button(page, 'Delete the link').click();
    await page.getByText('The link is deleted.').waitFor();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await expect.poll(() => shownSlugs(page)).toEqual([kept.slug]);

    await openMenuOfGone();
    await button(page, 'Archive').click();
    await page.getByText('Link not found.').waitFor();
    await expect.poll(() => shownSlugs(page)).toEqual([kept.slug]);

    await openMenuOfGone();
    await button(page, 'Edit').click();
    await field(page, 'Title').fill('Too late');
    await button(page, 'Save').click();
    await page.getByRole('alert').getByText('Link not found.').waitFor();
    // The list is read again behind the form, which keeps what was entered.
    await expect.poll(() => shownSlugs(page)).toEqual([kept.slug]);
    expect(await field(page, 'Title').inputValue()).toBe('Too late');
  },
  { allow: /status of 404/ },
);

inDashboard(
  'the field refuses a part of a date and an hour that the clocks skip, and nothing is sent',
  async ({ page, account }) => {
    const changes: string[] = [];
    page.on('request', (request) => {
      if (request.method() !== 'GET') changes.push(request.method());
    });
    const expiry = page.getByLabel('Expires at');
    const message = page.getByText('Part of the date or of the time is missing');
    await button(page, 'New link').first().click();
    await page.getByLabel('Destination URL').fill('https://example.com/');
    await page.getByText('More options').click();
    await expiry.focus();
    await page.keyboard.type('11112026');
    await page.getByText('More options').click();
    await button(page, 'Create link').click();
    await message.waitFor();
    await expect.poll(() => expiry.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
    expect(await expiry.getAttribute('aria-invalid')).toBe('true');
    expect(changes).toEqual([]);
    await expiry.fill('2030-03-31T02:30');
    await button(page, 'Create link').click();
    await page.getByText('“Expires at” is in the hour that the clocks skip').waitFor();
    expect(changes).toEqual([]);
    await expiry.fill('2030-11-11T10:00');
    await button(page, 'Create link').click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const { id, slug, expires_at } = (await api(account.live).list()).body.links[0]!;
    expect(expires_at).toMatch(/^2030-11-1/);

    await button(page, `More for ${slug}`).click();
    await button(page, 'Edit').click();
    await expiry.focus();
    await page.keyboard.press('Backspace');
    await button(page, 'Save').click();
    await message.waitFor();
    expect(changes).toEqual(['POST']);
    await expiry.fill('');
    await button(page, 'Save').click();
    await page.getByText('The link is saved.').waitFor();
    expect((await api(account.live).get(id)).body.expires_at).toBeNull();

    await page.goto(`${stack.publicUrl}/app/links?last_clicked_before=2026-11-11`);
    await button(page, /^Filters/).click();
    const since = field(page, 'Not clicked since');
    await since.focus();
    await page.keyboard.press('Backspace');
    await since.blur();
    await page.getByText('Part of the date is missing').waitFor();
    expect(new URL(page.url()).search).toBe('?last_clicked_before=2026-11-11');
  },
  { timezoneId: 'Europe/Berlin' },
);

inDashboard(
  'exports the links that match as CSV, which Excel reads as UTF-8, and so does an import',
  async ({ page, account }) => {
    const [found, other] = [unique(), unique()];
    await createLink(account.live, { slug: found, title: 'Größe, and "quotes"' });
    await createLink(account.live, { slug: other });
    await page.goto(`${stack.publicUrl}/app/links?q=quotes`);
    await expect.poll(() => shownSlugs(page)).toEqual([found]);
    const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Export').click()]);
    expect(download.suggestedFilename()).toBe('links.csv');
    const csv = await readFile(await download.path(), 'utf8');
    expect(csv.codePointAt(0)).toBe(BYTE_ORDER_MARK);
    expect(csv).toContain(found);
    expect(csv).not.toContain(other);
    const { body } = await request<ImportPreview>('/api/v1/jobs/import?dry_run=true', {
      method: 'POST',
      key: account.live,
      body: csv,
      headers: { 'content-type': 'text/csv' },
    });
    expect(body.format).toBe('waymark');
    expect(body.rows.map((row) => row.link?.title)).toEqual(['Größe, and "quotes"']);
  },
);

inDashboard('shows the QR code, and downloads it', async ({ page, account }) => {
  const slug = unique();
  await createLink(account.live, { slug });
  await page.reload();
  await button(page, `QR code of ${slug}`).click();
  const picture = page.getByRole('img', { name: new RegExp(`/${slug}$`) });
  await picture.waitFor();
  await expect
    .poll(() => picture.evaluate((img) => (img as { naturalWidth?: number }).naturalWidth))
    .toBeGreaterThan(0);
  const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Download PNG').click()]);
  expect(download.suggestedFilename()).toBe(`${slug}.png`);
  expect((await readFile(await download.path())).subarray(1, 4).toString()).toBe('PNG');
});

inDashboard(
  'says that the browser is offline, keeps what it shows, and goes on afterwards',
  async ({ page, account, context }) => {
    const slug = unique();
    await createLink(account.live, { slug });
    await page.reload();
    await row(page, slug).waitFor();
    await context.setOffline(true);
    await page.getByText('You are offline.').waitFor();
    expect(await shownSlugs(page)).toEqual([slug]);
    await button(page, `More for ${slug}`).click();
    await button(page, 'Delete…').click();
    await button(page, 'Delete the link').click();
    await page.getByRole('alert').getByText('You are offline.').waitFor();
    await context.setOffline(false);
    await button(page, 'Delete the link').click();
    await page.getByText('The link is deleted.').waitFor();
    await page.getByText('Make your first short link').waitFor();
    expect(await page.getByText('You are offline.').count()).toBe(0);
  },
  { allow: /ERR_INTERNET_DISCONNECTED/ },
);

const selection = (page: Page) => page.getByRole('region', { name: 'Selected links' });
/** Does what the browser does when the user comes back to the tab. */
async function refocus(page: Page): Promise<void> {
  await page.evaluate(`dispatchEvent(new Event('visibilitychange'))`);
}

inDashboard('a bulk edit keeps the hashtags that were set after the selection', async ({ page, account }) => {
  const link = await createLink(account.live, { slug: unique(), hashtags: ['old'] });
  await page.reload();
  await page.getByLabel(`Select ${link.slug}`, { exact: true }).check();
  expect((await api(account.live).update(link.id, { hashtags: ['new'] })).status).toBe(200);
  await button(page, 'Add hashtags').click();
  await field(page, 'Hashtags').fill('more');
  await button(page, 'Apply').click();
  await page.getByText('1 link changed.').waitFor();
  expect((await api(account.live).get(link.id)).body.hashtags).toEqual(['new', 'more']);
  expect(await selection(page).count()).toBe(0);
});

inDashboard('a form keeps the hashtags that others added and removed while it was open', async ({ page, account }) => {
  const link = await createLink(account.live, { slug: unique(), hashtags: ['stays', 'mine', 'theirs'] });
  await page.reload();
  await button(page, `More for ${link.slug}`).click();
  await button(page, 'Edit').click();
  await field(page, 'Hashtags').fill('stays theirs more');
  expect((await api(account.live).update(link.id, { hashtags: ['stays', 'mine', 'new'] })).status).toBe(200);
  await button(page, 'Save').click();
  await page.getByText('The link is saved.').waitFor();
  expect((await api(account.live).get(link.id)).body.hashtags).toEqual(['stays', 'more', 'new']);
});

inDashboard('ticked links that are so already are left alone, and said apart', async ({ page, account }) => {
  const [tagged, other] = [unique(), unique()];
  const { id, updated_at } = await createLink(account.live, { slug: tagged, hashtags: ['more'], archived: true });
  await createLink(account.live, { slug: other });
  await page.goto(`${stack.publicUrl}/app/links?archived=any`);
  const edit = async (name: string, confirm: () => Promise<void>, outcome: string) => {
    await page.getByLabel('Select all links of this page').check();
    await openBulkEdit(page, name);
    await confirm();
    await page.locator('.toast').getByText(outcome, { exact: true }).last().waitFor();
  };
  const apply = () => button(page, 'Apply').click();
  const addMore = async () => {
    await field(page, 'Hashtags').fill('#More');
    await apply();
  };
  const archive = () => page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
  await edit('Add hashtags', addMore, '1 link changed, 1 unchanged.');
  await edit('Archive', archive, '1 link changed, 1 unchanged.');
  // The undo is that of the one that changed.
  await page.locator('.toast').filter({ hasText: '2 links archived' }).getByRole('button', { name: 'Undo' }).click();
  await page.locator('.toast').getByText('1 link changed.', { exact: true }).waitFor();
  expect((await api(account.live).list('?archived=true')).body.links.map(({ slug }) => slug)).toEqual([tagged]);
  const publish = async () => {
    await page.getByRole('dialog').getByLabel('Visibility').selectOption('Public');
    await apply();
  };
  await edit('Visibility', publish, '2 links unchanged.');
  expect((await api(account.live).get(id)).body.updated_at).toBe(updated_at);
});

inDashboard(
  'Shift selects or clears all rows from the last one, by mouse and by keyboard',
  async ({ page, account }) => {
    await bulkCreate(account.live, Array.from({ length: 6 }, unique));
    await page.reload();
    await page.getByRole('table').waitFor();
    const boxes = page.getByRole('checkbox', { name: /^Select d/ });
    const shown = async () =>
      (await boxes.evaluateAll((all) => all.map((box) => ((box as { checked?: boolean }).checked ? 'x' : '-')))).join(
        '',
      );
    const expectShown = (rows: string) => expect.poll(shown).toBe(rows);
    const click = (row: number, modifiers: 'Shift'[] = []) => boxes.nth(row).click({ modifiers });
    await click(1);
    await click(3, ['Shift']);
    await expectShown('-xxx--');
    // The text between them is not selected.
    expect(await page.evaluate('getSelection().toString()')).toBe('');
    await click(2);
    await click(1, ['Shift']);
    await expectShown('---x--');
    await boxes.nth(3).focus();
    await page.keyboard.press('Space');
    await page.keyboard.press('Space');
    await boxes.nth(5).focus();
    await page.keyboard.press('Shift+Space');
    await expectShown('---xxx');
    // Nothing is selected from here on, so there is no row to begin at.
    await button(page, 'Clear the selection').click();
    await click(0, ['Shift']);
    await expectShown('x-----');
  },
);

inDashboard('other filters end a selection', async ({ page, account }) => {
  await bulkCreate(account.live, Array.from({ length: 26 }, unique));
  await page.reload();
  await page.getByLabel('Select all links of this page').check();
  await button(page, 'Select all 26').click();
  await page.getByText('26 links selected').waitFor();
  await page.getByRole('searchbox', { name: 'Search links' }).fill('d');
  await expect.poll(() => new URL(page.url()).search).toBe('?q=d');
  await expect.poll(() => selection(page).count()).toBe(0);
  await page.getByLabel('Select all links of this page').check();
  await page.goBack();
  await expect.poll(() => new URL(page.url()).search).toBe('');
  await expect.poll(() => selection(page).count()).toBe(0);
});

inDashboard(
  'a failed reload in the background leaves the page and its open form',
  async ({ page, account }) => {
    const slug = unique();
    await createLink(account.live, { slug });
    await page.reload();
    await row(page, slug).waitFor();
    await page.clock.install();
    await button(page, 'New link').click();
    await page.getByLabel('Destination URL').fill('https://example.com/typed');
    let refused = 0;
    await page.route(/api.v1.(me|links)/, (route) => {
      refused += 1;
      return route.fulfill({ status: 503, json: { error: 'Busy.' } });
    });
    await page.clock.fastForward(60_000);
    await refocus(page);
    for (let round = 0; round < 4; round += 1) {
      await expect.poll(() => refused).toBeGreaterThan(round);
      await page.clock.runFor(5_000);
    }
    expect(await page.getByLabel('Destination URL').inputValue()).toBe('https://example.com/typed');
    expect(await page.getByRole('row').count()).toBeGreaterThan(0);
  },
  { allow: /status of 503/ },
);

inDashboard('a form with changes asks before it closes', async ({ page }) => {
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('link', { name: 'Links', exact: true }).click();
  await button(page, 'New link').first().click();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await button(page, 'New link').first().click();
  await page.getByLabel('Destination URL').fill('https://example.com/typed');
  const leaves = [
    () => page.keyboard.press('Escape'),
    () => button(page, 'Cancel').click(),
    () => page.evaluate('history.back()'),
  ];
  for (const leave of leaves) {
    await leave();
    await button(page, 'Keep editing').click();
    expect(await page.getByLabel('Destination URL').inputValue()).toBe('https://example.com/typed');
  }
  await page.keyboard.press('Escape');
  await button(page, 'Discard').click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

inDashboard('a message is above the dialog that it is about, and waits while it is read', async ({ page, account }) => {
  const slug = unique();
  await createLink(account.live, { slug });
  await page.reload();
  await button(page, `QR code of ${slug}`).click();
  await page.clock.install();
  await page
    .getByRole('dialog')
    .getByRole('button', { name: `Copy the short URL of ${slug}` })
    .click();
  const dismiss = button(page, 'Dismiss');
  await dismiss.hover();
  await page.clock.runFor(60_000);
  expect(await dismiss.isVisible()).toBe(true);
  // Nor does anybody read it in a tab in the background.
  const turn = (hidden: boolean) =>
    page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${hidden}, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'))`);
  await page.mouse.move(0, 0);
  await turn(true);
  await page.clock.runFor(60_000);
  expect(await dismiss.isVisible()).toBe(true);
  await turn(false);
  await page.clock.runFor(11_000);
  await expect.poll(() => dismiss.count()).toBe(0);
});

inDashboard(
  'over plain HTTP, where a browser has no clipboard, texts are copied, or else shown selected',
  async ({ page, account }) => {
    const { slug, short_url } = await createLink(account.live, {});
    await page.addInitScript(`
      window.clipboard = navigator.clipboard;
      Object.defineProperty(navigator, 'clipboard', { value: undefined });
    `);
    await page.reload();
    const copied = () => page.evaluate('clipboard.readText()');
    const copy = page.getByRole('button', { name: `Copy the short URL of ${slug}` });
    await copy.click();
    await expect.poll(copied).toBe(short_url);
    await page.evaluate(`clipboard.writeText('')`);
    await button(page, `QR code of ${slug}`).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Copy' }).click();
    await expect.poll(copied).toBe(short_url);
    await page.keyboard.press('Escape');

    await page.evaluate('document.execCommand = () => false');
    await copy.click();
    const text = page.getByRole('textbox', { name: 'The browser did not allow copying.' });
    await expect.poll(() => text.evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
    expect(await page.evaluate('getSelection().toString()')).toBe(short_url);
    expect(await axeFindings(page)).toEqual([]);
  },
);

inDashboard('an archive that was done in part says so, and can be undone', async ({ page, account }) => {
  const [kept, gone] = [unique(), unique()];
  await bulkCreate(account.live, [kept, gone]);
  await page.reload();
  await page.getByLabel('Select all links of this page').check();
  const { id } = (await api(account.live).list(`?q=${gone}`)).body.links[0]!;
  expect((await api(account.live).delete(id)).status).toBe(204);
  await selection(page).getByRole('button', { name: 'Archive', exact: true }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
  await page.getByText('1 link changed, 1 refused.').waitFor();
  await button(page, 'Details').click();
  await button(page, 'Show what was refused').click();
  const refused = page.getByRole('region', { name: 'Refused' });
  await expect.poll(() => refused.getByRole('cell').allTextContents()).toEqual([id, 'Link not found.']);
  await page.keyboard.press('Escape');
  await page.getByRole('article').getByRole('button', { name: 'Undo' }).click();
  await expect.poll(async () => (await api(account.live).list()).body.links.map(({ slug }) => slug)).toEqual([kept]);
});

inDashboard('the order in the address is shown, and Back leaves a search', async ({ page }) => {
  const order = page.getByLabel('Sort by');
  const shown = () =>
    order.evaluate((select) => (select as unknown as { selectedOptions: { text: string }[] }).selectedOptions[0]?.text);
  for (const [query, text] of [
    ['sort=title&dir=desc', 'Title Z–A'],
    ['sort=slug', 'Short link Z–A'],
  ]) {
    await page.goto(`${stack.publicUrl}/app/links?${query}`);
    await expect.poll(shown).toBe(text);
  }
  await page.getByRole('searchbox', { name: 'Search links' }).pressSequentially('summer', { delay: 300 });
  await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe('summer');
  await page.goBack();
  await expect.poll(() => new URL(page.url()).search).toBe('?sort=slug');
});

inDashboard(
  'on the narrowest screen, no bulk edit is cut, and a row of a file has the whole width',
  async ({ page, account }) => {
    const { slug } = await createLink(account.live, {});
    await page.reload();
    await page.getByLabel(`Select ${slug}`).check();
    const edits = selection(page).getByRole('button');
    expect(await edits.allTextContents()).toContain('Add hashtags');
    const cut = await edits.evaluateAll((buttons) =>
      buttons
        .filter((each) => each.getBoundingClientRect().right > 320 || each.scrollWidth > each.clientWidth)
        .map(({ textContent }) => textContent),
    );
    expect(cut).toEqual([]);
    await button(page, 'Clear the selection').click();

    await button(page, 'Import').click();
    const buffer = Buffer.from(
      'destination_url\nhttps://example.com/a/long/address?with=a&query=string\nftp://example.com/',
    );
    await page.getByLabel('File', { exact: true }).setInputFiles({ name: 'links.csv', mimeType: 'text/csv', buffer });
    const rows = page.getByRole('region', { name: 'First rows' });
    await rows.getByText(/^Refused/).waitFor();
    const { width } = (await rows.boundingBox())!;
    expect((await rows.locator('td:last-child').last().boundingBox())!.width).toBeGreaterThan(0.9 * width);
  },
  { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true },
);

inDashboard(
  'on a phone, short URLs break after slashes alone, with Copy beside them, and bars of jobs begin together',
  async ({ page, account }) => {
    /** Returns how many lines each part of a text is on. */
    const linesOf = (selector: string) =>
      page.evaluate<Record<string, number>>(`(() => {
        const nodes = document.createTreeWalker(document.querySelector('${selector}'), NodeFilter.SHOW_TEXT);
        const lines = {};
        while (nodes.nextNode()) {
          const range = document.createRange();
          range.selectNode(nodes.currentNode);
          lines[nodes.currentNode.data] = new Set(Array.from(range.getClientRects(), ({ y }) => y)).size;
        }
        return lines;
      })()`);
    const slug = `${unique()}${unique()}`;
    const parts = { 'http://': 1, [`${new URL(stack.publicUrl).host}/`]: 1, [slug]: 1 };
    await button(page, 'New link').first().click();
    await page.getByLabel('Destination URL').fill('https://example.com/');
    await field(page, 'Short link').fill(slug);
    await button(page, 'Create link').click();
    const ready = page.getByRole('region', { name: 'New link' });
    const topOf = async (name: string) => (await ready.getByRole('button', { name }).boundingBox())!.y;
    // The list below may still move them.
    await expect.poll(async () => (await topOf('QR code')) - (await topOf('Copy'))).toBe(0);
    expect(await linesOf('.link-ready [translate=no]')).toEqual(parts);

    const { id } = (await api(account.live).list(`?q=${slug}`)).body.links[0]!;
    await page.goto(`${stack.publicUrl}/app/links/${id}`);
    const link = page.getByRole('region', { name: 'Link', exact: true });
    await link.getByRole('link').first().waitFor();
    expect(await linesOf('.link-facts-short [translate=no]')).toEqual(parts);
    const isBeside = async () => {
      const url = (await link.getByRole('link').first().boundingBox())!;
      return (await button(page, /^Copy/).boundingBox())!.y < url.y + url.height;
    };
    await expect.poll(isBeside).toBe(true);

    const job = {
      kind: 'edit',
      title: 'Links archived',
      refused: 0,
      actor: null,
      created_at: new Date().toISOString(),
    };
    const jobs = ['waiting', 'running'].map((state) => ({ ...job, id: state, state, matched: 2, done: 1 }));
    await page.route('**/api/v1/jobs', (route) => route.fulfill({ json: { jobs } }));
    await page.goto(`${stack.publicUrl}/app/jobs`);
    const bars = page.getByRole('progressbar');
    await expect.poll(() => bars.count()).toBe(2);
    const [first, second] = await bars.evaluateAll((all) => all.map((bar) => bar.getBoundingClientRect().left));
    expect(first).toBe(second);
  },
  { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
);

inDashboard(
  'a link has a page of its own, reached from the list, with its figures, its QR code, edit and delete',
  async ({ page, account }) => {
    const slug = unique();
    const { id, short_url } = await createLink(account.live, {
      slug,
      destination_url: 'https://example.com/summer?x=1',
      title: 'Summer sale',
      description: 'Everything must go.',
      note: 'Ask Grace.\nNot before June.',
      hashtags: ['sale'],
      visibility: 'password-protected',
      password: 'open sesame',
      expires_at: '2030-01-02T12:00:00Z',
      expired_url: 'https://example.com/over',
    });
    await createLink(account.live, { slug: unique(), title: 'Another' });
    await page.goto(`${stack.publicUrl}/app/links?hashtag=sale&sort=title&dir=asc`);
    await row(page, slug).getByRole('link', { name: 'Summer sale' }).click();
    await page.getByRole('heading', { name: slug, level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/app/links/${id}`);
    await expect.poll(() => page.title()).toBe(`${slug} · Waymark`);
    const link = page.getByRole('region', { name: 'Link', exact: true });
    const facts = async () =>
      Object.fromEntries(
        await Promise.all(
          (await link.locator('dl > div').all()).map(async (one) => [
            await one.locator('dt').textContent(),
            await one.locator('dd').textContent(),
          ]),
        ),
      );
    expect(await facts()).toEqual({
      'Destination URL': 'https://example.com/summer?x=1',
      Host: new URL(stack.publicUrl).host,
      Title: 'Summer sale',
      Description: 'Everything must go.',
      Note: 'Ask Grace.\nNot before June.',
      Hashtags: '#sale',
      Visibility: 'Password-protectedVisitors must enter the password.',
      'Expires at': expect.stringContaining('2 Jan 2030'),
      'Destination after that': 'https://example.com/over',
      'Created at': expect.stringMatching(/^\d+ \w+ 20\d\d, \d\d:\d\d$/),
      'Last changed': expect.stringMatching(/^\d+ \w+ 20\d\d, \d\d:\d\d$/),
    });
    await link.getByRole('button', { name: `Copy the short URL of ${slug}` }).click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(short_url);
    await page.getByRole('img', { name: `QR code of ${short_url}` }).waitFor();
    const figures = page.getByRole('region', { name: 'Clicks' });
    await figures.getByText('No clicks yet').waitFor();

    await button(page, 'Edit').click();
    await field(page, 'Title').fill('Winter sale');
    await button(page, 'Save').click();
    await link.getByText('Winter sale').waitFor();
    expect((await api(account.live).get(id)).body.title).toBe('Winter sale');

    await figures.getByRole('link', { name: `Analytics of ${slug}` }).click();
    await page.getByRole('heading', { name: 'Analytics', level: 1 }).waitFor();
    expect(new URL(page.url()).search).toBe(`?link_id=${id}`);
    await page.goBack();
    await page.getByRole('heading', { name: slug, level: 1 }).waitFor();
    // Back, and the way at the top, lead to the list as it was, also after a reload.
    const list = '?hashtag=sale&sort=title&dir=asc';
    await page.goBack();
    await row(page, slug).waitFor();
    expect(new URL(page.url()).search).toBe(list);
    await button(page, `More for ${slug}`).click();
    await button(page, 'Details').click();
    await page.getByRole('heading', { name: slug, level: 1 }).waitFor();
    await page.reload();
    await page.getByRole('main').getByRole('link', { name: 'Links', exact: true }).click();
    await row(page, slug).waitFor();
    expect(new URL(page.url()).search).toBe(list);

    await page.goForward();
    await page.goto(`${stack.publicUrl}/app/links/${id}`);
    await button(page, 'Delete…').click();
    await page.getByRole('dialog', { name: `Delete ${slug}?` }).waitFor();
    await button(page, 'Delete the link').click();
    await page.getByText('The link is deleted.').waitFor();
    await page.getByText('Another').waitFor();
    expect(new URL(page.url()).pathname).toBe('/app/links');
    expect((await follow(slug)).status).toBe(404);
  },
);

inDashboard(
  'the page of a link that is deleted or of another account says that the link does not exist',
  async ({ page, account }) => {
    const deleted = await createLink(account.live, { title: 'Deleted' });
    await page.goto(`${stack.publicUrl}/app/links/${deleted.id}`);
    await page.getByText('Deleted').waitFor();
    await api(account.live).delete(deleted.id);
    const other = await createLink((await createAccount()).live, { title: 'Foreign' });
    for (const address of [deleted.id, other.id, other.slug, 'a%2Fb', '%F0%9F%98%80']) {
      await page.goto(`${stack.publicUrl}/app/links/${address}`);
      await page.getByText('It is deleted, or belongs to another account.').waitFor();
      await expect.poll(() => page.title()).toBe('There is no such link · Waymark');
    }
    await page.getByRole('main').getByRole('link', { name: 'Links', exact: true }).click();
    await page.getByText('Make your first short link').waitFor();
  },
  { allow: /status of 404/ },
);
