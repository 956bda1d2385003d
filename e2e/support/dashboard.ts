import { randomBytes } from 'node:crypto';
import type { Plan } from '@waymark/contract';
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  type CDPSession,
  collectComplaints,
  type Locator,
  NO_BROWSER,
  type Page,
  startBrowser,
} from '@waymark/web/test/browser';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { accounts, asAdmin, createAccount, request, stack, type TestAccount } from './world.ts';

/** The dashboard in a browser, signed in to an account of its own. */
export interface Dashboard {
  account: TestAccount;
  context: BrowserContext;
  page: Page;
  /** What the browser complains about: must stay empty. */
  complaints: string[];
  /** Returns the Bearer token of the session. */
  sessionToken(): Promise<string>;
  close(): Promise<void>;
}

export interface DashboardOptions extends BrowserContextOptions {
  account?: TestAccount;
  /** The plan of the new account. */
  plan?: Plan;
  /** The view to open after the sign-in, for example `links?q=sale`. */
  view?: string;
  /** Messages of the browser that the test provokes. */
  allow?: RegExp;
}

/**
 * Makes the browser complain when a text changes, or is removed, without its element. A translator replaces text nodes, so
 * such a change would not show on a translated page.
 */
const COMPLAIN_OF_TEXTS_IN_PLACE = `
  const { prototype } = CharacterData;
  const data = Object.getOwnPropertyDescriptor(prototype, 'data');
  const { remove } = prototype;
  const complain = (node, change) => {
    if (node instanceof Text && node.data.trim() !== '' && !node.parentElement?.closest('[translate=no]'))
      console.error('A text is ' + change + ' without its element: ' + node.data);
  };
  Object.defineProperty(prototype, 'data', {
    ...data,
    set(value) {
      complain(this, 'changed');
      data.set.call(this, value);
    },
  });
  prototype.remove = function () {
    complain(this, 'removed');
    remove.call(this);
  };
`;

/** Makes a link that signs in to an account, as `admin account sign-in-link` does. */
export async function createSignInLink(username: string): Promise<string> {
  return (await accounts.createSignInLink({ username }, await asAdmin())).url;
}

/** Opens a new window, signs in by a link, and waits for a page. */
export async function openDashboard(browser: Browser, options: DashboardOptions = {}): Promise<Dashboard> {
  const { plan, account = await createAccount(plan), view = '', allow, ...contextOptions } = options;
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
    locale: 'en-GB',
    ...contextOptions,
  });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: stack.publicUrl });
  await context.addInitScript(COMPLAIN_OF_TEXTS_IN_PLACE);
  const complaints = collectComplaints(context, stack.publicUrl, allow);
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const [address, token] = (await createSignInLink(account.username)).split('#');
  await page.goto(`${address}${view}#${token}`);
  await page.locator('h1').waitFor();
  return {
    account,
    context,
    page,
    complaints,
    sessionToken: () => page.evaluate<string>(`JSON.parse(localStorage.getItem('waymark.session')).token`),
    close: () => context.close(),
  };
}

let browserOfWorker: Promise<Browser | undefined> | undefined;
/** Returns the browser of all files of a worker, or undefined if none starts. It ends with the worker. */
export function sharedBrowser(): Promise<Browser | undefined> {
  browserOfWorker ??= startBrowser();
  return browserOfWorker;
}

/**
 * Returns a function that runs a test on a dashboard of its own, and expects that the browser complained about nothing.
 * Without a browser, the tests are skipped.
 */
export function dashboardTests() {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await sharedBrowser();
  });
  let dashboard: Dashboard | undefined;
  afterEach(async () => {
    const complaints = dashboard?.complaints ?? [];
    await dashboard?.close();
    dashboard = undefined;
    expect(complaints).toEqual([]);
  });
  return (name: string, run: (dashboard: Dashboard) => Promise<void>, options: DashboardOptions = {}) =>
    test(name, async ({ skip }) => {
      skip(browser === undefined, NO_BROWSER);
      dashboard = await openDashboard(browser!, options);
      await run(dashboard);
    });
}

/** Presses a key that an input method handles. */
export async function pressInInputMethod(session: CDPSession, key: string): Promise<void> {
  const keyOfInputMethod = { key, windowsVirtualKeyCode: 229 };
  await session.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...keyOfInputMethod });
  await session.send('Input.dispatchKeyEvent', { type: 'keyUp', ...keyOfInputMethod });
}

/** Leaves the dialog that is busy: Escape uses up the click, so that the browser no longer lets the page hold Back. */
export async function leaveByBack(page: Page, view = 'links'): Promise<void> {
  await page.keyboard.press('Escape');
  const browser = await page.context().newCDPSession(page);
  const { currentIndex, entries } = await browser.send('Page.getNavigationHistory');
  await browser.send('Page.navigateToHistoryEntry', { entryId: entries[currentIndex - 1]!.id });
  await expect.poll(() => new URL(page.url()).pathname).toBe(`/app/${view}`);
}

/** The first character of each CSV that the dashboard saves. */
export const BYTE_ORDER_MARK = 0xfeff;

/** Returns a slug that no other test uses. */
export const unique = (): string => `d${randomBytes(5).toString('hex')}`;

/** Returns a button by a part of its name. “Save” is never “Saved filters”. */
export const button = (page: Page, name: string | RegExp): Locator =>
  page.getByRole('button', { name: name === 'Save' ? /^Save$/ : name });

/** What the page says after a look for a TXT record that is not there. Another test may have started a name server. */
export const LOOKED = /DNS did not answer|There is no TXT record/;

/** Returns the field of a form whose label begins with `name`. */
export const field = (page: Page, name: string): Locator => {
  const label = { name: new RegExp(`^${name}`) };
  return page.getByRole('textbox', label).or(page.getByRole('combobox', label));
};

const MAIN_BULK_EDITS = ['Add hashtags', 'Archive'];

/** Begins a bulk edit of the selected links, from the bar or its menu. */
export async function openBulkEdit(page: Page, edit: string): Promise<void> {
  const bar = page.getByRole('region', { name: 'Selected links' });
  if (!MAIN_BULK_EDITS.includes(edit)) await bar.getByRole('button', { name: 'More' }).click();
  await bar.getByRole('button', { name: edit, exact: true }).click();
}

/** Returns the row of a link in the table. */
export const row = (page: Page, slug: string): Locator =>
  page.getByRole('row').filter({ has: page.getByText(slug, { exact: true }) });

/** Returns the slugs in the table, from the top. */
export const shownSlugs = (page: Page): Promise<string[]> => page.locator('.links-short > a').allTextContents();

/** Creates a link for each slug. */
export async function bulkCreate(key: string, slugs: readonly string[]): Promise<void> {
  for (let start = 0; start < slugs.length; start += 100) {
    const operations = slugs
      .slice(start, start + 100)
      .map((slug) => ({ op: 'create', link: { slug, destination_url: 'https://example.com/' } }));
    expect((await request('/api/v1/links/bulk', { method: 'POST', key, json: { operations } })).status).toBe(200);
  }
}
