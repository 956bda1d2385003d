import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { Database } from '../src/database/database.ts';
import { derivedFields, type LinkDocument } from '../src/links/link.ts';
import { OPTIONAL_FIELD_DEFAULTS } from '../src/links/link-fields.ts';
import { Service, type TestAccount } from './support/service.ts';

let service: Service;
let account: TestAccount;
beforeAll(async () => {
  service = await Service.start();
  account = await service.createAccount();
});
afterAll(() => service.close());

/** Makes the database one of a version that did not normalize search texts. */
async function makeOld(links: readonly LinkDocument[]): Promise<void> {
  await service.database.whenUpgraded();
  await service.database.links.bulkWrite(
    links.map(({ _id, title }) => {
      const old = {
        search_text: `${title!}\nh\u0331`.toLowerCase(),
        title_key: title!.toLowerCase(),
        hashtags: ['h\u0331'],
      };
      return { updateOne: { filter: { account_id: account.id, _id }, update: { $set: old } } };
    }),
  );
  await service.database.upgrades.deleteMany({});
}

/** Upgrades the database of the service, as its next version or `migrate` would do. */
async function upgrade(): Promise<void> {
  const next = new Database({ url: inject('mongodbUrl'), database: service.databaseName });
  await next.whenUpgraded();
  await next.close();
}

const stored = () => service.database.links.find({ account_id: account.id }).toArray();

test('an upgrade makes stored links searchable in any normalization and does not change what they show', async () => {
  const shown = [];
  for (const title of ['Cafe\u0301', 'Plain'])
    shown.push(await service.createLink(account.live, { title, hashtags: ['ẖ'] }));
  await makeOld(await stored());
  const total = async (q: string) => (await service.list(account.live, { q })).body.total;
  expect([await total('CAFÉ'), await total('#ẖ')]).toEqual([0, 0]);
  await upgrade();
  expect([await total('CAFÉ'), await total('cafe\u0301'), await total('#ẖ'), await total('plain')]).toEqual([
    1, 1, 2, 1,
  ]);
  for (const link of shown) expect((await service.get(account.live, link.id)).body).toEqual(link);
});

test('a link that was stored before an optional field existed shows its default', async () => {
  const link = await service.createLink(account.live);
  for (const name of Object.keys(OPTIONAL_FIELD_DEFAULTS)) {
    await service.database.links.updateOne({ account_id: account.id, _id: link.id }, { $unset: { [name]: '' } });
    expect((await service.get(account.live, link.id)).body, `without "${name}"`).toEqual(link);
    expect((await service.list(account.live)).body.links[0], `without "${name}"`).toEqual(link);
  }
  await service.delete(account.live, link.id);
});

test('an upgrade runs once', async () => {
  await upgrade();
  const [link] = await stored();
  await service.database.links.updateOne(
    { account_id: account.id, _id: link!._id },
    { $set: { search_text: 'as it is' } },
  );
  await upgrade();
  expect((await stored()).map(({ search_text }) => search_text)).toContain('as it is');
  await service.database.links.updateOne({ account_id: account.id, _id: link!._id }, { $set: derivedFields(link!) });
});

test('updates during an upgrade are kept, and every search text is consistent', async () => {
  const links = await Promise.all(
    Array.from({ length: 300 }, (_, n) => service.createLink(account.live, { title: `e\u0301 ${n}` })),
  );
  await makeOld(await stored());
  const upgrading = upgrade();
  for (const { id } of links.slice(0, 100)) await service.update(account.live, id, { title: `${id} Ḱ` });
  await upgrading;
  for (const link of await stored()) {
    expect(link).toMatchObject(derivedFields(link));
    if (links.slice(0, 100).some(({ id }) => id === link._id)) expect(link.title).toBe(`${link._id} Ḱ`);
  }
});

test('a service upgrades its database itself and responds meanwhile', async () => {
  await makeOld(await stored());
  const next = await Service.start({ databaseName: service.databaseName });
  expect((await next.list(account.live)).status).toBe(200);
  await vi.waitFor(async () => expect((await next.list(account.live, { q: '#ẖ' })).body.total).toBeGreaterThan(0));
  await next.close();
});
