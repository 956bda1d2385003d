import { loadavg } from 'node:os';
import type { CDPSession, Page } from 'playwright-core';
import { startBrowser } from '../test/browser.ts';

// Measures the first view on a slow phone, with an empty and with a warm cache: the list of links with its data, and the
// sign-in page of a tab without a session. Then measures the layout shift of each view. Takes a sign-in link of an account
// of a running stack that has links and clicks.
//
//   node scripts/first-view.ts 'http://localhost:8080/app/#token=…'

const LOADS = 7;
/** The mobile profile of Lighthouse. */
const NETWORK = { offline: false, latency: 150, downloadThroughput: 1_638_400 / 8, uploadThroughput: 768_000 / 8 };
const CPU_SLOWDOWN = 4;
/** What a view has once its data is shown. */
const VIEWS = { links: '.links-short', analytics: '.breakdown-row', settings: 'main h2' };
const SIGN_IN_PAGE = '.signed-out h1';
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
const devTools = await slowDown(page);
const signedOutPage = await browser.newPage({ viewport: DEVICES.phone });

console.log(`load average: ${loadavg()[0]!.toFixed(1)}`);
await measureLoads('the list', page, devTools, VIEWS.links);
await measureLoads('the sign-in page', signedOutPage, await slowDown(signedOutPage), SIGN_IN_PAGE);
for (const [device, viewport] of Object.entries(DEVICES)) {
  await page.setViewportSize(viewport);
  for (const [view, content] of Object.entries(VIEWS)) {
    await devTools.send('Network.clearBrowserCache');
    await open(page, view, content);
    await page.waitForLoadState('networkidle');
    console.log(`${view} on a ${device}: layout shift ${(await page.evaluate<number>('window.shifted')).toFixed(3)}`);
  }
}
await browser.close();

async function slowDown(slow: Page): Promise<CDPSession> {
  const session = await slow.context().newCDPSession(slow);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', NETWORK);
  await session.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });
  return session;
}

async function measureLoads(name: string, slow: Page, session: CDPSession, content: string): Promise<void> {
  for (const cache of ['empty', 'warm']) {
    const firstPaints: number[] = [];
    const contents: number[] = [];
    for (let load = 0; load < LOADS; load += 1) {
      if (cache === 'empty') await session.send('Network.clearBrowserCache');
      contents.push(await open(slow, 'links', content));
      const firstPaint = await slow.waitForFunction(
        () => performance.getEntriesByName('first-contentful-paint')[0]?.startTime,
      );
      firstPaints.push(Number(await firstPaint.jsonValue()));
    }
    console.log(
      `${cache} cache, ${LOADS} loads: first paint after ${shown(firstPaints)}, ${name} after ${shown(contents)}`,
    );
  }
}

/** Opens a view. Returns the milliseconds until its content is painted, measured in the page. */
async function open(slow: Page, view: string, content: string): Promise<number> {
  await slow.goto(`${origin}/app/${view}`, { waitUntil: 'commit' });
  // The second frame that has the content begins after the first one was painted.
  const painted = (selector: string) => {
    const state = document.documentElement.dataset;
    if (document.querySelector(selector) === null) return false;
    if (state.found !== undefined) return performance.now();
    state.found = '';
    return false;
  };
  const time = await slow.waitForFunction(painted, content, { polling: 'raf' });
  return Number(await time.jsonValue());
}

function shown(times: number[]): string {
  times.sort((a, b) => a - b);
  const [least, median, most] = [times[0]!, times[Math.floor(LOADS / 2)]!, times.at(-1)!].map(Math.round);
  return `${median} ms (${least} to ${most})`;
}
