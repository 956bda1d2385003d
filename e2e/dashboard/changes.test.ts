import type { Page } from '@waymark/web/test/browser';
import { expect } from 'vitest';
import { bulkCreate, button, dashboardTests, field, unique } from '../support/dashboard.ts';
import { api, stack } from '../support/world.ts';

// docs/dashboard.md, Links: what was pasted or refused.

const inDashboard = dashboardTests();

const dialog = (page: Page) => page.getByRole('dialog');
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

inDashboard(
  'where the API names a field, a form has its label, beside the field',
  async ({ page, account }) => {
    await bulkCreate(account.live, Array.from({ length: 26 }, unique));
    await page.reload();
    await button(page, 'New link').first().click();
    const errorOf = async (name: string, text: string) => {
      await field(page, name).fill(text);
      await button(page, 'Create link').click();
      await field(page, name).and(page.locator('[aria-invalid]')).waitFor();
      return page.locator('.field-error').textContent();
    };
    expect(await errorOf('Destination URL', 'ftp://example.com')).toMatch(/^“Destination URL” must be/);
    await field(page, 'Destination URL').fill('https://example.com/');
    expect(await errorOf('Short link', 'a b')).toMatch(/^“Short link” must be/);
    await field(page, 'Short link').fill('');
    expect(await errorOf('Hashtags', 'a!')).toMatch(/^“Hashtags” must be/);
    await page.keyboard.press('Escape');
    await button(page, 'Discard').click();

    await page.getByLabel('Select all links of this page').check();
    await button(page, 'Add hashtags').click();
    await field(page, 'Hashtags').fill('a!');
    await button(page, 'Apply').click();
    await page.getByRole('region', { name: 'Refused links' }).getByText('“Hashtags” must be').first().waitFor();
    await dialog(page).getByRole('button', { name: 'Close' }).last().click();
    await page.getByLabel('Select all links of this page').check();
    await button(page, 'Select all 26').click();
    await button(page, 'Add hashtags').click();
    await field(page, 'Hashtags').fill('a!');
    await button(page, 'Apply').click();
    await page.locator('.field-error').getByText('“Hashtags” must be').waitFor();
    await button(page, 'Cancel').click();

    await page.goto(`${stack.publicUrl}/app/links?domain=a/b`);
    await page.getByRole('alert').getByText('“Destination domain” must be').waitFor();
  },
  { allow: /status of 422/ },
);
