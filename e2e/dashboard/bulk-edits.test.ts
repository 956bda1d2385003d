import type { Page } from '@waymark/web/test/browser';
import { expect } from 'vitest';
import { bulkCreate, button, dashboardTests, field, openBulkEdit, shownSlugs, unique } from '../support/dashboard.ts';
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
  await createLink(account.live, { slug: unique(), archived: true });
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
  await page.locator('.toast').getByText('4 links changed, 24 unchanged. 1 archived link also matches.').waitFor();

  await createLink(account.live, { slug: unique(), visibility: 'private' });
  await page.goto(`${stack.publicUrl}/app/links?visibility=private`);
  await page.getByLabel('Select all links of this page').check();
  await expectWords({ Public: '1 private link becomes public: everyone can follow it.' });
});

const slugs = (count: number) => Array.from({ length: count }, unique);
const confirm = (page: Page, action: string) => dialog(page).getByRole('button', { name: action, exact: true }).click();
const toast = (page: Page, text: string) => page.locator('.toast').filter({ hasText: text });

inDashboard('no more links are deleted than the number that was typed', async ({ page, account }) => {
  await bulkCreate(account.live, slugs(102));
  await page.reload();
  await selectMatching(page, 102);
  await openBulkEdit(page, 'Delete');
  const added = slugs(3);
  await bulkCreate(account.live, added);
  await dialog(page).getByLabel('Type 102 to continue').fill('102');
  await confirm(page, 'Delete');
  await dialog(page).getByRole('alert').getByText('105 links match by now, not 102. Nothing was done.').waitFor();
  expect(await totalOf(account.live, '')).toBe(105);
  // The old number is not that of these links.
  await page.getByRole('dialog', { name: 'Delete 105 links?' }).waitFor();
  const typed = dialog(page).getByLabel('Type 105 to continue');
  expect(await typed.inputValue()).toBe('');
  await typed.fill('105');
  await confirm(page, 'Delete');
  await toast(page, '105 links deleted.').waitFor();
  expect(await totalOf(account.live, '')).toBe(0);
});

inDashboard('no more links are edited than were counted; of fewer, the words say so', async ({ page, account }) => {
  const [first, ...others] = slugs(26);
  await bulkCreate(account.live, [first!, ...others]);
  await page.reload();
  await selectMatching(page, 26);
  await openBulkEdit(page, 'Archive');
  await bulkCreate(account.live, slugs(1));
  await confirm(page, 'Archive');
  await dialog(page).getByRole('alert').getByText('27 links match by now, not 26. Nothing was done.').waitFor();
  expect(await totalOf(account.live, '?archived=true')).toBe(0);
  const { id } = (await api(account.live).list(`?q=${first}`)).body.links[0]!;
  expect((await api(account.live).delete(id)).status).toBe(204);
  await confirm(page, 'Archive');
  await toast(page, '26 links changed. 1 of the 27 no longer matched.').waitFor();
});

inDashboard('edits of ticked links can be undone, as those of all that match', async ({ page, account }) => {
  const [one, two] = slugs(2);
  await createLink(account.live, { slug: one, hashtags: ['old'], visibility: 'unlisted' });
  await createLink(account.live, { slug: two });
  await page.reload();
  const edits: [string, () => Promise<void>, string][] = [
    [
      'Add hashtags',
      async () => {
        await field(page, 'Hashtags').fill('more');
        await confirm(page, 'Apply');
      },
      '?hashtag=more',
    ],
    [
      'Remove hashtags',
      async () => {
        await field(page, 'Hashtags').fill('old');
        await confirm(page, 'Apply');
      },
      '?q=nothing',
    ],
    [
      'Visibility',
      async () => {
        await visibility(page).selectOption('Private');
        await confirm(page, 'Apply');
      },
      '?visibility=private',
    ],
    ['Archive', () => confirm(page, 'Archive'), '?archived=true'],
  ];
  for (const [edit, apply, changed] of edits) {
    await page.getByLabel('Select all links of this page').check();
    await openBulkEdit(page, edit);
    await apply();
    await button(page, 'Undo').click();
    await expect.poll(() => page.locator('.toast').getByRole('button', { name: 'Undo' }).count()).toBe(0);
    await expect.poll(() => totalOf(account.live, changed)).toBe(0);
    await expect.poll(async () => (await shownSlugs(page)).toSorted()).toEqual([one, two].toSorted());
    await expect.poll(() => totalOf(account.live, '?hashtag=old')).toBe(1);
  }
  expect(await totalOf(account.live, '?visibility=unlisted')).toBe(1);
});

inDashboard('a message replaces no Undo of another one', async ({ page, account }) => {
  const [one, two, three] = slugs(3) as [string, string, string];
  await bulkCreate(account.live, [one, two, three]);
  await page.reload();
  for (const slug of [one, two]) {
    await button(page, `More for ${slug}`).click();
    await button(page, 'Archive').click();
    await toast(page, `${slug} is archived.`).waitFor();
  }
  await button(page, `Copy the short URL of ${three}`).click();
  await toast(page, 'Copied').waitFor();
  await toast(page, `${one} is archived.`).getByRole('button', { name: 'Undo' }).click();
  await expect.poll(async () => (await shownSlugs(page)).toSorted()).toEqual([one, three].toSorted());
  await toast(page, `${two} is archived.`).getByRole('button', { name: 'Undo' }).click();
  await expect.poll(async () => (await shownSlugs(page)).toSorted()).toEqual([one, two, three].toSorted());
});
