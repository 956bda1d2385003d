import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { RawClick } from '@waymark/contract';
import { rawClickFromMessage } from '@waymark/proto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  account,
  type FakeLinks,
  IPHONE,
  openTestDatabase,
  purge,
  record,
  type SentClick,
  signer,
  slugOf,
  startFakeLinks,
  startService,
  type TestDatabase,
  type TestService,
} from './harness.ts';

// GET /api/v1/clicks and ListClicks (docs/api.md, Raw clicks).

let db: TestDatabase;
let links: FakeLinks;
/** Two replicas on one database. */
let replicas: TestService[];
let service: TestService;
beforeAll(async () => {
  db = await openTestDatabase();
  links = await startFakeLinks();
  const env = { ...db.env, LINKS_GRPC: links.address };
  replicas = [await startService(env), await startService(env)];
  service = replicas[0]!;
});
afterAll(async () => {
  for (const replica of replicas) await replica.close();
  await links?.close();
  await db?.close();
});

/** Returns a new account with links. */
function newAccount(linkCount: number, link: { hidden?: boolean; deleted?: boolean; hashtags?: string[] } = {}) {
  const accountId = randomUUID();
  const linkIds = Array.from({ length: linkCount }, (_, n) => `${accountId}-${n}`);
  for (const id of linkIds) links.links.set(id, { accountId, hidden: false, deleted: false, ...link });
  return { accountId, linkIds };
}

function change(linkId: string, values: { hidden?: boolean; deleted?: boolean }): void {
  Object.assign(links.links.get(linkId)!, values);
  links.revision++;
}

/** Returns clicks of these links in turn, some of which were held back for hours. */
function someClicks({ accountId, linkIds }: ReturnType<typeof newAccount>, count: number): SentClick[] {
  return Array.from({ length: count }, (_, n) => ({
    id: randomUUID(),
    accountId,
    linkId: linkIds[n % linkIds.length]!,
    atMs: Date.UTC(2026, 10, 1) + n * 1_000 - (n % 7 === 0 ? 5 * 3_600_000 : 0),
  }));
}

/** Sends a request, again while the machine is too busy for it: nothing here stops ClickHouse. */
async function ask(path: string, identity = account(randomUUID()), options: RequestInit = {}): Promise<Response> {
  const { port } = service.app.http.server.address() as { port: number };
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    ...options,
    headers: { 'x-waymark-identity': await signer.mint(identity) },
  });
  if (response.status !== 503) return response;
  await response.body?.cancel();
  await sleep(1_000);
  return ask(path, identity, options);
}

function parse(text: string): RawClick[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RawClick);
}

async function list(identity: ReturnType<typeof account>, query: Record<string, string | number> = {}) {
  const parameters = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  );
  const response = await ask(`/api/v1/clicks?${parameters}`, identity);
  expect(response.status).toBe(200);
  return parse(await response.text());
}

/** Reads everything that there is behind a cursor. */
async function readAll(identity: ReturnType<typeof account>, limit: number, after?: string): Promise<RawClick[]> {
  const read: RawClick[] = [];
  for (let cursor = after; ; ) {
    const clicks = await list(identity, { limit, ...(cursor !== undefined && { after: cursor }) });
    read.push(...clicks);
    if (clicks.length < limit) return read;
    cursor = clicks.at(-1)!.cursor;
  }
}

const idsOf = (clicks: readonly { id?: string }[]) => clicks.map(({ id }) => id).sort();

describe('GET /api/v1/clicks', () => {
  test('a click has all its fields, and no address, visitor or batch', async () => {
    const own = newAccount(1);
    const id = randomUUID();
    const click = { id, accountId: own.accountId, linkId: own.linkIds[0]!, atMs: Date.UTC(2026, 10, 5, 7, 8, 9, 10) };
    await record(service.client, [
      { ...click, userAgent: IPHONE, referrer: 'https://news.example.com/a?b', country: 'DE', host: 'go.example.com' },
      {
        ...click,
        id: randomUUID(),
        utmSource: 'Letter',
        utmTerm: 'Red Shoes',
        language: 'de',
        visitor: 'a'.repeat(16),
      },
      { ...click, id: randomUUID(), userAgent: 'curl/8.0' },
    ]);
    const [first, second, ...others] = (await list(account(own.accountId))).sort((a) => (a.id === id ? -1 : 1));
    expect(first).toEqual({
      id,
      link_id: own.linkIds[0],
      slug: slugOf(own.linkIds[0]!),
      host: 'go.example.com',
      clicked_at: '2026-11-05T07:08:09.010Z',
      source: 'example.com',
      referrer: 'news.example.com',
      device: 'mobile',
      browser: 'Safari',
      os: 'iOS',
      country: 'DE',
      language: null,
      utm_campaign: null,
      utm_medium: null,
      utm_content: null,
      utm_term: null,
      cursor: expect.stringMatching(/^[\w-]+$/),
    });
    expect(second).toMatchObject({ host: null, source: 'letter', referrer: null, country: null });
    expect(second).toMatchObject({ language: 'de', utm_term: 'red shoes' });
    expect(others).toEqual([]);
  });

  test('batches are in the order in which they were stored, whenever their clicks happened', async () => {
    const own = newAccount(2);
    const batches = [3, 1, 2].map((day) => someClicks(own, 5).map((click) => ({ ...click, atMs: day * 86_400_000 })));
    for (const batch of batches) await record(service.client, batch);
    const read = await list(account(own.accountId));
    for (const [n, batch] of batches.entries()) expect(idsOf(read.slice(n * 5, n * 5 + 5))).toEqual(idsOf(batch));
  });

  test('whoever goes on from the last cursor gets every click exactly once, while replicas insert and links are purged', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ size: fc.integer({ min: 1, max: 10 }), again: fc.boolean() }), {
          minLength: 4,
          maxLength: 12,
        }),
        fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 }),
        async (batches, limits) => {
          const own = newAccount(3);
          const gone = newAccount(1);
          const expected: SentClick[] = [];
          let isDone = false;
          const sending = Promise.all(
            [0, 1, 2, 3].map(async (sender) => {
              for (const [n, { size, again }] of batches.entries()) {
                if (n % 4 !== sender) continue;
                const clicks = someClicks(own, size);
                expected.push(...clicks);
                const token = randomUUID();
                const { client } = replicas[n % 2]!;
                const others = { accountId: own.accountId, linkIds: gone.linkIds };
                await record(client, clicks.concat(someClicks(others, 3)), { token });
                if (again) await record(replicas[1 - (n % 2)]!.client, clicks, { token, maybeStored: true });
              }
            }),
          );
          const deleting = (async () => {
            for (const linkId of gone.linkIds) change(linkId, { deleted: true });
            await purge(service.client, [{ accountId: own.accountId, linkId: gone.linkIds[0]! }]);
            await db.database.command('OPTIMIZE TABLE clicks FINAL');
          })();
          const stopped = Promise.all([sending, deleting]).finally(() => {
            isDone = true;
          });
          const read: RawClick[] = [];
          for (let n = 0, isLast = false; !isLast; n++) {
            isLast = isDone;
            const after = read.at(-1)?.cursor;
            read.push(...(await readAll(account(own.accountId), limits[n % limits.length]!, after)));
          }
          await stopped;
          expect(idsOf(read)).toEqual(idsOf(expected));
        },
      ),
      { numRuns: 2 * Number(process.env.ANALYTICS_LENGTH ?? 1) },
    );
  });

  test('each key gets the clicks of the links that it sees at that moment', async () => {
    const shown = newAccount(1, { hashtags: ['a'] });
    const { accountId } = shown;
    const hidden = { ...newAccount(1, { hidden: true }), accountId };
    const deleted = { ...newAccount(1, { deleted: true }), accountId };
    for (const id of [...hidden.linkIds, ...deleted.linkIds]) links.links.get(id)!.accountId = accountId;
    links.revision++;
    const [ofShown, ofHidden] = [someClicks(shown, 3), someClicks(hidden, 3)];
    await record(service.client, [...ofShown, ...ofHidden, ...someClicks(deleted, 3)]);
    const full = account(accountId);
    const publicKey = account(accountId, 'public_links_only');
    const key = { id: 'k', name: 'agent', actions: ['analytics'] as const, hashtag: 'a', expiresAt: null };
    expect(idsOf(await list(full))).toEqual(idsOf([...ofShown, ...ofHidden]));
    for (const identity of [publicKey, { ...full, key }]) expect(idsOf(await list(identity))).toEqual(idsOf(ofShown));
    expect(idsOf(await list(full, { link_id: slugOf(hidden.linkIds[0]!) }))).toEqual(idsOf(ofHidden));
    for (const [identity, link] of [
      [publicKey, hidden],
      [full, deleted],
      [account(randomUUID()), shown],
    ] as const)
      expect((await ask(`/api/v1/clicks?link_id=${link.linkIds[0]}`, identity)).status).toBe(404);
    change(hidden.linkIds[0]!, { hidden: false });
    change(shown.linkIds[0]!, { hidden: true });
    expect(idsOf(await list(publicKey))).toEqual(idsOf(ofHidden));
    expect((await ask('/api/v1/clicks', { ...full, key: { ...key, actions: ['read'] } })).status).toBe(403);
  });

  test('the last ones are those that happened latest, as they were stored, and what is stored later follows', async () => {
    const own = newAccount(2);
    const identity = account(own.accountId);
    const now = Date.now();
    const HOUR_MS = 3_600_000;
    const at = (hoursAgo: number, n = 0): SentClick => ({
      id: randomUUID(),
      accountId: own.accountId,
      linkId: own.linkIds[n]!,
      atMs: now - hoursAgo * HOUR_MS,
    });
    expect(await list(identity, { last: 5 })).toEqual([]);
    const old = [at(24 * 400), at(24 * 399)];
    const recent = [at(1), at(2, 1), at(3)];
    // Some spool held it back.
    const late = [at(24 * 2)];
    for (const batch of [old, recent, late]) await record(service.client, batch);
    const all = await list(identity);
    const lastOf = async (last: number, query = {}) => idsOf(await list(identity, { last, ...query }));
    expect(await lastOf(1)).toEqual(idsOf(recent.slice(0, 1)));
    expect(await lastOf(3)).toEqual(idsOf(recent));
    expect(await lastOf(4)).toEqual(idsOf([...recent, ...late]));
    expect(await lastOf(5)).toEqual(idsOf([...recent, ...late, old[1]!]));
    expect(await list(identity, { last: 1_000 })).toEqual(all);
    expect(await lastOf(1, { link_id: own.linkIds[1] })).toEqual(idsOf([recent[1]!]));
    expect(await lastOf(2, { link_id: own.linkIds[1] })).toEqual(idsOf([recent[1]!]));
    expect(await lastOf(2, { link_id: own.linkIds[0] })).toEqual(idsOf([recent[0]!, recent[2]!]));

    const later = [at(24 * 3), at(0)];
    const after = (await list(identity, { last: 3 })).at(-1)!.cursor;
    await record(service.client, later);
    const following = idsOf(await list(identity, { after }));
    for (const { id } of later) expect(following).toContain(id);
    for (const { id } of recent) expect(following).not.toContain(id);

    change(own.linkIds[0]!, { hidden: true });
    const publicKey = account(own.accountId, 'public_links_only');
    expect(idsOf(await list(publicKey, { last: 2 }))).toEqual(idsOf([recent[1]!]));
    expect((await ask(`/api/v1/clicks?last=2&link_id=${own.linkIds[0]}`, publicKey)).status).toBe(404);
    change(own.linkIds[1]!, { deleted: true });
    expect(await list(publicKey, { last: 2 })).toEqual([]);
  });

  /** Resolves once no page is read any more, because the client does not read on. */
  async function untilNoPageIsRead(): Promise<void> {
    for (let before = -1; before !== pagesRead; ) {
      before = pagesRead;
      for (let n = 0; n < 5; n++) await list(account(randomUUID()));
    }
  }
  let pagesRead = 0;

  test('pages are read when the client reads, and a link that is hidden meanwhile is in none of the later ones', async () => {
    const own = newAccount(2);
    const publicKey = account(own.accountId, 'public_links_only');
    for (let n = 0; n < 10; n++) await record(service.client, someClicks(own, 10_000));
    links.beforeBatchGet = () => void pagesRead++;
    const { body } = await ask('/api/v1/clicks?limit=1000000', publicKey);
    const reader = body!.pipeThrough(new TextDecoderStream()).getReader();
    let text = (await reader.read()).value!;
    await untilNoPageIsRead();
    const readAhead = pagesRead;
    change(own.linkIds[1]!, { hidden: true });
    for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value;
    links.beforeBatchGet = () => {};
    // Each page has 2,000 clicks. What was read ahead is in the buffers of the two sockets.
    expect(readAhead).toBeLessThan(30);
    const read = parse(text);
    expect(read.filter(({ link_id }) => link_id === own.linkIds[0])).toHaveLength(50_000);
    const linksOf = (clicks: RawClick[]) => new Set(clicks.map(({ link_id }) => link_id));
    expect(linksOf(read.slice(0, readAhead * 2_000))).toEqual(new Set(own.linkIds));
    expect(linksOf(read.slice(readAhead * 2_000))).toEqual(new Set([own.linkIds[0]]));
  });

  test('two lists of an account run at once, a third is 429, and one ends when its client goes away', async () => {
    const own = newAccount(1);
    const identity = account(own.accountId);
    for (let n = 0; n < 8; n++) await record(service.client, someClicks(own, 10_000));
    const gone = new AbortController();
    const path = '/api/v1/clicks?limit=1000000';
    const first = await ask(path, identity, { signal: gone.signal });
    const second = await ask(path, identity);
    const third = await ask(path, identity);
    expect([first.status, second.status, third.status]).toEqual([200, 200, 429]);
    expect(third.headers.get('retry-after')).not.toBeNull();
    expect((await ask(path, account(randomUUID()))).status).toBe(200);
    gone.abort();
    await expect.poll(async () => (await ask('/api/v1/clicks?limit=1', identity)).status).toBe(200);
    expect(parse(await second.text())).toHaveLength(80_000);
  });

  test('CSV has a header row, quotes what needs it and defuses formulas', async () => {
    const own = newAccount(1);
    const atMs = Date.UTC(2026, 10, 5);
    const cells: Record<string, string> = {
      '=1+1': `'=1+1`,
      '@x': `'@x`,
      'a,b': `"a,b"`,
      'say "so"': `"say ""so"""`,
      "'+": `''+`,
      '-': `'-`,
    };
    for (const utmSource of Object.keys(cells))
      await record(service.client, [{ accountId: own.accountId, linkId: own.linkIds[0]!, atMs, utmSource }]);
    const response = await ask('/api/v1/clicks?format=csv', account(own.accountId));
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="clicks.csv"');
    const [header, ...rows] = (await response.text()).split('\r\n');
    const clicks = await list(account(own.accountId));
    expect(header).toBe(Object.keys(clicks[0]!).join(','));
    expect(rows.pop()).toBe('');
    const rowOf = ({ id, link_id, slug, clicked_at, browser, os, cursor }: RawClick, source: string) =>
      [id, link_id, slug, '', clicked_at, source, '', 'desktop', browser, os, '', '', '', '', '', '', cursor].join();
    expect(rows).toEqual(clicks.map((click) => rowOf(click, cells[click.source]!)));
  });

  test('HEAD has the headers of GET, and what is malformed is 422 with either', async () => {
    const identity = account(newAccount(1).accountId);
    const head = await ask('/api/v1/clicks', identity, { method: 'HEAD' });
    const get = await ask('/api/v1/clicks', identity);
    expect([head.status, await head.text(), await get.text()]).toEqual([200, '', '']);
    expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
    const other = 'A'.repeat(35);
    const both = `last=1&after=${other}`;
    for (const query of [
      'after=',
      'after=x',
      `after=${other}`,
      'last=0',
      'last=1001',
      both,
      'limit=0',
      'limit=1000001',
      'format=xml',
      'days=1',
    ])
      for (const method of ['GET', 'HEAD'])
        expect([query, (await ask(`/api/v1/clicks?${query}`, identity, { method })).status]).toEqual([query, 422]);
    expect(await (await ask(`/api/v1/clicks?after=${other}`, identity)).json()).toEqual({
      error: expect.stringContaining('leave it out to begin again'),
    });
  });
});

describe('ListClicks', () => {
  const call = async (
    identity: ReturnType<typeof account>,
    request: { after?: string; upTo?: string; limit?: number; fromNow?: boolean; last?: number },
  ) =>
    service.client.listClicks({ limit: 500, ...request }, { identity: await signer.mint(identity), timeoutMs: 15_000 });

  test('its pages have every click exactly once, and the last one says where to go on', async () => {
    const own = newAccount(3);
    const identity = account(own.accountId);
    const sent: SentClick[] = [];
    const read: RawClick[] = [];
    let after: string | undefined;
    for (let round = 0; round < 3; round++) {
      const clicks = someClicks(own, 45);
      await record(service.client, clicks);
      sent.push(...clicks);
      for (let more = true; more; ) {
        const page = await call(identity, { limit: 20, ...(after !== undefined && { after }) });
        expect(page.clicks.length).toBeLessThanOrEqual(20);
        read.push(...page.clicks.map(rawClickFromMessage));
        after = page.next;
        more = page.more;
      }
    }
    expect(idsOf(read)).toEqual(idsOf(sent));
    expect(read).toEqual(await list(identity));
    expect(await call(identity, { after: after! })).toMatchObject({ clicks: [], next: after, more: false });
  });

  test('it can end with a click, in whichever block that is', async () => {
    const own = newAccount(2);
    const identity = account(own.accountId);
    for (let n = 0; n < 3; n++) await record(service.client, someClicks(own, 20));
    const all = await list(identity);
    for (const [from, to] of [
      [0, 60],
      [5, 6],
      [5, 20],
      [19, 21],
      [10, 53],
    ] as const) {
      const stretch = { ...(from > 0 && { after: all[from - 1]!.cursor }), upTo: all[to - 1]!.cursor };
      expect((await call(identity, stretch)).clicks.map(rawClickFromMessage)).toEqual(all.slice(from, to));
    }
    change(own.linkIds[0]!, { hidden: true });
    const hidden = await call(account(own.accountId, 'public_links_only'), { upTo: all[29]!.cursor });
    const seen = all.slice(0, 30).filter(({ link_id }) => link_id === own.linkIds[1]);
    expect(hidden.clicks.map(rawClickFromMessage)).toEqual(seen);
  });

  test('it can begin behind the clicks that are stored', async () => {
    const own = newAccount(1);
    const identity = account(own.accountId);
    await record(service.client, someClicks(own, 3));
    const { next, clicks } = await call(identity, { fromNow: true });
    expect(clicks).toEqual([]);
    const later = someClicks(own, 2);
    await record(service.client, later);
    expect(idsOf((await call(identity, { after: next })).clicks)).toEqual(idsOf(later));
  });

  test('it can begin with the clicks that happened latest', async () => {
    const own = newAccount(1);
    const identity = account(own.accountId);
    await record(service.client, someClicks(own, 9));
    const page = await call(identity, { last: 4 });
    expect(page.clicks.map(rawClickFromMessage)).toEqual(await list(identity, { last: 4 }));
    expect(page.more).toBe(false);
    const later = someClicks(own, 2);
    await record(service.client, later);
    expect(idsOf((await call(identity, { after: page.next })).clicks)).toEqual(idsOf(later));
    const { next } = page;
    for (const request of [{ last: 501 }, { last: -1 }, { last: 1, after: next }])
      await expect(call(identity, request)).rejects.toMatchObject({ code: 'invalid' });
  });

  test('a limit outside its bounds and a malformed cursor are refused', async () => {
    const identity = account(randomUUID());
    for (const request of [{ limit: 0 }, { limit: 501 }, { after: 'x' }, { upTo: 'x' }])
      await expect(call(identity, request)).rejects.toMatchObject({ code: 'invalid' });
  });
});
