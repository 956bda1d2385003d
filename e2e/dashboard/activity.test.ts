import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { EventList, Webhooks } from '@waymark/contract';
import type { Page } from '@waymark/web/test/browser';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { expectAccessible, SCREENS } from '../support/accessible.ts';
import { bulkCreate, button, dashboardTests, leaveByBack, unique } from '../support/dashboard.ts';
import { api, createLink, request, stack } from '../support/world.ts';

// docs/dashboard.md, Activity and Webhooks: who changed what, and what sends it.

const inDashboard = dashboardTests();

/** A receiver of webhooks: what it got, and what it answers. */
const receiver = {
  server: createServer(async (incoming, response) => {
    const body = Buffer.concat(await incoming.toArray()).toString();
    receiver.received.push({ headers: incoming.headers, type: JSON.parse(body).type });
    response.writeHead(receiver.status).end('a secret of the receiver');
  }),
  received: [] as { headers: IncomingHttpHeaders; type: string }[],
  status: 204,
  url: '',
};
beforeAll(async () => {
  await new Promise<void>((resolve) => receiver.server.listen(0, '127.0.0.1', resolve));
  receiver.url = `http://127.0.0.1:${(receiver.server.address() as AddressInfo).port}/hook`;
});
beforeEach(() => {
  Object.assign(receiver, { received: [], status: 204 });
});
afterAll(() => receiver.server.close());

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

const card = (page: Page, url = receiver.url) => page.getByRole('article', { name: url });
const dialog = (page: Page) => page.getByRole('dialog');
const toast = (page: Page, text: string) => page.locator('.toast').getByText(text);
const deliveries = (page: Page) => dialog(page).getByRole('list', { name: 'Deliveries' }).getByRole('listitem');
const webhooksOf = async (key: string) => (await request<Webhooks>('/api/v1/webhooks', { key })).body.webhooks;

async function addWebhook(key: string, types: string[], url = receiver.url): Promise<string> {
  const added = await request<{ id: string }>('/api/v1/webhooks', { method: 'POST', key, json: { url, types } });
  expect(added.status).toBe(201);
  return added.body.id;
}

inDashboard(
  'a webhook is made, its secret shown once, tested, edited, disabled, enabled and deleted',
  async ({ page, account }) => {
    await openActivity(page);
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByText('No webhooks yet').waitFor();
    await button(page, 'Add a webhook').click();
    const create = dialog(page).getByRole('button', { name: 'Create the webhook' });
    await create.click();
    await dialog(page)
      .getByText(/^“URL” must/)
      .waitFor();
    await dialog(page).getByLabel('URL').fill('hooks.example.com/a');
    await dialog(page).getByLabel('URL').blur();
    expect(await dialog(page).getByLabel('URL').inputValue()).toBe('https://hooks.example.com/a');
    await dialog(page).getByLabel('URL').fill('http://192.0.2.7/');
    await create.click();
    await dialog(page).locator('.field-error').getByText('must').waitFor();
    await dialog(page).getByLabel('URL').fill(receiver.url);
    // Nothing is chosen that lets the receiver see more.
    expect(await dialog(page).getByLabel('Links', { exact: true }).inputValue()).toBe('public_links_only');
    expect(await dialog(page).getByRole('checkbox', { checked: true }).count()).toBe(0);
    expect(await dialog(page).getByLabel('Host added').count()).toBe(0);
    await dialog(page).getByLabel('Links', { exact: true }).selectOption('full_access');
    await dialog(page).getByLabel('Everything about hosts').check();
    expect(await dialog(page).getByLabel('Host added').isDisabled()).toBe(true);
    await dialog(page).getByLabel('Link created').check();
    await dialog(page).getByText('Each counted click').waitFor();
    await dialog(page).getByLabel('Clicks', { exact: true }).check();
    await create.click();

    const made = page.getByRole('dialog', { name: 'The secret of your webhook' });
    const secret = (await made.locator('pre').textContent())!;
    expect(secret).toMatch(/^whsec_/);
    // A stray Escape, and a way to another view, ask first.
    await page.keyboard.press('Escape');
    await page.getByText('Close without copying the secret?').waitFor();
    await button(page, 'Back to the secret').click();
    await button(page, 'Copy the secret').click();
    await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(secret);
    await button(page, 'I have copied it').click();
    expect(await page.content()).not.toContain(secret);
    expect(await webhooksOf(account.live)).toMatchObject([
      {
        url: receiver.url,
        types: ['host.*', 'link.created', 'clicks.recorded'],
        scope: 'full_access',
        hashtag: null,
        enabled: true,
      },
    ]);
    await card(page).getByText('Everything about hosts, Link created, Clicks').waitFor();

    receiver.status = 500;
    await button(page, `Send a test to ${receiver.url}`).click();
    await toast(page, 'A test is on its way.').waitFor();
    await page.locator('.toast').getByRole('button', { name: 'Deliveries' }).click();
    await deliveries(page).getByText('The receiver answered 500.').waitFor();
    await deliveries(page).getByText('Test', { exact: true }).waitFor();
    expect(await page.content()).not.toContain('a secret of the receiver');
    await page.keyboard.press('Escape');
    expect(receiver.received.map(({ type }) => type)).toEqual(['webhook.test']);

    await button(page, `Edit… ${receiver.url}`).click();
    await dialog(page).getByLabel('Links', { exact: true }).selectOption('public_links_only');
    await dialog(page).getByLabel('Hashtag').fill('#Sale');
    await dialog(page).getByLabel('Link deleted').check();
    await button(page, 'Save').click();
    await toast(page, 'The webhook is saved.').waitFor();
    await card(page).getByText('Public and unlisted links only, with #sale').waitFor();
    expect(await webhooksOf(account.live)).toMatchObject([
      { types: ['link.created', 'clicks.recorded', 'link.deleted'], scope: 'public_links_only', hashtag: 'sale' },
    ]);

    await button(page, `Disable ${receiver.url}`).click();
    await toast(page, 'The webhook is disabled.').waitFor();
    await card(page).getByText('Disabled', { exact: true }).waitFor();
    await card(page).and(page.locator(':focus')).waitFor();
    await button(page, `Enable ${receiver.url}`).click();
    await card(page).getByText('Enabled', { exact: true }).waitFor();
    await button(page, `New secret… ${receiver.url}`).click();
    await button(page, 'Create the secret').click();
    const next = (await made.locator('pre').textContent())!;
    expect(next).toMatch(/^whsec_/);
    expect(next).not.toBe(secret);
    await button(page, 'Copy the secret').click();
    await button(page, 'I have copied it').click();

    await button(page, `Delete… ${receiver.url}`).click();
    await button(page, 'Delete the webhook').click();
    await toast(page, 'The webhook is deleted.').waitFor();
    await page.getByText('No webhooks yet').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('Webhooks');
    await openActivity(page);
    await expect
      .poll(async () => (await shown(page)).slice(0, 3))
      .toEqual(['Webhook deleted', 'Webhook disabled', 'Webhook created']);
  },
  { allow: /status of 422/ },
);

inDashboard('what was delivered can be replayed, and a webhook says why it was disabled', async ({ page, account }) => {
  const id = await addWebhook(account.live, ['link.*']);
  for (const slug of [unique(), unique()]) await createLink(account.live, { slug });
  await expect.poll(() => receiver.received.length).toBe(2);
  await openAt(page, 'activity/webhooks');
  await button(page, `Deliveries to ${receiver.url}`).click();
  await expect.poll(() => deliveries(page).count()).toBe(2);
  // After the older one of the two.
  await deliveries(page)
    .last()
    .getByRole('button', { name: /^Replay… after Link created/ })
    .click();
  await button(page, 'Send them again').click();
  await toast(page, 'The events are on their way.').waitFor();
  await expect.poll(() => deliveries(page).count()).toBe(3);
  const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
  expect([ids.length, new Set(ids).size]).toEqual([3, 2]);
  await page.keyboard.press('Escape');
  receiver.status = 410;
  await createLink(account.live, { slug: unique() });
  await expect.poll(async () => (await webhooksOf(account.live))[0]!.enabled).toBe(false);
  await page.reload();
  await card(page).getByText('The receiver answered 410, which means that it is gone.').waitFor();
  await page.getByRole('link', { name: 'Log' }).click();
  await events(page).first().getByText('The receiver answered 410').waitFor();
  await events(page).first().getByText('by Waymark').waitFor();
  await request(`/api/v1/webhooks/${id}`, { method: 'DELETE', key: account.live });
});

inDashboard('a secret that is made while another view is opened is shown there', async ({ page, account }) => {
  await addWebhook(account.live, ['host.*']);
  await openActivity(page);
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await button(page, `New secret… ${receiver.url}`).click();
  const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route('**/rotate-secret', async (route) => {
    const response = await route.fetch();
    asked.resolve();
    await held.promise;
    await route.fulfill({ response });
  });
  await button(page, 'Create the secret').click();
  await asked.promise;
  await leaveByBack(page, 'activity');
  held.resolve();
  await page
    .getByRole('dialog', { name: 'The secret of your webhook' })
    .getByText(/^whsec_/)
    .waitFor();
});

for (const [screen, options] of SCREENS) {
  inDashboard(
    `axe finds nothing in the log and the webhooks on ${screen}`,
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

      await openAt(page, 'activity/webhooks');
      await page.getByText('No webhooks yet').waitFor();
      await expectAccessible(page, 'no webhooks');
      await button(page, 'Add a webhook').click();
      await button(page, 'Create the webhook').click();
      await page.locator('.field-error').first().waitFor();
      await expectAccessible(page, 'the form of a webhook with an error');
      await page.keyboard.press('Escape');
      const url = `${receiver.url}?${'long'.repeat(100)}`;
      await addWebhook(account.live, ['link.created', 'host.*'], url);
      await page.reload();
      await button(page, `Deliveries to ${url}`).click();
      await page.getByText('Nothing was sent yet.').waitFor();
      await expectAccessible(page, 'no deliveries');
      await page.keyboard.press('Escape');
      receiver.status = 410;
      await createLink(account.live, { slug: unique() });
      await expect.poll(async () => (await webhooksOf(account.live))[0]!.enabled).toBe(false);
      await page.reload();
      await card(page, url).getByText('It was disabled.').waitFor();
      await expectAccessible(page, 'a disabled webhook');
      await button(page, `Deliveries to ${url}`).click();
      await deliveries(page).getByText('410', { exact: true }).waitFor();
      await expectAccessible(page, 'deliveries');
      await deliveries(page)
        .getByRole('button', { name: /^Replay/ })
        .click();
      await expectAccessible(page, 'the question before a replay');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await button(page, `New secret… ${url}`).click();
      await button(page, 'Create the secret').click();
      await page.getByText(/^whsec_/).waitFor();
      await expectAccessible(page, 'a new secret');
    },
    { ...options, allow: /status of 422/ },
  );
}
