import { axeFindings, type Page } from '@waymark/web/test/browser';
import { expect } from 'vitest';
import { button, dashboardTests, field, unique } from '../support/dashboard.ts';
import { createLink, stack } from '../support/world.ts';

// docs/api.md, Dashboard: “Works on a phone, by keyboard and with a screen reader (axe: nothing found), light and dark”.

const inDashboard = dashboardTests();
const WITHOUT_SCROLLING = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

async function expectAccessible(page: Page, what: string): Promise<void> {
  expect(await axeFindings(page), what).toEqual([]);
  expect(await page.evaluate(WITHOUT_SCROLLING), `${what} scrolls sideways`).toBe(0);
}

const SCREENS = [
  ['a light screen', { colorScheme: 'light' }],
  ['a dark phone', { colorScheme: 'dark', viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }],
] as const;

for (const [screen, options] of SCREENS) {
  inDashboard(
    `axe finds nothing in any view on ${screen}`,
    async ({ page, account }) => {
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
      await button(page, `QR code of ${slug}`).click();
      await page.getByRole('img', { name: /QR code of/ }).waitFor();
      await expectAccessible(page, 'the QR code');
      await page.keyboard.press('Escape');
      await button(page, 'Delete').last().click();
      await expectAccessible(page, 'a bulk edit');
      await page.keyboard.press('Escape');
      await button(page, 'Import').first().click();
      await expectAccessible(page, 'the import');
      await page.keyboard.press('Escape');
      await page.goto(`${stack.publicUrl}/app/links?visibility=nothing`);
      await page.getByRole('alert').waitFor();
      await expectAccessible(page, 'an error');

      await page.goto(`${stack.publicUrl}/app/settings`);
      await page.getByRole('region', { name: 'Full Access' }).waitFor();
      await expectAccessible(page, 'the settings');
      await page.getByRole('button', { name: 'Rotate…' }).first().click();
      await expectAccessible(page, 'a confirmation');
      await button(page, 'Rotate the key').click();
      await page.getByRole('dialog', { name: /^Your new/ }).waitFor();
      await expectAccessible(page, 'a new key');
      await page.keyboard.press('Escape');
      await page.goto(`${stack.publicUrl}/app/nowhere`);
      await page.getByRole('heading', { name: 'This page does not exist' }).first().waitFor();
      await expectAccessible(page, 'an unknown address');
      await button(page, 'Sign out').first().click();
      await page.getByText('You are signed out.').waitFor();
      await expectAccessible(page, 'signed out');
    },
    { ...options, allow: /status of 422/ },
  );
}
