import type { ArchivedFilter, Visibility } from '@waymark/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { JobsClient } from './support/jobs.ts';
import { randomRuns } from './support/random-runs.ts';
import { Service, type TestAccount } from './support/service.ts';
import { documentOf, writeLinks } from './support/write-links.ts';

const OLD_LINKS = 12;

let replicas: Service[];
beforeAll(async () => {
  const first = await Service.start();
  const { databaseName } = first;
  // No promise hangs on the clocks of two machines: that of one replica is an hour ahead.
  const now = () => Date.now() + 3_600_000;
  replicas = [first, await Service.start({ databaseName }), await Service.start({ databaseName, now })];
});
afterAll(async () => {
  for (const replica of [...replicas].reverse()) await replica.close();
});

/** Adds links that were created long ago. */
async function addOld({ id }: TestAccount): Promise<string[]> {
  const links = Array.from({ length: OLD_LINKS }, (_, n) => documentOf(id, {}, new Date(1.7e12 + n)));
  await writeLinks(
    replicas[0]!.database,
    id,
    links.map((after) => ({ before: null, after })),
  );
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

test('`total` is exact on every replica, for both keys', async () => {
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
      }
    }),
    { numRuns: randomRuns(6) },
  );
});

test('an imported link, which has an old creation time, is counted and found by every replica at once', async () => {
  const [first, second] = [replicas[0]!, replicas[1]!];
  const account = await first.createAccount();
  await addOld(account);
  const totals = async (service: Service) => [
    (await service.list(account.live)).body.total,
    (await service.list(account.live, { q: 'imported' })).body.total,
  ];
  // The search texts are loaded.
  for (const service of [first, second]) expect(await totals(service)).toEqual([OLD_LINKS, 0]);
  const file = `slug,destination_url,created_at\nimported-${account.username},https://example.com/,2020-09-13\n`;
  expect(await new JobsClient(first, account.live).runImport(file)).toMatchObject({ created: 1 });
  for (const service of [first, second]) expect(await totals(service)).toEqual([OLD_LINKS + 1, 1]);
});
