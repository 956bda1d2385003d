import type { Identity } from '@waymark/auth';
import type { HashtagList, Visibility } from '@waymark/contract';
import { hashtagListFromMessage } from '@waymark/proto';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { HashtagsService } from '../src/hashtags/hashtags.service.ts';
import { LinksStore } from '../src/links/links.store.ts';
import { randomRuns } from './support/random-runs.ts';
import { Service, type TestAccount } from './support/service.ts';
import { documentOf, writeLinks } from './support/write-links.ts';

// docs/api.md, Hashtags: the authoritative tests. e2e/mcp/parity.test.ts goes through the gateway and MCP.

let service: Service;
beforeAll(async () => {
  service = await Service.start();
});
afterAll(() => service.close());

const list = (identity: Identity) => service.request<HashtagList>(identity, 'GET', '/api/v1/hashtags');

/** Returns the hashtags over REST, and checks that gRPC gives the same. */
async function hashtagsOf(identity: Identity) {
  const { status, body } = await list(identity);
  expect(status).toBe(200);
  expect(hashtagListFromMessage(await service.links.listHashtags({}, await service.as(identity)))).toEqual(body);
  return body.hashtags;
}

interface ModelLink {
  id: string;
  hashtags: string[];
  visibility: Visibility;
  archived: boolean;
  clicks: number;
}

/** Recounts the hashtags of links. */
function recount(links: readonly ModelLink[], isPublicKey: boolean) {
  const counts = new Map<string, { links: number; clicks: number }>();
  for (const { hashtags, visibility, archived, clicks } of links) {
    if (archived || (isPublicKey && visibility !== 'public' && visibility !== 'unlisted')) continue;
    for (const hashtag of hashtags) {
      const counted = counts.get(hashtag) ?? { links: 0, clicks: 0 };
      counts.set(hashtag, { links: counted.links + 1, clicks: counted.clicks + clicks });
    }
  }
  return [...counts]
    .map(([hashtag, counted]) => ({ hashtag, ...counted }))
    .sort((a, b) => b.links - a.links || Buffer.compare(Buffer.from(a.hashtag), Buffer.from(b.hashtag)));
}

const hashtags = fc.uniqueArray(fc.constantFrom('a', 'b', 'sale', 'é', '夏', '𐐨', 'ﬀ'), { maxLength: 4 });
const visibility = fc.constantFrom<Visibility>('public', 'public', 'unlisted', 'private');
const change = fc.oneof(
  fc.record({ op: fc.constant('create' as const), hashtags, visibility, archived: fc.boolean() }),
  fc.record({ op: fc.constant('update' as const), target: fc.nat(), fields: fc.record({ hashtags }) }),
  fc.record({ op: fc.constant('update' as const), target: fc.nat(), fields: fc.record({ archived: fc.boolean() }) }),
  fc.record({ op: fc.constant('update' as const), target: fc.nat(), fields: fc.record({ visibility }) }),
  fc.record({ op: fc.constant('delete' as const), target: fc.nat() }),
  fc.record({ op: fc.constant('click' as const), target: fc.nat(), clicks: fc.nat({ max: 5 }) }),
);

test('the hashtags are those of a recount after each change, for both keys', async () => {
  const store = new LinksStore(service.database);
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: 10, maxLength: 20, size: 'max' }), async (changes) => {
      const { live, public: publicKey } = await service.createAccount();
      const links: ModelLink[] = [];
      for (const one of changes) {
        const link = one.op === 'create' ? undefined : links[one.target % Math.max(1, links.length)];
        if (one.op === 'create') {
          const { op: _, ...fields } = one;
          const { id } = await service.createLink(live, fields);
          links.push({ id, ...fields, clicks: 0 });
        } else if (link === undefined) continue;
        else if (one.op === 'update') {
          expect((await service.update(live, link.id, one.fields)).status).toBe(200);
          Object.assign(link, one.fields);
        } else if (one.op === 'delete') {
          expect((await service.delete(live, link.id)).status).toBe(204);
          links.splice(links.indexOf(link), 1);
        } else {
          link.clicks += one.clicks;
          await store.applyTotals([{ linkId: link.id, clicks: link.clicks, lastClickedAt: new Date() }]);
        }
        expect(await hashtagsOf(live)).toEqual(recount(links, false));
        expect(await hashtagsOf(publicKey)).toEqual(recount(links, true));
      }
    }),
    { numRuns: randomRuns(4) },
  );
});

test('an account without hashtags has an empty list, and no account sees those of another', async () => {
  const [one, other] = [await service.createAccount(), await service.createAccount()];
  await service.createLink(one.live, { hashtags: ['Sale', '#summer'] });
  await service.createLink(other.live);
  expect(await hashtagsOf(one.live)).toEqual([
    { hashtag: 'sale', links: 1, clicks: 0 },
    { hashtag: 'summer', links: 1, clicks: 0 },
  ]);
  for (const identity of [other.live, other.public]) expect((await list(identity)).body).toEqual({ hashtags: [] });
});

test('hashtags take no parameters and need an identity', async () => {
  const { live } = await service.createAccount();
  const refused = await service.request(live, 'GET', '/api/v1/hashtags?limit=5');
  expect([refused.status, refused.body]).toEqual([
    422,
    { error: '"limit" is not a known field; the known ones are none.' },
  ]);
  expect((await service.request(null, 'GET', '/api/v1/hashtags')).status).toBe(401);
});

/** Writes links with these hashtags. */
async function tag({ id }: TestAccount, tags: readonly string[][]) {
  const changes = tags.map((hashtags, n) => ({
    before: null,
    after: documentOf(id, { hashtags, clicks: n }, new Date(1.7e12 + n)),
  }));
  await writeLinks(service.database, id, changes);
}

test('of more than 1,000 hashtags, those with most links are listed, then the first by name', async () => {
  const account = await service.createAccount();
  const names = Array.from({ length: 1_500 }, (_, n) => `t${String((n * 7) % 1_500).padStart(4, '0')}`);
  await tag(account, [
    ...Array.from({ length: 75 }, (_, n) => names.slice(n * 20, n * 20 + 20)),
    ['t1499', 't1400'],
    ['t1400'],
  ]);
  const listed = await hashtagsOf(account.public);
  expect(listed).toHaveLength(1_000);
  expect(listed.map(({ hashtag, links }) => [hashtag, links]).slice(0, 4)).toEqual([
    ['t1400', 3],
    ['t1499', 2],
    ['t0000', 1],
    ['t0001', 1],
  ]);
  expect(listed.at(-1)!.hashtag).toBe('t0997');
});

test('a flood of one account delays no other account, and what waits too long is refused', async () => {
  vi.useFakeTimers();
  let release = () => {};
  const blocked = new Promise<void>((resolve) => {
    release = resolve;
  });
  let running = 0;
  const hashtags = new HashtagsService({
    count: async ({ accountId }) => {
      if (accountId === 'small') return [];
      running += 1;
      await blocked;
      return [];
    },
  });
  const identity = (accountId: string) =>
    ({ kind: 'account', accountId, username: accountId, plan: 'developer', scope: 'full_access' }) as const;
  const flood = Array.from({ length: 20 }, () => hashtags.list(identity('large')));
  const outcomes = Promise.allSettled(flood);
  expect(await hashtags.list(identity('small'))).toEqual({ hashtags: [] });
  expect(running).toBe(1);
  await vi.advanceTimersByTimeAsync(4_000);
  release();
  const [first, ...others] = await outcomes;
  vi.useRealTimers();
  expect(first!.status).toBe('fulfilled');
  for (const one of others) expect(one).toMatchObject({ status: 'rejected', reason: { code: 'unavailable' } });
});
