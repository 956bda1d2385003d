import type { Locator, Page, Route } from '@waymark/web/test/browser';
import { expect } from 'vitest';
import {
  bulkCreate,
  button,
  dashboardTests,
  field,
  openBulkEdit,
  row,
  shownSlugs,
  unique,
} from '../support/dashboard.ts';
import { api, createLink, jobsOf, stack } from '../support/world.ts';

// docs/dashboard.md, Changes: what the page says of a change while it is under way, after a lost response, and of what
// was pasted or refused.

const inDashboard = dashboardTests();

const UNCERTAIN = 'The change may have been made all the same.';
const dialog = (page: Page) => page.getByRole('dialog');
const toast = (page: Page, text: string) => page.locator('.toast').getByText(text);
const ready = (page: Page) => page.getByText('is ready.');
const selection = (page: Page) => page.getByRole('region', { name: 'Selected links' });
const openMenu = (page: Page, slug: string) => button(page, `More for ${slug}`).click();
const openView = (page: Page, view: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: view }).click();

/** What reaches the page in place of a response: nothing, or that of a proxy. */
const LOST: Record<string, (route: Route) => Promise<void>> = {
  nothing: (route) => route.abort(),
  502: (route) => route.fulfill({ status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }),
  503: (route) => route.fulfill({ status: 503, contentType: 'text/html', body: '<h1>Unavailable</h1>' }),
  504: (route) => route.fulfill({ status: 504, contentType: 'text/html', body: '<h1>Timeout</h1>' }),
};

/** Lets the next change reach the server, and its response get lost. Returns the keys of the changes from then on. */
async function loseNextResponse(page: Page, lost: keyof typeof LOST = 'nothing'): Promise<(string | undefined)[]> {
  const keys: (string | undefined)[] = [];
  await page.unrouteAll();
  await page.route('**/api/v1/**', async (route) => {
    if (route.request().method() === 'GET') return route.fallback();
    keys.push(route.request().headers()['idempotency-key']);
    if (keys.length > 1) return route.fallback();
    await route.fetch();
    await LOST[lost]!(route);
  });
  return keys;
}

const LOSSES = { allow: /ERR_FAILED|status of 50[234]|status of 4(04|22)/ };

inDashboard(
  'after a lost response, Create again makes no second link, and an edited form is another one',
  async ({ page, account }) => {
    const total = async () => (await api(account.live).list()).body.total;
    await button(page, 'New link').first().click();
    const destination = page.getByLabel('Destination URL');
    for (const [index, lost] of Object.keys(LOST).entries()) {
      const keys = await loseNextResponse(page, lost);
      await destination.fill(`https://example.com/${lost}`);
      await button(page, 'Create link').click();
      const alert = dialog(page).getByRole('alert');
      await alert.getByText(UNCERTAIN).waitFor();
      await alert.getByText('makes no second link').waitFor();
      // The list behind the form is read again.
      await expect.poll(async () => (await shownSlugs(page)).length).toBe(index + 1);
      await button(page, 'Create link').click();
      await ready(page).waitFor();
      expect(keys[0]).toMatch(/^\w{16,}$/);
      await expect.poll(() => keys[1]).toBe(keys[0]);
      expect(await total()).toBe(index + 1);
      await button(page, 'New link').first().click();
    }
    await page.unrouteAll();

    const keys = await loseNextResponse(page);
    await destination.fill('https://example.com/a');
    await button(page, 'Create link').click();
    await dialog(page).getByText(UNCERTAIN).waitFor();
    await page.keyboard.press('Escape');
    const question = page.getByRole('dialog', { name: 'Discard your changes?' });
    await question.getByText(UNCERTAIN).waitFor();
    expect(await question.getByText('not saved').count()).toBe(0);
    await button(page, 'Keep editing').click();
    await field(page, 'Title').fill('Another');
    await button(page, 'Create link').click();
    await ready(page).waitFor();
    await expect.poll(() => new Set(keys).size).toBe(2);

    // A refusal is an answer: what was refused may be possible by now.
    const taken = await createLink(account.live, { slug: unique() });
    await button(page, 'New link').first().click();
    await destination.fill('https://example.com/');
    await field(page, 'Short link').fill(taken.slug);
    await button(page, 'Create link').click();
    await dialog(page).getByText('is taken').waitFor();
    expect((await api(account.live).delete(taken.id)).status).toBe(204);
    await button(page, 'Create link').click();
    await row(page, taken.slug).waitFor();
  },
  LOSSES,
);

inDashboard(
  'after any lost response, the page says what it cannot know, and shows what the server has',
  async ({ page, account }) => {
    const slugs = [unique(), unique(), unique()] as const;
    const [edited, archived, deleted] = slugs;
    await bulkCreate(account.live, slugs);
    await page.reload();
    const alert = dialog(page).getByRole('alert').getByText(UNCERTAIN);

    await openMenu(page, edited);
    await button(page, 'Edit').click();
    await field(page, 'Title').fill('Edited');
    await loseNextResponse(page);
    await button(page, 'Save').click();
    await alert.waitFor();
    await row(page, edited).getByText('Edited').waitFor();
    await button(page, 'Save').click();
    await toast(page, 'The link is saved.').waitFor();

    await openMenu(page, deleted);
    await button(page, 'Delete…').click();
    await loseNextResponse(page, '504');
    await button(page, 'Delete the link').click();
    await alert.waitFor();
    await row(page, deleted).waitFor({ state: 'detached' });
    await button(page, 'Delete the link').click();
    await toast(page, 'The link is deleted.').waitFor();

    await openMenu(page, archived);
    await loseNextResponse(page, '502');
    await button(page, 'Archive').click();
    await toast(page, UNCERTAIN).waitFor();
    await row(page, archived).waitFor({ state: 'detached' });

    await page.unrouteAll();
    await page.getByLabel(`Select ${edited}`, { exact: true }).check();
    await button(page, 'Add hashtags').click();
    await field(page, 'Hashtags').fill('sale');
    const bulk = await loseNextResponse(page, '502');
    await button(page, 'Apply').click();
    await alert.waitFor();
    await row(page, edited).getByText('#sale').waitFor();
    await button(page, 'Apply').click();
    await toast(page, '1 link changed.').waitFor();
    expect(bulk[1]).toBe(bulk[0]);

    await openView(page, 'Settings');
    const card = page.getByRole('region', { name: 'Public Links Only' });
    const hint = card.locator('code');
    await hint.getByText(account.public.slice(-4)).waitFor();
    await card.getByRole('button', { name: 'Create a key…' }).click();
    await loseNextResponse(page);
    await button(page, 'Create the key').click();
    await alert.waitFor();
    await dialog(page).getByText('make another one').waitFor();
    await expect.poll(() => hint.textContent()).not.toContain(account.public.slice(-4));
    await button(page, 'Cancel').click();

    await card.getByRole('button', { name: 'Revoke…' }).click();
    await loseNextResponse(page, '503');
    await button(page, 'Revoke the key').click();
    await alert.waitFor();
    await card.getByText('There is no key: it was revoked.').waitFor();
    await button(page, 'Revoke the key').click();
    await toast(page, 'The key is revoked.').waitFor();

    await loseNextResponse(page);
    await card.getByRole('button', { name: 'Create a key' }).click();
    await toast(page, UNCERTAIN).waitFor();
    await hint.waitFor();
  },
  LOSSES,
);

inDashboard(
  'after a lost response to a job, the jobs are read again, and none is begun twice',
  async ({ page, account }) => {
    await bulkCreate(account.live, Array.from({ length: 26 }, unique));
    await page.reload();
    await page.getByLabel('Select all links of this page').check();
    await button(page, 'Select all 26').click();
    await selection(page).getByRole('button', { name: 'Archive', exact: true }).click();
    const start = await loseNextResponse(page, '502');
    await dialog(page).getByRole('button', { name: 'Archive' }).click();
    await dialog(page).getByText(UNCERTAIN).waitFor();
    await page.getByText('Make your first short link').waitFor();
    await dialog(page).getByRole('button', { name: 'Archive' }).click();
    await toast(page, '26 links changed.').waitFor();
    await expect.poll(() => start[1]).toBe(start[0]);
    expect(await jobsOf(account.live)).toHaveLength(1);

    const undo = await loseNextResponse(page);
    await button(page, 'Undo').click();
    await toast(page, UNCERTAIN).waitFor();
    await expect.poll(async () => (await shownSlugs(page)).length).toBe(25);
    expect(undo[0]).toMatch(/^\w{16,}$/);
    await openView(page, 'Jobs');
    await expect.poll(() => page.getByRole('article').count()).toBe(2);
    expect(await button(page, 'Undo').count()).toBe(0);

    await openView(page, 'Links');
    await button(page, 'Import').first().click();
    const file = {
      name: 'links.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from('destination_url\nhttps://a.example/'),
    };
    await dialog(page).getByLabel('File', { exact: true }).setInputFiles(file);
    const upload = dialog(page).getByRole('button', { name: 'Import', exact: true });
    await upload.waitFor();
    const sent = await loseNextResponse(page, '504');
    await upload.click();
    await dialog(page).getByText(UNCERTAIN).waitFor();
    await upload.click();
    await toast(page, '1 link created.').waitFor();
    await expect.poll(() => sent[1]).toBe(sent[0]);
    expect(await jobsOf(account.live)).toHaveLength(3);
  },
  LOSSES,
);

/**
 * Holds each change until `release`. From the first one on, no read is answered: nothing waits for lists. `reads` requests
 * come before it that only look like changes.
 */
async function holdChanges(page: Page, reads: number) {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  const methods: string[] = [];
  await page.unrouteAll();
  await page.route('**/api/v1/**', async (route) => {
    const method = route.request().method();
    if (method !== 'GET' && reads > 0) {
      reads -= 1;
      await route.fallback();
    } else if (method !== 'GET') {
      methods.push(method);
      await held;
      await route.fallback();
    } else if (methods.length === 0) await route.fallback();
  });
  return { release, methods };
}

/** Opens another view as soon as a dialog says that it works, before the browser shows that. */
const LEAVE_AT_ONCE = `
  new MutationObserver((_changes, observer) => {
    if (document.querySelector('.dialog-header [role=status]') === null) return;
    observer.disconnect();
    history.pushState(null, '', '/app/nowhere');
  }).observe(document.body, { childList: true, subtree: true });
`;

inDashboard(
  'while a change is under way, its dialog says so, takes no input and does not close; answered, it closes at once',
  async ({ page, account }) => {
    const [edited, deleted] = [unique(), unique()];
    await bulkCreate(account.live, [edited, deleted]);

    /** Submits the dialog, tries to leave it, and expects that it is there until the change is answered. */
    const expectLocked = async (submit: Locator, reads = 0) => {
      const shown = dialog(page).first();
      const title = await shown.getByRole('heading').first().textContent();
      const { release, methods } = await holdChanges(page, reads);
      await page.evaluate(LEAVE_AT_ONCE);
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
    await ready(page).waitFor();
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
    await openBulkEdit(page, 'Visibility');
    await dialog(page).getByLabel('Visibility').selectOption('Unlisted');
    await expectLocked(button(page, 'Apply'));
    await toast(page, '1 link changed.').waitFor();

    await bulkCreate(account.live, Array.from({ length: 25 }, unique));
    await reopen();
    await page.getByLabel('Select all links of this page').check();
    await button(page, /^Select all 2/).click();
    await openBulkEdit(page, 'Visibility');
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

    await openView(page, 'Hosts');
    await button(page, 'Add a host').click();
    await field(page, 'Host').fill(`${unique()}.example.com`);
    await expectLocked(dialog(page).getByRole('button', { name: 'Add a host' }));
    await toast(page, 'is added.').waitFor();

    await openView(page, 'Settings');
    const card = page.getByRole('region', { name: 'Public Links Only' });
    await card.getByText('Created').waitFor();
    await card.getByRole('button', { name: 'Create a key…' }).click();
    await expectLocked(button(page, 'Create the key'));
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
  await ready(page).waitFor();
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
