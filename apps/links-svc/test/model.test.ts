import { isHidden, type Link, normalizeHashtags, type Visibility } from '@waymark/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Service, type TestAccount } from './support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await Service.start();
});
afterAll(() => service.close());

/** A link as the contract requires it. */
interface ModelLink extends Pick<Link, 'id' | 'slug' | 'title' | 'note' | 'hashtags' | 'visibility'> {
  owner: number;
  hasPassword: boolean;
}

interface Operation {
  kind: 'create' | 'get' | 'update' | 'delete' | 'list';
  account: number;
  isPublicKey: boolean;
  /** Selects one of all links ever created, of any account, deleted or not. */
  target: number;
  fields: {
    slug?: string;
    title?: string | null;
    note?: string | null;
    hashtags?: string[];
    visibility?: Visibility;
    password?: string;
  };
  q: string;
  per: number;
}

const word = fc.constantFrom('alpha', 'Beta', 'gamma ray', 'δέλτα', 'x');
const operation: fc.Arbitrary<Operation> = fc.record({
  kind: fc.constantFrom('create', 'create', 'get', 'update', 'update', 'update', 'delete', 'list', 'list'),
  account: fc.nat({ max: 1 }),
  isPublicKey: fc.boolean(),
  target: fc.nat({ max: 30 }),
  fields: fc
    .record(
      {
        slug: fc.constantFrom('one', 'ONE', 'two', 'Two', 'three', 'four'),
        title: fc.option(word, { nil: null }),
        note: fc.option(word, { nil: null }),
        hashtags: fc.array(fc.constantFrom('#Tag', 'tag', 'other'), { maxLength: 3 }),
        visibility: fc.constantFrom<Visibility>('public', 'public', 'unlisted', 'private', 'password-protected'),
        // Rare, because hashing a password is slow.
        password: fc.constant('secret'),
      },
      { requiredKeys: [] },
    )
    .chain((fields) =>
      fc.nat({ max: 9 }).map((one) => {
        const { password, ...rest } = fields;
        return one === 0 && password !== undefined ? { ...rest, password } : rest;
      }),
    ),
  q: fc.constantFrom('', '', 'alpha', 'BETA', 'δέλτα', 'tag', 'one', 'x gamma'),
  per: fc.constantFrom(1, 3, 100),
}) as fc.Arbitrary<Operation>;

/** Prefixes slugs with the run, because slugs are unique in the whole service. */
const prefixed = (fields: Operation['fields'], run: string) =>
  fields.slug === undefined ? fields : { ...fields, slug: `${run}-${fields.slug}` };

/** Returns the status with which the contract refuses an operation, or the visibility that the operation asks for. */
function judge(
  { isPublicKey }: Operation,
  fields: Operation['fields'],
  before: { hasPassword: boolean },
): { status: number } | { visibility: Visibility | undefined } {
  const { visibility, password } = fields;
  if (isPublicKey && (password !== undefined || (visibility !== undefined && isHidden(visibility))))
    return { status: 403 };
  if (password !== undefined && visibility !== undefined && visibility !== 'password-protected') return { status: 422 };
  const asked = password === undefined ? visibility : 'password-protected';
  if (asked === 'password-protected' && password === undefined && !before.hasPassword) return { status: 422 };
  return { visibility: asked };
}

test('random operations show no link of another account and no hidden link to a public key, with exact counts and pages', async () => {
  let runs = 0;
  let done = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 60, maxLength: 120 }), async (operations) => {
      const run = `m${++runs}${Math.random().toString(36).slice(2, 8)}`;
      const accounts: TestAccount[] = [await service.createAccount(), await service.createAccount()];
      const made: ModelLink[] = [];
      const living = new Map<string, ModelLink>();
      for (const one of operations) {
        done += 1;
        const account = accounts[one.account]!;
        const identity = one.isPublicKey ? account.public : account.live;
        const fields = prefixed(one.fields, run);
        const sees = (link: ModelLink) => link.owner === one.account && !(one.isPublicKey && isHidden(link.visibility));
        const isTaken = (slug: string | undefined, but?: ModelLink) =>
          slug !== undefined &&
          [...living.values()].some((link) => link !== but && link.slug.toLowerCase() === slug.toLowerCase());
        const target = made[one.target % Math.max(1, made.length)];
        const link = target !== undefined && living.has(target.id) && sees(target) ? target : undefined;
        const id = target?.id ?? 'none';

        if (one.kind === 'create') {
          const verdict = judge(one, fields, { hasPassword: false });
          const answer = await service.create(identity, { destination_url: 'https://example.com/', ...fields });
          if ('status' in verdict) expect(answer.status).toBe(verdict.status);
          else if (isTaken(fields.slug)) expect(answer.status).toBe(422);
          else {
            expect(answer.status).toBe(201);
            const expected: ModelLink = {
              owner: one.account,
              hasPassword: fields.password !== undefined,
              id: answer.body.id,
              slug: fields.slug ?? answer.body.slug,
              title: fields.title ?? null,
              note: fields.note ?? null,
              hashtags: normalizeHashtags(fields.hashtags ?? []),
              visibility: verdict.visibility ?? 'public',
            };
            expect(made.map((other) => other.id)).not.toContain(expected.id);
            made.push(expected);
            living.set(expected.id, expected);
            expect(answer.body).toMatchObject(shown(expected));
          }
        } else if (one.kind === 'get') {
          const answer = await service.get(identity, id);
          expect(answer.status).toBe(link === undefined ? 404 : 200);
          if (link !== undefined) expect(answer.body).toMatchObject(shown(link));
        } else if (one.kind === 'update') {
          const answer = await service.update(identity, id, fields);
          const forbidden = judge({ ...one }, fields, { hasPassword: true });
          if ('status' in forbidden && forbidden.status === 403) expect(answer.status).toBe(403);
          else if (link === undefined) expect(answer.status).toBe(404);
          else {
            const verdict = judge(one, fields, link);
            if ('status' in verdict) expect(answer.status).toBe(verdict.status);
            else if (isTaken(fields.slug, link)) expect(answer.status).toBe(422);
            else {
              expect(answer.status).toBe(200);
              const { password, visibility: _, hashtags, ...texts } = fields;
              Object.assign(link, texts);
              if (hashtags !== undefined) link.hashtags = normalizeHashtags(hashtags);
              if (password !== undefined) link.hasPassword = true;
              if (verdict.visibility !== undefined) link.visibility = verdict.visibility;
              expect(answer.body).toMatchObject(shown(link));
            }
          }
        } else if (one.kind === 'delete') {
          const answer = await service.delete(identity, id);
          expect(answer.status).toBe(link === undefined ? 404 : 204);
          if (link !== undefined) living.delete(link.id);
        } else {
          const terms = one.q.toLowerCase().split(' ').filter(Boolean);
          const expected = [...living.values()]
            .filter(sees)
            .filter((candidate) =>
              terms.every((term) =>
                [candidate.slug, candidate.title, 'https://example.com/', candidate.note, ...candidate.hashtags].some(
                  (text) => text?.toLowerCase().includes(term),
                ),
              ),
            )
            .map((candidate) => candidate.id)
            .sort()
            .reverse();
          const found: string[] = [];
          for (let page = 1; page <= Math.ceil(expected.length / one.per) + 1; page++) {
            const { status, body } = await service.list(identity, { q: one.q, per: one.per, page });
            expect([status, body.total]).toEqual([200, expected.length]);
            found.push(...body.links.map((candidate) => candidate.id));
          }
          expect(found).toEqual(expected);
        }
      }
    }),
    { numRuns: 12 },
  );
  expect(done).toBeGreaterThan(700);
}, 120_000);

function shown({ owner: _, hasPassword: __, ...link }: ModelLink) {
  return link;
}
