import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import sparticuz from '@sparticuz/chromium';
import type { AxeResults } from 'axe-core';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

export type { Browser, BrowserContext, BrowserContextOptions, CDPSession, Locator, Page, Route } from 'playwright-core';

// The browser for tests of pages: the machine's own Chromium or Chrome, or else the one of a package of the registry.

const INSTALLED = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export const NO_BROWSER = 'no Chromium starts on this machine';

/** Starts the first browser that starts. Returns undefined, and prints why, if none does. */
export async function startBrowser(): Promise<Browser | undefined> {
  const candidates = [
    ...INSTALLED.filter((path) => existsSync(path)).map((path) => () => Promise.resolve(path)),
    () => sparticuz.executablePath(),
  ];
  for (const candidate of candidates) {
    try {
      // Not the package's own arguments: with `--single-process`, the browser ends with its first window.
      // Nothing that these pages show needs a GPU, and its emulation takes a tenth of the CPU time.
      const args = ['--no-sandbox', '--disable-gpu', '--disable-software-rasterizer'];
      return await chromium.launch({ executablePath: await candidate(), args });
    } catch (error) {
      console.log(`A browser does not start: ${error}`);
    }
  }
  console.log(`Skipping the tests in a browser: ${NO_BROWSER}.`);
  return undefined;
}

/**
 * Collects what the browser complains about in every window: errors and warnings of the console, what the page's policy
 * refuses, and requests to other origins. A complaint about a response has its address, and what it says. A read that is
 * answered with 503 is none: a busy machine does that, and the dashboard repeats it. `allow` excludes messages that a test
 * provokes.
 */
export function collectComplaints(context: BrowserContext, origin: string, allow?: RegExp): string[] {
  const complaints: string[] = [];
  const complain = (text: string) => {
    if (!allow?.test(text)) complaints.push(text);
  };
  context.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type())) return;
    const text = message.text();
    // The response says more than the console does.
    if (text.includes('the server responded with a status of')) return;
    complain(text.startsWith('Failed to load resource') ? `${text} ${message.location().url}` : text);
  });
  context.on('response', async (response) => {
    if (response.status() < 400 || (response.status() === 503 && response.request().method() === 'GET')) return;
    const said = await response.text().catch(() => 'no body');
    complain(`a status of ${response.status()} for ${response.request().method()} ${response.url()}: ${said}`);
  });
  context.on('weberror', (error) => complain(error.error().message));
  context.on('request', (request) => {
    const url = request.url();
    if (!/^(data:|blob:)/.test(url) && new URL(url).origin !== origin) complain(`a request to ${url}`);
  });
  return complaints;
}

/** Returns what axe finds in a part of the page, one line for each element. */
export async function axeFindings(page: Page, part = 'html'): Promise<string[]> {
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE);
  const { violations } = await page.evaluate<AxeResults>(`axe.run('${part}', { resultTypes: ['violations'] })`);
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}
