import { expect } from 'vitest';
import { dashboardTests, row, unique } from '../support/dashboard.ts';
import { createLink, request, stack } from '../support/world.ts';

// The clock of a device may be wrong. What is over, and what today is, is known by the server.

const inDashboard = dashboardTests();
const HOUR_MS = 3_600_000;

for (const [name, aheadMs] of [
  ['26 hours ahead', 26 * HOUR_MS],
  ['26 hours behind', -26 * HOUR_MS],
] as const)
  inDashboard(
    `with a clock ${name}, links, jobs and windows are those of the server’s time`,
    async ({ page, account }) => {
      const [slug, expired] = [unique(), unique()];
      const expires_at = new Date(Date.now() + HOUR_MS).toISOString();
      await createLink(account.live, { slug, expires_at, hashtags: ['one'] });
      await createLink(account.live, { slug: expired, expires_at: new Date(Date.now() - HOUR_MS).toISOString() });
      const json = { kind: 'edit', filter: { hashtag: 'one' }, change: { add_hashtags: ['two'] } };
      expect((await request('/api/v1/jobs', { method: 'POST', key: account.live, json })).status).toBe(200);

      await page.clock.install({ time: Date.now() + aheadMs });
      await page.goto(`${stack.publicUrl}/app/links`);
      await row(page, expired).getByText('Expired', { exact: true }).waitFor();
      await row(page, slug)
        .getByText(/^Until|^Expires/)
        .waitFor();
      await page.getByRole('link', { name: 'Jobs' }).click();
      await page.getByRole('article').getByRole('button', { name: 'Undo' }).waitFor();
      await page.goto(`${stack.publicUrl}/app/analytics?days=7&tz=UTC`);
      const day = (agoMs: number) => new Date(Date.now() - agoMs);
      const span = new Intl.DateTimeFormat('en-GB', {
        timeZone: 'UTC',
        day: 'numeric',
        month: 'short',
        year: 'numeric',
      });
      const shown = span.formatRange(day(6 * 24 * HOUR_MS), day(0));
      await page.getByText(`Figures of ${shown}`).waitFor({ state: 'attached' });
      await page.getByRole('button', { name: `Choose days: ${shown}` }).waitFor();
    },
  );
