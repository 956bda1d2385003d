import type { AccountKeys } from '@waymark/contract';
import type { Page } from '@waymark/web/test/browser';
import { expect } from 'vitest';
import { button, dashboardTests, leaveByBack } from '../support/dashboard.ts';
import { api, createLink, request, signIn, stack } from '../support/world.ts';

// docs/dashboard.md, Keys: a key is shown once, whatever was opened while it was made.

const inDashboard = dashboardTests();

const NEW_KEY = 'Your new Public Links Only key';
const card = (page: Page) => page.getByRole('region', { name: 'Public Links Only' });
const openView = (page: Page, view: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: view }).click();

/** Holds the requests that make a key, after the server has made it. */
async function holdKeys(page: Page, url = '**/rotate'): Promise<{ release: () => void; asked: Promise<void> }> {
  const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(url, async (route) => {
    const response = await route.fetch();
    if (route.request().method() === 'GET') return route.fulfill({ response });
    asked.resolve();
    await held.promise;
    await route.fulfill({ response });
  });
  return { release: held.resolve, asked: asked.promise };
}

/** Expects the dialog with a key that works, and closes it. */
async function expectKey(page: Page, name = NEW_KEY): Promise<void> {
  const dialog = page.getByRole('dialog', { name });
  const key = (await dialog.locator('pre').first().textContent())!;
  expect((await api(key).me()).status).toBe(200);
  await page.keyboard.press('Escape');
  await button(page, 'Close').last().click();
  await dialog.waitFor({ state: 'detached' });
  expect(await page.content()).not.toContain(key);
}

inDashboard('a key that is made while another view is opened is shown there', async ({ page }) => {
  await openView(page, 'Settings');
  await card(page).getByRole('button', { name: 'Revoke…' }).click();
  await button(page, 'Revoke the key').click();
  const { release, asked } = await holdKeys(page);
  await card(page).getByRole('button', { name: 'Create a key', exact: true }).click();
  await asked;
  await openView(page, 'Links');
  await page.getByText('Make your first short link').waitFor();
  release();
  await expectKey(page);
  expect(new URL(page.url()).pathname).toBe('/app/links');
});

inDashboard('a key that is made while the dialog is left by Back is shown all the same', async ({ page }) => {
  await openView(page, 'Settings');
  await card(page).getByRole('button', { name: 'Create a key…' }).click();
  const { release, asked } = await holdKeys(page);
  await button(page, 'Create the key').click();
  await asked;
  await leaveByBack(page);
  release();
  await expectKey(page);
});

inDashboard(
  'a key that may have been made while the dialog was left is mentioned in the next view',
  async ({ page }) => {
    await openView(page, 'Settings');
    await card(page).getByRole('button', { name: 'Create a key…' }).click();
    const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route('**/rotate', async (route) => {
      await route.fetch();
      asked.resolve();
      await held.promise;
      await route.fulfill({ status: 504, body: '' });
    });
    await button(page, 'Create the key').click();
    await asked.promise;
    await leaveByBack(page);
    held.resolve();
    await page.getByText('make another one').waitFor();
  },
  { allow: /status of 504/ },
);

inDashboard(
  'a restricted key that the form makes sees its hashtag alone, lacks what is not ticked, and ends when it is deleted',
  async ({ page, account }) => {
    const seen = await createLink(account.live, { title: 'Seen', hashtags: ['news'] });
    await createLink(account.live, { title: 'Without the hashtag' });
    await createLink(account.live, { title: 'Hidden', hashtags: ['news'], visibility: 'private' });
    await openView(page, 'Settings');
    await page.getByText('There are no restricted keys.').waitFor();
    await button(page, 'Create a restricted key…').click();
    const form = page.getByRole('dialog', { name: 'Create a restricted key' });
    // Nothing is chosen that lets the key see or do more.
    expect(await form.getByLabel('Belongs to').inputValue()).toBe('public_links_only');
    expect(await form.getByRole('checkbox', { checked: true }).count()).toBe(0);
    const create = form.getByRole('button', { name: 'Create the key' });
    await create.click();
    await form.getByText(/^“Name” must/).waitFor();
    await form.getByLabel('Name').fill('Newsletter agent');
    await create.click();
    await form.getByText(/^“Actions” must/).waitFor();
    await form.getByLabel(/^Read links/).check();
    await form.getByLabel(/^Hashtag/).fill('#News');
    await form.getByLabel(/^Expires at the end of/).fill('2098-12-31');
    await create.click();

    const made = page.getByRole('dialog', { name: 'Your new Newsletter agent key' });
    const key = (await made.locator('pre').first().textContent())!;
    expect(key).toMatch(/^key_res_\w{32,}$/);
    expect(await made.locator('pre').last().textContent()).toBe(
      `claude mcp add --transport http waymark ${stack.publicUrl}/mcp --header "Authorization: Bearer ${key}"`,
    );
    await made.getByLabel('Client').selectOption('Cursor');
    expect(await made.locator('pre').last().textContent()).toContain(`"Bearer ${key}"`);
    const { body } = await api(key).me();
    expect(body).toMatchObject({
      key: { name: 'Newsletter agent', actions: ['read'], hashtag: 'news', expires_at: '2098-12-31T11:00:00.000Z' },
    });
    expect((await api(key).list()).body.links.map(({ id }) => id)).toEqual([seen.id]);
    expect((await api(key).create({ destination_url: 'https://example.com/' })).status).toBe(403);
    expect((await api(key).analytics()).status).toBe(403);
    await button(page, 'I have copied it').click();

    const row = page.getByRole('region', { name: 'Restricted keys' }).getByRole('listitem');
    await row.getByText(`…${key.slice(-4)}`).waitFor();
    for (const fact of ['Public and unlisted links with #news', 'May read', 'Expires 1 Jan 2099, 00:00'])
      await row.getByText(fact, { exact: true }).waitFor();
    expect(await page.content()).not.toContain(key);
    await button(page, 'Delete… Newsletter agent').click();
    await page.getByRole('dialog', { name: 'Delete the key Newsletter agent?' }).waitFor();
    await button(page, 'Delete the key').click();
    await page.getByText('The key is deleted.').waitFor();
    await page.getByText('There are no restricted keys.').waitFor();
    await expect.poll(async () => (await api(key).me()).status).toBe(401);
  },
  { allow: /status of 422/, timezoneId: 'Pacific/Auckland' },
);

inDashboard('a restricted key that is made while its form is left by Back is shown all the same', async ({ page }) => {
  await openView(page, 'Settings');
  await button(page, 'Create a restricted key…').click();
  const form = page.getByRole('dialog', { name: 'Create a restricted key' });
  await form.getByLabel('Name').fill('Agent');
  await form.getByLabel('Create links').check();
  const { release, asked } = await holdKeys(page, '**/me/keys/restricted');
  await form.getByRole('button', { name: 'Create the key' }).click();
  await asked;
  await leaveByBack(page);
  release();
  await expectKey(page, 'Your new Agent key');
});

inDashboard(
  'the old key works as long as was chosen, and the settings have its end; the next rotation ends it at once',
  async ({ page, account }) => {
    // As after the first use of each key, which is on record only later.
    await page.route('**/api/v1/me/keys', async (route) => {
      const response = await route.fetch();
      const { keys } = (await response.json()) as AccountKeys;
      await route.fulfill({ response, json: { keys: keys.map((key) => ({ ...key, last_used_at: key.created_at })) } });
    });
    const rotate = async (grace?: string): Promise<string> => {
      await card(page).getByRole('button', { name: 'Rotate…' }).click();
      const question = page.getByRole('dialog', { name: 'Rotate the Public Links Only key?' });
      const choice = question.getByLabel('The current key');
      expect(await choice.locator('option:checked').textContent()).toBe('stops working at once');
      if (grace !== undefined) await choice.selectOption(grace);
      await button(page, 'Rotate the key').click();
      const key = (await page.getByRole('dialog', { name: NEW_KEY }).locator('pre').first().textContent())!;
      await button(page, 'I have copied it').click();
      return key;
    };
    await openView(page, 'Settings');
    const second = await rotate('works for another hour');
    const oldWorks = (key: string) => card(page).getByText(`The old key …${key.slice(-4)} works until`);
    await oldWorks(account.public).waitFor();
    const third = await rotate('works for another day');
    await oldWorks(second).waitFor();
    const { body } = await request<AccountKeys>('/api/v1/me/keys', { key: await signIn(account.username) });
    const { expires_at } = body.keys.find(({ scope }) => scope === 'public_links_only')!.old_key!;
    const shown = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' });
    await card(page)
      .getByText(shown.format(new Date(expires_at)))
      .waitFor();
    expect([(await api(second).me()).status, (await api(third).me()).status]).toEqual([200, 200]);
    await expect.poll(async () => (await api(account.public).me()).status).toBe(401);

    await card(page).getByRole('button', { name: 'Rotate…' }).click();
    await page.getByText(`The old key …${second.slice(-4)} stops working at once, too.`).waitFor();
    await page.keyboard.press('Escape');
    const fourth = await rotate();
    await expect.poll(() => oldWorks(second).count()).toBe(0);
    for (const old of [second, third]) await expect.poll(async () => (await api(old).me()).status).toBe(401);
    expect((await api(fourth).me()).status).toBe(200);
  },
);
