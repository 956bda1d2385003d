import { expect } from 'vitest';
import { button, createSignInLink, dashboardTests, field } from '../support/dashboard.ts';
import { connectMcp } from '../support/mcp.ts';
import { createLink, stack } from '../support/world.ts';

// What a newcomer reads: messages that name what they are about, the next step, and addresses that others can use.

const inDashboard = dashboardTests();

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';

inDashboard('what was copied is named, and no message of it stays beside something else', async ({ page, account }) => {
  const { slug, short_url } = await createLink(account.live, {});
  await page.reload();
  await button(page, `Copy the short URL of ${slug}`).click();
  await page.getByText(`Copied: ${short_url}`).waitFor();
  await button(page, `QR code of ${slug}`).click();
  const toasts = page.locator('.toast');
  await expect.poll(() => toasts.count()).toBe(0);
  await page.getByRole('dialog').getByRole('button', { name: 'Copy' }).click();
  await page.getByText(`Copied: ${short_url}`).waitFor();
  await page.keyboard.press('Escape');
  await expect.poll(() => toasts.count()).toBe(0);
  await button(page, `Copy the short URL of ${slug}`).click();
  await page.getByText(`Copied: ${short_url}`).waitFor();

  await page.getByRole('link', { name: 'Settings' }).click();
  await expect.poll(() => toasts.count()).toBe(0);
  // The configuration has no key, and says where it comes from.
  await page.getByText('key_pub_… stands for your Public Links Only key').waitFor();
  await button(page, 'Copy the configuration for Claude Code').click();
  await page.getByText('The configuration for Claude Code is copied. Replace key_pub_… with your key.').waitFor();
  await page.getByLabel('Client').selectOption('Codex');
  await page.getByText('key_pub_… stands for').waitFor({ state: 'detached' });
  await button(page, 'Copy the configuration for Codex').click();
  await page.getByText('The configuration for Codex is copied.', { exact: true }).waitFor();
});

inDashboard(
  'a newcomer is led to a link, a click, a key for an agent, and an agent that finds the link',
  async ({ page }) => {
    await page.getByText('Make your first short link').waitFor();
    await page.getByRole('link', { name: 'After that: a key for your AI agent' }).click();
    const card = page.getByRole('region', { name: 'Public Links Only' });
    await card.waitFor();
    const menu = page.getByRole('navigation', { name: 'Main' });
    await menu.getByRole('link', { name: 'Links' }).click();
    await button(page, 'New link').first().click();
    const destination = 'https://example.com/autumn';
    await field(page, 'Destination').fill(destination);
    await button(page, 'Create link').click();
    const shortUrl = (await page.locator('tbody tr').getByRole('link').first().getAttribute('href'))!;
    const visit = await fetch(shortUrl, { redirect: 'manual', headers: { 'user-agent': BROWSER } });
    expect(visit.headers.get('location')).toBe(destination);

    await page.getByText('is ready.').waitFor();
    await menu.getByRole('link', { name: 'Analytics' }).click();
    await expect.poll(() => page.locator('.toast').count()).toBe(0);
    await page.getByText(new URL(shortUrl).pathname.slice(1)).first().waitFor();

    await menu.getByRole('link', { name: 'Settings' }).click();
    await card.getByRole('button', { name: 'Create a key…' }).click();
    await page.getByText('The current key was never used').waitFor();
    await button(page, 'Create the key').click();
    const dialog = page.getByRole('dialog', { name: 'Your new Public Links Only key' });
    const command = (await dialog.locator('pre').last().textContent())!;
    const [, url, key] = /--transport http waymark (\S+) --header "Authorization: Bearer (\S+)"$/.exec(command)!;
    const agent = await connectMcp(key!, url);
    const { result } = await agent.call<{ links: { short_url: string }[] }>('list_links');
    expect(result.links.map(({ short_url }) => short_url)).toEqual([shortUrl]);
    await agent.close();
  },
);

const OTHER_NAME = stack.publicUrl.replace('localhost', '127.0.0.1');
inDashboard(
  'under another name of the server, the page shows the public one',
  async ({ page, account }) => {
    const [, token] = (await createSignInLink(account.username)).split('#');
    await page.goto(`${OTHER_NAME}/app/#${token}`);
    await button(page, 'New link').first().click();
    await page
      .getByRole('dialog')
      .getByText(`${new URL(stack.publicUrl).host}/`, { exact: true })
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Settings' }).click();
    const configuration = page.locator('pre');
    await configuration.waitFor();
    expect(await configuration.textContent()).toContain(` ${stack.publicUrl}/mcp `);
  },
  { allow: /a request to http:\/\/127/ },
);
