import { axeFindings } from '@waymark/web/test/browser';
import { expect } from 'vitest';
import { button, dashboardTests } from '../support/dashboard.ts';
import { createLink, stack } from '../support/world.ts';

const inDashboard = dashboardTests();

inDashboard(
  'the first view asks for the account, the links, the jobs and the hosts once, also with filters',
  async ({ page, account }) => {
    await createLink(account.live, { title: 'Winter & more', hashtags: ['été'] });
    for (const view of ['', 'links?q=winter+%26&hashtag=%C3%A9t%C3%A9&sort=clicks']) {
      const reads: string[] = [];
      page.on('request', (request) => {
        const { pathname } = new URL(request.url());
        if (pathname.startsWith('/api/')) reads.push(pathname);
      });
      await page.goto(`${stack.publicUrl}/app/${view}`);
      await page.getByText('Winter & more').waitFor();
      await page.waitForLoadState('networkidle');
      page.removeAllListeners('request');
      expect(reads.toSorted()).toEqual(['/api/v1/hosts', '/api/v1/jobs', '/api/v1/links', '/api/v1/me']);
    }
  },
);

const SCRIPTS = '**/app/assets/*.js';
const PAGE = `${stack.publicUrl}/app/`;
const BLOCKED = 'The server can be reached, but something stopped this request, most likely a content blocker.';
const AWAY = 'The server cannot be reached.';

inDashboard(
  'a script or a request that a content blocker stops, a newer version and a server that is away are told apart',
  async ({ page }) => {
    const menu = page.getByRole('navigation', { name: 'Main' });
    const openWithoutScripts = async (words: string) => {
      await menu.getByRole('link', { name: 'Links' }).click();
      await menu.getByRole('link', { name: 'Analytics' }).click();
      await page.getByText(words).waitFor();
    };
    await page.route(SCRIPTS, (route) => route.abort());
    await openWithoutScripts(BLOCKED);
    await page.route(PAGE, (route) => route.abort());
    await openWithoutScripts(AWAY);
    await page.unroute(PAGE);
    await page.route(PAGE, (route) =>
      route.fulfill({ body: '<script type="module" src="/app/assets/a.js"></script>' }),
    );
    await openWithoutScripts('There is a newer version of the dashboard.');
    await page.unrouteAll();

    const figures = '**/api/v1/analytics?**';
    await page.route(figures, (route) => route.abort());
    await page.reload();
    await page.getByRole('alert').getByText(BLOCKED).waitFor();
    await page.route(PAGE, (route) => route.abort());
    await button(page, 'Try again').click();
    await page.getByRole('alert').getByText(AWAY).waitFor();
  },
  { allow: /Failed to (load resource|fetch dynamically imported module)/ },
);

inDashboard(
  'a view that is not loaded yet says so while the server is away, and is shown by Try again; an old page is reloaded',
  async ({ page, context }) => {
    const menu = page.getByRole('navigation', { name: 'Main' });
    // Scripts and styles: the browser has none of them yet.
    await page.route('**/app/**', (route) => route.abort());
    await menu.getByRole('link', { name: 'Analytics' }).click();
    await page.getByRole('alert').getByText(AWAY).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await menu.getByRole('link', { name: 'Links' }).click();
    await page.getByRole('heading', { name: 'Links', level: 1 }).waitFor();
    await menu.getByRole('link', { name: 'Analytics' }).click();
    await page.getByRole('alert').getByText(AWAY).waitFor();
    await button(page, 'Try again').click();
    await page.getByRole('alert').getByText(AWAY).waitFor();
    await page.unrouteAll();
    await button(page, 'Try again').click();
    await page.getByRole('heading', { name: 'Analytics', level: 1 }).waitFor();
    const display = `getComputedStyle(document.querySelector('.analytics-tools')).display`;
    await expect.poll(() => page.evaluate(display)).toBe('flex');

    // A deployment has replaced the files.
    const old = await context.newPage();
    await old.goto(`${stack.publicUrl}/app/links`);
    await old.getByRole('heading', { name: 'Links', level: 1 }).waitFor();
    await old.route(SCRIPTS, (route) => route.fulfill({ status: 404 }));
    await old.route(PAGE, (route) => route.fulfill({ body: '<script src="/app/assets/a.js"></script>' }));
    await old.getByRole('link', { name: 'Settings' }).click();
    await old.getByRole('alert').getByText('There is a newer version of the dashboard.').waitFor();
    await old.unrouteAll();
    await button(old, 'Reload').click();
    await old.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
  },
  {
    allow:
      /Failed to (load resource|fetch dynamically imported module)|ERR_INTERNET|status of 404|MIME type|load preload assets/,
  },
);
