import { randomBytes } from 'node:crypto';
import { hashSecret } from '@waymark/auth';
import type { Session, SessionAccounts } from '@waymark/contract';
import {
  axeFindings,
  type Browser,
  type BrowserContext,
  NO_BROWSER,
  type Page,
  startBrowser,
} from '@waymark/web/test/browser';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { button } from '../support/dashboard.ts';
import { type OidcGateway, startOidcGateway } from '../support/oidc.ts';
import { api, request, signIn as signInByLink } from '../support/world.ts';

// docs/sign-in.md: people sign in at a real OpenID provider, in a browser. apps/gateway/test/oidc.test.ts has what the
// gateway refuses, apps/links-svc/test/sessions.test.ts what sessions of people are.

const [MARKETING, PLATFORM] = [`m${randomBytes(5).toString('hex')}`, `p${randomBytes(5).toString('hex')}`];
const ACCESS = [`writers=${MARKETING}:editor`, `readers=${MARKETING}:viewer`, `readers=${PLATFORM}:owner`];

let browser: Browser | undefined;
let gateways: Record<'http' | 'https', OidcGateway>;
const contexts: BrowserContext[] = [];
beforeAll(async () => {
  browser = await startBrowser();
  const [http, https] = await Promise.all([startOidcGateway('http', ACCESS), startOidcGateway('https', ACCESS)]);
  gateways = { http, https };
});
afterAll(async () => {
  await Promise.all(contexts.map((context) => context.close()));
  await browser?.close();
  await Promise.all(Object.values(gateways ?? {}).map((gateway) => gateway.close()));
});

beforeEach(({ skip }) => skip(browser === undefined, NO_BROWSER));

async function openPage(): Promise<Page> {
  const context = await browser!.newContext({ ignoreHTTPSErrors: true, reducedMotion: 'reduce', locale: 'en-GB' });
  contexts.push(context);
  // The page of the provider wants a font.
  await context.route('https://fonts.googleapis.com/**', (route) => route.abort());
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  return page;
}

/** Signs in at the provider, on its own page, and agrees to what it asks. */
async function logIn(page: Page, person: string): Promise<void> {
  await page.locator('input[name=login]').fill(person);
  await page.locator('input[name=password]').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

/** Signs a person of these groups in from the sign-in page of the dashboard. */
async function signIn(page: Page, { url, providerHost, groups }: OidcGateway, person: string, ...theirs: string[]) {
  groups.set(person, theirs);
  await page.goto(`${url}/app/`);
  await button(page, `Sign in with ${providerHost}`).click();
  await logIn(page, person);
}

const inDashboard = (page: Page) => page.getByRole('navigation', { name: 'Main' }).waitFor();
const tokenOf = (page: Page) => page.evaluate<string>(`JSON.parse(localStorage.getItem('waymark.session')).token`);

/** Begins a sign-in with this verifier, which the dashboard of the page does not have. */
async function signInWith(page: Page, { url, groups }: OidcGateway, person: string, verifier: string) {
  groups.set(person, ['writers']);
  await page.goto(`${url}/auth/oidc/start?challenge=${hashSecret(verifier).toString('base64url')}`);
  await logIn(page, person);
}

test.each(['http', 'https'] as const)('a person signs in over %s, with the role of their group', async (scheme) => {
  const gateway = gateways[scheme];
  const page = await openPage();
  await page.goto(`${gateway.url}/app/`);
  await button(page, `Sign in with ${gateway.providerHost}`).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await signIn(page, gateway, 'Ada', 'writers', 'others');
  await inDashboard(page);
  expect(page.url()).toBe(`${gateway.url}/app/links`);
  await page.getByText('Ada Lovelace, editor').waitFor();
  expect(await page.evaluate('sessionStorage.length + document.cookie.length')).toBe(0);
  await button(page, 'New link').first().waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.goBack();
  expect(page.url()).not.toContain('token');
});

test('an editor manages neither hosts nor keys nor passkeys nor webhooks, and is offered none of it', async () => {
  const { url } = gateways.http;
  const page = await openPage();
  await signIn(page, gateways.http, 'Eve', 'writers');
  await inDashboard(page);
  const token = await tokenOf(page);
  expect((await api(token, url).me()).body).toMatchObject({
    username: MARKETING,
    person: { name: 'Eve Lovelace', role: 'editor' },
  });
  expect((await api(token, url).create({ destination_url: 'https://example.com/' })).status).toBe(201);
  const forbidden = [
    ['POST', '/api/v1/hosts', { host: 'go.example.com' }],
    ['GET', '/api/v1/me/keys', undefined],
    ['POST', '/api/v1/me/keys/full_access/rotate', {}],
    ['POST', '/api/v1/me/passkeys/options', {}],
    ['GET', '/api/v1/webhooks', undefined],
  ] as const;
  for (const [method, path, json] of forbidden)
    expect((await request(path, { method, json, key: token, base: url })).status, path).toBe(403);
  const host = `${MARKETING}.example.com`;
  const owner = await signInByLink(MARKETING);
  expect((await request('/api/v1/hosts', { method: 'POST', json: { host }, key: owner })).status).toBe(201);
  await page.goto(`${url}/app/hosts`);
  await page.getByText('Only owners of the account manage them.').waitFor();
  await page.getByRole('heading', { name: host }).waitFor();
  // Those that are left copy the DNS records.
  expect(await button(page, /^(Add|Verify|Edit|Delete)/).count()).toBe(0);
  await page.getByRole('link', { name: 'Activity' }).click();
  await page.locator('.event').getByText('Host added').waitFor();
  await page.getByText('by Eve Lovelace').first().waitFor();
  expect(await page.getByRole('link', { name: 'Webhooks' }).count()).toBe(0);
  await page.goto(`${url}/app/activity/webhooks`);
  await page.getByText('Only owners of the account manage webhooks.').waitFor();
  expect(await button(page, 'Add a webhook').count()).toBe(0);
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('heading', { name: 'Session' }).waitFor();
  for (const name of [/keys/i, /passkeys/i]) expect(await page.getByRole('heading', { name }).count()).toBe(0);
  // A reload keeps the role, without asking first.
  await page.reload();
  await page.getByText('Eve Lovelace, editor').waitFor();
});

test('a person with several accounts reads in one and owns the other, and switches between them', async () => {
  const { url } = gateways.http;
  const page = await openPage();
  await signIn(page, gateways.http, 'Ann', 'readers');
  await inDashboard(page);
  const first = await tokenOf(page);
  expect((await request<SessionAccounts>('/api/v1/me/accounts', { key: first, base: url })).body.accounts).toEqual([
    { username: MARKETING, role: 'viewer', current: true },
    { username: PLATFORM, role: 'owner', current: false },
  ]);
  await page.getByText('Ann Lovelace, viewer').waitFor();
  await button(page, 'Export').waitFor();
  for (const name of ['New link', 'Import']) expect(await button(page, name).count()).toBe(0);
  expect(await page.getByRole('checkbox').count()).toBe(0);
  const refused = await api(first, url).create({ destination_url: 'https://example.com/' });
  expect([refused.status, refused.body]).toEqual([403, { error: expect.stringContaining('viewer') }]);

  await page.getByRole('combobox', { name: 'Account' }).selectOption(PLATFORM);
  await page.getByText('Ann Lovelace, owner').waitFor();
  await button(page, 'New link').first().waitFor();
  const second = await tokenOf(page);
  expect((await api(second, url).me()).body).toMatchObject({ username: PLATFORM, person: { role: 'owner' } });
  await expect.poll(async () => (await api(first, url).me()).status).toBe(401);
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByRole('heading', { name: /keys/i }).first().waitFor();
  expect(await button(page, 'Add a passkey').count()).toBe(0);
  expect(await axeFindings(page)).toEqual([]);
});

test('a group that is taken away gives no new session, and the page says what to do', async () => {
  const { url, groups } = gateways.http;
  const page = await openPage();
  await signIn(page, gateways.http, 'Bob', 'writers');
  await inDashboard(page);
  const token = await tokenOf(page);
  groups.set('Bob', ['others']);
  const again = await page.context().newPage();
  await again.goto(`${url}/auth/oidc/start?challenge=${'a'.repeat(43)}`);
  await again.getByRole('heading', { name: 'No access' }).waitFor();
  await again.getByText('ask the operator of this server').waitFor();
  expect(again.url()).toContain('/auth/oidc/callback');
  expect(await axeFindings(again)).toEqual([]);
  // The session that there is lasts as before.
  expect((await api(token, url).me()).status).toBe(200);
  await again.getByRole('link', { name: 'sign-in page' }).click();
  await inDashboard(again);
});

test('a sign-in that another browser began is worth nothing', async () => {
  const page = await openPage();
  await signInWith(page, gateways.http, 'Cat', 'the verifier of an attacker');
  await page.getByRole('heading', { name: 'This link does not work' }).waitFor();
  expect(await page.evaluate('localStorage.length')).toBe(0);
});

test('of 50 parallel exchanges of the token of one sign-in, exactly one gets a session', async () => {
  const { url } = gateways.https;
  const page = await openPage();
  await page.route(`${url}/app/**`, (route) => route.fulfill({ body: '' }));
  await signInWith(page, gateways.https, 'Dan', 'a verifier');
  await page.waitForURL(/#token=/);
  const json = { token: new URL(page.url()).hash.slice('#token='.length), verifier: 'a verifier' };
  const exchange = () => request<Session>('/api/v1/sessions', { method: 'POST', json, base: url });
  const answers = await Promise.all(Array.from({ length: 50 }, exchange));
  const [session, ...others] = answers.filter(({ status }) => status === 201);
  expect(others).toEqual([]);
  expect(answers.filter(({ status }) => status === 401)).toHaveLength(49);
  expect((await api(session!.body.token, url).me()).body).toMatchObject({ person: { name: 'Dan Lovelace' } });
});
