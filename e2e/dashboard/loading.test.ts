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
  'a view whose script does not load says so, the list works, and a reload helps',
  async ({ page }) => {
    await page.route(SCRIPTS, (route) => route.abort());
    const menu = page.getByRole('navigation', { name: 'Main' });
    await menu.getByRole('link', { name: 'Analytics' }).click();
    await page.getByRole('heading', { name: 'This view could not be shown' }).waitFor();
    await menu.getByRole('link', { name: 'Links' }).click();
    await page.getByRole('heading', { name: 'Links', level: 1 }).waitFor();
    await menu.getByRole('link', { name: 'Analytics' }).click();
    await button(page, 'Reload').waitFor();
    await page.unroute(SCRIPTS);
    await button(page, 'Reload').click();
    await page.getByRole('heading', { name: 'Analytics', level: 1 }).waitFor();
    expect(await page.getByText('could not be shown').count()).toBe(0);
  },
  { allow: /Failed to (load resource|fetch dynamically imported module)/ },
);
