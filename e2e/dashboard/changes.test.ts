import type { Locator, Page } from '@waymark/web/test/browser';
import { expect } from 'vitest';
import { bulkCreate, button, dashboardTests, field, row, unique } from '../support/dashboard.ts';
import { api, stack } from '../support/world.ts';

// docs/dashboard.md, Changes: what the page says of a change while it is under way, and of what was pasted or refused.

const inDashboard = dashboardTests();

const dialog = (page: Page) => page.getByRole('dialog');
const toast = (page: Page, text: string) => page.locator('.toast').getByText(text);
const selection = (page: Page) => page.getByRole('region', { name: 'Selected links' });
const openMenu = (page: Page, slug: string) => button(page, `More for ${slug}`).click();
const openView = (page: Page, view: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: view }).click();

/** Holds each change until `release`. From the first one on, no read is answered: nothing waits for lists. */
async function holdChanges(page: Page) {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const methods: string[] = [];
  await page.unrouteAll();
  await page.route('**/api/v1/**', async (route) => {
    const method = route.request().method();
    if (method !== 'GET') {
      methods.push(method);
      await held;
      await route.fallback();
    } else if (methods.length === 0) await route.fallback();
  });
  return { release, methods };
}

inDashboard(
  'while a change is under way, its dialog says so, takes no input and does not close; answered, it closes at once',
  async ({ page, account }) => {
    const [edited, deleted] = [unique(), unique()];
    await bulkCreate(account.live, [edited, deleted]);

    /** Submits the dialog, tries to leave it, and expects that it is there until the change is answered. */
    const expectLocked = async (submit: Locator) => {
      const shown = dialog(page).first();
      const title = await shown.getByRole('heading').first().textContent();
      const { release, methods } = await holdChanges(page);
      // Two submits in one task are one request.
      await submit.evaluate((element) => {
        const { form } = element as unknown as { form: { requestSubmit(): void } };
        form.requestSubmit();
        form.requestSubmit();
      });
      await shown.getByText('Working…').waitFor();
      await page.keyboard.press('Escape');
      await page.keyboard.press('Escape');
      await page.keyboard.press('Enter');
      await page.keyboard.type('typed');
      await page.evaluate('history.back()');
      await shown.getByText('Working…').waitFor();
      expect(await dialog(page).count(), title!).toBe(1);
      expect(await shown.getByRole('button', { name: 'Close', exact: true }).isDisabled()).toBe(true);
      expect(await shown.locator('.dialog-content').evaluate((content) => content.matches('[inert]'))).toBe(true);
      expect(methods).toHaveLength(1);
      release();
      await page.getByRole('dialog', { name: title! }).waitFor({ state: 'detached' });
      expect(methods).toHaveLength(1);
      await page.unrouteAll();
    };

    /** Opens the view again, with a step of the history before it. */
    const reopen = async () => {
      await page.reload();
      await openView(page, 'Settings');
      await openView(page, 'Links');
    };
    await reopen();
    await button(page, 'New link').first().click();
    await page.getByLabel('Destination URL').fill('https://example.com/created');
    await expectLocked(button(page, 'Create link'));
    await toast(page, 'is ready.').waitFor();
    await reopen();
    await openMenu(page, edited);
    await button(page, 'Edit').click();
    await field(page, 'Title').fill('Saved');
    await expectLocked(button(page, 'Save'));
    // The answer is shown without the list.
    await row(page, edited).getByText('Saved').waitFor();
    await reopen();
    await openMenu(page, deleted);
    await button(page, 'Delete…').click();
    await expectLocked(button(page, 'Delete the link'));
    await row(page, deleted).waitFor({ state: 'detached' });
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('Links');

    await reopen();
    await page.getByLabel(`Select ${edited}`, { exact: true }).check();
    await selection(page).getByRole('button', { name: 'Visibility' }).click();
    await dialog(page).getByLabel('Visibility').selectOption('Unlisted');
    await expectLocked(button(page, 'Apply'));
    await toast(page, '1 link changed.').waitFor();

    await bulkCreate(account.live, Array.from({ length: 25 }, unique));
    await reopen();
    await page.getByLabel('Select all links of this page').check();
    await button(page, /^Select all 2/).click();
    await selection(page).getByRole('button', { name: 'Visibility' }).click();
    await dialog(page).getByLabel('Visibility').selectOption('Private');
    await expectLocked(button(page, 'Apply'));
    await toast(page, '27 links changed.').waitFor();

    await button(page, 'Import').first().click();
    const file = {
      name: 'links.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('destination_url\nhttps://a.example/'),
    };
    await dialog(page).getByLabel('File', { exact: true }).setInputFiles(file);
    await dialog(page).getByRole('button', { name: 'Import', exact: true }).click();
    await toast(page, '1 link created.').waitFor();
    await openView(page, 'Jobs');
    await page.getByRole('article').first().getByRole('button', { name: 'Undo' }).click();
    await expectLocked(button(page, 'Undo the import'));
    await toast(page, '1 link deleted.').waitFor();

    await openView(page, 'Settings');
    const card = page.getByRole('region', { name: 'Public Links Only' });
    await card.getByText('Created').waitFor();
    await card.getByRole('button', { name: 'Rotate…' }).click();
    await expectLocked(button(page, 'Rotate the key'));
    const made = page.getByRole('dialog', { name: 'Your new Public Links Only key' });
    const key = (await made.locator('pre').first().textContent())!;
    expect((await api(key).me()).status).toBe(200);
    await button(page, 'I have copied it').click();
    await openView(page, 'Links');
    await openView(page, 'Settings');
    await card.getByRole('button', { name: 'Revoke…' }).click();
    await expectLocked(button(page, 'Revoke the key'));
    await toast(page, 'The key is revoked.').waitFor();
  },
);

inDashboard(
  'a refused change gives the form back, with the focus where it was',
  async ({ page }) => {
    await button(page, 'New link').first().click();
    await page.getByLabel('Destination URL').fill('https://example.com/');
    await page.route('**/api/v1/links', async (route) => {
      if (route.request().method() === 'POST') await route.fulfill({ status: 403, json: { error: 'Not now.' } });
      else await route.fallback();
    });
    await button(page, 'Create link').click();
    await dialog(page).getByRole('alert').getByText('Not now.').waitFor();
    const focused = () => page.evaluate('document.activeElement.textContent');
    await expect.poll(focused).toBe('Create link');
    await page.keyboard.press('Escape');
    await button(page, 'Discard').click();
    await dialog(page).waitFor({ state: 'detached' });
  },
  { allow: /status of 403/ },
);

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
