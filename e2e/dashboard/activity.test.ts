import type { EventList } from '@waymark/contract';
import type { Page } from '@waymark/web/test/browser';
import { expect } from 'vitest';
import { expectAccessible, SCREENS } from '../support/accessible.ts';
import { bulkCreate, button, dashboardTests, unique } from '../support/dashboard.ts';
import { api, createLink, request, stack } from '../support/world.ts';

// docs/dashboard.md, Activity: who changed what.

const inDashboard = dashboardTests();

const openActivity = (page: Page) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Activity' }).click();
const events = (page: Page) => page.getByRole('list', { name: 'Log' }).getByRole('listitem');
const openAt = (page: Page, path: string) => page.goto(`${stack.publicUrl}/app/${path}`);
/** What happened, as the rows say it, newest first. */
const shown = (page: Page) => page.locator('.event strong').allTextContents();

inDashboard('the log shows who changed what, newest first, from what to what', async ({ page, account }) => {
  const slug = unique();
  const link = await createLink(account.live, { slug, title: 'Sale', note: 'secret' });
  const change = { title: 'Summer sale', hashtags: ['sale'], note: 'other secret', archived: true };
  expect((await api(account.live).update(link.id, change)).status).toBe(200);
  const host = `${unique()}.example.com`;
  expect((await request('/api/v1/hosts', { method: 'POST', key: account.live, json: { host } })).status).toBe(201);
  await openActivity(page);
  await expect
    .poll(async () => (await shown(page)).slice(0, 4))
    .toEqual(['Host added', 'Link changed', 'Link created', 'Signed in']);
  const [added, changed, created] = [events(page).nth(0), events(page).nth(1), events(page).nth(2)];
  await added!.getByRole('link', { name: host }).waitFor();
  await created!.getByText('https://example.com/', { exact: true }).waitFor();
  await changed!.getByText(`by the Full Access key …${account.live.slice(-4)}`).waitFor();
  const values = changed!.locator('dl > div');
  await expect
    .poll(async () => (await values.allTextContents()).sort())
    .toEqual(['Archivedno → yes', 'Hashtagsnothing → #sale', 'Notechanged', 'TitleSale → Summer sale']);
  expect(await page.content()).not.toContain('secret');
  await changed!.getByRole('link', { name: slug, exact: true }).click();
  await page.getByRole('heading', { name: slug }).waitFor();
  await page.getByRole('link', { name: `History of ${slug}` }).click();
  await expect.poll(() => shown(page)).toEqual(['Link changed', 'Link created']);
});

inDashboard(
  'times are in the time zone of the browser',
  async ({ page }) => {
    await openActivity(page);
    const time = events(page).first().locator('time');
    const moment = new Date((await time.getAttribute('datetime'))!);
    const format = { dateStyle: 'medium', timeStyle: 'short', timeZone: 'Asia/Kolkata' } as const;
    expect(await time.textContent()).toBe(new Intl.DateTimeFormat('en-GB', format).format(moment));
  },
  { timezoneId: 'Asia/Kolkata' },
);

inDashboard(
  'the log is filtered by the event and by the link, and the address is the view',
  async ({ page, account }) => {
    const [slug, other] = [unique(), unique()];
    const link = await createLink(account.live, { slug });
    await createLink(account.live, { slug: other });
    expect((await api(account.live).update(link.id, { slug: `${slug}2` })).status).toBe(200);
    await openActivity(page);
    const type = page.getByLabel('Event', { exact: true });
    await type.selectOption('Link created');
    await expect.poll(() => shown(page)).toEqual(['Link created', 'Link created']);
    expect(new URL(page.url()).search).toBe('?types=link.created');
    const field = page.getByLabel('Link', { exact: true });
    await field.fill(`${slug}2`);
    await field.press('Enter');
    await expect.poll(() => shown(page)).toEqual(['Link created']);
    await type.selectOption('All events');
    await expect.poll(() => shown(page)).toEqual(['Link changed', 'Link created']);
    await page.goBack();
    await expect.poll(() => shown(page)).toEqual(['Link created']);
    await button(page, 'Clear filters').click();
    await expect.poll(async () => (await shown(page)).length).toBeGreaterThan(2);
    // Of a deleted link, the history stays.
    expect((await api(account.live).delete(link.id)).status).toBe(204);
    await page.reload();
    await page
      .getByRole('link', { name: `History of ${slug}2` })
      .first()
      .click();
    await expect.poll(() => shown(page)).toEqual(['Link deleted', 'Link changed', 'Link created']);
    expect(await field.inputValue()).toBe(`${slug}2`);
    await field.fill('nothing-of-the-kind');
    await field.press('Enter');
    await page.getByRole('alert').waitFor();
    await type.selectOption('Webhooks: all');
    await field.fill('');
    await field.press('Enter');
    await page.getByText('No event matches').waitFor();
  },
  { allow: /status of 404/ },
);

inDashboard('a long log is read back to its beginning', async ({ page, account }) => {
  const slugs = Array.from({ length: 60 }, unique);
  await bulkCreate(account.live, slugs);
  await openActivity(page);
  const older = button(page, 'Show older events');
  await older.waitFor();
  expect(await events(page).count()).toBe(50);
  await events(page)
    .first()
    .getByRole('link', { name: slugs.at(-1)!, exact: true })
    .waitFor();
  await older.click();
  await expect.poll(() => older.count()).toBe(0);
  const { body } = await request<EventList>('/api/v1/events?limit=100', { key: account.live });
  expect(await events(page).count()).toBe(body.events.length);
});

for (const [screen, options] of SCREENS) {
  inDashboard(
    `axe finds nothing in the log on ${screen}`,
    async ({ page, account }) => {
      const link = await createLink(account.live, { slug: unique() });
      const long = `https://example.com/${'long/'.repeat(100)}`;
      await api(account.live).update(link.id, { destination_url: long, title: 'New', hashtags: ['one', 'two'] });
      await openActivity(page);
      await events(page).first().waitFor();
      await expectAccessible(page, 'the log');
      await openAt(page, 'activity?types=link.expired');
      await page.getByText('No event matches').waitFor();
      await expectAccessible(page, 'no event');
      await openAt(page, 'activity?types=nothing');
      await page.getByRole('alert').waitFor();
      await expectAccessible(page, 'an error');
    },
    { ...options, allow: /status of 422/ },
  );
}
