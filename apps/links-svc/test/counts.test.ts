import type { ArchivedFilter, Visibility } from '@waymark/contract';
import { createLinkRequest, timeToMessage } from '@waymark/proto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { newLinkId } from '../src/database/ids.ts';
import { derivedFields, type LinkDocument, NEVER_CLICKED } from '../src/links/link.ts';
import { fieldsToCreate } from '../src/links/link-input.ts';
import { LinkScope } from '../src/links/link-scope.ts';
import { LinkCounts } from '../src/lists/link-counts.ts';
import { Service, type TestAccount } from './support/service.ts';

const OLD_LINKS = 12;

let replicas: Service[];
beforeAll(async () => {
  const first = await Service.start();
  const { databaseName } = first;
  replicas = [first, await Service.start({ databaseName }), await Service.start({ databaseName })];
});
afterAll(async () => {
  for (const replica of [...replicas].reverse()) await replica.close();
});

/** Adds links that were created long ago, before any request. */
async function addOld({ id }: TestAccount): Promise<string[]> {
  const links = Array.from({ length: OLD_LINKS }, (_, n): LinkDocument => {
    const created_at = new Date(1.7e12 + n);
    const _id = newLinkId(id, created_at.getTime());
    const fields = {
      ...fieldsToCreate({ destination_url: 'https://example.com/' }, null),
      slug: `old-${_id.slice(-14)}`,
    };
    const times = { created_at, updated_at: created_at, last_clicked_at: NEVER_CLICKED };
    return { ...fields, ...derivedFields(fields), ...times, _id, account_id: id, clicks: 0, revision: 0 };
  });
  await replicas[0]!.database.links.insertMany(links);
  return links.map(({ _id }) => _id);
}

interface Step {
  kind: 'list' | 'create' | 'update' | 'delete';
  replica: number;
  isPublicKey: boolean;
  target: number;
  archived: ArchivedFilter;
  fields: { archived?: boolean; visibility?: Visibility; title?: string };
}

const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('list', 'list', 'list', 'list', 'create', 'update', 'update', 'delete'),
  replica: fc.nat({ max: 2 }),
  isPublicKey: fc.boolean(),
  target: fc.nat({ max: 30 }),
  archived: fc.constantFrom('false', 'true', 'any'),
  fields: fc.record(
    {
      archived: fc.boolean(),
      visibility: fc.constantFrom('public', 'unlisted', 'private'),
      title: fc.constant('x'),
    },
    { requiredKeys: [] },
  ),
});

test('`total` is exact on every replica, for both keys, whatever is kept of earlier counts', async () => {
  const { accounts } = replicas[0]!.database;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 30, maxLength: 60, size: 'max' }), async (steps) => {
      const account = await replicas[0]!.createAccount();
      const ids = await addOld(account);
      const links = new Map(ids.map((id) => [id, { archived: false, visibility: 'public' as Visibility }]));
      for (const { kind, replica, isPublicKey, target, archived, fields } of steps) {
        const service = replicas[replica]!;
        const id = ids[target % ids.length]!;
        const link = links.get(id);
        if (kind === 'list') {
          const { body } = await service.list(isPublicKey ? account.public : account.live, { archived, per: 1 });
          const expected = [...links.values()].filter(
            (one) =>
              (archived === 'any' || String(one.archived) === archived) &&
              !(isPublicKey && one.visibility === 'private'),
          );
          expect(body.total).toBe(expected.length);
          continue;
        }
        if (kind === 'create') {
          const created = await service.createLink(account.live, fields);
          ids.push(created.id);
          links.set(created.id, created);
        } else if (kind === 'update' && link !== undefined) {
          const { body } = await service.update(account.live, id, fields);
          links.set(id, body);
        } else if (kind === 'delete') {
          await service.delete(account.live, id);
          links.delete(id);
        }
        // No change is running any more, so the revision alone must show that a kept count is not true.
        await accounts.updateOne({ _id: account.id }, { $set: { hidden_changing_until: new Date(0) } });
      }
    }),
    { numRuns: 15 },
  );
});

test('a link that is added with an old creation time is counted by every replica', async () => {
  const [first, second] = [replicas[0]!, replicas[1]!];
  const account = await first.createAccount();
  await addOld(account);
  const total = async (service: Service) => (await service.list(account.live)).body.total;
  for (const service of [first, second, first, second]) expect(await total(service)).toBe(OLD_LINKS);
  // A creation with an Idempotency-Key that a crash interrupted long ago gets its old id when it is repeated.
  const headers = { 'idempotency-key': 'once' };
  const link = { destination_url: 'https://example.com/', slug: 'late' };
  const { body } = await first.create(account.live, link, headers);
  await first.delete(account.live, body.id);
  const oldId = newLinkId(account.id, 1.7e12);
  await first.database.deletedLinks.deleteMany({ account_id: account.id });
  await first.database.idempotency.updateOne(
    { account_id: account.id },
    { $set: { link_id: oldId }, $unset: { answer: '' } },
  );
  const changesDone = { $set: { hidden_changing_until: new Date(0) } };
  await first.database.accounts.updateOne({ _id: account.id }, changesDone);
  for (const service of [first, second, first, second]) expect(await total(service)).toBe(OLD_LINKS);
  expect((await second.create(account.live, link, headers)).body.id).toBe(oldId);
  await first.database.accounts.updateOne({ _id: account.id }, changesDone);
  for (const service of [first, second]) expect(await total(service)).toBe(OLD_LINKS + 1);
});

test('an imported link, which has an old creation time, is counted and found by every replica at once', async () => {
  const [first, second] = [replicas[0]!, replicas[1]!];
  const account = await first.createAccount();
  await addOld(account);
  const totals = async (service: Service) => [
    (await service.list(account.live)).body.total,
    (await service.list(account.live, { q: 'imported' })).body.total,
  ];
  // Counts are kept and search texts loaded after the first requests.
  for (let n = 0; n < 4; n++)
    for (const service of [first, second]) expect(await totals(service)).toEqual([OLD_LINKS, 0]);
  const link = createLinkRequest({ destination_url: 'https://example.com/', slug: `imported-${account.username}` });
  const { results } = await first.links.importLinks(
    { username: account.username, links: [{ link, createdAt: timeToMessage(new Date(1.6e12)) }] },
    await first.as({ kind: 'service', service: 'admin' }),
  );
  expect(results).toMatchObject([{ created: true }]);
  for (const service of [first, second]) expect(await totals(service)).toEqual([OLD_LINKS + 1, 1]);
});

test('counts of one account that are asked for while one runs share the next one', async () => {
  const { database } = replicas[0]!;
  const account = await replicas[0]!.createAccount();
  await addOld(account);
  const counted = vi.spyOn(database.links, 'countDocuments');
  const counts = new LinkCounts(database);
  const scope = new LinkScope(account.live);
  const totals = await Promise.all(
    Array.from({ length: 8 }, () => counts.begin(scope, 'any').then(({ total }) => total([]))),
  );
  expect(totals).toEqual(totals.map(() => OLD_LINKS));
  // Each count has three parts: the settled links, the younger ones, and those in other states.
  expect(counted).toHaveBeenCalledTimes(2 * 3);
  counted.mockRestore();
});
