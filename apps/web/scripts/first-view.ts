import { startBrowser } from '../test/browser.ts';

// Measures the first view of the links on a slow phone with an empty cache. Takes a sign-in link of an account of a
// running stack that has links.
//
//   node scripts/first-view.ts 'http://localhost:8080/app/#token=…'

const LOADS = 7;
/** The mobile profile of Lighthouse. */
const NETWORK = { offline: false, latency: 150, downloadThroughput: 1_638_400 / 8, uploadThroughput: 768_000 / 8 };
const CPU_SLOWDOWN = 4;

const signInLink = process.argv[2];
if (signInLink === undefined) throw new Error('Give a sign-in link: admin account sign-in-link --username …');
const { origin } = new URL(signInLink);
const browser = await startBrowser();
if (browser === undefined) process.exit(1);

const page = await browser.newPage({ viewport: { width: 390, height: 844 } });
await page.goto(signInLink);
await page.getByRole('navigation', { name: 'Main' }).waitFor();
const devTools = await page.context().newCDPSession(page);
await devTools.send('Network.enable');
await devTools.send('Network.emulateNetworkConditions', NETWORK);
await devTools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN });

const firstPaints: number[] = [];
const lists: number[] = [];
for (let load = 0; load < LOADS; load += 1) {
  await devTools.send('Network.clearBrowserCache');
  await page.goto(`${origin}/app/links`, { waitUntil: 'commit' });
  // Measured in the page, because asking it from here takes time too.
  const list = await page.waitForFunction(() => document.querySelector('.links-short') && performance.now(), null, {
    polling: 'raf',
  });
  lists.push(Number(await list.jsonValue()));
  firstPaints.push(await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]!.startTime));
}
const shown = (times: number[]) => {
  times.sort((a, b) => a - b);
  const [least, median, most] = [times[0]!, times[Math.floor(LOADS / 2)]!, times.at(-1)!].map(Math.round);
  return `${median} ms (${least} to ${most})`;
};
console.log(`Median of ${LOADS} loads: first paint after ${shown(firstPaints)}, the list after ${shown(lists)}`);
await browser.close();
