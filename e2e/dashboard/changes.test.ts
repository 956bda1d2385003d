import type { Page } from '@waymark/web/test/browser';
import { expect } from 'vitest';
import { button, dashboardTests, field, unique } from '../support/dashboard.ts';
import { api, stack } from '../support/world.ts';

// docs/dashboard.md, Links: what was pasted.

const inDashboard = dashboardTests();

const toast = (page: Page, text: string) => page.locator('.toast').getByText(text);
const openMenu = (page: Page, slug: string) => button(page, `More for ${slug}`).click();

inDashboard('a pasted URL is cleaned, and white space inside of it is asked about', async ({ page, account }) => {
  const paste = async (name: string, text: string) => {
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
    await field(page, name).focus();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.press('ControlOrMeta+V');
  };
  const first = async () => (await api(account.live).list()).body.links[0]!;
  const slug = unique();
  await button(page, 'New link').first().click();
  await paste('Destination URL', '\u2066<https://example.com/summer>\u2069');
  await paste('Short link', `${stack.publicUrl}/${slug}`);
  // What will be saved is shown.
  await expect.poll(() => field(page, 'Destination URL').inputValue()).toBe('https://example.com/summer');
  await page.getByText('More options').click();
  await expect.poll(() => field(page, 'Short link').inputValue()).toBe(slug);
  await paste('Destination after that', 'example.com/autumn');
  await page.keyboard.press('Enter');
  await toast(page, 'is ready.').waitFor();
  expect(await first()).toMatchObject({
    slug,
    destination_url: 'https://example.com/summer',
    expired_url: 'https://example.com/autumn',
  });

  // A mail wrapped it.
  await openMenu(page, slug);
  await button(page, 'Edit').click();
  await paste('Destination URL', 'https://example.com/a\n/b?x=1');
  await paste('Destination after that', 'https://example.com/c\n d');
  await button(page, 'Save').click();
  const question = page.getByRole('dialog', { name: 'Does the white space belong to the URL?' });
  await question.getByText('https://example.com/a /b?x=1').waitFor();
  await page.keyboard.press('Escape');
  await question.waitFor({ state: 'detached' });
  expect((await first()).destination_url).toBe('https://example.com/summer');
  await button(page, 'Save').click();
  await question.getByRole('button', { name: 'Remove it' }).click();
  await question.getByText('https://example.com/c').waitFor();
  await question.getByRole('button', { name: 'Keep it' }).click();
  await toast(page, 'The link is saved.').waitFor();
  const { destination_url, expired_url } = await first();
  expect(destination_url).toBe('https://example.com/a/b?x=1');
  expect(expired_url).toMatch(/^https:\/\/example\.com\/c +d$/);
});
