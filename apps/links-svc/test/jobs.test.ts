import type { EventList } from '@waymark/contract';
import { clicksFromMessage } from '@waymark/proto';
import { afterEach, describe, expect, test } from 'vitest';
import type { DeletedLinkDocument } from '../src/database/documents/deleted-link.ts';
import { DeletedLinksStore } from '../src/deletions/deleted-links.store.ts';
import { purgeDue } from '../src/deletions/link-purger.ts';
import { LinksStore } from '../src/links/links.store.ts';
import { type FakeAnalytics, Service, type ServiceOptions } from './support/service.ts';

const services: Service[] = [];
afterEach(async () => {
  for (const service of services.splice(0)) await service.close();
});
async function start(options: ServiceOptions = {}): Promise<Service> {
  const service = await Service.start(options);
  services.push(service);
  return service;
}

/** Returns a fake analytics-svc that counts every click that it receives. */
function counting() {
  const clicks: string[] = [];
  const purged: { accountId: string; linkId: string }[] = [];
  const analytics: FakeAnalytics = {
    recordClicks: async (request) => {
      const sent = clicksFromMessage(request.clicks!);
      clicks.push(...sent.map(({ linkId }) => linkId));
      return { counted: sent.length };
    },
    getLinkTotals: async ({ linkIds }) => ({
      totals: linkIds.map((linkId) => ({
        linkId,
        clicks: BigInt(clicks.filter((id) => id === linkId).length),
        lastClickedAt: { seconds: 1_800_000_000n, nanos: 5_000_000 },
      })),
      complete: true,
    }),
    purgeLinks: async ({ links }) => {
      purged.push(...links.map(({ accountId, linkId }) => ({ accountId, linkId })));
      return { done: true };
    },
  };
  return { analytics, clicks, purged };
}

test('a click raises `clicks` and `last_clicked_at` of its link; they never fall, and `updated_at` does not change', async () => {
  const { analytics } = counting();
  const service = await start({ analytics });
  const account = await service.createAccount();
  const link = await service.createLink(account.live, { slug: 'Clicked' });
  for (let i = 0; i < 3; i++) {
    const visit = await service.request(null, 'GET', '/clicked', { headers: { 'user-agent': 'Mozilla/5.0' } });
    expect(visit.status).toBe(302);
  }
  await expect
    .poll(async () => (await service.get(account.live, link.id)).body)
    .toEqual({ ...link, clicks: 3, last_clicked_at: '2027-01-15T08:00:00.005Z' });
  const store = new LinksStore(service.database);
  await store.applyTotals([
    { linkId: link.id, clicks: 2, lastClickedAt: new Date(0) },
    { linkId: 'gone', clicks: 9, lastClickedAt: new Date() },
  ]);
  expect((await service.get(account.live, link.id)).body.clicks).toBe(3);
  expect((await service.list(account.live, { sort: 'clicks' })).body.links[0]).toMatchObject({
    id: link.id,
    clicks: 3,
  });
});

test('once clicks are forgotten, a total of them changes nothing and no spool keeps them, and no event tells of it', async () => {
  const service = await start();
  const account = await service.createAccount();
  const { id } = await service.createLink(account.live);
  const store = new LinksStore(service.database);
  const count = async (linkId: string, clicks: number) => {
    await store.applyTotals([{ linkId, clicks, lastClickedAt: new Date() }]);
    return (await service.get(account.live, id)).body.clicks;
  };
  const eventsOf = () => service.request<EventList>(account.live, 'GET', '/api/v1/events');
  const before = await eventsOf();
  expect(await count(id, 3)).toBe(3);
  expect((await service.delete(account.live, `${id}/clicks`)).status).toBe(404);
  expect((await service.request(account.live, 'DELETE', `/api/v1/links/${id}/clicks`)).status).toBe(204);
  expect((await service.get(account.live, id)).body).toMatchObject({ clicks: 0, last_clicked_at: null });
  expect([await count(id, 4), await count(`${id}.1`, 2), await count(`${id}.2`, 9)]).toEqual([0, 2, 2]);
  expect(await store.existingClicksIds([id, `${id}.1`, `${id}.2`])).toEqual([`${id}.1`]);
  expect((await eventsOf()).body.events).toEqual(before.body.events);
});

test('a change of a link is seen by redirects at once on the replica that made it', async () => {
  const service = await start();
  const account = await service.createAccount();
  const link = await service.createLink(account.live, { slug: 'moving', destination_url: 'https://one.example/' });
  const visit = (slug: string) =>
    service.request(null, 'GET', `/${slug}`, { headers: { 'user-agent': 'Mozilla/5.0' } });
  expect((await visit('moving')).headers.get('location')).toBe('https://one.example/');
  await service.update(account.live, link.id, { destination_url: 'https://two.example/' });
  expect((await visit('MOVING')).headers.get('location')).toBe('https://two.example/');
  expect((await visit('moved')).status).toBe(404);
  await service.update(account.live, link.id, { slug: 'Moved' });
  expect([(await visit('moving')).status, (await visit('moved')).status]).toEqual([404, 302]);
  await service.update(account.live, link.id, { visibility: 'private' });
  expect((await visit('moved')).status).toBe(404);
  await service.update(account.live, link.id, { visibility: 'public' });
  expect((await visit('moved')).status).toBe(302);
  await service.delete(account.live, link.id);
  expect((await visit('moved')).status).toBe(404);
  await service.createLink(account.live, { slug: 'MOVED', destination_url: 'https://three.example/' });
  expect((await visit('moved')).headers.get('location')).toBe('https://three.example/');
});

describe('deleted links', () => {
  const DAY_MS = 86_400_000;
  const idsOf = (links: readonly DeletedLinkDocument[]) => links.map(({ _id }) => _id).sort();
  const midnightAfter = (atMs: number) => Math.ceil(atMs / DAY_MS) * DAY_MS;

  test('are purged together from the analytics, at the first midnight in UTC that is two days after their deletion', async () => {
    const service = await start();
    const accounts = [await service.createAccount(), await service.createAccount()];
    const deletedLinks = new DeletedLinksStore(service.database);
    const deletedAt = Date.now();
    const ids: string[] = [];
    for (const account of [...accounts, accounts[0]!]) {
      const { id } = await service.createLink(account.live);
      await service.delete(account.live, id);
      ids.push(id);
    }
    const purges: string[][] = [];
    let done = false;
    const purge = async (links: readonly DeletedLinkDocument[]) => {
      purges.push(idsOf(links));
      return done;
    };
    const round = (atMs: number) => purgeDue({ deletedLinks, purge }, new Date(atMs));
    await round(deletedAt + 2 * DAY_MS - 1);
    expect(purges).toEqual([]);
    // The deletions may have been on both sides of a midnight.
    const due = midnightAfter(Date.now() + 2 * DAY_MS);
    await round(due);
    await round(due + 10_000);
    // While analytics-svc is at it, the request is repeated, and responses exclude the links.
    expect(purges).toEqual([ids.toSorted(), ids.toSorted()]);
    expect(await service.database.collections.deletedLinks.countDocuments({})).toBe(3);
    done = true;
    await round(due + 20_000);
    await round(due + 30_000);
    expect(purges).toHaveLength(3);
    expect(await service.database.collections.deletedLinks.countDocuments({})).toBe(0);
  });

  test('are purged by the service itself, over gRPC', async () => {
    const { analytics, purged } = counting();
    const service = await start({ analytics });
    const account = await service.createAccount();
    const { id } = await service.createLink(account.live);
    await service.delete(account.live, id);
    await service.database.collections.deletedLinks.updateOne({ _id: id }, { $set: { purge_at: new Date(0) } });
    await expect.poll(() => purged).toEqual([{ accountId: account.id, linkId: id }]);
    await expect.poll(() => service.database.collections.deletedLinks.countDocuments({})).toBe(0);
  });

  test('are purged again if analytics-svc failed', async () => {
    const service = await start();
    const account = await service.createAccount();
    const { id } = await service.createLink(account.live);
    await service.delete(account.live, id);
    const deletedLinks = new DeletedLinksStore(service.database);
    const later = new Date(Date.now() + 4 * DAY_MS);
    const failing = () => Promise.reject(new Error('down'));
    await expect(purgeDue({ deletedLinks, purge: failing }, later)).rejects.toThrow('down');
    const purged: string[] = [];
    const purge = async (links: readonly DeletedLinkDocument[]) => {
      purged.push(...idsOf(links));
      return true;
    };
    await purgeDue({ deletedLinks, purge }, later);
    expect(purged).toEqual([id]);
  });
});

test('auto_meta fills what was not sent, and never makes the creation fail', async () => {
  const { createServer } = await import('node:http');
  const page = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html');
    response.end('<title>Read &amp; found</title><meta name="description" content="From the page">');
  });
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
  const { port } = page.address() as { port: number };
  const destination_url = `http://127.0.0.1:${port}/`;
  const service = await start({ config: { AUTO_META_ALLOW: ['127.0.0.1/32'] } });
  const account = await service.createAccount();
  const create = async (body: object) => (await service.create(account.live, { destination_url, ...body })).body;
  expect(await create({ auto_meta: true })).toMatchObject({ title: 'Read & found', description: 'From the page' });
  expect(await create({ auto_meta: true, title: 'Mine' })).toMatchObject({
    title: 'Mine',
    description: 'From the page',
  });
  expect(await create({ auto_meta: true, title: 'x', description: null })).toMatchObject({
    description: 'From the page',
  });
  expect(await create({ auto_meta: true, title: '' })).toMatchObject({ title: null, description: 'From the page' });
  expect(await create({ auto_meta: false })).toMatchObject({ title: null, description: null });
  expect((await service.list(account.live, { q: 'read found' })).body.total).toBe(1);
  await new Promise((resolve) => page.close(resolve));
  expect(await create({ auto_meta: true })).toMatchObject({ title: null, description: null });

  const strict = await start();
  const other = await strict.createAccount();
  const answer = await strict.create(other.live, { destination_url, auto_meta: true });
  expect([answer.status, answer.body.title]).toEqual([201, null]);
});
