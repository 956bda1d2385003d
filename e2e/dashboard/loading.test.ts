import { expect } from 'vitest';
import { button, dashboardTests } from '../support/dashboard.ts';
import { createLink, stack } from '../support/world.ts';

const inDashboard = dashboardTests();

inDashboard(
  'the first view asks for the account, the links and the jobs once, also with filters',
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
      expect(reads.toSorted()).toEqual(['/api/v1/jobs', '/api/v1/links', '/api/v1/me']);
    }
  },
);

inDashboard(
  'a view whose script does not load says so, the others work, and a reload helps',
  async ({ page }) => {
    await page.route('**/analytics-page-*.js', (route) => route.abort());
    const menu = page.getByRole('navigation', { name: 'Main' });
    await menu.getByRole('link', { name: 'Analytics' }).click();
    await page.getByRole('heading', { name: 'This view could not be shown' }).waitFor();
    await menu.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('heading', { name: 'Settings', level: 1 }).waitFor();
    await menu.getByRole('link', { name: 'Analytics' }).click();
    await page.unroute('**/analytics-page-*.js');
    await button(page, 'Reload').click();
    await page.getByRole('heading', { name: 'Analytics', level: 1 }).waitFor();
    expect(await page.getByText('could not be shown').count()).toBe(0);
  },
  { allow: /Failed to (load resource|fetch dynamically imported module)/ },
);
