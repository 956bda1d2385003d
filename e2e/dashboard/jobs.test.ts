import type { Job } from '@waymark/contract';
import type { Page } from '@waymark/web/test/browser';
import { expect } from 'vitest';
import { button, createSignInLink, dashboardTests, field, openBulkEdit, unique } from '../support/dashboard.ts';
import { holdJobs } from '../support/held-jobs.ts';
import { api, eventually, jobsOf, request, stack, type TestAccount } from '../support/world.ts';

// docs/dashboard.md, Jobs: what the page begins runs on the server, whatever becomes of the page.

const inDashboard = dashboardTests();

const selection = (page: Page) => page.getByRole('region', { name: 'Selected links' });
const cards = (page: Page) => page.getByRole('article');
const openView = (page: Page, view: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: view }).click();

/** Returns the jobs of the account, newest first. */
const totalOf = async (key: string, query: string) => (await api(key).list(query)).body.total;

/** Selects all links that match, from the list. */
async function selectMatching(page: Page, total: number): Promise<void> {
  await page.getByLabel('Select all links of this page').check();
  await button(page, `Select all ${total}`).click();
  await page.getByText(`${total} links selected`).waitFor();
}

/** Creates links with a hashtag. */
async function createTagged(key: string, count: number, hashtag: string): Promise<void> {
  for (let from = 0; from < count; from += 100) {
    const operations = Array.from({ length: Math.min(100, count - from) }, () => ({
      op: 'create',
      link: { slug: unique(), destination_url: 'https://example.com/', hashtags: [hashtag] },
    }));
    expect((await api(key).bulk(operations)).status).toBe(200);
  }
}

/** How many jobs are before those of the page. */
const BEFORE = 2;

/**
 * Makes the jobs of an account wait behind some of a key. Returns the function that cancels those, and lets the others
 * begin.
 */
async function keepBusy(account: TestAccount): Promise<() => Promise<void>> {
  const { live: key } = account;
  const letBegin = await holdJobs(account);
  const responses = Array.from({ length: BEFORE }, (_, index) => {
    const json = { kind: 'edit', filter: { all: true }, change: { note: `Note ${index}` } };
    return request<Job>('/api/v1/jobs', { method: 'POST', key, json });
  });
  await eventually(async () => expect(await jobsOf(key)).toHaveLength(BEFORE));
  const before = await jobsOf(key);
  return async () => {
    for (const { id } of before) await request(`/api/v1/jobs/${id}/cancel`, { method: 'POST', key });
    await Promise.all(responses);
    await letBegin();
  };
}

inDashboard('all links that match are edited by one job, which can be undone', async ({ page, account }) => {
  await createTagged(account.live, 130, 'summer');
  await createTagged(account.live, 1, 'winter');
  const changes: string[] = [];
  page.on('request', (sent) => {
    if (sent.method() !== 'GET') changes.push(new URL(sent.url()).pathname);
  });
  await page.goto(`${stack.publicUrl}/app/links?hashtag=summer`);
  await selectMatching(page, 130);
  await button(page, 'Add hashtags').click();
  await field(page, 'Hashtags').fill('#Everywhere');
  await button(page, 'Apply').click();
  await page.getByText('130 links changed.').waitFor();
  expect(await selection(page).count()).toBe(0);
  expect(changes).toEqual(['/api/v1/jobs']);
  expect(await totalOf(account.live, '?hashtag=everywhere')).toBe(130);
  await button(page, 'Undo').click();
  await expect.poll(() => totalOf(account.live, '?hashtag=everywhere')).toBe(0);
  await page.getByText('130 links changed.').waitFor();
  // An undo cannot be undone.
  expect(await button(page, 'Undo').count()).toBe(0);

  await page.goto(`${stack.publicUrl}/app/links`);
  await selectMatching(page, 131);
  await openBulkEdit(page, 'Visibility');
  const visibility = page.getByRole('dialog').getByLabel('Visibility');
  expect(await visibility.getByRole('option').allTextContents()).toEqual([
    'Choose a visibility',
    'Public',
    'Unlisted',
    'Private',
  ]);
  await visibility.selectOption('Unlisted');
  await button(page, 'Apply').click();
  await page.getByText('131 links changed.').waitFor();
  await openView(page, 'Jobs');
  await cards(page).first().getByText('131 links changed.').waitFor();
  await cards(page)
    .first()
    .getByText(/^Can be undone until/)
    .waitFor();
  await cards(page).first().getByRole('button', { name: 'Undo' }).click();
  await expect.poll(() => totalOf(account.live, '?visibility=public')).toBe(131);
  await expect.poll(() => cards(page).getByRole('button', { name: 'Undo' }).count()).toBe(0);
});

inDashboard(
  'a job whose response got lost is begun once',
  async ({ page, account }) => {
    await createTagged(account.live, 30, 'summer');
    await page.reload();
    await selectMatching(page, 30);
    await button(page, 'Add hashtags').click();
    await field(page, 'Hashtags').fill('more');
    let sent = 0;
    await page.route('**/api/v1/jobs', async (route) => {
      if (route.request().method() !== 'POST') return route.continue();
      sent += 1;
      if (sent > 1) return route.continue();
      await route.fetch();
      await route.abort();
    });
    await button(page, 'Apply').click();
    await page.getByRole('alert').getByText('The server cannot be reached.').waitFor();
    await button(page, 'Apply').click();
    await page.getByText('30 links changed.').waitFor();
    expect(sent).toBe(2);
    expect(await jobsOf(account.live)).toHaveLength(1);
  },
  { allow: /ERR_FAILED/ },
);

inDashboard('a link that is unticked is no part of a bulk edit', async ({ page, account }) => {
  await createTagged(account.live, 30, 'summer');
  await page.reload();
  await selectMatching(page, 30);
  await page
    .getByLabel(/^Select d/)
    .first()
    .uncheck();
  await page.getByText('24 links selected').waitFor();
});

inDashboard('more than 100 links are deleted only after their number was typed', async ({ page, account }) => {
  await createTagged(account.live, 102, 'old');
  await page.reload();
  await selectMatching(page, 102);
  await openBulkEdit(page, 'Delete');
  const dialog = page.getByRole('dialog', { name: 'Delete 102 links?' });
  const typed = dialog.getByLabel('Type 102 to continue');
  for (const number of ['', '101']) {
    await typed.fill(number);
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => typed.evaluate((input) => input.matches(':focus:invalid'))).toBe(true);
  }
  expect(await jobsOf(account.live)).toEqual([]);
  await typed.fill('102');
  await dialog.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('102 links deleted.').waitFor();
  await page.getByText('Make your first short link').waitFor();
  // A deletion cannot be undone.
  await openView(page, 'Jobs');
  await cards(page).getByText('102 links deleted.').waitFor();
  expect(await button(page, 'Undo').count()).toBe(0);
});

inDashboard(
  'a job goes on without the page, the session and the network, and is shown again afterwards',
  async ({ page, account, context }) => {
    await createTagged(account.live, 30, 'mine');
    const stopBeingBusy = await keepBusy(account);
    await page.goto(`${stack.publicUrl}/app/links?hashtag=mine`);
    await selectMatching(page, 30);
    await selection(page).getByRole('button', { name: 'Archive', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Archive' }).click();
    await expect.poll(async () => (await jobsOf(account.live)).length).toBe(BEFORE + 1);
    await page.reload();
    await page
      .locator('.toast')
      .filter({ hasText: 'by key' })
      .getByText(/more jobs? waits?/)
      .waitFor();

    await openView(page, 'Jobs');
    await expect.poll(() => cards(page).count()).toBe(BEFORE + 1);
    await cards(page).first().getByText('Waiting').waitFor();
    expect(await button(page, 'Cancel').count()).toBeGreaterThan(1);
    await button(page, 'Sign out').click();
    await page.getByText('You are signed out.').waitFor();
    const [, token] = (await createSignInLink(account.username)).split('#');
    await page.goto(`${stack.publicUrl}/app/jobs#${token}`);
    await cards(page).first().getByText('Waiting').waitFor();

    await context.setOffline(true);
    await page.getByText('You are offline.').waitFor();
    await stopBeingBusy();
    await expect.poll(() => totalOf(account.live, '?hashtag=mine')).toBe(0);
    await cards(page).first().getByText('Waiting').waitFor();
    await context.setOffline(false);
    await cards(page).first().getByText('30 links changed.').waitFor();
    await page.locator('.toast').getByText('30 links changed.').waitFor();
    expect(await button(page, 'Cancel').count()).toBe(0);
  },
  { allow: /ERR_INTERNET_DISCONNECTED/ },
);

inDashboard(
  'a job that is cancelled does nothing more, also if the response got lost',
  async ({ page, account }) => {
    await createTagged(account.live, 30, 'mine');
    const stopBeingBusy = await keepBusy(account);
    await page.goto(`${stack.publicUrl}/app/links?hashtag=mine`);
    await selectMatching(page, 30);
    await openBulkEdit(page, 'Delete');
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.locator('.toast').filter({ hasText: 'by key' }).waitFor();
    await openView(page, 'Jobs');
    await page.route('**/cancel', async (route) => {
      await route.fetch();
      await route.fulfill({ status: 504, body: '' });
    });
    await cards(page).first().getByRole('button', { name: 'Cancel' }).click();
    await cards(page).first().getByText('Cancelled. Nothing was changed.').waitFor();
    await stopBeingBusy();
    await expect.poll(() => button(page, 'Cancel').count()).toBe(0);
    expect(await totalOf(account.live, '?hashtag=mine')).toBe(30);
  },
  { allow: /status of 504/ },
);

inDashboard('somebody else’s job is named as theirs, and replaces nothing of mine', async ({ page, account }) => {
  await createTagged(account.live, 30, 'mine');
  const stopBeingBusy = await keepBusy(account);
  await page.goto(`${stack.publicUrl}/app/links?hashtag=mine`);
  await selectMatching(page, 30);
  await button(page, 'Add hashtags').click();
  await field(page, 'Hashtags').fill('more');
  await button(page, 'Apply').click();
  await expect.poll(async () => (await jobsOf(account.live)).length).toBe(BEFORE + 1);
  const json = { kind: 'edit', filter: { hashtag: 'mine' }, change: { add_hashtags: ['theirs'] } };
  const theirs = request<Job>('/api/v1/jobs', { method: 'POST', key: account.live, json });
  await expect.poll(async () => (await jobsOf(account.live)).length).toBe(BEFORE + 2);
  await openView(page, 'Analytics');
  await stopBeingBusy();
  await theirs;
  const toasts = page.locator('.toast');
  const who = `key …${account.live.slice(-4)}`;
  await toasts.filter({ hasText: `#theirs added to links with #mine, by ${who}: 30 links changed.` }).waitFor();
  // Mine says so too, and has the only Undo.
  await toasts
    .filter({ hasText: /^30 links changed\./ })
    .getByRole('button', { name: 'Undo' })
    .waitFor();
  expect(await button(page, 'Undo').count()).toBe(1);

  // The list says what each job does, and who began it.
  await openView(page, 'Jobs');
  const [other, own] = [cards(page).nth(0), cards(page).nth(1)];
  expect(await other.getByRole('heading').textContent()).toBe('#theirs added to links with #mine');
  await other.getByText(`by ${who}`).waitFor();
  expect(await own.getByRole('heading').textContent()).toBe('#more added to links with #mine');
  await own.getByText('by you').waitFor();
  // Somebody else's work is not undone by one click.
  await other.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('dialog', { name: `Undo a job of ${who}?` }).waitFor();
  await button(page, 'Undo the job').click();
  await expect.poll(() => totalOf(account.live, '?hashtag=theirs')).toBe(0);
  expect(await totalOf(account.live, '?hashtag=more')).toBe(30);
});
