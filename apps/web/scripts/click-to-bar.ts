import { startBrowser } from '../test/browser.ts';

// Measures the time from a click on a short link to its bar in the chart. Takes a sign-in link of an account of a running
// stack. Creates a link in it, and deletes it at the end.
//
//   node scripts/click-to-bar.ts 'http://localhost:8080/app/#token=…'

const CLICKS = 10;
const USER_AGENT =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';

const signInLink = process.argv[2];
if (signInLink === undefined) throw new Error('Give a sign-in link: admin account sign-in-link --username …');
const { origin } = new URL(signInLink);
const browser = await startBrowser();
if (browser === undefined) process.exit(1);

const page = await browser.newPage();
await page.goto(signInLink);
await page.getByRole('navigation', { name: 'Main' }).waitFor();
const token = await page.evaluate(() => JSON.parse(localStorage.getItem('waymark.session')!).token as string);
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
const body = JSON.stringify({ destination_url: 'https://example.com/' });
const created = await fetch(`${origin}/api/v1/links`, { method: 'POST', headers, body });
if (!created.ok) throw new Error(await created.text());
const { id, short_url } = (await created.json()) as { id: string; short_url: string };

await page.goto(`${origin}/app/analytics?days=7&link_id=${id}`);
await page.getByRole('heading', { name: 'No clicks match these filters' }).waitFor();
const times: number[] = [];
for (let click = 1; click <= CLICKS; click += 1) {
  // At any moment between two readings of the page.
  await page.waitForTimeout(Math.random() * 5_000);
  const startedAt = performance.now();
  await fetch(short_url, { redirect: 'manual', headers: { 'user-agent': USER_AGENT } });
  await page.locator(`.clicks-chart .chart-hit[aria-label*=": ${click} click"]`).waitFor({ timeout: 120_000 });
  times.push((performance.now() - startedAt) / 1000);
}
times.sort((a, b) => a - b);
const shown = [times[0]!, times[CLICKS / 2]!, times.at(-1)!].map((seconds) => seconds.toFixed(1));
console.log(
  `From a click to its bar, ${CLICKS} clicks: ${shown[0]} s at least, ${shown[1]} s median, ${shown[2]} s at most`,
);
await fetch(`${origin}/api/v1/links/${id}`, { method: 'DELETE', headers });
await browser.close();
