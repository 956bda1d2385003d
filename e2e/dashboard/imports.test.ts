import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@waymark/web/test/browser';
import { expect, onTestFinished } from 'vitest';
import { BYTE_ORDER_MARK, button, dashboardTests, shownSlugs, unique } from '../support/dashboard.ts';
import { holdJobs } from '../support/held-jobs.ts';
import { api, jobsOf } from '../support/world.ts';

// docs/dashboard.md, Import: a preview first, and then a job with the file.

const inDashboard = dashboardTests();

const dialog = (page: Page) => page.getByRole('dialog', { name: 'Import links' });
const card = (page: Page) => page.getByRole('article').first();
const openJobs = (page: Page) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Jobs' }).click();

/** Opens the dialog and chooses a file. */
async function choose(page: Page, lines: readonly string[], encoding: BufferEncoding = 'utf8'): Promise<void> {
  const file = { name: 'links.csv', mimeType: 'text/csv', buffer: Buffer.from(lines.join('\r\n'), encoding) };
  await button(page, 'Import').first().click();
  await dialog(page).getByLabel('File', { exact: true }).setInputFiles(file);
}

const start = (page: Page) => dialog(page).getByRole('button', { name: 'Import', exact: true }).click();

/** Returns the cells of a table, row by row. */
const cellsOf = (page: Page, name: string) =>
  page
    .getByRole('region', { name })
    .locator('tbody tr')
    .evaluateAll((rows) =>
      rows.map((row) =>
        [...(row as unknown as { cells: Iterable<{ textContent: string }> }).cells].map((cell) => cell.textContent),
      ),
    );

inDashboard('an import shows how the file is understood, and keeps what was refused', async ({ page, account }) => {
  const [good, other] = [unique(), unique()];
  await choose(page, [
    'Long URL,custom_bitlinks,Title,Tags,Created',
    `https://example.com/a,${good},"Comma, and ""quotes""","one,two",2024-03-01T10:00:00Z`,
    `https://example.com/b,${other},,,`,
    'ftp://example.com/c,,Bad scheme,,',
    'https://example.com/d,admin,Reserved,,',
  ]);
  await dialog(page).getByText('links.csv is read as a file of Bitly.').waitFor();
  const rows = await cellsOf(page, 'First rows');
  expect(rows).toHaveLength(4);
  expect(rows[0]![0]).toBe('2');
  for (const part of ['https://example.com/a', `Short link: ${good}`, 'Hashtags: one, two'])
    expect(rows[0]![1]).toContain(part);
  expect(rows[2]!.join(' ')).toContain('Refused: “Destination URL” must be');
  expect(await cellsOf(page, 'Columns')).toContainEqual(['Destination URL', 'Long URL']);
  expect(await jobsOf(account.live)).toEqual([]);
  await start(page);
  await page.locator('.toast').getByText('2 links created, 2 refused.').waitFor();
  await expect.poll(() => shownSlugs(page)).toEqual([other, good]);
  const { title, hashtags, created_at } = (await api(account.live).list(`?q=${good}`)).body.links[0]!;
  expect([title, hashtags, created_at]).toEqual(['Comma, and "quotes"', ['one', 'two'], '2024-03-01T10:00:00.000Z']);

  // What was refused can be seen and saved later, also after a reload.
  await button(page, 'Details').click();
  await page.reload();
  await card(page).getByText('2 links created, 2 refused.').waitFor();
  await card(page).getByRole('button', { name: 'Show what was refused' }).click();
  await page.getByRole('dialog', { name: 'Refused' }).getByRole('cell').first().waitFor();
  const refused = await cellsOf(page, 'Refused');
  expect(refused.map(([row]) => row)).toEqual(['4', '5']);
  expect(refused[1]![1]).toContain('“Short link”');
  const [download] = await Promise.all([page.waitForEvent('download'), button(page, 'Download as CSV').click()]);
  const csv = await readFile(await download.path(), 'utf8');
  expect(csv.codePointAt(0)).toBe(BYTE_ORDER_MARK);
  expect(csv.slice(1).split('\r\n')[0]).toBe('row,reason');
});

inDashboard('a preview says what was guessed about the file, and which columns are not imported', async ({ page }) => {
  const guessed = dialog(page).getByText('it is read as Windows-1252');
  const unused = dialog(page).getByText('Columns that are not imported: Größe, Klicks');
  await choose(page, ['url,Größe,Klicks,title', 'https://example.com/,5,1,Grüße'], 'latin1');
  await guessed.waitFor();
  await unused.waitFor();
  expect((await cellsOf(page, 'First rows'))[0]![1]).toContain('Title: Grüße');
  await button(page, 'Another file').click();
  // The ending says nothing about what is in it.
  const again = { name: 'other.txt', mimeType: 'text/plain', buffer: Buffer.from('[{"url":"https://example.com/ü"}]') };
  await dialog(page).getByLabel('File', { exact: true }).setInputFiles(again);
  await dialog(page).getByText('The first rows of other.txt:').waitFor();
  expect([await guessed.count(), await unused.count()]).toEqual([0, 0]);
});

inDashboard('an import can be repeated, and can be undone', async ({ page, account }) => {
  const lines = ['destination_url', ...Array.from({ length: 120 }, (_, index) => `https://example.com/${index}`)];
  for (const outcome of ['120 links created.', '120 rows unchanged.']) {
    await choose(page, lines);
    await start(page);
    await page.locator('.toast').getByText(outcome).waitFor();
  }
  const { links } = (await api(account.live).list()).body;
  expect((await api(account.live).update(links[0]!.id, { title: 'Kept' })).status).toBe(200);
  await openJobs(page);
  const first = page.getByRole('article').filter({ hasText: '120 links created.' });
  await first.getByRole('button', { name: 'Undo' }).click();
  await page.getByLabel('Type 120 to continue').fill('120');
  await button(page, 'Undo the import').click();
  await card(page)
    .getByText(/^119 links deleted, 1 (refused|unchanged)\.$/)
    .waitFor();
  expect((await api(account.live).list()).body.links.map(({ title }) => title)).toEqual(['Kept']);
  expect(await first.getByRole('button', { name: 'Undo' }).count()).toBe(0);
});

inDashboard(
  'the columns of a file that is not understood are chosen from those that it has, and can be changed',
  async ({ page, account }) => {
    await choose(page, ['Name,Ziel,Name', '"Sommer",https://example.com/a,zwei', '']);
    // The words of the API are above the fields that it needs.
    await dialog(page).getByRole('alert').getByText('Ziel').waitFor();
    const destination = dialog(page).getByLabel('Destination URL');
    expect(await destination.getByRole('option').allTextContents()).toEqual([
      'Choose a column',
      'Name — Sommer',
      'Ziel — https://example.com/a',
    ]);
    // Nothing is chosen yet, so nothing is sent.
    await button(page, 'Show the first rows').click();
    await expect.poll(() => destination.evaluate((select) => select.matches(':focus:invalid'))).toBe(true);
    await destination.selectOption('Ziel');
    await button(page, 'Show the first rows').click();
    await expect.poll(async () => (await cellsOf(page, 'Columns')).length).toBe(1);
    await button(page, 'Choose columns…').click();
    expect(await destination.inputValue()).toBe('Ziel');
    await dialog(page).getByLabel('Title').selectOption('Name');
    await button(page, 'Show the first rows').click();
    await expect.poll(async () => (await cellsOf(page, 'First rows'))[0]?.[1]).toContain('Title: Sommer');
    await start(page);
    await page.locator('.toast').getByText('1 link created.').waitFor();
    const { title, destination_url } = (await api(account.live).list()).body.links[0]!;
    expect([title, destination_url]).toEqual(['Sommer', 'https://example.com/a']);
  },
  { allow: /status of 422/ },
);

inDashboard(
  'an import goes on when the page is reloaded and the network is lost',
  async ({ page, account, context }) => {
    const letBegin = await holdJobs(account);
    await choose(page, [
      'destination_url',
      ...Array.from({ length: 200 }, (_, index) => (index % 100 === 0 ? 'nothing' : `https://example.com/${index}`)),
    ]);
    await start(page);
    const running = page.locator('.toast').filter({ hasText: 'Importing links' });
    await running.waitFor();
    await page.reload();
    await running.waitFor();
    await context.setOffline(true);
    await page.getByText('You are offline.').waitFor();
    await letBegin();
    await expect.poll(async () => (await jobsOf(account.live))[0]!.state).toBe('done');
    await context.setOffline(false);
    await page.locator('.toast').getByText('198 links created, 2 refused.').waitFor();
    expect((await api(account.live).list()).body.total).toBe(198);
  },
  { allow: /ERR_INTERNET_DISCONNECTED/ },
);

inDashboard(
  'an upload that fails imports nothing, and can be sent again',
  async ({ page, account, context }) => {
    await choose(page, ['destination_url', 'https://example.com/']);
    await dialog(page).getByRole('region', { name: 'First rows' }).waitFor();
    await context.setOffline(true);
    await start(page);
    await dialog(page).getByRole('alert').getByText('You are offline.').waitFor();
    await context.setOffline(false);
    expect(await jobsOf(account.live)).toEqual([]);
    await start(page);
    await page.locator('.toast').getByText('1 link created.').waitFor();
  },
  { allow: /ERR_INTERNET_DISCONNECTED/ },
);

inDashboard('the message of an import asks before it leaves a form with changes', async ({ page }) => {
  await choose(page, ['destination_url', 'https://example.com/', 'nothing']);
  await start(page);
  await button(page, 'New link').first().click();
  await page.getByLabel('Destination URL').fill('https://example.com/typed');
  await button(page, 'Details').click();
  await button(page, 'Keep editing').click();
  expect(await page.getByLabel('Destination URL').inputValue()).toBe('https://example.com/typed');
  expect(new URL(page.url()).pathname).toBe('/app/links');
});

inDashboard('a running upload asks before it is stopped', async ({ page, account }) => {
  await choose(page, ['destination_url', 'https://example.com/']);
  await dialog(page).getByRole('region', { name: 'First rows' }).waitFor();
  await page.route('**/api/v1/jobs/import*', () => {});
  await start(page);
  await dialog(page).getByText('Uploading the file…').waitFor();
  await page.keyboard.press('Escape');
  await button(page, 'Continue the upload').click();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').getByRole('button', { name: 'Stop the upload' }).click();
  await dialog(page).getByRole('alert').getByText('unless it was uploaded completely').waitFor();
  await dialog(page).getByRole('button', { name: 'Import', exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await jobsOf(account.live)).toEqual([]);
});

/** Writes a file that the page can choose, with the given lines. Returns its path. */
async function createFile(lines: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'waymark-import-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'links.csv');
  await writeFile(path, lines.join('\n'));
  return path;
}

inDashboard('a file that changed after it was chosen is asked for again, at every step', async ({ page, account }) => {
  const asked = dialog(page).getByText('links.csv has changed since you chose it');
  const path = await createFile(['url,name', 'https://example.com/1,One']);
  const field = dialog(page).getByLabel('File', { exact: true });
  await button(page, 'Import').first().click();
  await field.setInputFiles(path);
  await dialog(page).getByRole('region', { name: 'First rows' }).waitFor();
  // Somebody mends the file.
  await writeFile(path, 'url,title\nhttps://example.com/22,Two');
  await start(page);
  await asked.waitFor();
  expect(await dialog(page).getByText('The server cannot be reached').count()).toBe(0);
  expect(await jobsOf(account.live)).toEqual([]);
  await field.setInputFiles(path);
  await button(page, 'Choose columns…').click();
  await writeFile(path, 'url,title\nhttps://example.com/333,Three');
  await button(page, 'Show the first rows').click();
  await asked.waitFor();
  await field.setInputFiles(path);
  await dialog(page).getByRole('region', { name: 'First rows' }).waitFor();
  await rm(path);
  await start(page);
  await asked.waitFor();
  await writeFile(path, 'url,title\nhttps://example.com/4444,Four');
  await field.setInputFiles(path);
  await dialog(page).getByRole('region', { name: 'First rows' }).waitFor();
  await start(page);
  await page.locator('.toast').getByText('1 link created.').waitFor();
  expect((await api(account.live).list()).body.links.map(({ title }) => title)).toEqual(['Four']);
});

/** Drops a file with these lines on the middle of the page, as a browser does. */
async function drop(page: Page, lines: readonly string[]): Promise<void> {
  const areTaken = await page.evaluate<boolean[]>(`(() => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([${JSON.stringify(lines.join('\n'))}], 'dropped.csv', { type: 'text/csv' }));
    const init = { dataTransfer, bubbles: true, cancelable: true };
    return ['dragover', 'drop'].map((type) => !document.body.dispatchEvent(new DragEvent(type, init)));
  })()`);
  // The browser would open what the page does not take.
  expect(areTaken).toEqual([true, true]);
}

inDashboard('a file that is dropped anywhere on the list or the dialog is imported', async ({ page, account }) => {
  await drop(page, ['url,title', 'https://example.com/1,One']);
  await dialog(page).getByText('The first rows of dropped.csv:').waitFor();
  expect((await cellsOf(page, 'First rows'))[0]![1]).toContain('Title: One');
  await drop(page, ['url,title', 'https://example.com/2,Two']);
  await expect.poll(async () => (await cellsOf(page, 'First rows'))[0]?.[1]).toContain('Title: Two');
  await start(page);
  await page.locator('.toast').getByText('1 link created.').waitFor();
  expect((await api(account.live).list()).body.links.map(({ title }) => title)).toEqual(['Two']);
  // A form with changes is not lost.
  await button(page, 'New link').first().click();
  await page.getByLabel('Destination URL').fill('https://example.com/typed');
  await drop(page, ['url', 'https://example.com/3']);
  expect(await page.getByLabel('Destination URL').inputValue()).toBe('https://example.com/typed');
});

inDashboard('an import says where it is, and shows values as people read them', async ({ page }) => {
  const step = dialog(page).locator('[aria-current=step]');
  await button(page, 'Import').first().click();
  expect(await step.textContent()).toBe('File');
  await page.keyboard.press('Escape');
  await choose(page, [
    'url,archived,visibility,expires_at,clicks',
    'https://example.com/,false,public,2027-05-01T09:00:00Z,5',
  ]);
  const rows = dialog(page).getByRole('region', { name: 'First rows' });
  await rows.waitFor();
  expect(await step.textContent()).toBe('First rows');
  const [[, text]] = (await cellsOf(page, 'First rows')) as [[string, string]];
  expect(text).toContain('Expires at: 1 May 2027');
  for (const hidden of ['000Z', 'Archived', 'Visibility']) expect(text).not.toContain(hidden);
  // What is lost is above the rows.
  const lost = (await dialog(page).getByText('Columns that are not imported: clicks').boundingBox())!;
  expect(lost.y).toBeLessThan((await rows.boundingBox())!.y);
  await button(page, 'Choose columns…').click();
  expect(await step.textContent()).toBe('Columns');
});
