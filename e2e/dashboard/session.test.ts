import { axeFindings, type Page } from '@waymark/web/test/browser';
import { expect } from 'vitest';
import { button, createSignInLink, dashboardTests, field, row, unique } from '../support/dashboard.ts';
import { api, createAccount, createLink, request, stack } from '../support/world.ts';

// docs/api.md, Sessions, Passkeys and Keys: sign-in, sessions, account settings; and what the page keeps to itself.

const inDashboard = dashboardTests();
const hasFocus = (element: { ownerDocument: { activeElement: unknown } }) =>
  element === element.ownerDocument.activeElement;
/** Gives the browser of a page a device that makes passkeys. */
async function addAuthenticator(page: Page) {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('WebAuthn.enable');
  const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true } as const;
  const { authenticatorId } = await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, hasUserVerification: true, isUserVerified: true, automaticPresenceSimulation: true },
  });
  /** Returns how many passkeys the device offers. */
  const credentials = async () =>
    (await devTools.send('WebAuthn.getCredentials', { authenticatorId })).credentials.length;
  return { devTools, authenticatorId, credentials };
}

/** The browser reports each response of 401. */
const ENDED = { allow: /status of 401/ };

inDashboard(
  'a sign-in link works once; its token is neither in the address nor in the history nor sent as a Referer',
  async ({ page, context, account }) => {
    expect(page.url()).toBe(`${stack.publicUrl}/app/links`);
    await page.getByText(account.username).first().waitFor();
    const link = await createSignInLink(account.username);
    const referers: (string | undefined)[] = [];
    const second = await context.newPage();
    second.on('request', (sent) => referers.push(sent.headers().referer));
    await second.goto(link);
    await second.getByRole('navigation', { name: 'Main' }).waitFor();
    expect(second.url()).toBe(`${stack.publicUrl}/app/links`);
    await second.goBack();
    expect(second.url()).not.toContain('token');
    expect(referers.filter((referer) => referer?.includes('token'))).toEqual([]);

    const elsewhere = await context.browser()!.newContext();
    const third = await elsewhere.newPage();
    await third.goto(link);
    await third.getByRole('heading', { name: 'This link does not work' }).waitFor();
    // A new link in the same tab changes only the hash.
    await third.goto(await createSignInLink(account.username));
    await third.getByRole('navigation', { name: 'Main' }).waitFor();
    await elsewhere.close();
  },
  ENDED,
);

inDashboard(
  'a session survives a reload, is shared by all tabs, and signing out ends it in all of them and on the server',
  async ({ page, context, sessionToken }) => {
    await page.reload();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    const other = await context.newPage();
    await other.goto(`${stack.publicUrl}/app/settings`);
    await other.getByText('All tabs of this browser share it.').waitFor();
    expect(await other.evaluate('sessionStorage.length + document.cookie.length')).toBe(0);
    const token = await sessionToken();
    expect((await api(token).me()).status).toBe(200);

    await button(page, 'Sign out').first().click();
    for (const tab of [page, other]) {
      await tab.getByText('You are signed out.').waitFor();
      expect(await tab.getByRole('navigation', { name: 'Main' }).count()).toBe(0);
      expect(await tab.evaluate('sessionStorage.length + localStorage.length')).toBe(0);
    }
    await expect.poll(async () => (await api(token).me()).status).toBe(401);
    await other.reload();
    await other.getByRole('heading', { name: 'Sign in to Waymark' }).waitFor();
  },
);

inDashboard(
  'a sign-in link of another account asks before it ends the session of all tabs',
  async ({ page, context, account, sessionToken }) => {
    const [mine, other] = [await sessionToken(), await createAccount()];
    const tab = await context.newPage();
    const asked: string[] = [];
    const answers = [false, true];
    tab.on('dialog', (dialog) => {
      asked.push(dialog.message());
      void (answers.shift() ? dialog.accept() : dialog.dismiss());
    });
    await tab.goto(await createSignInLink(other.username));
    await tab.getByText(account.username).first().waitFor();
    expect(await sessionToken()).toBe(mine);
    await page.getByText(account.username).first().waitFor();

    await button(page, 'New link').first().click();
    await field(page, 'Destination').fill('https://example.com/lost');
    await tab.goto(await createSignInLink(other.username));
    for (const one of [tab, page]) await one.getByText(other.username).first().waitFor();
    const toasts = (one: Page) => one.locator('.toast').allTextContents();
    const said = `Another tab signed in as ${other.username}, and so did this one. Unsaved changes are lost.`;
    await expect.poll(() => toasts(page)).toEqual([said]);
    expect(await toasts(tab)).toEqual([]);
    expect(asked).toEqual(
      Array(2).fill(
        `You are signed in as ${account.username}. This link signs you in as ${other.username}, in all tabs of this browser. Do you want that?`,
      ),
    );
    await tab.goto(await createSignInLink(other.username));
    await tab.getByRole('navigation', { name: 'Main' }).waitFor();
    expect(asked).toHaveLength(2);
  },
);

inDashboard(
  'a form stays when its session ends, and goes on after the same account signs in, but not after another one does',
  async ({ page, context, account, sessionToken }) => {
    const slug = unique();
    const endSession = async () => {
      const token = await sessionToken();
      expect((await request('/api/v1/sessions/current', { method: 'DELETE', key: token })).status).toBe(204);
      await expect.poll(async () => (await api(token).me()).status).toBe(401);
    };
    const signInElsewhere = async (username: string) => {
      const tab = await context.newPage();
      await tab.goto(await createSignInLink(username));
      await tab.getByRole('navigation', { name: 'Main' }).waitFor();
      await tab.close();
    };
    await button(page, 'New link').first().click();
    await field(page, 'Destination').fill('https://example.com/kept');
    await endSession();
    await button(page, 'Create link').click();
    await page.getByText('Your session has ended.').waitFor();
    await page.getByText(`account sign-in-link --username ${account.username}`).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    for (let i = 0; i < 3; i++) await page.keyboard.press('Escape');
    await signInElsewhere(account.username);
    await page.getByText('Your session has ended.').waitFor({ state: 'detached' });
    expect(await field(page, 'Destination').inputValue()).toBe('https://example.com/kept');
    await field(page, 'Short link').fill(slug);
    await button(page, 'Create link').click();
    await row(page, slug).waitFor();

    await button(page, 'New link').first().click();
    await field(page, 'Destination').fill('https://example.com/forgotten');
    await endSession();
    await button(page, 'Create link').click();
    await page.getByText('Your session has ended.').waitFor();
    const other = await createAccount();
    await signInElsewhere(other.username);
    await page.getByText('Make your first short link').waitFor();
    await page.locator('.toast').getByText(`Another tab signed in as ${other.username}`).waitFor();
    expect(await page.getByText(slug).count()).toBe(0);
    expect(await page.getByRole('dialog').count()).toBe(0);
  },
  ENDED,
);

inDashboard('a sign-in link leads to the view that its tab asked for', async ({ context, account }) => {
  const elsewhere = await context.browser()!.newContext();
  const page = await elsewhere.newPage();
  await page.goto(`${stack.publicUrl}/app/links?archived=any`);
  await page.getByText('account sign-in-link --username USERNAME').waitFor();
  await page.goto(await createSignInLink(account.username));
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  expect(page.url()).toBe(`${stack.publicUrl}/app/links?archived=any`);
  await elsewhere.close();
});

/** What a browser does that keeps no data of the site. */
const NO_SITE_DATA = {
  'that forbids site data': `for (const name of ['localStorage', 'sessionStorage'])
    Object.defineProperty(window, name, { get() { throw new DOMException('Denied.', 'SecurityError'); } })`,
  'without site data': `for (const name of ['localStorage', 'sessionStorage'])
    Object.defineProperty(window, name, { value: null })`,
  'whose site data is full': `for (let size = 5_000_000; size >= 1; size = Math.floor(size / 2)) {
    for (let i = 0; i < 3; i++) try { localStorage.setItem(size + '-' + i, 'x'.repeat(size)); } catch {}
  }`,
};
inDashboard(
  'a browser that keeps no data of the site is signed in until the next reload',
  async ({ context, account }) => {
    for (const script of Object.values(NO_SITE_DATA)) {
      const elsewhere = await context.browser()!.newContext();
      await elsewhere.addInitScript(script);
      const page = await elsewhere.newPage();
      await page.goto(await createSignInLink(account.username));
      await page.getByRole('link', { name: 'Settings' }).click();
      await page.getByText('This browser keeps no data of this site.').waitFor();
      await page.getByText(`…${account.public.slice(-4)}`).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: 'Sign in to Waymark' }).waitFor();
      await page.goto(await createSignInLink(account.username));
      await button(page, 'Sign out').first().click();
      await page.getByText('You are signed out.').waitFor();
      await elsewhere.close();
    }
  },
);

inDashboard(
  'after a sign-in link an account without a passkey is offered one, until it has one or says not now',
  async ({ page, context, account }) => {
    const { credentials } = await addAuthenticator(page);
    const offer = (tab: Page) => tab.getByRole('region', { name: 'Sign in without a link next time' });
    const other = await context.newPage();
    await other.goto(`${stack.publicUrl}/app/links`);
    await offer(other).waitFor();
    // The settings have a card for it.
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('region', { name: 'Passkeys' }).waitFor();
    expect(await offer(page).count()).toBe(0);
    await page.getByRole('link', { name: 'Links' }).click();
    await page.reload();
    await page.setViewportSize({ width: 1280, height: 400 });
    await offer(page).getByRole('button', { name: 'Not now' }).click();
    for (const tab of [page, other]) await offer(tab).waitFor({ state: 'detached' });
    expect(await page.evaluate('scrollY')).toBe(0);
    const signIn = async (username: string) => {
      await button(page, 'Sign out').first().click();
      await page.getByText('You are signed out.').waitFor();
      await page.goto(await createSignInLink(username));
      await page.getByText(username).first().waitFor();
    };
    await signIn(account.username);
    expect(await offer(page).count()).toBe(0);

    // Another account has not answered yet.
    const second = await createAccount();
    await signIn(second.username);
    await offer(page).getByRole('button', { name: 'Add a passkey' }).click();
    await page.getByText('The passkey is added.').waitFor();
    expect(await credentials()).toBe(1);
    await offer(page).waitFor({ state: 'detached' });
    await signIn(second.username);
    expect(await offer(page).count()).toBe(0);
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('region', { name: 'Passkeys' }).getByText('Linux', { exact: true }).waitFor();

    // One that is added in the settings ends the offer, too, and a failure leaves it.
    const third = await createAccount();
    await signIn(third.username);
    await page.route('**/passkeys/options', (route) =>
      route.fulfill({ status: 500, json: { error: 'Not now, please.' } }),
    );
    await offer(page).getByRole('button', { name: 'Add a passkey' }).click();
    await offer(page).getByRole('alert').getByText('Not now, please.').waitFor();
    await page.unroute('**/passkeys/options');
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByLabel('Name of the passkey').fill('Test laptop');
    await button(page, 'Add a passkey').click();
    await page.getByText('The passkey is added.').waitFor();
    await page.getByRole('link', { name: 'Links' }).click();
    await page.getByText('Make your first short link').waitFor();
    expect(await offer(page).count()).toBe(0);
  },
  { allow: /status of 500/ },
);

inDashboard(
  'a passkey is added, signs in, and is deleted',
  async ({ page, account }) => {
    const { devTools, authenticatorId, credentials } = await addAuthenticator(page);
    await page.getByRole('link', { name: 'Settings' }).click();
    const section = page.getByRole('region', { name: 'Passkeys' });
    await section.getByLabel('Name of the passkey').fill('Test laptop');
    await section.getByRole('button', { name: 'Add a passkey' }).click();
    await section.getByText('Never used').waitFor();
    await section.getByLabel('Name of the passkey').fill('Again');
    await section.getByRole('button', { name: 'Add a passkey' }).click();
    await section.getByText('This device has a passkey for this account already.').waitFor();

    const signOut = async () => {
      await button(page, 'Sign out').first().click();
      await page.getByText('You are signed out.').waitFor();
    };
    await signOut();
    await button(page, 'Sign in with a passkey').click();
    await section.getByRole('listitem').getByText('Test laptop').waitFor();
    await section.getByText('Last used').waitFor();
    await page.getByText(account.username).first().waitFor();

    await signOut();
    await devTools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false });
    await button(page, 'Sign in with a passkey').click();
    await page.getByText('No passkey was used').waitFor();
    await devTools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true });
    await button(page, 'Sign in with a passkey').click();
    await section.getByRole('button', { name: 'Delete… Test laptop' }).click();
    await button(page, 'Delete the passkey').click();
    await section.getByRole('listitem').getByText('Test laptop').waitFor({ state: 'detached' });
    // The device offers it no more.
    await expect.poll(credentials).toBe(0);
    await signOut();
    await button(page, 'Sign in with a passkey').click();
    await page.getByText('No passkey was used').waitFor();
  },
  ENDED,
);

inDashboard(
  'a device learns that a passkey was deleted elsewhere, and keeps all others',
  async ({ page, context, account }) => {
    const { credentials } = await addAuthenticator(page);
    const openSettings = async (tab: Page, name: string) => {
      await tab.getByRole('link', { name: 'Settings' }).click();
      await tab.getByLabel('Name of the passkey').fill(name);
      await button(tab, 'Add a passkey').click();
      await tab.getByText(name, { exact: true }).waitFor();
    };
    await openSettings(page, 'This device');
    const elsewhere = await context.browser()!.newContext();
    const tab = await elsewhere.newPage();
    await addAuthenticator(tab);
    await tab.goto(await createSignInLink(account.username));
    await openSettings(tab, 'Other device');

    await page.reload();
    await button(page, 'Delete… Other device').click();
    await button(page, 'Delete the passkey').click();
    await page.getByRole('listitem').getByText('Other device').waitFor({ state: 'detached' });
    await button(page, 'Sign out').first().click();
    const signIn = button(page, 'Sign in with a passkey');

    // A challenge that may have expired says nothing about the passkey.
    await page.clock.install();
    await page.route('**/api/v1/sessions/passkey', async (route) => {
      await page.clock.fastForward('05:00');
      await route.continue({ postData: '{"response":{}}' });
    });
    await signIn.click();
    await page.getByText('The passkey was not accepted. Try again.').waitFor();
    expect(await credentials()).toBe(1);
    await page.unroute('**/api/v1/sessions/passkey');
    await signIn.click();
    await button(page, 'Delete… This device').waitFor();

    await button(tab, 'Delete… This device').click();
    await button(tab, 'Delete the passkey').click();
    await tab.getByRole('listitem').getByText('This device').waitFor({ state: 'detached' });
    await elsewhere.close();
    expect(await credentials()).toBe(1);
    await button(page, 'Sign out').first().click();
    await signIn.click();
    await page.getByText('This passkey was deleted here. Delete it on the device, too').waitFor();
    await expect.poll(credentials).toBe(0);
  },
  ENDED,
);

inDashboard(
  'a session that ends elsewhere leads to the sign-in page in all tabs',
  async ({ page, context, sessionToken }) => {
    const other = await context.newPage();
    await other.goto(`${stack.publicUrl}/app/settings`);
    await other.getByRole('region', { name: 'Passkeys' }).waitFor();
    const token = await sessionToken();
    expect((await request('/api/v1/sessions/current', { method: 'DELETE', key: token })).status).toBe(204);
    await expect.poll(async () => (await api(token).me()).status).toBe(401);
    await page.getByRole('link', { name: 'Settings' }).click();
    for (const tab of [page, other]) await tab.getByText('Your session has ended.').waitFor();
    expect(await page.evaluate('localStorage.length')).toBe(0);
  },
  ENDED,
);

inDashboard(
  'keys are made, rotated and revoked; each is shown once, with the configurations of MCP clients',
  async ({ page, account }) => {
    const card = page.getByRole('region', { name: 'Public Links Only' });
    expect((await api(account.public).me()).status).toBe(200);
    // The last use of a key is stored now and then.
    await expect
      .poll(async () => {
        await page.goto(`${stack.publicUrl}/app/settings`);
        await card.getByText(/^(Never|Last) used/).waitFor();
        return card.getByText(/^Last used/).count();
      })
      .toBe(1);
    await card.getByText(`…${account.public.slice(-4)}`).waitFor();
    await card.getByText('Recommended for AI agents').waitFor();
    await card.getByRole('button', { name: 'Rotate…' }).click();
    await page.getByRole('dialog', { name: 'Rotate the Public Links Only key?' }).waitFor();
    await button(page, 'Rotate the key').click();
    const dialog = page.getByRole('dialog', { name: 'Your new Public Links Only key' });
    const key = (await dialog.locator('pre').first().textContent())!;
    expect(key).toMatch(/^key_pub_\w{32,}$/);
    expect(await dialog.locator('pre').last().textContent()).toBe(
      `claude mcp add --transport http waymark ${stack.publicUrl}/mcp --header "Authorization: Bearer ${key}"`,
    );
    await dialog.getByLabel('Client').selectOption('Cursor');
    expect(JSON.parse((await dialog.locator('pre').last().textContent())!)).toEqual({
      mcpServers: { waymark: { url: `${stack.publicUrl}/mcp`, headers: { Authorization: `Bearer ${key}` } } },
    });
    await button(page, 'I have copied it').click();
    await card.getByText(`…${key.slice(-4)}`).waitFor();
    expect(await page.content()).not.toContain(key);
    expect((await api(key).me()).status).toBe(200);
    await expect.poll(async () => (await api(account.public).me()).status).toBe(401);

    await card.getByRole('button', { name: 'Revoke…' }).click();
    await button(page, 'Revoke the key').click();
    await card.getByText('There is no key: it was revoked.').waitFor();
    await expect.poll(async () => (await api(key).me()).status).toBe(401);
    await card.getByRole('button', { name: 'Create a key' }).click();
    const made = (await dialog.locator('pre').first().textContent())!;
    expect((await api(made).me()).status).toBe(200);
    // The other key and the session go on.
    expect((await api(account.live).me()).status).toBe(200);
  },
);

inDashboard('a new key is shown without the list, and asks before it is lost', async ({ page }) => {
  await page.getByRole('link', { name: 'Settings' }).click();
  const card = page.getByRole('region', { name: 'Full Access' });
  await card.getByText('Created').waitFor();
  await page.route('**/api/v1/me/keys', () => {});
  // Nobody has used the key of a new account, so nothing is rotated.
  await card.getByRole('button', { name: 'Create a key…' }).click();
  await page.getByRole('dialog', { name: 'Create a Full Access key?' }).waitFor();
  await button(page, 'Create the key').click();
  const dialog = page.getByRole('dialog', { name: 'Your new Full Access key' });
  await dialog.waitFor();
  await expect.poll(() => dialog.getByRole('button', { name: 'Copy the key' }).evaluate(hasFocus)).toBe(true);
  for (const leave of [() => page.keyboard.press('Escape'), () => page.evaluate('history.back()')]) {
    await leave();
    await button(page, 'Back to the key').click();
  }
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Copied', exact: true }).waitFor();
  await page.getByText('The Full Access key is copied.').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  expect(await page.locator('.toast').count()).toBe(0);
});

inDashboard(
  'a Public Links Only key that is pasted anywhere teaches the page nothing',
  async ({ page, account, context }) => {
    const other = await createAccount();
    const [hidden, open] = [unique(), unique()];
    await createLink(other.live, { slug: hidden, title: 'Hidden title', visibility: 'private' });
    await createLink(other.live, { slug: open, title: 'Open title' });
    await page.getByText('Make your first short link').waitFor();

    // In the fields of the page, it is a text like any other.
    const sent: string[] = [];
    page.on('request', (one) => sent.push(one.headers().authorization ?? ''));
    await page.getByRole('searchbox', { name: 'Search links' }).fill(other.public);
    await page.getByText('No link matches').waitFor();
    for (const view of [
      `links?q=${other.public}`,
      `analytics?link_id=${other.public}`,
      `settings?key=${other.public}`,
    ]) {
      await page.goto(`${stack.publicUrl}/app/${view}`);
      await page.getByRole('navigation', { name: 'Main' }).waitFor();
    }
    expect(sent.filter((authorization) => authorization.includes(other.public))).toEqual([]);

    // As a sign-in link, it is refused; as a session in the storage, it does what an agent with it could do, and no more.
    const elsewhere = await context.browser()!.newContext();
    const tab = await elsewhere.newPage();
    await tab.goto(`${stack.publicUrl}/app/#token=${other.public}`);
    await tab.getByRole('heading', { name: 'This link does not work' }).waitFor();
    const session = JSON.stringify({ token: other.public, username: other.username });
    await tab.evaluate(`localStorage.setItem('waymark.session', '${session}')`);
    await tab.goto(`${stack.publicUrl}/app/links?archived=any`);
    await tab.reload();
    await row(tab, open).waitFor();
    expect(await tab.content()).not.toMatch(new RegExp(`${hidden}|Hidden title`));
    await tab.getByRole('link', { name: 'Settings' }).click();
    await tab.getByText('This needs a session of the dashboard; an API key may not do it.').first().waitFor();
    expect(await page.content()).not.toContain(account.live);
    await elsewhere.close();
  },
  { allow: /status of 40[134]|status of 422/ },
);

inDashboard(
  'a plan below Developer is told what it has, and can sign out',
  async ({ page }) => {
    await page.getByRole('heading', { name: 'Your plan has no dashboard' }).waitFor();
    await button(page, 'Sign out').click();
    await page.getByText('You are signed out.').waitFor();
  },
  // The view asks for links before the plan is known.
  { plan: 'free', allow: /status of 403/ },
);

inDashboard('whether an agent has arrived is seen without a reload', async ({ page, account }) => {
  await page.getByRole('link', { name: 'Settings' }).click();
  const card = page.getByRole('region', { name: 'Public Links Only' });
  await card.getByText('Never used').waitFor();
  expect((await api(account.public).me()).status).toBe(200);
  await card.getByText('Last used').waitFor();
});

inDashboard(
  'at 429 the frame and what was typed stay, the seconds are counted down, and it goes on by itself',
  async ({ page, account }) => {
    const refused: Record<string, number> = {};
    await page.clock.install();
    await page.route('**/api/v1/**', async (route) => {
      const { pathname } = new URL(route.request().url());
      const what = `${route.request().method()} ${pathname}`;
      refused[what] = (refused[what] ?? 0) + 1;
      if (refused[what] > 1) return route.continue();
      await route.fulfill({ status: 429, headers: { 'retry-after': '30' }, json: { error: 'Too many requests.' } });
    });
    const toast = page.locator('.toast');
    await page.goto(`${stack.publicUrl}/app/links`);
    const secondsLeft = async () => Number(/goes on in (\d+) second/.exec((await toast.first().textContent())!)![1]);
    await toast.first().waitFor();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    const before = await secondsLeft();
    expect(before).toBeLessThanOrEqual(30);
    await page.clock.runFor(5_000);
    expect(await secondsLeft()).toBeLessThanOrEqual(before - 5);
    await page.clock.runFor(30_000);
    await page.getByText('Make your first short link').waitFor();
    await page.getByText(account.username).first().waitFor();
    await toast.waitFor({ state: 'detached' });

    const slug = unique();
    await button(page, 'New link').first().click();
    await field(page, 'Destination').fill('https://example.com/kept');
    await field(page, 'Short link').fill(slug);
    await button(page, 'Create').click();
    await page.getByRole('dialog').getByText('The page goes on in').waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole('dialog').getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('dialog').getByRole('alert').getByText('Too many requests.').waitFor();
    expect(await field(page, 'Short link').inputValue()).toBe(slug);
    refused['POST /api/v1/links'] = 0;
    await button(page, 'Create').click();
    await page.getByRole('dialog').getByText('The page goes on in').waitFor();
    await page.clock.runFor(31_000);
    await row(page, slug).waitFor();
    expect(refused['POST /api/v1/links']).toBe(2);
  },
  { allow: /status of 429/ },
);

inDashboard('the last hours of a session say when it ends for good', async ({ page, context, account }) => {
  const stored = () => page.evaluate<{ endsAt: number }>(`JSON.parse(localStorage.getItem('waymark.session'))`);
  const { endsAt } = await stored();
  // 7 days from the sign-in, whatever the 12 hours without use say.
  expect(Math.abs(endsAt - Date.now() - 7 * 24 * 3_600_000)).toBeLessThan(120_000);
  const notice = page.getByRole('status').getByText('Your session ends at');
  await page.getByText(account.username).first().waitFor();
  expect(await notice.count()).toBe(0);
  // A session of six and a half days ago has as much left.
  const soon = Date.now() + 11 * 3_600_000;
  await page.evaluate(
    `localStorage.setItem('waymark.session', JSON.stringify({ ...JSON.parse(localStorage.getItem('waymark.session')), endsAt: ${soon} }))`,
  );
  await page.reload();
  const when = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short' }).format(soon);
  await page.getByText(`Your session ends at ${when}. Sign in again then`).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  // Another link for the same account, as the notice says.
  const tab = await context.newPage();
  await tab.goto(await createSignInLink(account.username));
  await notice.waitFor({ state: 'detached' });
  expect((await stored()).endsAt).toBeGreaterThan(soon);
});
