import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { axeFindings, type Page } from '@waymark/web/test/browser';
import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import { button, dashboardTests, field, row, unique } from '../support/dashboard.ts';
import { api, createLink } from '../support/world.ts';

// docs/dashboard.md, the form of a link: what it completes, suggests, reads from the page and previews.

const inDashboard = dashboardTests();

/** Responses of the pages that wait for the test. */
const held = new Map<string, ServerResponse>();
let asked: string[] = [];
const pages = createServer((req, response) => {
  asked.push(req.url!);
  response.setHeader('content-type', 'text/html');
  if (req.url!.startsWith('/held')) held.set(req.url!, response);
  else response.end(pageOf(req.url!));
});
const pageOf = (path: string) => `<title>Title of ${path}</title><meta name="description" content="About ${path}">`;
let origin: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(pages.address() as AddressInfo).port}`;
});
beforeEach(() => {
  asked = [];
  held.clear();
});
afterAll(() => {
  pages.closeAllConnections();
  pages.close();
});

const form = (page: Page) => page.getByRole('dialog');
const destination = (page: Page) => page.getByLabel('Destination URL');
const title = (page: Page) => field(page, 'Title');
const fold = (page: Page, name: string) =>
  form(page)
    .locator('summary', { hasText: new RegExp(`^${name}$`) })
    .first();
const status = (page: Page, text: string) => form(page).getByRole('status').filter({ hasText: text });

async function openForm(page: Page): Promise<void> {
  await button(page, 'New link').first().click();
  await form(page).waitFor();
}

async function editForm(page: Page, slug: string): Promise<void> {
  await button(page, `More for ${slug}`).click();
  await button(page, 'Edit').click();
  await form(page).waitFor();
}

inDashboard(
  '`example.com/foo` gets https:// on leaving the field and on sending, in every field of a URL; a scheme stays',
  async ({ page, account }) => {
    await openForm(page);
    await destination(page).fill('example.com/foo');
    await field(page, 'Short link').focus();
    await expect.poll(() => destination(page).inputValue()).toBe('https://example.com/foo');
    for (const typed of ['http://example.com', 'mailto:ada@example.com', 'localhost:3000', 'ftp://example.com/a']) {
      await destination(page).fill(typed);
      await field(page, 'Short link').focus();
      expect(await destination(page).inputValue()).toBe(typed);
    }
    const slug = unique();
    await field(page, 'Short link').fill(slug);
    await fold(page, 'More options').click();
    await field(page, 'Destination after that').fill('münchen.example/ä');
    await fold(page, 'Card of link previews').click();
    await field(page, 'Preview image').fill('example.com/a.png');
    await fold(page, 'Rules').click();
    await button(page, 'Add a rule').click();
    await field(page, 'Goes to').fill('example.org:8443/app');
    await page.getByLabel('Share in %').fill('10');
    // Enter sends what is not left yet.
    await destination(page).fill(' example.com/foo ');
    await destination(page).press('Enter');
    await row(page, slug).waitFor();
    const link = (await api(account.live).get(slug)).body;
    expect(link).toMatchObject({
      destination_url: 'https://example.com/foo',
      expired_url: 'https://münchen.example/ä',
      social_image_url: 'https://example.com/a.png',
      rules: [{ to: 'https://example.org:8443/app', share: 10 }],
    });
  },
);

inDashboard('UTM fields build the destination and read it back', async ({ page, account }) => {
  const slug = unique();
  await createLink(account.live, {
    slug,
    destination_url: 'https://example.com/a%20b?x=%2F&utm_source=news+letter&y#top',
  });
  await page.reload();
  await editForm(page, slug);
  // The link has some, so they are shown.
  await expect.poll(() => field(page, 'Source').inputValue()).toBe('news letter');
  await field(page, 'Campaign').fill('Summer & Co');
  expect(await destination(page).inputValue()).toBe(
    'https://example.com/a%20b?x=%2F&utm_source=news+letter&y&utm_campaign=Summer+%26+Co#top',
  );
  await field(page, 'Source').fill('');
  await destination(page).fill('https://example.com/?utm_medium=mail');
  expect(await field(page, 'Medium').inputValue()).toBe('mail');
  expect(await field(page, 'Campaign').inputValue()).toBe('');
  await button(page, 'Save').click();
  await expect
    .poll(async () => (await api(account.live).get(slug)).body.destination_url)
    .toBe('https://example.com/?utm_medium=mail');
});

inDashboard('hashtags are suggested while typing, by keyboard and by mouse', async ({ page, account }) => {
  await createLink(account.live, { hashtags: ['summer', 'sale'] });
  await createLink(account.live, { hashtags: ['summer', 'spring'] });
  await page.reload();
  await openForm(page);
  const slug = unique();
  await destination(page).fill('https://example.com/');
  await field(page, 'Short link').fill(slug);
  const hashtags = page.getByRole('combobox', { name: /^Hashtags/ });
  await hashtags.pressSequentially('new #s');
  const options = form(page).getByRole('listbox').getByRole('option');
  await expect.poll(() => options.allTextContents()).toEqual(['summer', 'sale', 'spring']);
  await status(page, '3 suggestions').waitFor();
  // Enter chooses what an arrow key marked, and sends nothing.
  await hashtags.press('ArrowDown');
  await expect
    .poll(() => hashtags.getAttribute('aria-activedescendant'))
    .toBe(await options.first().getAttribute('id'));
  await hashtags.press('Enter');
  expect(await hashtags.inputValue()).toBe('new summer ');
  await hashtags.pressSequentially('s');
  await expect.poll(() => options.allTextContents()).toEqual(['sale', 'spring']);
  // Escape closes the list, and then the form asks.
  await hashtags.press('Escape');
  await expect.poll(() => options.count()).toBe(0);
  expect(await form(page).count()).toBe(1);
  await hashtags.press('ArrowDown');
  await options.filter({ hasText: 'sale' }).click();
  expect(await hashtags.inputValue()).toBe('new summer sale ');
  await hashtags.press('Enter');
  await row(page, slug).waitFor();
  expect((await api(account.live).get(slug)).body.hashtags).toEqual(['new', 'summer', 'sale']);
});

inDashboard(
  'title and description are read from the page, and never replace what was typed',
  async ({ page, account }) => {
    await openForm(page);
    await destination(page).fill(`${origin}/one`);
    await expect.poll(() => title(page).inputValue()).toBe('Title of /one');
    await status(page, 'Title and description were read from the page.').waitFor();
    // Another page replaces what nobody edited.
    await destination(page).fill(`${origin}/two`);
    await expect.poll(() => title(page).inputValue()).toBe('Title of /two');
    await title(page).fill('Mine');
    await destination(page).fill(`${origin}/three`);
    await fold(page, 'More options').click();
    await expect.poll(() => field(page, 'Description').inputValue()).toBe('About /three');
    expect(await title(page).inputValue()).toBe('Mine');
    // A field that was emptied stays empty.
    await title(page).fill('');
    await destination(page).fill(`${origin}/four`);
    await expect.poll(() => field(page, 'Description').inputValue()).toBe('About /four');
    expect(await title(page).inputValue()).toBe('');
    // UTM parameters do not make another page of it.
    await fold(page, 'UTM parameters').click();
    await field(page, 'Source').fill('mail');
    expect(await field(page, 'Description').inputValue()).toBe('About /four');
    const slug = unique();
    await field(page, 'Short link').fill(slug);
    await button(page, 'Create link').click();
    await row(page, slug).waitFor();
    expect((await api(account.live).get(slug)).body).toMatchObject({
      destination_url: `${origin}/four?utm_source=mail`,
      title: null,
      description: 'About /four',
    });
    expect(asked).toEqual(['/one', '/two', '/three', '/four']);
  },
);

inDashboard('what an earlier destination says never fills in', async ({ page }) => {
  await openForm(page);
  await destination(page).fill(`${origin}/held-1`);
  await expect.poll(() => held.size).toBe(1);
  await status(page, 'Reading the title').waitFor();
  // Typed while the page is read.
  await destination(page).fill(`${origin}/held-2`);
  held.get('/held-1')!.end(pageOf('/held-1'));
  await expect.poll(() => held.size).toBe(2);
  expect(await title(page).inputValue()).toBe('');
  held.get('/held-2')!.end(pageOf('/held-2'));
  await expect.poll(() => title(page).inputValue()).toBe('Title of /held-2');
  // A title that somebody began to type meanwhile.
  await destination(page).fill(`${origin}/held-3`);
  await expect.poll(() => held.size).toBe(3);
  await title(page).fill('Mine');
  held.get('/held-3')!.end(pageOf('/held-3'));
  await status(page, 'were read from the page').waitFor();
  expect(await title(page).inputValue()).toBe('Mine');
});

inDashboard('the title of a link that is edited stays, also with another destination', async ({ page, account }) => {
  const slug = unique();
  await createLink(account.live, { slug, title: 'Mine', destination_url: `${origin}/old` });
  await page.reload();
  await editForm(page, slug);
  await destination(page).fill(`${origin}/new`);
  await status(page, 'were read from the page').waitFor();
  await button(page, 'Save').click();
  await expect
    .poll(async () => (await api(account.live).get(slug)).body)
    .toMatchObject({ title: 'Mine', description: 'About /new', destination_url: `${origin}/new` });
  expect(asked).toEqual(['/new']);
});

inDashboard(
  'rules are added, moved and removed by keyboard, from lists of what the API accepts',
  async ({ page, account }) => {
    const slug = unique();
    await openForm(page);
    await destination(page).fill('https://example.com/');
    await field(page, 'Short link').fill(slug);
    await fold(page, 'Rules').press('Enter');
    const add = button(page, 'Add a rule');
    await add.press('Enter');
    const first = page.getByRole('group', { name: 'Rule 1' });
    const rule = (n: number) => page.getByRole('group', { name: `Rule ${n}` });
    const list = (n: number, name: string) => rule(n).getByRole('combobox', { name });
    await expect
      .poll(() => first.locator('summary').evaluate((one) => one === one.ownerDocument.activeElement))
      .toBe(true);
    await first.getByLabel('Goes to').fill('https://example.com/app');
    await list(1, 'System').pressSequentially('and');
    await first.getByRole('option', { name: 'Android' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.keyboard.type('ios');
    await list(1, 'Country').pressSequentially('germ');
    await first.getByRole('option', { name: 'DE' }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await first.getByLabel('Language').selectOption('German');
    await list(1, 'Device').fill('mobile');
    await list(1, 'Browser').fill('Chrome, GPTBot');
    await first.getByLabel('From').fill('2027-06-01T10:00');
    await first.getByLabel('Until').fill('2027-09-01T10:00');
    await first.getByLabel('Share in %').fill('50');
    await add.click();
    await rule(2).getByLabel('Goes to').fill('https://example.com/second');
    await rule(2).getByLabel('Share in %').fill('1');
    await add.click();
    await rule(3).getByLabel('Goes to').fill('https://example.com/third');
    await rule(3).getByLabel('Share in %').fill('3');

    // The button keeps the focus, so that pressing it again moves the rule further.
    const up = button(page, 'Move rule 3 up');
    await up.press('Enter');
    await expect.poll(() => rule(2).getByLabel('Goes to').inputValue()).toBe('https://example.com/third');
    await page.keyboard.press('Enter');
    await expect.poll(() => rule(1).getByLabel('Goes to').inputValue()).toBe('https://example.com/third');
    await page.keyboard.press('Enter');
    await button(page, 'Move rule 1 down').press('Enter');
    await button(page, 'Remove rule 3').press('Enter');
    await expect.poll(() => add.evaluate((one) => one === one.ownerDocument.activeElement)).toBe(true);
    await button(page, 'Create link').click();
    await row(page, slug).waitFor();
    const { rules } = (await api(account.live).get(slug)).body;
    expect(rules).toEqual([
      {
        to: 'https://example.com/app',
        device: ['mobile'],
        os: ['Android', 'iOS'],
        browser: ['Chrome', 'GPTBot'],
        country: ['DE'],
        language: 'de',
        from: new Date(2027, 5, 1, 10).toISOString(),
        until: new Date(2027, 8, 1, 10).toISOString(),
        share: 50,
      },
      { to: 'https://example.com/third', share: 3 },
    ]);

    // They are open in the form of the link, and another title changes nothing of them.
    await editForm(page, slug);
    await rule(2).waitFor();
    await title(page).fill('Renamed');
    await button(page, 'Save').click();
    await row(page, slug).getByText('Renamed').waitFor();
    expect((await api(account.live).get(slug)).body.rules).toEqual(rules);
    // The page of the link has them, too.
    await row(page, slug).getByRole('link', { name: 'Renamed' }).click();
    await page.getByText('3 % of the visitors of a day: https://example.com/third').waitFor();
  },
);

inDashboard(
  'what is wrong is said at its field, whose fold opens',
  async ({ page }) => {
    await openForm(page);
    await destination(page).fill('https://example.com/');
    await fold(page, 'Rules').click();
    await button(page, 'Add a rule').click();
    await button(page, 'Add a rule').click();
    const rule = (n: number) => page.getByRole('group', { name: `Rule ${n}` });
    const list = (n: number, name: string) => rule(n).getByRole('combobox', { name });
    await rule(1).getByLabel('Goes to').fill('https://example.com/a');
    await rule(1).getByLabel('Share in %').fill('5');
    await rule(2).getByLabel('Goes to').fill('https://example.com/b');
    await list(2, 'Country').fill('XX');
    await rule(2).locator('summary').click();
    await fold(page, 'Rules').click();
    await button(page, 'Create link').click();
    const country = list(2, 'Country');
    await expect.poll(() => country.getAttribute('aria-invalid')).toBe('true');
    await expect.poll(() => country.evaluate((one) => one === one.ownerDocument.activeElement)).toBe(true);
    expect(await form(page).locator('.field-error').allTextContents()).toEqual([
      expect.stringMatching(/^“Country” must be a country code .* you sent "XX"\.$/),
    ]);
    await country.fill('');
    await button(page, 'Create link').click();
    await rule(2)
      .locator('.field-error')
      .filter({ hasText: '“Rule 2” must have at least one condition besides “Goes to”.' })
      .waitFor();
    await button(page, 'Remove rule 2').click();
    await fold(page, 'More options').click();
    await page.getByLabel('Clicks at most').fill('0');
    await fold(page, 'More options').click();
    await button(page, 'Create link').click();
    await expect
      .poll(() => form(page).locator('.field-error').allTextContents())
      .toEqual([expect.stringMatching(/^“Clicks at most” must be between/)]);
    expect(await page.getByLabel('Clicks at most').isVisible()).toBe(true);
  },
  { allow: /status of 422/ },
);

inDashboard('a limit, a code and a card are saved, and open in the form of the link', async ({ page, account }) => {
  const slug = unique();
  await createLink(account.live, { slug, managed_by: 'team-a/links.yaml' });
  await page.reload();
  await editForm(page, slug);
  await form(page).getByText('Managed by team-a/links.yaml').waitFor();
  await fold(page, 'More options').click();
  await page.getByLabel('Clicks at most').fill('1000');
  await page.getByLabel('Redirect', { exact: true }).selectOption('301: permanent');
  await fold(page, 'Card of link previews').click();
  await field(page, 'Preview title').fill('The sale');
  await field(page, 'Preview description').fill('Half off');
  await button(page, 'Save').click();
  await expect
    .poll(async () => (await api(account.live).get(slug)).body)
    .toMatchObject({
      max_clicks: 1_000,
      redirect_code: 301,
      social_title: 'The sale',
      social_description: 'Half off',
      social_image_url: null,
      managed_by: 'team-a/links.yaml',
    });
  await editForm(page, slug);
  expect(await page.getByLabel('Clicks at most').inputValue()).toBe('1000');
  expect(await field(page, 'Preview title').isVisible()).toBe(true);
});

inDashboard('the preview says where which visitor goes and what link previews get', async ({ page }) => {
  await openForm(page);
  await destination(page).fill(`${origin}/page`);
  await fold(page, 'Preview').click();
  const lines = form(page).locator('.preview-lines li');
  await expect.poll(() => lines.allTextContents()).toEqual([`Everyone: ${origin}/page`]);
  await form(page).getByText('They follow the link, and show what its page says.').waitFor();
  await expect.poll(() => form(page).locator('.preview-card').textContent()).toContain('Title of /page');
  await fold(page, 'More options').click();
  await page.getByLabel('Clicks at most').fill('1000');
  await field(page, 'Destination after that').fill('https://example.com/over');
  await form(page).getByText('A link with a limit hides its destination').waitFor();
  await fold(page, 'Rules').click();
  await button(page, 'Add a rule').click();
  await field(page, 'Goes to').fill('https://example.com/app');
  await page.getByRole('combobox', { name: 'System' }).fill('iOS, Android');
  await page.getByRole('combobox', { name: 'Country' }).fill('DE');
  await expect
    .poll(() => lines.allTextContents())
    .toEqual([
      'iOS or Android, Germany: https://example.com/app',
      `Everyone else: ${origin}/page`,
      'After 1,000 clicks: https://example.com/over',
    ]);
  await fold(page, 'Card of link previews').click();
  await field(page, 'Preview title').fill('The sale');
  await expect.poll(() => form(page).locator('.preview-card').textContent()).toBe('The sale');
  await page.getByLabel('Visibility', { exact: true }).last().selectOption('private');
  await expect.poll(() => lines.count()).toBe(0);
  await form(page).getByText('Nothing: they get “not found”, too.').waitFor();
});

for (const colorScheme of ['light', 'dark'] as const)
  inDashboard(
    `axe finds nothing in the form with everything open (${colorScheme})`,
    async ({ page, account }) => {
      await createLink(account.live, { hashtags: ['summer'] });
      const slug = unique();
      await createLink(account.live, {
        slug,
        destination_url: 'https://example.com/?utm_source=mail',
        managed_by: 'team-a',
        max_clicks: 5,
        rules: [{ to: 'https://example.com/app', country: ['DE'] }],
        social_title: 'Card',
      });
      await page.reload();
      await editForm(page, slug);
      await fold(page, 'Preview').click();
      await page.getByRole('group', { name: 'Rule 1' }).locator('summary').click();
      expect(await axeFindings(page)).toEqual([]);
      await page.getByRole('combobox', { name: /^Hashtags/ }).pressSequentially('s');
      await form(page).getByRole('option', { name: 'summer' }).waitFor();
      await page.keyboard.press('ArrowDown');
      expect(await axeFindings(page)).toEqual([]);
    },
    { colorScheme },
  );
