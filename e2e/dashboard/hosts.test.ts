import type { Host, Hosts } from '@waymark/contract';
import type { Page } from '@waymark/web/test/browser';
import { expect } from 'vitest';
import { DnsServer } from '../../apps/links-svc/test/support/dns-server.ts';
import { button, dashboardTests, field, shownSlugs, unique } from '../support/dashboard.ts';
import { followOn } from '../support/short-hosts.ts';
import { api, createLink, follow, request, stack } from '../support/world.ts';

// docs/hosts.md: “From a bought name to the first redirect”, in the dashboard.

const inDashboard = dashboardTests();

const GONE = { state: 'detached' } as const;
const newHost = () => `${unique()}.example.com`;
const card = (page: Page, host: string) => page.getByRole('article', { name: host, exact: true });
const dialog = (page: Page) => page.getByRole('dialog');
const toast = (page: Page, text: string) => page.locator('.toast').getByText(text);
const openView = (page: Page, view: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: view }).click();

async function addHost(key: string, host: string): Promise<Host> {
  const added = await request<Host>('/api/v1/hosts', { method: 'POST', key, json: { host } });
  expect(added.status).toBe(201);
  return added.body;
}

const verify = (key: string, id: string) => request<Host>(`/api/v1/hosts/${id}/verify`, { method: 'POST', key });

inDashboard(
  'a host is added, verified once DNS has its record, used by links, and deleted when no link uses it',
  async ({ page, account }) => {
    const host = newHost();
    const hostOf = async () =>
      (await request<Hosts>('/api/v1/hosts', { key: account.live })).body.hosts.find((one) => one.host === host)!;
    await openView(page, 'Hosts');
    await page.getByText('No hosts of your own yet').waitFor();
    await button(page, 'Add a host').click();
    await field(page, 'Host').fill('localhost');
    await dialog(page).getByRole('button', { name: 'Add a host' }).click();
    await page.locator('.field-error').getByText('“Host” must').waitFor();
    await field(page, 'Host').fill(host);
    await page.keyboard.press('Enter');
    await toast(page, `${host} is added.`).waitFor();
    await card(page, host).getByText('Not verified yet').waitFor();
    const { txt } = await hostOf();
    for (const what of ['name', 'value'] as const) {
      await button(page, `Copy the ${what} of the TXT record of ${host}`).click();
      await expect.poll(() => page.evaluate('navigator.clipboard.readText()')).toBe(txt[what]);
    }

    const look = button(page, `Verify ${host}`);
    await look.click();
    await card(page, host).getByText('DNS did not answer.').waitFor();
    const dns = await DnsServer.start(stack.dnsPort);
    try {
      await look.click();
      await card(page, host).getByText(`There is no TXT record at ${txt.name}.`).waitFor();
      dns.records.set(txt.name, ['v=spf1 -all']);
      await look.click();
      const found = `The TXT record at ${txt.name} is "v=spf1 -all", not "${txt.value}".`;
      await card(page, host).getByText(`${found} Check that the provider did not add the domain twice`).waitFor();
      dns.records.set(txt.name, [txt.value]);
      await look.click();
      await toast(page, `${host} is verified.`).waitFor();
    } finally {
      await dns.close();
    }
    await card(page, host).getByText('Verified', { exact: true }).waitFor();
    // The button that had the focus is gone.
    expect(await look.count()).toBe(0);
    await card(page, host).and(page.locator(':focus')).waitFor();

    await button(page, `Edit… ${host}`).click();
    await field(page, 'Start page').fill(`https://${host}/`);
    await button(page, 'Save').click();
    await page.locator('.field-error').getByText('“Start page” must not be on the host itself').waitFor();
    await field(page, 'Start page').fill('example.com/shop');
    await field(page, 'Page for unknown').focus();
    expect(await field(page, 'Start page').inputValue()).toBe('https://example.com/shop');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog', { name: 'Discard your changes?' }).waitFor();
    await button(page, 'Keep editing').click();
    await button(page, 'Save').click();
    await toast(page, 'The host is saved.').waitFor();
    await card(page, host).getByText('https://example.com/shop').waitFor();
    expect(await hostOf()).toMatchObject({ root_url: 'https://example.com/shop', not_found_url: null });

    const slug = unique();
    await createLink(account.live, { slug });
    await openView(page, 'Links');
    await button(page, 'New link').first().click();
    await field(page, 'Destination URL').fill('https://example.com/on-host');
    const choice = dialog(page).getByLabel('Host', { exact: true });
    expect(await choice.locator('option').allTextContents()).toEqual([new URL(stack.publicUrl).host, host]);
    await choice.selectOption(host);
    await field(page, 'Short link').fill(slug);
    const { port } = new URL(stack.publicUrl);
    const name = `${host}:${port}/${slug}`;
    await dialog(page).getByText(`${host}:${port}/`, { exact: true }).waitFor();
    await button(page, 'Create link').click();
    await page.getByText(`http://${name} is ready.`).waitFor();
    await expect.poll(() => shownSlugs(page)).toEqual([name, slug]);
    expect(await followOn(stack.publicUrl, host, `/${slug}`)).toBe('https://example.com/on-host');

    await button(page, /^Filters/).click();
    const filter = page.getByRole('region', { name: 'Filters' }).getByLabel('Host');
    await filter.selectOption(host);
    await expect.poll(() => shownSlugs(page)).toEqual([name]);
    await button(page, `Remove the filter on ${host}`).waitFor();
    await filter.selectOption('default');
    await expect.poll(() => shownSlugs(page)).toEqual([slug]);
    expect(new URL(page.url()).search).toBe('?host=default');
    await button(page, 'Remove the filter on the default host').click();
    await expect.poll(() => shownSlugs(page)).toEqual([name, slug]);

    await button(page, 'Import').first().click();
    const csv = Buffer.from(`destination_url,host\nhttps://example.com/,${host}\n`);
    await page.getByLabel('File', { exact: true }).setInputFiles({ name: 'a.csv', mimeType: 'text/csv', buffer: csv });
    await page.getByRole('region', { name: 'First rows' }).getByText(`Host: ${host}`).waitFor();
    await page.keyboard.press('Escape');

    // Clicks by host, and a click on one filters by it.
    expect((await follow(slug)).status).toBe(302);
    await openView(page, 'Analytics');
    const byHost = page.getByRole('region', { name: 'Hosts', exact: true });
    await byHost.getByRole('link', { name: 'Default host' }).waitFor({ timeout: 60_000 });
    await page.getByRole('region', { name: 'Top links' }).getByText(name).waitFor();
    await byHost.getByRole('link', { name: host }).click();
    await page.getByRole('link', { name: `Remove the filter Host: ${host}` }).waitFor();
    await page.getByRole('region', { name: 'Top links' }).getByText(`/${slug}`, { exact: true }).waitFor(GONE);
    expect(new URL(page.url()).search).toBe(`?host=${host}`);
    await byHost.getByRole('link', { name: host }).click();
    await byHost.getByRole('link', { name: 'Default host' }).click();
    await page.getByRole('link', { name: 'Remove the filter Host: Default host' }).waitFor();
    await page.getByRole('region', { name: 'Top links' }).getByText(name).waitFor(GONE);
    expect(new URL(page.url()).search).toBe('?host=default');

    // A link moves to the default host, where its slug is taken.
    await openView(page, 'Links');
    await button(page, `More for ${name}`).click();
    await button(page, 'Edit').click();
    await choice.selectOption(new URL(stack.publicUrl).host);
    await page.getByText('The old short link stops working').waitFor();
    await button(page, 'Save').click();
    await page.locator('.field-error').getByText('is taken').waitFor();
    await page.keyboard.press('Escape');
    await button(page, 'Discard').click();

    await openView(page, 'Hosts');
    await button(page, `Delete… ${host}`).click();
    await button(page, 'Delete the host').click();
    await dialog(page).getByRole('alert').getByText('Links use this host').waitFor();
    const [moved] = (await api(account.live).list(`?host=${host}`)).body.links;
    expect((await api(account.live).delete(moved!.id!)).status).toBe(204);
    await button(page, 'Delete the host').click();
    await toast(page, 'The host is deleted.').waitFor();
    await page.getByText('No hosts of your own yet').waitFor();
    await expect.poll(() => page.evaluate('document.activeElement.ariaLabel')).toBe('Hosts');
  },
  { allow: /status of 422/ },
);

inDashboard(
  'looks are limited, and a list that does not load says so',
  async ({ page, account }) => {
    const host = newHost();
    const { id } = await addHost(account.live, host);
    for (let look = 0; look < 10; look += 1) await verify(account.live, id);
    await page.reload();
    await openView(page, 'Hosts');
    await button(page, `Verify ${host}`).click();
    await toast(page, 'Too many requests.').waitFor();
    await button(page, 'Stop').click();
    await card(page, host).getByRole('alert').getByText('10 times a minute').waitFor();

    await page.route('**/api/v1/hosts', (route) => route.fulfill({ status: 500, json: { error: 'Not now.' } }));
    await page.reload();
    await page.getByText('Not now.').waitFor();
    await openView(page, 'Links');
    await button(page, 'New link').first().click();
    await dialog(page).getByText('Your hosts could not be loaded, so you cannot choose one. Not now.').waitFor();
  },
  { allow: /status of (429|500)/ },
);

inDashboard('a pasted host is cleaned of what is not part of it', async ({ page, account }) => {
  await openView(page, 'Hosts');
  const pastes = [
    (host: string) => `https://${host}/`,
    (host: string) => `${host}/`,
    (host: string) => ` ${host} `,
    (host: string) => `http://${host}/sale?from=mail#top`,
    (host: string) => `<HTTPS://${host.toUpperCase()}>`,
    (host: string) => `//${host}.`,
    (host: string) => `\u200b“${host}”`,
  ];
  const hosts: string[] = [];
  for (const paste of pastes) {
    const host = newHost();
    hosts.push(host);
    await button(page, 'Add a host').click();
    await field(page, 'Host').fill(paste(host));
    await page.keyboard.press('Enter');
    await card(page, host).waitFor();
  }
  const { body } = await request<Hosts>('/api/v1/hosts', { key: account.live });
  expect(body.hosts.map(({ host }) => host)).toEqual(hosts);
});

inDashboard(
  'an international host is shown as people write it, and DNS gets its ASCII form',
  async ({ page, account }) => {
    const label = unique();
    const [name, ascii] = [`grüße.${label}.example.org`, `xn--gre-6ka8l.${label}.example.org`];
    await openView(page, 'Hosts');
    await button(page, 'Add a host').click();
    await field(page, 'Host').fill(name);
    await page.keyboard.press('Enter');
    await toast(page, `${name} is added.`).waitFor();
    await button(page, `Verify ${name}`).waitFor();
    await card(page, name).getByText(`_waymark.${ascii}`, { exact: true }).waitFor();
    const { body } = await request<Hosts>('/api/v1/hosts', { key: account.live });
    expect(body.hosts.map(({ host }) => host)).toEqual([ascii]);
    const verified = body.hosts.map((host) => ({ ...host, status: 'verified' }));
    await page.route('**/api/v1/hosts', (route) => route.fulfill({ json: { hosts: verified } }));
    await page.goto(`${stack.publicUrl}/app/links`);
    await button(page, 'New link').first().click();
    await dialog(page).getByLabel('Host', { exact: true }).selectOption(name);
    await dialog(page)
      .getByText(`${name}:${new URL(stack.publicUrl).port}/`, { exact: true })
      .waitFor();
  },
);

inDashboard(
  'each part of the DNS records can be copied, and no CNAME is asked for that cannot be',
  async ({ page, account }) => {
    const label = unique();
    const [sub, apex] = [`go.${label}.example`, `${label}.example`];
    const { txt } = await addHost(account.live, sub);
    await addHost(account.live, apex);
    const openAt = async (publicUrl: string) => {
      await page.unroute('**/app/**');
      await page.route('**/app/**', async (route) => {
        if (route.request().resourceType() !== 'document') return route.continue();
        const response = await route.fetch();
        const html = (await response.text()).replace(/(name="public-url" content=")[^"]*/, `$1${publicUrl}`);
        return route.fulfill({ response, body: html });
      });
      await page.goto(`${stack.publicUrl}/app/hosts`);
      await card(page, sub).waitFor();
    };
    const copied = async (what: string, host: string) => {
      await button(page, `Copy the ${what} of ${host}`).click();
      return page.evaluate('navigator.clipboard.readText()');
    };
    await openAt('https://links.example.net');
    expect(await copied('value of the CNAME record', sub)).toBe('links.example.net');
    expect(await copied('name of the TXT record', sub)).toBe(txt.name);
    expect(await copied('short name of the TXT record', sub)).toBe('_waymark.go');
    expect(await copied('value of the TXT record', sub)).toBe(txt.value);
    // A domain itself has no CNAME record.
    expect(await copied('short name of the TXT record', apex)).toBe('_waymark');
    const addresses = 'A and AAAA records';
    await card(page, apex).getByText(addresses).waitFor();
    expect(await card(page, apex).getByText('CNAME').count()).toBe(0);
    for (const publicUrl of [
      'http://localhost:8080',
      'http://192.0.2.7',
      'http://[2001:db8::1]:8080',
      'http://waymark',
    ]) {
      await openAt(publicUrl);
      await card(page, sub).getByText(addresses).waitFor();
      expect(await card(page, sub).getByText('CNAME').count(), publicUrl).toBe(0);
    }
  },
);

inDashboard(
  'new links begin with the host that was chosen for them, as long as it is verified',
  async ({ page, account }) => {
    const [host, other] = [newHost(), newHost()];
    const dns = await DnsServer.start(stack.dnsPort);
    try {
      for (const { id, txt } of [await addHost(account.live, host), await addHost(account.live, other)]) {
        dns.records.set(txt.name, [txt.value]);
        expect((await verify(account.live, id)).body.status).toBe('verified');
      }
    } finally {
      await dns.close();
    }
    const choice = dialog(page).getByLabel('Host', { exact: true });
    const openForm = async () => {
      await page.goto(`${stack.publicUrl}/app/links`);
      await button(page, 'New link').first().click();
      await choice.waitFor();
      return choice.inputValue();
    };
    expect(await openForm()).toBe('');
    await page.keyboard.press('Escape');
    await openView(page, 'Hosts');
    const use = (name: string) => card(page, name).getByLabel('Use for new links in this browser');
    await use(other).check();
    // One host at most.
    await use(host).check();
    expect(await use(other).isChecked()).toBe(false);

    expect(await openForm()).toBe(host);
    await dialog(page)
      .getByText(`${host}:${new URL(stack.publicUrl).port}/`, { exact: true })
      .waitFor();
    // Nothing was entered yet.
    await page.keyboard.press('Escape');
    await dialog(page).waitFor(GONE);
    const slug = unique();
    await button(page, 'New link').first().click();
    await field(page, 'Destination URL').fill('https://example.com/');
    await field(page, 'Short link').fill(slug);
    await button(page, 'Create link').click();
    await page.getByText(`${slug} is ready.`).waitFor();
    const { links } = (await api(account.live).list()).body;
    expect(links.map((link) => [link.slug, link.host])).toEqual([[slug, host]]);

    // The form waits for no list of hosts, and begins with none that is lost or deleted.
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { body } = await request<Hosts>('/api/v1/hosts', { key: account.live });
    let answer = body.hosts;
    await page.route('**/api/v1/hosts', async (route) => {
      await held;
      await route.fulfill({ json: { hosts: answer } });
    });
    expect(await openForm()).toBe(host);
    answer = body.hosts.map((one) => (one.host === host ? { ...one, status: 'lost' } : one));
    release();
    await expect.poll(() => choice.inputValue()).toBe('');
    answer = body.hosts.filter((one) => one.host !== host);
    expect(await openForm()).toBe('');
    await page.unroute('**/api/v1/hosts');

    expect(await openForm()).toBe(host);
    await choice.selectOption('');
    await field(page, 'Destination URL').fill('https://example.com/default');
    await button(page, 'Create link').click();
    await page.getByText('is ready.').waitFor();
    expect((await api(account.live).list()).body.links[0]!.host).toBe(null);
    await openView(page, 'Hosts');
    await use(host).uncheck();
    expect(await openForm()).toBe('');
  },
);
