import type { Identity } from '@waymark/auth';
import { type BulkResults, type Link, slugKey } from '@waymark/contract';
import { updateLinkRequest } from '@waymark/proto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newLinkId } from '../src/database/ids.ts';
import { linkRefOf } from '../src/links/link-ref.ts';
import { ShortUrls } from '../src/slugs/short-urls.ts';
import { Service, type TestAccount } from './support/service.ts';

// docs/api.md, Links: wherever an id of a link is expected, its slug or its short URL serves, too.

let service: Service;
let replica: Service;
let account: TestAccount;
let other: TestAccount;
beforeAll(async () => {
  service = await Service.start();
  replica = await Service.start({ databaseName: service.databaseName });
  account = await service.createAccount();
  other = await service.createAccount();
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

/** What the text of the name may be, for a link with this slug. */
const namesOf = ({ id, slug }: Pick<Link, 'id' | 'slug'>) => [
  id,
  slug,
  slug.toUpperCase(),
  slug.toLowerCase(),
  ...shortUrlsOf(slug),
];
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

/** Every endpoint of links-svc that takes an id of a link, as a request that returns its status and error. */
const REQUESTS: Record<string, (identity: TestAccount['live'], name: string) => Promise<[number, unknown]>> = {
  get: async (identity, name) => outcome(await service.get(identity, name)),
  'an update': async (identity, name) => outcome(await service.update(identity, name, { title: 'T' })),
  'an empty update': async (identity, name) => outcome(await service.update(identity, name, {})),
  'a QR code': async (identity, name) => {
    const path = `/api/v1/links/${encodeURIComponent(name)}/qr?format=svg`;
    const { status, text } = await service.requestText(identity, path);
    return [status, status === 200 ? undefined : JSON.parse(text).error];
  },
  'an update in bulk': async (identity, name) => {
    const [result] = await bulk(identity, [{ op: 'update', id: name, link: { title: 'T' } }]);
    return [result!.status, result!.error];
  },
  'a deletion in bulk': async (identity, name) => {
    const [result] = await bulk(identity, [{ op: 'delete', id: name }]);
    return [result!.status, result!.error];
  },
  'a deletion': async (identity, name) => outcome(await service.delete(identity, name)),
  GetLink: (identity, name) => ofRpc(async (call) => void (await service.links.getLink({ id: name }, call)), identity),
  UpdateLink: (identity, name) =>
    ofRpc(
      async (call) => void (await service.links.updateLink(updateLinkRequest(name, { title: 'T' }), call)),
      identity,
    ),
  DeleteLink: (identity, name) =>
    ofRpc(async (call) => void (await service.links.deleteLink({ id: name }, call)), identity),
};

function outcome({ status, body }: { status: number; body: { error?: string } | null }): [number, unknown] {
  return [status, status < 400 ? undefined : body!.error];
}

async function ofRpc(
  call: (options: Awaited<ReturnType<Service['as']>>) => Promise<void>,
  identity: Identity,
): Promise<[number, unknown]> {
  try {
    await call(await service.as(identity));
    return [200, undefined];
  } catch (error) {
    const { httpStatus, message } = error as { httpStatus: number; message: string };
    return [httpStatus, message];
  }
}

describe.each(Object.entries(REQUESTS))('%s', (_name, request) => {
  test('finds a link by its id, its slug in any case and its short URL in any spelling', async () => {
    const names = namesOf({ id: '', slug: unique() }).length;
    for (let which = 0; which < names; which++) {
      const link = await service.createLink(account.live, { slug: unique() });
      const bystander = await service.createLink(account.live, { slug: unique() });
      const [status] = await request(account.live, namesOf(link)[which]!);
      expect([which, status]).toEqual([which, expect.toBeOneOf([200, 204])]);
      expect((await service.get(account.live, bystander.id)).body).toEqual(bystander);
    }
  });

  test('gives the same 404 for what the key does not see and for what does not exist, by any name', async () => {
    const foreign = await service.createLink(other.live, { slug: unique() });
    const hidden = await service.createLink(account.live, { slug: unique(), visibility: 'private' });
    const locked = await service.createLink(account.live, { slug: unique(), password: 'x' });
    const none = { id: idLike(), slug: unique() };
    for (const link of [foreign, none])
      for (const name of namesOf(link))
        for (const identity of [account.live, account.public])
          expect([name, await request(identity, name)]).toEqual([name, [404, NOT_FOUND.error]]);
    for (const link of [hidden, locked])
      for (const name of namesOf(link))
        expect([name, await request(account.public, name)]).toEqual([name, [404, NOT_FOUND.error]]);
    for (const { id, title } of [hidden, locked]) expect((await service.get(account.live, id)).body.title).toBe(title);
    expect((await service.get(other.live, foreign.id)).body).toEqual(foreign);
  });

  test('gives 404 for the URL of another host, a path of this one, and any other text', async () => {
    const { slug } = await service.createLink(account.live, { slug: unique() });
    const texts = [
      `https://go.example.org/${slug}`,
      `https://go.example:8443/${slug}`,
      `https://me@go.example/${slug}`,
      `ftp://go.example/${slug}`,
      `https://go.example/${slug}/more`,
      `https://go.example/docs`,
      `/${slug}`,
      `${slug} `,
      `https://go.example/${'x'.repeat(2_000)}`,
      `${slug}${'x'.repeat(4_000)}`,
    ];
    for (const text of texts) expect([text, await request(account.live, text)]).toEqual([text, [404, NOT_FOUND.error]]);
    expect((await service.get(account.live, slug)).body.title).toBe(null);
  });
});

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
      { numRuns: 25 },
    );
  }, 120_000);
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
  const shortUrls = new ShortUrls({ publicUrl, hosts, verifiedHosts: { find: () => undefined } });
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
