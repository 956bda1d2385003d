import { AppError } from '@waymark/contract';
import { afterEach, expect, test, vi } from 'vitest';
import type { Database } from '../src/database/database.ts';
import { newAccountId, newLinkId } from '../src/database/ids.ts';
import { derivedFields, type LinkDocument } from '../src/links/link.ts';
import { LinkScope } from '../src/links/link-scope.ts';
import { LinksStore } from '../src/links/links.store.ts';
import { newClaimId } from '../src/slugs/slug.ts';
import { startSlugSweeper } from '../src/slugs/slug-sweeper.ts';
import { SlugsStore } from '../src/slugs/slugs.store.ts';
import { FakeCollection } from './support/fake-collection.ts';
import { linkDocument } from './support/link-document.ts';

// ADR 41: the times of claims.

const MINUTE_MS = 60_000;
const account_id = newAccountId(Date.now());
const scope = new LinkScope({ accountId: account_id, scope: 'full_access' });
afterEach(() => vi.useRealTimers());

function setUp() {
  const database = {
    links: new FakeCollection(['account_id', 'slug_key']),
    slugs: new FakeCollection(),
    run: (operation: () => Promise<unknown>) => operation(),
    time: async () => new Date(),
  } as unknown as Database;
  const warn = vi.fn();
  const slugs = new SlugsStore(database, { warn });
  const links = new LinksStore(database, slugs);
  return { database, slugs, links, warn };
}

const newLink = (slug: string) => linkDocument(account_id, newLinkId(account_id, Date.now()), slug);

test.each([
  ['insert', (links: LinksStore, link: LinkDocument) => links.insert(link)],
  ['insertMany', (links: LinksStore, link: LinkDocument) => links.insertMany([link])],
])('a link is not written 61 seconds after its claim: %s', async (_, write) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  const { database, links } = setUp();
  // The process stands still between the claim and the write of the link.
  const run = database.run.bind(database);
  let operations = 0;
  database.run = ((operation: () => Promise<unknown>) => {
    operations += 1;
    if (operations === 2) vi.setSystemTime(Date.now() + 61_000);
    return run(operation);
  }) as typeof database.run;
  const link = newLink('late');
  await expect(write(links, link)).rejects.toThrow(AppError);
  expect(await database.links.findOne({ _id: link._id })).toBeNull();
});

test('a deletion or a change that is done does not fail because its slug cannot be released', async () => {
  const { database, links, warn } = setUp();
  const [deleted, changed] = [newLink('deleted'), newLink('changed')];
  for (const link of [deleted, changed]) expect(await links.insert(link)).toBe(true);
  vi.spyOn(database.slugs, 'deleteMany').mockRejectedValue(new AppError('unavailable', 'down'));
  expect(await links.delete(scope, deleted)).toMatchObject({ _id: deleted._id });
  const fields = { ...derivedFields({ ...changed, slug: 'new' }), slug: 'new', updated_at: new Date() };
  expect(await links.update(scope, changed, fields)).toBe(true);
  await links.deleteMany(scope, [{ _id: changed._id, slug_key: 'new' }]);
  expect(warn).toHaveBeenCalledTimes(3);
});

test.each([
  ['delete', (links: LinksStore, link: LinkDocument) => links.delete(scope, link), 'findOneAndDelete'],
  ['deleteMany', (links: LinksStore, link: LinkDocument) => links.deleteMany(scope, [link]), 'deleteMany'],
] as const)('a creation that is repeated during a deletion keeps its slug: %s', async (_, remove, statement) => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  const { database, links } = setUp();
  const link = newLink('again');
  await links.insert(link);
  vi.setSystemTime(Date.now() + 31 * MINUTE_MS);
  const send = database.links[statement].bind(database.links) as (filter: object) => Promise<never>;
  vi.spyOn(database.links, statement).mockImplementationOnce(async (filter: object) => {
    const result = await send(filter);
    expect(await links.insert(link)).toBe(true);
    return result;
  });
  await remove(links, link);
  expect(await database.links.findOne({ _id: link._id })).not.toBeNull();
  expect(await database.slugs.findOne({ _id: 'again' })).toMatchObject({ account_id, link_id: link._id });
});

test('a claim is not used again that another account made meanwhile, even in the same millisecond', async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
  const { database, slugs } = setUp();
  const link = newLink('wanted');
  const first = (await slugs.claim(link))!;
  const otherId = newAccountId(Date.now());
  const update = database.slugs.updateOne.bind(database.slugs);
  vi.spyOn(database.slugs, 'updateOne').mockImplementationOnce(async (filter, change) => {
    await slugs.release([first]);
    const claim = { ...first, account_id: otherId, link_id: newLinkId(otherId, Date.now()), claim_id: newClaimId() };
    await database.slugs.insertOne(claim);
    return update(filter, change as object);
  });
  expect(await slugs.claim(link)).toBeNull();
  expect(await database.slugs.findOne({ _id: 'wanted' })).toMatchObject({ account_id: otherId });
});

test('the sweeper releases claims without a link after half an hour, and no others', async () => {
  const { database, links, slugs } = setUp();
  const kept = newLink('kept');
  await links.insert(kept);
  const claim = (slug_key: string, ageMs: number) => ({
    _id: slug_key,
    account_id,
    link_id: newLinkId(account_id, Date.now()),
    claim_id: newClaimId(),
    claimed_at: new Date(Date.now() - ageMs),
  });
  await database.slugs.insertOne(claim('abandoned', 31 * MINUTE_MS));
  await database.slugs.insertOne(claim('recent', 29 * MINUTE_MS));
  await database.slugs.updateOne({ _id: 'kept' }, { $set: { claimed_at: new Date(0) } });
  const sweeper = startSlugSweeper({ slugs, logger: { warn: vi.fn() } as never, everyMs: 10 });
  await vi.waitFor(async () => expect(await database.slugs.findOne({ _id: 'abandoned' })).toBeNull());
  await sweeper.close();
  expect(await database.slugs.findOne({ _id: 'recent' })).not.toBeNull();
  expect(await database.slugs.findOne({ _id: 'kept' })).not.toBeNull();
});
