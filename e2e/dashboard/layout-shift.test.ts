import { expect } from 'vitest';
import { dashboardTests } from '../support/dashboard.ts';
import { createLink, request, stack } from '../support/world.ts';

// Nothing moves while the views load. The analytics have this test in their own file.

const inDashboard = dashboardTests();
const OBSERVE = `
  window.shifted = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shifted += entry.value;
  }).observe({ type: 'layout-shift', buffered: true });
`;
const VIEWS = {
  links: '.links-short',
  hosts: '.host',
  jobs: '.job',
  activity: '.event',
  settings: '.restricted-keys li',
};
const SCREENS = {
  'a desktop': {},
  'a phone': { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
} as const;

for (const [screen, options] of Object.entries(SCREENS)) {
  for (const [view, content] of Object.entries(VIEWS)) {
    inDashboard(
      `nothing moves when the ${view} come on ${screen}`,
      async ({ page, account, sessionToken }) => {
        for (let link = 0; link < 12; link += 1) {
          await createLink(account.live, { title: 'A link with a title', hashtags: ['sale'] });
        }
        const json = { kind: 'edit', filter: { all: true }, change: { archived: false } };
        await request('/api/v1/jobs', { method: 'POST', key: account.live, json });
        await request('/api/v1/hosts', { method: 'POST', key: account.live, json: { host: 'go.example.com' } });
        const restricted = { name: 'Agent', scope: 'public_links_only', actions: ['read'] };
        const key = await sessionToken();
        for (let made = 0; made < 3; made += 1) {
          await request('/api/v1/me/keys/restricted', { method: 'POST', key, json: restricted });
        }
        await page.addInitScript(OBSERVE);
        // The data comes after the first frame, as over a slow network.
        await page.route(/\/api\//, async (route) => {
          await new Promise((resolve) => setTimeout(resolve, 500));
          await route.continue();
        });
        await page.goto(`${stack.publicUrl}/app/${view}`);
        await page.locator(content).first().waitFor();
        await page.waitForLoadState('networkidle');
        expect(await page.evaluate('window.shifted')).toBeLessThan(0.02);
      },
      options,
    );
  }
}
