import type { Page } from 'playwright-core';
import { startBrowser } from '../test/browser.ts';

// Measures the first view of the links on a slow phone, with an empty and with a warm cache, and the layout shift of each
// view. Takes a sign-in link of an account of a running stack that has links and clicks.
//
//   node scripts/first-view.ts 'http://localhost:8080/app/#token=…'

const LOADS = 7;
/** The mobile profile of Lighthouse. */
const NETWORK = { offline: false, latency: 150, downloadThroughput: 1_638_400 / 8, uploadThroughput: 768_000 / 8 };
const CPU_SLOWDOWN = 4;
const VIEWS = { links: '.links-short', analytics: '.breakdown-row', settings: 'main h2' };
const DEVICES = { phone: { width: 390, height: 844 }, desktop: { width: 1280, height: 800 } };

const signInLink = process.argv[2];
if (signInLink === undefined) throw new Error('Give a sign-in link: admin account sign-in-link --username …');
const { origin } = new URL(signInLink);
const browser = await startBrowser();
if (browser === undefined) process.exit(1);

const page = await browser.newPage({ viewport: DEVICES.phone });
await page.addInitScript(`
  window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
`);
await page.goto(signInLink);
await page.getByRole('navigation', { name: 'Main' }).waitFor();
const devTools = await page.context().newCDPSession(page);
await devTools.send('Network.enable');
await devTools.send('Network.emulateNetworkConditions', NETWORK);
await devTools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });

for (const cache of ['empty', 'warm']) {
  const firstPaints: number[] = [];
  const lists: number[] = [];
  for (let load = 0; load < LOADS; load += 1) {
    if (cache === 'empty') await devTools.send('Network.clearBrowserCache');
    lists.push(await open(page, 'links'));
    firstPaints.push(await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]!.startTime));
  }
  console.log(
    `${cache} cache, ${LOADS} loads: first paint after ${shown(firstPaints)}, the list after ${shown(lists)}`,
  );
}
for (const [device, viewport] of Object.entries(DEVICES)) {
  await page.setViewportSize(viewport);
  for (const view of Object.keys(VIEWS) as (keyof typeof VIEWS)[]) {
    await devTools.send('Network.clearBrowserCache');
    await open(page, view);
    await page.waitForLoadState('networkidle');
    console.log(`${view} on a ${device}: layout shift ${(await page.evaluate<number>('window.shifted')).toFixed(3)}`);
  }
}
await browser.close();

/** Opens a view. Returns the milliseconds until its content is there, measured in the page. */
async function open(page: Page, view: keyof typeof VIEWS): Promise<number> {
  await page.goto(`${origin}/app/${view}`, { waitUntil: 'commit' });
  const there = (selector: string) => document.querySelector(selector) && performance.now();
  const time = await page.waitForFunction(there, VIEWS[view], { polling: 'raf' });
  return Number(await time.jsonValue());
}

function shown(times: number[]): string {
  times.sort((a, b) => a - b);
  const [least, median, most] = [times[0]!, times[Math.floor(LOADS / 2)]!, times.at(-1)!].map(Math.round);
  return `${median} ms (${least} to ${most})`;
}
