import type { Identity } from '@waymark/auth';
import { type BulkResults, type Link, slugKey } from '@waymark/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newLinkId } from '../src/database/ids.ts';
import { linkRefOf } from '../src/links/link-ref.ts';
import { ShortUrls } from '../src/slugs/short-urls.ts';
import { randomRuns } from './support/random-runs.ts';
import { Service, type TestAccount } from './support/service.ts';

// docs/api.md, Links: what an id, a slug and a short URL name, in the order of changes. That every endpoint takes them is in
// e2e/contract/link-names.test.ts.

let service: Service;
let replica: Service;
let account: TestAccount;
beforeAll(async () => {
  service = await Service.start();
  replica = await Service.start({ databaseName: service.databaseName });
  account = await service.createAccount();
});
afterAll(async () => {
  await replica.close();
  await service.close();
});

const NOT_FOUND = { error: 'Link not found.' };
let slugs = 0;
const unique = () => `Name-${++slugs}`;
/** A slug of exactly the length and alphabet of an id. */
const idLike = () => newLinkId(account.id, Date.now());

const shortUrlsOf = (slug: string) => [
  `https://go.example/${slug}`,
  `go.example/${slug}`,
  `HTTP://GO.EXAMPLE/${slug.toUpperCase()}/?utm_source=mail#part`,
  `https://go.example:443/%${slug.charCodeAt(0).toString(16)}${slug.slice(1)}`,
];

async function bulk(identity: Identity, operations: object[]) {
  const { body } = await service.request<BulkResults>(identity, 'POST', '/api/v1/links/bulk', { body: { operations } });
  return body.results;
}

describe('a slug with the form of an id', () => {
  test('is found by its short URL alone, in any case of the text', async () => {
    const slug = idLike();
    const link = await service.createLink(account.live, { slug });
    for (const name of [slug, slug.toUpperCase()]) {
      expect(await service.get(account.live, name)).toMatchObject({ status: 404, body: NOT_FOUND });
      expect((await service.delete(account.live, name)).status).toBe(404);
    }
    for (const name of shortUrlsOf(slug)) expect((await service.get(account.live, name)).body).toEqual(link);
    // One character less or more is no id.
    for (const one of [slug.slice(1), `${slug}a`]) {
      const near = await service.createLink(account.live, { slug: one });
      expect((await service.get(account.live, one)).body).toEqual(near);
    }
  });

  test('never stands for the link that has this id, or had it', async () => {
    const first = await service.createLink(account.live);
    const second = await service.createLink(account.live, { slug: first.id });
    expect((await service.get(account.live, first.id)).body).toEqual(first);
    expect((await service.get(account.live, `go.example/${first.id}`)).body).toEqual(second);
    expect((await service.delete(account.live, first.id)).status).toBe(204);
    expect((await service.get(account.live, first.id)).status).toBe(404);
    expect((await service.delete(account.live, first.id)).status).toBe(404);
    expect((await service.get(account.live, `go.example/${first.id}`)).body).toEqual(second);
  });
});

test('a short URL in the path is taken as proxies leave it: decoded, and with one slash for two', async () => {
  const slug = unique();
  const link = await service.createLink(account.live, { slug });
  const paths = [
    `go.example/${slug}`,
    `go.example:443/${slug}`,
    `http:/go.example/${slug}`,
    `https:/GO.example/${slug.toLowerCase()}/`,
    `https://go.example/${slug}`,
    `https:%2Fgo.example%2F${slug}`,
    `https:%2F%2Fgo.example/${slug}`,
    `api.example/${slug}`,
  ].map((path) => `/api/v1/links/${path}`);
  for (const path of paths) {
    expect([path, await service.request(account.live, 'GET', path)]).toMatchObject([path, { status: 200, body: link }]);
    const title = `T${path.length}`;
    expect((await service.request<Link>(account.live, 'PUT', path, { body: { title } })).body.title).toBe(title);
    expect((await service.requestText(account.live, `${path.replace(/\/$/, '')}/qr?format=svg`)).text).toMatch(
      /^<svg|^<\?xml/,
    );
    await service.update(account.live, link.id, { title: null });
    Object.assign(link, (await service.get(account.live, link.id)).body);
  }
  for (const path of [
    'no.example/a',
    `other.example/${slug}`,
    'a/b/c',
    `ftp:/go.example/${slug}`,
    `x/${slug}`,
    `http:/${slug}`,
  ]) {
    const { status, body } = await service.request(account.live, 'GET', `/api/v1/links/${path}`);
    expect([path, status, Object.keys(body)]).toEqual([path, 404, ['error']]);
  }
  expect((await service.request(account.live, 'DELETE', paths[2]!)).status).toBe(204);
  expect((await service.get(account.live, link.id)).status).toBe(404);
});

test('words of the API stay routes, and a link with such a slug is found where they are none', async () => {
  const [exported, many] = [
    await service.createLink(account.live, { slug: 'export' }),
    await service.createLink(account.live, { slug: 'bulk' }),
  ];
  expect((await service.requestText(account.live, '/api/v1/links/export')).text).toContain(exported.id);
  expect((await service.request(account.live, 'POST', '/api/v1/links/bulk', { body: { operations: [] } })).status).toBe(
    422,
  );
  expect((await service.get(account.live, 'bulk')).body).toEqual(many);
  expect((await service.get(account.live, 'https://go.example/export')).body).toEqual(exported);
});

test('an update by slug may change the slug, which frees the old one', async () => {
  const [from, to] = [unique(), unique()];
  const link = await service.createLink(account.live, { slug: from });
  const renamed = await service.update(account.live, from, { slug: to, password: 'x' });
  expect([renamed.status, renamed.body.id, renamed.body.slug]).toEqual([200, link.id, to]);
  expect((await service.get(account.live, from)).status).toBe(404);
  expect((await service.get(account.live, to)).body.id).toBe(link.id);
  expect((await service.update(account.live, from, { password: 'x' })).status).toBe(404);
});

test('DeleteLink returns the id of the link that it deleted', async () => {
  const link = await service.createLink(account.live, { slug: unique() });
  const call = await service.as(account.live);
  expect(await service.links.deleteLink({ id: link.short_url }, call)).toMatchObject({ id: link.id });
});

describe('in bulk, a name means the link that has it when the operation is done', () => {
  test('after creations, renames and deletions before it in the same request', async () => {
    const [a, b, c] = [unique(), unique(), unique()];
    const link = await service.createLink(account.live, { slug: a });
    const destination_url = 'https://example.com/';
    const results = await bulk(account.live, [
      { op: 'update', id: a, link: { slug: b } },
      { op: 'update', id: a, link: { title: 'gone' } },
      { op: 'create', link: { destination_url, slug: a } },
      { op: 'update', id: a.toUpperCase(), link: { title: 'new' } },
      { op: 'delete', id: `https://go.example/${b}` },
      { op: 'delete', id: link.id },
      { op: 'update', id: a, link: { slug: c, password: 'x' } },
      { op: 'update', id: c, link: { note: 'N' } },
      { op: 'delete', id: c },
      { op: 'delete', id: c },
    ]);
    expect(results.map(({ status }) => status)).toEqual([200, 404, 201, 200, 204, 404, 200, 200, 204, 404]);
    expect(results[0]!.link!.id).toBe(link.id);
    const created = results[2]!.link!.id;
    expect(results[3]!.link).toMatchObject({ id: created, title: 'new', slug: a });
    expect(results[7]!.link).toMatchObject({ id: created, slug: c, note: 'N', visibility: 'password-protected' });
  });

  test('also for a password of a link that was only just created', async () => {
    const slug = unique();
    const results = await bulk(account.live, [
      { op: 'create', link: { destination_url: 'https://example.com/', slug } },
      { op: 'update', id: slug, link: { password: 'x' } },
      { op: 'update', id: unique(), link: { password: 'x' } },
      { op: 'update', id: idLike(), link: { password: 'x', visibility: 'public' } },
      { op: 'update', id: unique(), link: { password: 'x', visibility: 'public' } },
      { op: 'update', id: slug, link: { password: 'x', visibility: 'public' } },
    ]);
    expect(results.map(({ status }) => status)).toEqual([201, 200, 404, 404, 404, 422]);
    expect(results[1]!.link).toMatchObject({ slug, visibility: 'password-protected' });
  });

  test('gives the results that requests one after the other would give', async () => {
    const word = fc.constantFrom('one', 'two', 'Two', 'three');
    const operation = fc.oneof(
      fc.record({ op: fc.constant('create'), slug: word }),
      fc.record({ op: fc.constant('update'), name: word, slug: fc.option(word, { nil: undefined }) }),
      fc.record({ op: fc.constant('delete'), name: word }),
      fc.record({ op: fc.constant('upsert'), slug: word }),
    ) as fc.Arbitrary<{ op: string; name?: string; slug?: string }>;
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 12 }), async (operations) => {
        const accountOfRun = await service.createAccount();
        const run = `r${++runs}`;
        const send = (part: typeof operations, prefix: string) =>
          bulk(
            accountOfRun.live,
            part.map(({ op, name, slug }, position) => ({
              op,
              ...(name !== undefined && { id: `${prefix}-${name}` }),
              ...(op !== 'delete' && {
                link: {
                  ...(op !== 'update' && { destination_url: 'https://example.com/' }),
                  ...(slug !== undefined && { slug: `${prefix}-${slug}` }),
                  title: `${position}`,
                },
              }),
            })),
          );
        const together = await send(operations, `${run}-a`);
        const apart: typeof together = [];
        // A title says which operation made it.
        for (const [position] of operations.entries()) {
          const blanks = Array.from({ length: position }, () => ({ op: 'delete', name: 'none' }));
          apart.push((await send([...blanks, operations[position]!], `${run}-b`)).at(-1)!);
        }
        const ids = (results: typeof together) => {
          const numbers = new Map<string, number>();
          return results.map(({ status, link, error }) => {
            if (link !== undefined && !numbers.has(link.id)) numbers.set(link.id, numbers.size);
            const shown = link && {
              number: numbers.get(link.id),
              title: link.title,
              slug: link.slug.slice(run.length + 3),
            };
            return { status, shown, error: error?.replaceAll(`${run}-a`, `${run}-b`) };
          });
        };
        expect(ids(together)).toEqual(ids(apart));
      }),
      { numRuns: randomRuns(10) },
    );
  });
});

test('while slugs move between links on two replicas, a change by slug reaches only a link that has it', async () => {
  const [a, b] = [unique(), unique()];
  const [first, second] = [
    await service.createLink(account.live, { slug: a }),
    await service.createLink(account.live, { slug: b }),
  ];
  const swap = (at: Service, one: string, two: string) =>
    at.request(account.live, 'POST', '/api/v1/links/bulk', {
      body: {
        operations: [
          { op: 'update', id: one, link: { slug: `${a}-between` } },
          { op: 'update', id: two, link: { slug: a } },
          { op: 'update', id: one, link: { slug: b } },
        ],
      },
    });
  for (let round = 0; round < 15; round++) {
    const [holder, next] = round % 2 === 0 ? [first, second] : [second, first];
    const answers = await Promise.all([
      swap(service, holder.id, next.id),
      ...Array.from({ length: 6 }, (_, n) => (n % 2 ? service : replica).update(account.live, a, { note: `${round}` })),
    ]);
    for (const { body } of answers.slice(1) as { body: Link }[]) {
      // The slug was free for no moment, and the link that was changed had it then.
      expect(slugKey(body.slug)).toBe(slugKey(a));
      expect([first.id, second.id]).toContain(body.id);
    }
  }
});

test('a text names at most one link: its id or its slug', async () => {
  const publicUrl = 'https://go.example';
  const hosts = { idsOf: async () => new Map<string, string>() };
  const shortUrls = new ShortUrls({ ownUrls: [publicUrl], hosts, verifiedHosts: { find: () => undefined } });
  const refOf = (text: string) => linkRefOf(text, 'account', shortUrls);
  const id = fc.integer({ min: 0 }).map((ms) => newLinkId('0'.repeat(16), ms));
  const slug = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/);
  await fc.assert(
    fc.asyncProperty(id, slug, fc.string({ unit: 'binary' }), async (one, text, any) => {
      expect(await refOf(one)).toEqual({ id: one });
      expect(await refOf(one.toUpperCase())).toEqual(/[a-z]/.test(one) ? null : { id: one });
      expect(await refOf(`${publicUrl}/${one}`)).toEqual({ hostId: null, slugKey: one });
      expect(await refOf(text)).toBeOneOf([{ hostId: null, slugKey: text.toLowerCase() }, null, { id: text }]);
      const ref = await refOf(any);
      if (ref !== null && 'slugKey' in ref && !any.includes('/')) expect(ref.slugKey).toBe(any.toLowerCase());
    }),
  );
});
