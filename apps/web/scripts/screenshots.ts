import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { startBrowser } from '../test/browser.ts';

// Makes the screenshots of docs/dashboard.md. Takes a sign-in link of an account of a running stack:
//
//   node scripts/screenshots.ts 'http://localhost:8080/app/#token=…'
//
// It creates links in that account, and clicks, if there are none yet.

const FOLDER = join(import.meta.dirname, '../../../docs/screenshots');

const DEVICES = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
} as const;

const LINKS = [
  {
    slug: 'summer-sale',
    destination_url: 'https://shop.example.com/summer?ref=mail',
    title: 'Summer sale',
    hashtags: ['sale', 'newsletter'],
  },
  {
    slug: 'docs-start',
    destination_url: 'https://docs.example.com/getting-started',
    title: 'Getting started',
    hashtags: ['docs'],
  },
  {
    slug: 'team-offsite',
    destination_url: 'https://wiki.example.com/offsite/agenda',
    title: 'Agenda of the offsite',
    visibility: 'private',
  },
  {
    slug: 'press-kit',
    destination_url: 'https://example.com/press/kit.zip',
    title: 'Press kit',
    visibility: 'password-protected',
    password: 'a password',
    hashtags: ['press'],
  },
  {
    slug: 'podcast-12',
    destination_url: 'https://podcast.example.com/episodes/12',
    title: 'Episode 12: Short links',
    hashtags: ['podcast', 'social'],
  },
  {
    slug: 'early-access',
    destination_url: 'https://example.com/early-access',
    title: 'Early access',
    expires_at: '2027-03-31T22:00:00Z',
    hashtags: ['launch'],
  },
  {
    slug: 'feedback',
    destination_url: 'https://forms.example.com/f/feedback-2026',
    title: 'Feedback form',
    visibility: 'unlisted',
  },
  { slug: 'meetup', destination_url: 'https://events.example.com/meetup/42', hashtags: ['social', 'events'] },
] as const;

const BROWSERS = [
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0',
];
const REFERRERS = ['https://www.google.com/', 'https://news.ycombinator.com/', 'https://www.linkedin.com/feed/', ''];

const signInLink = process.argv[2];
if (signInLink === undefined) throw new Error('Give a sign-in link: admin account sign-in-link --username …');
const origin = new URL(signInLink).origin;
const browser = await startBrowser();
if (browser === undefined) process.exit(1);
await mkdir(FOLDER, { recursive: true });

const context = await browser.newContext();
const first = await context.newPage();
await first.goto(`${origin}/app/`);
await shoot(first, 'sign-in');
await first.goto(signInLink);
await first.getByRole('navigation', { name: 'Main' }).waitFor();
const session = await first.evaluate(() => sessionStorage.getItem('waymark.session')!);
await fillAccount(JSON.parse(session).token);

for (const [device, options] of Object.entries(DEVICES)) {
  for (const colorScheme of ['light', 'dark'] as const) {
    const view = await browser.newContext({ ...options, colorScheme, locale: 'en-GB', reducedMotion: 'reduce' });
    await view.addInitScript((kept) => sessionStorage.setItem('waymark.session', kept), session);
    const page = await view.newPage();
    const name = (what: string) => `${what}-${device}-${colorScheme}`;

    await page.goto(`${origin}/app/links`);
    await page.getByRole('table').waitFor();
    await shoot(page, name('links'));
    await page.getByRole('button', { name: 'New link' }).click();
    await shoot(page, name('new-link'));
    await page.keyboard.press('Escape');
    await page.getByLabel('QR code of summer-sale').click();
    await page.getByRole('img', { name: /QR code/ }).waitFor();
    await shoot(page, name('qr-code'));

    await page.goto(`${origin}/app/analytics`);
    await page.waitForLoadState('networkidle');
    await shoot(page, name('analytics'));
    await page.goto(`${origin}/app/settings`);
    await page.getByText('Full Access').first().waitFor();
    await shoot(page, name('settings'));
    await view.close();
  }
}
await browser.close();

function shoot(page: Page, name: string) {
  return page.screenshot({ path: join(FOLDER, `${name}.png`), scale: 'css' });
}

async function fillAccount(token: string): Promise<void> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const { total } = await (await fetch(`${origin}/api/v1/links?per=1`, { headers })).json();
  if (total > 0) return;
  const operations = LINKS.toReversed().map((link) => ({ op: 'create', link }));
  const body = JSON.stringify({ operations });
  const response = await fetch(`${origin}/api/v1/links/bulk`, { method: 'POST', headers, body });
  const text = await response.text();
  if (!response.ok || text.includes('"error"')) throw new Error(text);
  for (const [position, { slug }] of LINKS.entries()) {
    for (let click = 0; click < 40 - position * 5; click += 1) {
      const userAgent = BROWSERS[click % BROWSERS.length]!;
      const referer = REFERRERS[(click * 7) % REFERRERS.length]!;
      await fetch(`${origin}/${slug}`, { redirect: 'manual', headers: { 'user-agent': userAgent, referer } });
    }
  }
}
