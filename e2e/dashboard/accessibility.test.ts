import { axeFindings, type Page } from '@waymark/web/test/browser';
import { expect } from 'vitest';
import { button, createSignInLink, dashboardTests, field, unique } from '../support/dashboard.ts';
import { createAccount, createLink, stack } from '../support/world.ts';

// docs/api.md, Dashboard: “Works on a phone, by keyboard and with a screen reader (axe: nothing found), light and dark”.

const inDashboard = dashboardTests();
const WITHOUT_SCROLLING = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

async function expectAccessible(page: Page, what: string): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    expect(await axeFindings(page), `${what}, ${colorScheme}`).toEqual([]);
  }
  expect(await page.evaluate(WITHOUT_SCROLLING), `${what} scrolls sideways`).toBe(0);
}

const SCREENS = [
  ['a desktop', {}],
  ['a phone', { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }],
] as const;

for (const [screen, options] of SCREENS) {
  inDashboard(
    `axe finds nothing in any view, light and dark, on ${screen}`,
    async ({ page, account, context }) => {
      await page.getByText('Make your first short link').waitFor();
      await expectAccessible(page, 'no links');
      const slug = unique();
      await createLink(account.live, {
        slug,
        title: 'A title that is much longer than the screen of any phone, to see that it is cut and not pushed out',
        destination_url: `https://example.com/${'long/'.repeat(100)}`,
        hashtags: ['one', 'two', 'a-rather-long-hashtag-that-needs-space'],
        visibility: 'password-protected',
        password: 'open sesame',
        expires_at: '2030-01-01T00:00:00Z',
      });
      await createLink(account.live, { expires_at: '2020-01-01T00:00:00Z', visibility: 'unlisted' });
      await page.goto(`${stack.publicUrl}/app/links?visibility=password-protected`);
      await page.getByLabel(`Select ${slug}`, { exact: true }).check();
      await button(page, 'Filters (1)').click();
      await expectAccessible(page, 'links, filtered and selected');
      await button(page, `More for ${slug}`).click();
      await expectAccessible(page, 'the menu of a link');
      await button(page, 'Edit').click();
      await field(page, 'Destination URL').fill('nothing');
      await button(page, 'Save').click();
      await page.locator('.field-error').waitFor();
      await expectAccessible(page, 'the form with an error');
      await page.keyboard.press('Escape');
      await button(page, 'Discard').waitFor();
      await expectAccessible(page, 'the question before a form closes');
      await button(page, 'Discard').click();
      await button(page, `QR code of ${slug}`).click();
      await page.getByRole('img', { name: /QR code of/ }).waitFor();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: `Copy the short URL of ${slug}` })
        .click();
      await button(page, 'Dismiss').waitFor();
      await expectAccessible(page, 'the QR code, with a toast');
      await page.keyboard.press('Escape');
      for (const edit of ['Add hashtags', 'Visibility', 'Delete']) {
        await page.getByRole('region', { name: 'Selected links' }).getByRole('button', { name: edit }).click();
        await expectAccessible(page, `a bulk edit: ${edit}`);
        await page.keyboard.press('Escape');
      }
      await button(page, 'Import').first().click();
      await expectAccessible(page, 'the import');
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route('**/links/bulk', async (route) => {
        await held;
        await route.continue();
      });
      const buffer = Buffer.from('destination_url\nnothing\n');
      await page.getByLabel('CSV file').setInputFiles({ name: 'links.csv', mimeType: 'text/csv', buffer });
      await button(page, 'Import 1 link').click();
      await page.getByText('0 of 1 done').waitFor();
      await expectAccessible(page, 'the progress of an import');
      release();
      await page.getByRole('region', { name: 'Refused rows' }).waitFor();
      await expectAccessible(page, 'refused rows');
      await context.setOffline(true);
      await page.getByText('You are offline.').waitFor();
      await expectAccessible(page, 'offline');
      await context.setOffline(false);
      await page.goto(`${stack.publicUrl}/app/links?q=nothing-matches`);
      await page.getByText('No link matches').waitFor();
      await expectAccessible(page, 'no link matches');
      await page.goto(`${stack.publicUrl}/app/links?visibility=nothing`);
      await page.getByRole('alert').waitFor();
      await expectAccessible(page, 'an error');

      await page.goto(`${stack.publicUrl}/app/settings`);
      await page.getByRole('region', { name: 'Full Access' }).waitFor();
      await expectAccessible(page, 'the settings');
      await page.getByRole('button', { name: 'Revoke…' }).first().click();
      await expectAccessible(page, 'the question before a key is revoked');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Rotate…' }).first().click();
      await expectAccessible(page, 'a confirmation');
      await button(page, 'Rotate the key').click();
      await page.getByRole('dialog', { name: /^Your new/ }).waitFor();
      await expectAccessible(page, 'a new key');
      await button(page, 'I have copied it').click();
      await page.goto(`${stack.publicUrl}/app/nowhere`);
      await page.getByRole('heading', { name: 'This page does not exist' }).waitFor();
      await expectAccessible(page, 'an unknown address');
      await button(page, 'Sign out').first().click();
      await page.getByText('You are signed out.').waitFor();
      await expectAccessible(page, 'signed out');
      await page.goto(`${stack.publicUrl}/app/#token=signin_nothing`);
      await page.getByRole('heading', { name: 'This link does not work' }).waitFor();
      await expectAccessible(page, 'a link that does not work');
      await page.goto(await createSignInLink((await createAccount('free')).username));
      await page.getByRole('heading', { name: 'Your plan has no dashboard' }).waitFor();
      await expectAccessible(page, 'a plan without the dashboard');
    },
    { ...options, allow: /status of (401|403|422)|ERR_INTERNET_DISCONNECTED/ },
  );
}
