import { randomBytes, randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSigner } from '@waymark/auth';
import type { Analytics, Host, JobList, LinkList } from '@waymark/contract';
import { accountsV1, analyticsV1, clicksToMessage, createGrpcClient } from '@waymark/proto';
import { startStack } from '@waymark/stack';
import { type BrowserContext, type Page, startBrowser } from '@waymark/web/test/browser';
import { DnsServer } from '../../apps/links-svc/test/support/dns-server.ts';
import { visit } from '../../apps/links-svc/test/support/visit.ts';

// Makes a screenshot of each view in docs/screenshots, on a new stack of its own. docs/dashboard.md shows four of them:
//
//   cd e2e && npx pnpm@12.21.0 exec node dashboard/screenshots.ts

const FOLDER = join(import.meta.dirname, '../../docs/screenshots');
const ORIGIN = 'https://go.example.com';
/** Another path of the logo, because Playwright hands on no request for /favicon.ico. */
const LOGO = '/logo-of-page';
const USERNAME = 'ada';
const DAY_MS = 86_400_000;
const DAYS_OF_CLICKS = 75;

const DEVICES = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
} as const;
/** The views that have a picture in the dark scheme, too. */
const ALSO_DARK = [
  'sign-in',
  'passkey-offer',
  'first-link',
  'links',
  'link',
  'import',
  'job-running',
  'jobs',
  'analytics',
  'hosts',
  'activity',
  'webhooks',
  'settings',
];

/** The links, newest first, with the clicks of a mean day. */
const LINKS = [
  {
    slug: 'summer-sale',
    destination_url: 'https://shop.example.com/summer?ref=mail',
    title: 'Summer sale',
    hashtags: ['sale', 'newsletter'],
    daily: 34,
  },
  {
    slug: 'docs-start',
    destination_url: 'https://docs.example.com/getting-started',
    title: 'Getting started',
    hashtags: ['docs'],
    daily: 27,
  },
  {
    slug: 'team-offsite',
    destination_url: 'https://wiki.example.com/offsite/agenda',
    title: 'Agenda of the offsite',
    visibility: 'private',
    daily: 0,
  },
  {
    slug: 'press-kit',
    destination_url: 'https://example.com/press/kit.zip',
    title: 'Press kit',
    hashtags: ['press'],
    daily: 6,
  },
  {
    slug: 'podcast-12',
    destination_url: 'https://podcast.example.com/episodes/12',
    title: 'Episode 12: Short links',
    hashtags: ['podcast', 'social'],
    daily: 16,
  },
  {
    slug: 'early-access',
    destination_url: 'https://example.com/early-access',
    title: 'Early access',
    expires_at: new Date(Date.now() + 120 * DAY_MS).toISOString(),
    hashtags: ['launch'],
    daily: 11,
  },
  {
    slug: 'feedback',
    destination_url: 'https://forms.example.com/f/feedback',
    title: 'Feedback form',
    visibility: 'unlisted',
    daily: 4,
  },
  {
    slug: 'meetup',
    destination_url: 'https://events.example.com/meetup/42',
    title: 'Meetup in Lyon',
    hashtags: ['social', 'events'],
    daily: 8,
  },
];
const BROWSERS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0',
  'Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
];
const REFERRERS = [
  'https://www.google.com/',
  '',
  'https://news.ycombinator.com/',
  'https://www.linkedin.com/feed/',
  'https://mastodon.social/',
];
const COUNTRIES = ['DE', 'FR', 'US', 'GB', 'NL', 'ES', 'PL', 'JP'];
const LANGUAGES = ['en', 'en', 'en', 'de', 'de', 'fr', 'es', 'ja', ''];
const CAMPAIGNS = ['summer', 'launch', 'newsletter-42'];
const MEDIUMS = ['email', 'social', 'cpc'];
const REFUSED_ROWS = [
  'destination_url,slug,title',
  'https://example.com/spring,spring,Spring catalogue',
  'ftp://example.com/files,files,Files',
  'https://example.com/admin,admin,Console',
  'https://example.com/winter,summer-sale,Winter sale',
].join('\n');

/** The same numbers in each run (mulberry32), so that pictures differ only where the dashboard does. */
let seed = 42;
function random(): number {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}
/** Returns an element, the first ones more often. */
const choose = <Item>(items: readonly Item[]): Item => items[Math.floor(random() ** 2 * items.length)]!;

const browser = await startBrowser();
if (browser === undefined) process.exit(1);
await rm(FOLDER, { recursive: true, force: true });
await mkdir(FOLDER, { recursive: true });
const dataDir = await mkdtemp(join(tmpdir(), 'waymark-screenshots-'));
const dns = await DnsServer.start();
const stack = await startStack({
  dataDir,
  publicUrl: ORIGIN,
  mongodbUrl: undefined,
  clickhouseUrl: undefined,
  env: { RATE_LIMIT_PER_MINUTE: '0', DNS_SERVERS: dns.address },
});
try {
  const owner = await createAccount(USERNAME);
  await createLinks(owner.liveKey);
  await recordClicks(owner.account!.id, owner.liveKey);
  await setPassword(owner.liveKey);
  await addHosts(owner.liveKey);
  await addWebhook(owner.liveKey);
  await useKeys(owner.liveKey, owner.publicKey);
  const newcomer = await createAccount('grace');
  for (const [device, options] of Object.entries(DEVICES)) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({
        ...options,
        colorScheme,
        locale: 'en-GB',
        timezoneId: 'Europe/Berlin',
        reducedMotion: 'reduce',
      });
      await context.route(`${ORIGIN}/**`, async (route) => {
        const { pathname: asked, search } = new URL(route.request().url());
        const pathname = asked === LOGO ? '/favicon.ico' : asked;
        const response = await route.fetch({ url: `${stack.urls.gateway}${pathname}${search}`, maxRedirects: 0 });
        await route.fulfill({ response });
      });
      const shoot = async (page: Page, view: string, fullPage = false) => {
        if (colorScheme === 'dark' && !ALSO_DARK.includes(view)) return;
        const name = colorScheme === 'dark' ? `${view}-${device}-dark` : `${view}-${device}`;
        await page.evaluate(
          `for (const one of document.querySelectorAll('img[src="/favicon.ico"]')) one.src = '${LOGO}'`,
        );
        await page.waitForLoadState('networkidle');
        // A window as high as the page, so that what sticks to an edge of the screen is at the edge of the picture.
        const height = fullPage ? await page.evaluate<number>('document.documentElement.scrollHeight') : 0;
        if (fullPage) await page.setViewportSize({ ...options.viewport, height });
        await page.screenshot({ path: join(FOLDER, `${name}.png`), scale: 'css' });
        if (fullPage) await page.setViewportSize(options.viewport);
      };
      await shootViews(context, owner.liveKey, shoot);
      await shootNewcomer(context, newcomer.account!.username, newcomer.liveKey, shoot);
      await context.close();
    }
  }
} finally {
  await browser.close();
  await stack.close();
  await dns.close();
  await rm(dataDir, { recursive: true, force: true });
}

type Shoot = (page: Page, view: string, fullPage?: boolean) => Promise<void>;

async function shootViews(context: BrowserContext, key: string, shoot: Shoot): Promise<void> {
  const page = await context.newPage();
  const open = (path: string) => page.goto(`${ORIGIN}/app/${path}`);
  const press = (name: string | RegExp) => page.getByRole('button', { name }).first().click();
  await open('');
  await shoot(page, 'sign-in');
  await signIn(page, USERNAME);
  await press('Not now');
  await page.getByRole('table').waitFor();
  await shoot(page, 'links');
  await page.getByLabel('Select summer-sale', { exact: true }).check();
  await page.getByLabel('Select docs-start', { exact: true }).check();
  await shoot(page, 'links-selected');
  await open('links?hashtag=social&sort=clicks');
  await page.getByRole('table').waitFor();
  await press(/^Filters/);
  await shoot(page, 'links-filtered');
  await open('links');
  await page.getByRole('link', { name: 'Summer sale' }).click();
  await page.getByRole('img', { name: /^QR code/ }).waitFor();
  await shoot(page, 'link', true);

  await open('links');
  await press('New link');
  await page.getByLabel('Destination URL').fill('https://example.com/a/long/address');
  await shoot(page, 'new-link');
  await open('links');
  await press('More for summer-sale');
  await press('Edit');
  await page.getByRole('dialog').waitFor();
  await shoot(page, 'edit-link');
  await open('links');
  await press('QR code of summer-sale');
  await page.getByRole('img', { name: /^QR code/ }).waitFor();
  await shoot(page, 'qr-code');
  await open('links');
  await press('More for summer-sale');
  await press('Delete…');
  await page.getByRole('dialog').waitFor();
  await shoot(page, 'confirm-delete');
  await open('links');
  await press('Import');
  const file = { name: 'catalogue.csv', mimeType: 'text/csv', buffer: Buffer.from(REFUSED_ROWS) };
  await page.getByLabel('File', { exact: true }).setInputFiles(file);
  await page.getByRole('region', { name: 'First rows' }).waitFor();
  await shoot(page, 'import');
  await press('Choose columns…');
  await shoot(page, 'import-columns');
  await press('Show the first rows');
  await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
  await page.locator('.toast').getByText('1 link created, 3 refused.').waitFor();
  await shoot(page, 'imported');
  await open('jobs');
  await press('Show what was refused');
  await page.getByRole('region', { name: 'Refused' }).waitFor();
  await shoot(page, 'refused');
  // An import of many links, halfway.
  const many = { kind: 'import', matched: 12_000, done: 4_321, created: 4_321, finished_at: null, undo_until: null };
  await page.route('**/api/v1/jobs', async (route) => {
    const response = await route.fetch({ url: `${stack.urls.gateway}/api/v1/jobs`, maxRedirects: 0 });
    const { jobs } = (await response.json()) as JobList;
    const waiting = { ...jobs[0]!, ...many, id: 'b', kind: 'edit', state: 'waiting', matched: 0, done: 0, refused: 0 };
    const running = { ...waiting, ...many, id: 'a', state: 'running' };
    await route.fulfill({ json: { jobs: [waiting, running, ...jobs] } });
  });
  await open('links');
  await page.locator('.toast').waitFor();
  await page.getByLabel('Select summer-sale', { exact: true }).check();
  await shoot(page, 'job-running');
  await open('jobs');
  await page.getByRole('article').first().waitFor();
  await shoot(page, 'jobs');
  await page.unroute('**/api/v1/jobs');
  await removeLinks('catalogue', key);

  await page.route('**/api/v1/links?*', (route) =>
    route.fulfill({ status: 500, json: { error: 'Something went wrong on our side; try again.' } }),
  );
  await open('links');
  await page.getByRole('button', { name: 'Try again' }).waitFor();
  await shoot(page, 'error');
  await page.unroute('**/api/v1/links?*');
  await open('links');
  await page.getByRole('table').waitFor();
  await context.setOffline(true);
  await page.getByText(/^You are offline/).waitFor();
  await shoot(page, 'offline');
  await context.setOffline(false);

  const figures = page.locator('.breakdown-row').first();
  await open('analytics');
  await figures.waitFor();
  await shoot(page, 'analytics', true);
  await open('analytics?country=DE&source=google.com');
  await figures.waitFor();
  await shoot(page, 'analytics-filtered');
  await press(/^Choose days/);
  await page.getByRole('dialog').waitFor();
  await shoot(page, 'analytics-days');

  await open('hosts');
  await page.getByRole('article').first().waitFor();
  await shoot(page, 'hosts', true);
  await press('Edit… links.example.org');
  await page.getByRole('dialog').waitFor();
  await shoot(page, 'edit-host');

  await open('activity');
  await page.locator('.event').first().waitFor();
  await shoot(page, 'activity');
  await open('activity/webhooks');
  await page.getByRole('article').first().waitFor();
  await shoot(page, 'webhooks');
  await press('Edit… https://hooks.example.com/waymark');
  await page.getByRole('dialog').waitFor();
  await shoot(page, 'edit-webhook');

  await open('settings');
  await page.getByText('Full Access').first().waitFor();
  await shoot(page, 'settings', true);
  // A picture needs no key that works: the server keeps the old one.
  await page.route('**/rotate', (route) => route.fulfill({ json: { key: `key_live_${'Example0'.repeat(5)}` } }));
  await press(/^Rotate/);
  await press('Rotate the key');
  await page.getByRole('dialog', { name: /^Your new/ }).waitFor();
  await shoot(page, 'new-key');
  await open('nowhere');
  await page.getByRole('heading', { name: 'This page does not exist', level: 1 }).waitFor();
  await shoot(page, 'not-found');
  await press('Sign out');
  await page.getByRole('heading', { name: 'Sign in to Waymark' }).waitFor();
  await page.close();
}

async function shootNewcomer(context: BrowserContext, username: string, key: string, shoot: Shoot): Promise<void> {
  const page = await context.newPage();
  await signIn(page, username);
  await page.getByRole('heading', { name: 'Make your first short link' }).waitFor();
  await shoot(page, 'passkey-offer');
  await page.getByRole('button', { name: 'Not now' }).click();
  await shoot(page, 'links-empty');
  await page.goto(`${ORIGIN}/app/analytics`);
  await page.getByRole('heading', { name: 'No links yet' }).waitFor();
  await shoot(page, 'analytics-empty');
  await page.goto(`${ORIGIN}/app/links`);
  await page.getByRole('button', { name: 'New link' }).first().click();
  await page.getByLabel('Destination URL').fill('https://example.com/');
  await page.getByRole('dialog').getByLabel('Short link').fill('first');
  await page.getByRole('button', { name: 'Create link' }).click();
  await page.getByRole('img', { name: /^QR code/ }).waitFor();
  await shoot(page, 'first-link');
  await page.close();
  await removeLinks('first', key);
}

async function signIn(page: Page, username: string): Promise<void> {
  const rpc = createGrpcClient(accountsV1.AccountsService, { address: stack.urls.linksGrpc });
  const { url } = await rpc.createSignInLink({ username }, await asService('admin'));
  rpc.close();
  await page.goto('about:blank');
  await page.goto(url);
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
}

/** Deletes the links that a picture made, so that the next pictures have the same list. */
async function removeLinks(q: string, key: string): Promise<void> {
  const headers = { authorization: `Bearer ${key}` };
  const { links } = await read<LinkList>(`/api/v1/links?q=${q}`, key);
  for (const { id } of links) await fetch(`${stack.urls.gateway}/api/v1/links/${id}`, { method: 'DELETE', headers });
}

async function createAccount(username: string) {
  const rpc = createGrpcClient(accountsV1.AccountsService, { address: stack.urls.linksGrpc });
  const made = await rpc.createAccount({ username, plan: 'developer' }, await asService('admin'));
  rpc.close();
  return made;
}

async function asService(service: 'admin' | 'links-svc') {
  const identity = await createSigner({ current: stack.signingKey }).mint({ kind: 'service', service });
  return { timeoutMs: 30_000, identity };
}

async function read<Body>(path: string, key: string): Promise<Body> {
  const response = await fetch(`${stack.urls.gateway}${path}`, { headers: { authorization: `Bearer ${key}` } });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as Body;
}

/** Imports the links with creation times before their clicks. */
async function createLinks(key: string): Promise<void> {
  const rows = LINKS.map(({ daily: _daily, ...link }, index) => ({
    ...link,
    created_at: new Date(Date.now() - (DAYS_OF_CLICKS + 2 + 3 * index) * DAY_MS).toISOString(),
  }));
  const response = await fetch(`${stack.urls.gateway}/api/v1/jobs/import`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
    body: rows.map((row) => JSON.stringify(row)).join('\n'),
  });
  if (!response.ok) throw new Error(await response.text());
  await until(
    async () => (await read<LinkList>('/api/v1/links', key)).total === LINKS.length,
    `${LINKS.length} links in the list`,
  );
}

/** Sends clicks of the last days, as links-svc does, and waits until the lists and the analytics have them. */
async function recordClicks(accountId: string, key: string): Promise<void> {
  const { links } = await read<LinkList>('/api/v1/links', key);
  const clicks = LINKS.flatMap(({ slug, daily }) => {
    const linkId = links.find((link) => link.slug === slug)!.id!;
    return Array.from({ length: DAYS_OF_CLICKS }, (_, ago) => {
      const growth = 1.3 - ago / DAYS_OF_CLICKS;
      const weekend = [0, 6].includes(new Date(Date.now() - ago * DAY_MS).getUTCDay()) ? 0.5 : 1;
      const count = Math.round(daily * growth * weekend * (0.7 + 0.6 * random()));
      return Array.from({ length: count }, () => ({
        linkId,
        // More of them towards noon.
        at: Math.floor((Date.now() - ago * DAY_MS) / DAY_MS) * DAY_MS + ((random() + random()) / 2) * DAY_MS,
      })).filter(({ at }) => at < Date.now());
    }).flat();
  });
  const reported = clicks.map(({ linkId, at }) => ({
    id: randomBytes(16).toString('hex'),
    accountId,
    linkId,
    clickedAtMs: Math.floor(at),
    userAgent: choose(BROWSERS),
    referrer: choose(REFERRERS),
    country: choose(COUNTRIES),
    utmSource: random() < 0.1 ? 'newsletter' : '',
    utmCampaign: random() < 0.2 ? choose(CAMPAIGNS) : '',
    utmMedium: random() < 0.2 ? choose(MEDIUMS) : '',
    utmContent: '',
    utmTerm: '',
    language: choose(LANGUAGES),
    visitor: Math.floor(random() * 250)
      .toString(16)
      .padStart(16, '0'),
    host: '',
    prefetch: false,
  }));
  const rpc = createGrpcClient(analyticsV1.AnalyticsService, { address: stack.urls.analyticsGrpc });
  for (let from = 0; from < reported.length; from += 500) {
    const batch = { clicks: clicksToMessage(reported.slice(from, from + 500)), maybeStored: false };
    await rpc.recordClicks({ batchToken: randomUUID(), ...batch }, await asService('links-svc'));
  }
  rpc.close();
  // A link counts again with its next click.
  const clicked = LINKS.filter(({ daily }) => daily > 0);
  for (const { slug } of clicked) {
    const headers = { 'user-agent': BROWSERS[0]!, referer: REFERRERS[0]! };
    await fetch(`${stack.urls.gateway}/${slug}`, { redirect: 'manual', headers });
  }
  const expected = reported.length + clicked.length;
  await until(async () => {
    const listed = (await read<LinkList>('/api/v1/links', key)).links.reduce((sum, link) => sum + link.clicks!, 0);
    const counted = (await read<Analytics>('/api/v1/analytics?days=90', key)).clicks;
    return listed === expected && counted === expected;
  }, `${expected} clicks in the list and in the analytics`);
}

/** Sets the password last, because a click needs it. */
async function setPassword(key: string): Promise<void> {
  const { links } = await read<LinkList>('/api/v1/links', key);
  const id = links.find(({ slug }) => slug === 'press-kit')!.id;
  const response = await fetch(`${stack.urls.gateway}/api/v1/links/${id}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ password: 'open sesame' }),
  });
  if (!response.ok) throw new Error(await response.text());
}

/** Adds a host that is verified, with a link, and one that is not. */
async function addHosts(key: string): Promise<void> {
  const send = async <Body>(method: string, path: string, body?: object): Promise<Body> => {
    const headers = { authorization: `Bearer ${key}`, ...(body && { 'content-type': 'application/json' }) };
    const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
    const response = await fetch(`${stack.urls.gateway}/api/v1/${path}`, init);
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as Body;
  };
  const host = 'links.example.org';
  const { id, txt } = await send<Host>('POST', 'hosts', { host });
  dns.records.set(txt.name, [txt.value]);
  await send('POST', `hosts/${id}/verify`);
  await send('PUT', `hosts/${id}`, { root_url: 'https://example.org/' });
  await send('POST', 'links', { host, slug: 'report', destination_url: 'https://example.org/reports/2026' });
  await visit(stack.urls.gateway, host, '/report', { headers: { 'user-agent': BROWSERS[0]! } });
  await until(
    async () => (await read<Analytics>(`/api/v1/analytics?host=${host}`, key)).clicks > 0,
    `a click on ${host}`,
  );
  await send('POST', 'hosts', { host: 'go.shop.example.com' });
}

async function addWebhook(key: string): Promise<void> {
  const response = await fetch(`${stack.urls.gateway}/api/v1/webhooks`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'https://hooks.example.com/waymark', types: ['link.*', 'host.lost'] }),
  });
  if (!response.ok) throw new Error(await response.text());
}

/** Uses both keys, so that the settings show when. */
async function useKeys(liveKey: string, publicKey: string): Promise<void> {
  await read('/api/v1/me', liveKey);
  await read('/api/v1/me', publicKey);
}

async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; ) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error(`Waited in vain for ${what}.`);
}
