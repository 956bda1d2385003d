import type { AccountKeys, Hosts } from '@waymark/contract';
import { expectAccessible, SCREENS } from '../support/accessible.ts';
import { button, createSignInLink, dashboardTests, field, LOOKED, openBulkEdit, unique } from '../support/dashboard.ts';
import { createAccount, createLink, jobsOf, request, stack } from '../support/world.ts';

// docs/api.md, Dashboard: “Works on a phone, by keyboard and with a screen reader (axe: nothing found), light and dark”.

const inDashboard = dashboardTests();
const hostsOf = async (key: string) => (await request<Hosts>('/api/v1/hosts', { key })).body.hosts;

for (const [screen, options] of SCREENS) {
  inDashboard(
    `axe finds nothing in any view on ${screen}`,
    async ({ page, account, context }) => {
      await page.getByText('Make your first short link').waitFor();
      await expectAccessible(page, 'no links');
      const slug = unique();
      await createLink(account.live, {
        slug,
        title: 'A title that is much longer than the screen of any phone, to see that it is cut and not pushed out',
        destination_url: `https://example.com/${'long/'.repeat(100)}`,
        hashtags: ['one', 'two', 'a-rather-long-hashtag-that-needs-space'],
        visibility: 'password-protected',
        password: 'open sesame',
        expires_at: '2030-01-01T00:00:00Z',
      });
      await createLink(account.live, { expires_at: '2020-01-01T00:00:00Z', visibility: 'unlisted' });
      await page.goto(`${stack.publicUrl}/app/links?visibility=password-protected`);
      await page.getByLabel(`Select ${slug}`, { exact: true }).check();
      await button(page, 'Filters (1)').click();
      await expectAccessible(page, 'links, filtered and selected');
      await button(page, `More for ${slug}`).click();
      await expectAccessible(page, 'the menu of a link');
      await button(page, 'Edit').click();
      await field(page, 'Destination URL').fill('nothing');
      await button(page, 'Save').click();
      await page.locator('.field-error').waitFor();
      await expectAccessible(page, 'the form with an error');
      await page.keyboard.press('Escape');
      await button(page, 'Discard').waitFor();
      await expectAccessible(page, 'the question before a form closes');
      await button(page, 'Discard').click();
      await button(page, `QR code of ${slug}`).click();
      await page.getByRole('img', { name: /QR code of/ }).waitFor();
      await page
        .getByRole('dialog')
        .getByRole('button', { name: `Copy the short URL of ${slug}` })
        .click();
      await button(page, 'Dismiss').waitFor();
      await expectAccessible(page, 'the QR code, with a toast');
      await page.keyboard.press('Escape');
      for (const edit of ['Add hashtags', 'Visibility', 'Delete']) {
        await openBulkEdit(page, edit);
        await expectAccessible(page, `a bulk edit: ${edit}`);
        await page.keyboard.press('Escape');
      }
      await button(page, 'Import').first().click();
      await expectAccessible(page, 'the import');
      const csv = { name: 'links.csv', mimeType: 'text/csv' };
      const file = page.getByLabel('File', { exact: true });
      await file.setInputFiles({ ...csv, buffer: Buffer.from('Ziel\nhttps://example.com/\n') });
      await page.getByRole('alert').waitFor();
      await expectAccessible(page, 'the columns of a file that is not understood');
      await button(page, 'Another file').click();
      await file.setInputFiles({
        ...csv,
        buffer: Buffer.from('destination_url,slug\nhttps://example.com/,\nnothing,no\n'),
      });
      await page.getByRole('region', { name: 'First rows' }).waitFor();
      await expectAccessible(page, 'the preview of an import');
      let release = () => {};
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      await page.route('**/api/v1/jobs/import*', async (route) => {
        await held;
        await route.continue();
      });
      await page.getByRole('dialog').getByRole('button', { name: 'Import', exact: true }).click();
      await page.getByText('Uploading the file…').waitFor();
      await expectAccessible(page, 'the upload of an import');
      release();
      await page.locator('.toast').getByText('1 link created, 1 refused.').waitFor();
      await expectAccessible(page, 'the outcome of an import');
      await page.goto(`${stack.publicUrl}/app/jobs`);
      await page.getByRole('article').getByText('1 link created, 1 refused.').waitFor();
      await expectAccessible(page, 'the jobs');
      await button(page, 'Undo').click();
      await expectAccessible(page, 'the question before an import is undone');
      await page.keyboard.press('Escape');
      await button(page, 'Show what was refused').click();
      await page.getByRole('region', { name: 'Refused' }).waitFor();
      await expectAccessible(page, 'refused rows');
      await page.keyboard.press('Escape');
      // Running and waiting jobs, as the API sends them.
      const job = (await jobsOf(account.live))[0]!;
      const unfinished = [
        { ...job, id: 'a', state: 'waiting', done: 0, finished_at: null, undo_until: null },
        { ...job, id: 'b', state: 'running', done: 1, finished_at: null, undo_until: null },
      ];
      await page.route('**/api/v1/jobs', (route) => route.fulfill({ json: { jobs: unfinished } }));
      await page.goto(`${stack.publicUrl}/app/jobs`);
      await page.getByText('1 of 2 done').waitFor();
      await expectAccessible(page, 'running jobs');
      await page.goto(`${stack.publicUrl}/app/links`);
      await page.locator('.toast').getByText('by another session').waitFor();
      await expectAccessible(page, 'a running job above the links');
      await page.unroute('**/api/v1/jobs');
      await context.setOffline(true);
      await page.getByText('You are offline.').waitFor();
      await expectAccessible(page, 'offline');
      await context.setOffline(false);
      await page.goto(`${stack.publicUrl}/app/links/${slug}`);
      await page.getByRole('img', { name: /^QR code of/ }).waitFor();
      await expectAccessible(page, 'the page of a link');
      await page.goto(`${stack.publicUrl}/app/links/${unique()}`);
      await page.getByText('It is deleted, or belongs to another account.').waitFor();
      await expectAccessible(page, 'the page of a link that does not exist');
      await page.goto(`${stack.publicUrl}/app/links?q=nothing-matches`);
      await page.getByText('No link matches').waitFor();
      await expectAccessible(page, 'no link matches');
      await page.goto(`${stack.publicUrl}/app/links?visibility=nothing`);
      await page.getByRole('alert').waitFor();
      await expectAccessible(page, 'an error');

      await page.goto(`${stack.publicUrl}/app/hosts`);
      await page.getByText('No hosts of your own yet').waitFor();
      await expectAccessible(page, 'no hosts');
      await button(page, 'Add a host').click();
      await field(page, 'Host').fill('nothing');
      await page.keyboard.press('Enter');
      await page.locator('.field-error').waitFor();
      await expectAccessible(page, 'a new host with an error');
      const host = `a-rather-long-label-that-needs-space.${unique()}.example.com`;
      await field(page, 'Host').fill(host);
      await page.keyboard.press('Enter');
      await button(page, `Verify ${host}`).click();
      await page.getByText(LOOKED).waitFor();
      await expectAccessible(page, 'a host that is not verified');
      await button(page, `Delete… ${host}`).click();
      await expectAccessible(page, 'the question before a host is deleted');
      await page.keyboard.press('Escape');
      // Other states, as the API sends them.
      const pending = (await hostsOf(account.live))[0]!;
      const hosts = [
        { ...pending, id: 'a', status: 'verified', root_url: `https://example.com/${'long/'.repeat(50)}` },
        { ...pending, id: 'b', status: 'lost', host: `lost.${host}` },
      ];
      await page.route('**/api/v1/hosts', (route) => route.fulfill({ json: { hosts } }));
      await page.reload();
      await page.getByText('Lost', { exact: true }).waitFor();
      await expectAccessible(page, 'verified and lost hosts');
      await page.goto(`${stack.publicUrl}/app/links?host=default`);
      await button(page, 'Filters (1)').click();
      await page.getByLabel('Host', { exact: true }).waitFor();
      await expectAccessible(page, 'the filter of hosts');
      await button(page, 'New link').first().click();
      await page.getByRole('dialog').getByLabel('Host', { exact: true }).selectOption(host);
      await expectAccessible(page, 'the form with a host');
      await page.unroute('**/api/v1/hosts');

      await page.goto(`${stack.publicUrl}/app/settings`);
      await page.getByRole('region', { name: 'Full Access' }).waitFor();
      await expectAccessible(page, 'the settings');
      await page.getByRole('button', { name: 'Revoke…' }).first().click();
      await expectAccessible(page, 'the question before a key is revoked');
      await page.keyboard.press('Escape');
      await button(page, 'Create a restricted key…').click();
      await expectAccessible(page, 'the form of a restricted key');
      const restricted = page.getByRole('dialog', { name: 'Create a restricted key' });
      await restricted.getByLabel('Name').fill('Agent');
      await restricted.getByRole('button', { name: 'Create the key' }).click();
      await restricted.getByText(/^“Actions” must/).waitFor();
      await expectAccessible(page, 'a restricted key without actions');
      await restricted.getByLabel('Create links').check();
      await restricted.getByRole('button', { name: 'Create the key' }).click();
      await button(page, 'I have copied it').click();
      await button(page, 'Delete… Agent').waitFor();
      await expectAccessible(page, 'the restricted keys');
      // A rotation asks more than the first key does: nobody has used this one.
      await page.route('**/api/v1/me/keys', async (route) => {
        const response = await route.fetch();
        const { keys } = (await response.json()) as AccountKeys;
        const old_key = { hint: '…mP3q', expires_at: new Date(Date.now() + 3_600_000).toISOString() };
        const used = keys.map((key) => ({ ...key, last_used_at: key.created_at, old_key }));
        await route.fulfill({ response, json: { keys: used } });
      });
      await page.reload();
      await page.getByRole('button', { name: 'Rotate…' }).first().click();
      await page.getByLabel('The current key').waitFor();
      await expectAccessible(page, 'the question before a key is rotated');
      await page.keyboard.press('Escape');
      await page.unroute('**/api/v1/me/keys');
      await page.reload();
      await page.getByRole('button', { name: 'Create a key…' }).first().click();
      await expectAccessible(page, 'a confirmation');
      await button(page, 'Create the key').click();
      await page.getByRole('dialog', { name: /^Your new/ }).waitFor();
      await expectAccessible(page, 'a new key');
      await button(page, 'I have copied it').click();
      await page.goto(`${stack.publicUrl}/app/nowhere`);
      await page.getByRole('heading', { name: 'This page does not exist' }).waitFor();
      await expectAccessible(page, 'an unknown address');
      await button(page, 'Sign out').first().click();
      await page.getByText('You are signed out.').waitFor();
      await expectAccessible(page, 'signed out');
      await page.goto(`${stack.publicUrl}/app/#token=signin_nothing`);
      await page.getByRole('heading', { name: 'This link does not work' }).waitFor();
      await expectAccessible(page, 'a link that does not work');
      await page.goto(await createSignInLink((await createAccount('free')).username));
      await page.getByRole('heading', { name: 'Your plan has no dashboard' }).waitFor();
      await expectAccessible(page, 'a plan without the dashboard');
    },
    { ...options, allow: /status of (401|403|404|422)|ERR_INTERNET_DISCONNECTED/ },
  );
}
