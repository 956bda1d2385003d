import type { Analytics, Link, LinkList } from '@waymark/contract';
import { beforeAll, describe, expect, test } from 'vitest';
import { connectMcp, messageOfTool } from './support/mcp.ts';
import { api, createAccount, createLink, eventually, follow, request, type TestAccount } from './support/world.ts';

// docs/api.md, Hidden links: with public_links_only, private and password-protected links do not appear anywhere.

let account: TestAccount;
let open: Link;
let unlisted: Link;
let hidden: Link[];
let wasHidden: Link;

beforeAll(async () => {
  account = await createAccount();
  open = await createLink(account.live, { title: 'needle open' });
  unlisted = await createLink(account.live, { title: 'needle unlisted', visibility: 'unlisted' });
  hidden = [
    await createLink(account.live, { title: 'needle private', visibility: 'private' }),
    await createLink(account.live, { title: 'needle locked', password: 'sesame' }),
  ];
  // If a link is hidden after its clicks, the public key's figures must lose those clicks, too.
  wasHidden = await createLink(account.live, { title: 'needle later' });
  for (const link of [open, unlisted, wasHidden]) expect((await follow(link.slug)).status).toBe(302);
  const opened = await request(`/${hidden[1]!.slug}`, {
    method: 'POST',
    body: 'password=sesame',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent':
        'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1',
    },
  });
  expect(opened.status).toBe(303);
  await eventually(async () => expect((await api(account.live).analytics()).body.clicks).toBe(4));
  expect((await api(account.live).update(wasHidden.id, { visibility: 'private' })).status).toBe(200);
  hidden.push(wasHidden);
});

describe('over REST', () => {
  test('get, update and delete give 404, as for an unknown link', async () => {
    const rest = api(account.public);
    const never = await rest.get('never-was');
    expect(never.status).toBe(404);
    for (const { id } of hidden) {
      for (const answer of [await rest.get(id), await rest.update(id, { title: 'x' }), await rest.delete(id)]) {
        expect(answer.status).toBe(404);
        expect(answer.body).toEqual(never.body);
      }
      expect((await api(account.live).get(id)).status).toBe(200);
    }
  });
  test('it is absent from the list, its totals and its search', async () => {
    for (const query of ['', '?q=needle', '?q=private', '?q=locked', '?sort=clicks&dir=asc', '?q=sesame']) {
      const { body } = await api(account.public).list(query);
      expect(body.links.map((link) => link.id).filter((id) => hidden.some((link) => link.id === id))).toEqual([]);
      expect(body.total).toBe(body.links.length);
    }
    expect((await api(account.public).list('?q=needle')).body.total).toBe(2);
    expect((await api(account.live).list('?q=needle')).body.total).toBe(5);
  });
  test('it is absent from all analytics, also if it was hidden a moment ago', async () => {
    expectPublicFigures((await api(account.public).analytics()).body);
    expect((await api(account.live).analytics()).body.clicks).toBe(4);
  });
  test('its slug is refused like any taken slug', async () => {
    const taken = await api(account.public).create({ destination_url: 'https://e.com', slug: open.slug });
    const hiddenTaken = await api(account.public).create({
      destination_url: 'https://e.com',
      slug: hidden[0]!.slug.toUpperCase(),
    });
    expect(taken.status).toBe(422);
    expect(hiddenTaken.status).toBe(422);
    expect(mask(hiddenTaken.body, hidden[0]!.slug)).toEqual(mask(taken.body, open.slug));
  });
  test('creating a hidden link, hiding a link and sending a password give 403', async () => {
    const rest = api(account.public);
    const bodies = [{ visibility: 'private' }, { visibility: 'password-protected', password: 'x' }, { password: 'x' }];
    for (const body of bodies) {
      expect((await rest.create({ destination_url: 'https://e.com', ...body })).status).toBe(403);
      expect((await rest.update(open.id, body)).status).toBe(403);
    }
    expect((await api(account.live).get(open.id)).body.visibility).toBe('public');
  });
});

describe('over MCP', () => {
  test('every tool acts as if the link did not exist', async () => {
    const mcp = await connectMcp(account.public);
    for (const { id } of hidden) {
      for (const answer of [await mcp.call('update_link', { id, title: 'x' }), await mcp.call('delete_link', { id })]) {
        expect(answer.isError).toBe(true);
        expect(answer.text).toBe(messageOfTool('Link not found.'));
      }
    }
    const { result } = await mcp.call<LinkList>('list_links', { q: 'needle' });
    expect(result.links.map((link) => link.id).sort()).toEqual([open.id, unlisted.id].sort());
    expect(result.total).toBe(2);
    expectPublicFigures((await mcp.call<Analytics>('get_analytics')).result);
    for (const args of [{ visibility: 'private' }, { password: 'x' }]) {
      const refused = await mcp.call('create_link', { destination_url: 'https://e.com', ...args });
      expect(refused.isError).toBe(true);
    }
    await mcp.close();
  });
});

test('a link of another account gives 404 for both keys', async () => {
  const other = await createAccount();
  for (const key of [other.live, other.public]) {
    for (const link of [open, ...hidden]) {
      expect((await api(key).get(link.id)).status).toBe(404);
      expect((await api(key).update(link.id, { title: 'mine' })).status).toBe(404);
      expect((await api(key).delete(link.id)).status).toBe(404);
    }
    expect((await api(key).list('?q=needle')).body.total).toBe(0);
    expect((await api(key).analytics()).body.clicks).toBe(0);
  }
});

function expectPublicFigures(body: Analytics): void {
  expect(body.clicks).toBe(2);
  expect(body.clicks_by_day.reduce((sum, day) => sum + day.clicks, 0)).toBe(2);
  expect(body.devices).toEqual([{ device: 'desktop', clicks: 2 }]);
  expect(body.sources).toEqual([{ source: 'direct', clicks: 2 }]);
  expect(body.top_links.map((link) => link.id).sort()).toEqual([open.id, unlisted.id].sort());
}

function mask(body: unknown, slug: string): string {
  return JSON.stringify(body).toLowerCase().replaceAll(slug.toLowerCase(), 'SLUG');
}
