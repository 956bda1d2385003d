import type { Page } from '@waymark/web/test/browser';
import { expect } from 'vitest';
import { button, dashboardTests, openBulkEdit, unique } from '../support/dashboard.ts';
import { api, createLink, stack } from '../support/world.ts';

// docs/dashboard.md, Links: what a bulk edit asks before it begins.

const inDashboard = dashboardTests();

const dialog = (page: Page) => page.getByRole('dialog');
const visibility = (page: Page) => dialog(page).getByLabel('Visibility');
const totalOf = async (key: string, query: string) => (await api(key).list(query)).body.total;

/** Selects all links of the list. */
async function selectMatching(page: Page, total: number): Promise<void> {
  await page.getByLabel('Select all links of this page').check();
  await button(page, `Select all ${total}`).click();
  await page.getByText(`${total} links selected`).waitFor();
}

inDashboard('a bulk edit of visibility chooses nothing by itself', async ({ page, account }) => {
  for (let count = 0; count < 26; count += 1) await createLink(account.live, { slug: unique(), visibility: 'private' });
  await page.reload();
  for (const select of [
    () => page.getByLabel('Select all links of this page').check(),
    () => selectMatching(page, 26),
  ]) {
    await select();
    await openBulkEdit(page, 'Visibility');
    expect(await visibility(page).inputValue()).toBe('');
    await button(page, 'Apply').click();
    await expect.poll(() => visibility(page).evaluate((select) => select.matches(':focus:invalid'))).toBe(true);
    await page.keyboard.press('Escape');
    await dialog(page).waitFor({ state: 'detached' });
  }
  expect(await totalOf(account.live, '?visibility=private')).toBe(26);
});

inDashboard('a bulk edit says which links more people will see, before it begins', async ({ page, account }) => {
  const links = { private: 2, unlisted: 1, public: 24 } as const;
  for (const [name, count] of Object.entries(links))
    for (let made = 0; made < count; made += 1)
      await createLink(account.live, { slug: unique(), visibility: name as keyof typeof links });
  await createLink(account.live, { slug: unique(), password: 'open sesame' });
  await page.goto(`${stack.publicUrl}/app/links?sort=created_at&dir=asc`);
  const notice = dialog(page).getByRole('status').filter({ hasText: 'can follow' });
  const expectWords = async (words: Record<string, string | null>) => {
    await openBulkEdit(page, 'Visibility');
    for (const [choice, text] of Object.entries(words)) {
      await visibility(page).selectOption(choice);
      if (text === null) await expect.poll(() => notice.count()).toBe(0);
      else await notice.getByText(text, { exact: true }).waitFor();
    }
  };
  await page.getByLabel('Select all links of this page').check();
  await expectWords({
    Public: '2 private links and 1 unlisted link become public: everyone can follow them.',
    Unlisted: '2 private links become unlisted: everyone who has the URL can follow them.',
    Private: null,
  });
  await page.keyboard.press('Escape');
  await selectMatching(page, 28);
  await expectWords({
    Private: null,
    Public: '2 private links, 1 password-protected link and 1 unlisted link become public: everyone can follow them.',
  });
  await button(page, 'Apply').click();
  await page.locator('.toast').getByText('4 links changed, 24 unchanged.').waitFor();

  await createLink(account.live, { slug: unique(), visibility: 'private' });
  await page.goto(`${stack.publicUrl}/app/links?visibility=private`);
  await page.getByLabel('Select all links of this page').check();
  await expectWords({ Public: '1 private link becomes public: everyone can follow it.' });
});
