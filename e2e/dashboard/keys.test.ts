import type { Page } from '@waymark/web/test/browser';
import { expect } from 'vitest';
import { button, dashboardTests } from '../support/dashboard.ts';
import { api } from '../support/world.ts';

// docs/dashboard.md, Keys: a key is shown once, whatever was opened while it was made.

const inDashboard = dashboardTests();

const NEW_KEY = 'Your new Public Links Only key';
const card = (page: Page) => page.getByRole('region', { name: 'Public Links Only' });
const openView = (page: Page, view: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: view }).click();

/** Holds the requests that make a key, after the server has made it. */
async function holdKeys(page: Page): Promise<{ release: () => void; asked: Promise<void> }> {
  const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route('**/rotate', async (route) => {
    const response = await route.fetch();
    asked.resolve();
    await held.promise;
    await route.fulfill({ response });
  });
  return { release: held.resolve, asked: asked.promise };
}

/** Leaves the dialog that is busy: Escape uses up the click, so that the browser no longer lets the page hold Back. */
async function leaveByBack(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  const browser = await page.context().newCDPSession(page);
  const { currentIndex, entries } = await browser.send('Page.getNavigationHistory');
  await browser.send('Page.navigateToHistoryEntry', { entryId: entries[currentIndex - 1]!.id });
  await expect.poll(() => new URL(page.url()).pathname).toBe('/app/links');
}

/** Expects the dialog with a key that works, and closes it. */
async function expectKey(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog', { name: NEW_KEY });
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
  await card(page).getByRole('button', { name: 'Create a key' }).click();
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
