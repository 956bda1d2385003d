import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Identity } from '@waymark/auth';
import type { BulkResults } from '@waymark/contract';
import { bulkEditLinksRequest, bulkResultsFromMessage } from '@waymark/proto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventsOf, expectConsistent } from './support/log.ts';
import { Service, type TestAccount } from './support/service.ts';

// docs/api.md, Many at once: an upsert changes the link that has the slug, or creates it.

let service: Service;
let replica: Service;
let account: TestAccount;
beforeAll(async () => {
  service = await Service.start({ config: { AUTO_META_ALLOW: ['127.0.0.0/8'] } });
  replica = await Service.start({ databaseName: service.databaseName });
  account = await service.createAccount();
});
afterAll(async () => {
  await replica.close();
  await service.close();
});

const destination_url = 'https://example.com/';
let slugs = 0;
const unique = () => `Upsert-${++slugs}`;
const upsert = (link: object) => ({ op: 'upsert', link });
/** What the messages about malformed upserts end with. */
const SHAPE = '{"op":"upsert","link":{"slug":"sale","destination_url":"https://example.com/"}}';

async function bulk(
  identity: Identity,
  operations: unknown[],
  { at = service, headers = {}, fields }: { at?: Service; headers?: Record<string, string>; fields?: string } = {},
) {
  const { status, body } = await at.request<BulkResults>(identity, 'POST', '/api/v1/links/bulk', {
    body: { operations, ...(fields !== undefined && { fields }) },
    headers,
  });
  expect(status).toBe(200);
  return body.results;
}
const statuses = (results: BulkResults['results']) => results.map(({ status }) => status);

test('creates the link as a creation does, and then changes it as an update does', async () => {
  const owner = await service.createAccount();
  const slug = unique();
  const nulls = { title: null, note: null, hashtags: null, visibility: null, password: null, expires_at: null };
  const [first] = await bulk(owner.live, [upsert({ slug, destination_url, ...nulls })]);
  expect(first).toMatchObject({ status: 201, link: { slug, destination_url, title: null, visibility: 'public' } });
  const [second] = await bulk(owner.live, [
    upsert({ slug, destination_url: 'https://example.org/', title: 'T', note: 'N', hashtags: ['#A'] }),
  ]);
  expect(second).toEqual({
    status: 200,
    link: {
      ...first!.link!,
      destination_url: 'https://example.org/',
      title: 'T',
      note: 'N',
      hashtags: ['a'],
      updated_at: second!.link!.updated_at,
    },
  });
  const [third] = await bulk(owner.live, [upsert({ slug, title: null, note: '' })]);
  expect(third!.link).toMatchObject({ id: first!.link!.id, title: null, note: null, hashtags: ['a'] });
  expect((await service.get(owner.live, first!.link!.id)).body).toEqual(third!.link);
  expect((await service.list(owner.live)).body.total).toBe(1);
  const log = await eventsOf(service.database, owner.id);
  expect(log.map(({ type, link_id }) => [type, link_id])).toEqual(
    ['link.created', 'link.updated', 'link.updated'].map((type) => [type, first!.link!.id]),
  );
  await expectConsistent(service.database, owner.id);
});

test('finds the slug in any case and writes it as it was sent; a slug alone changes nothing', async () => {
  const slug = unique();
  const link = await service.createLink(account.live, { slug, title: 'T' });
  const [same, respelled] = await bulk(account.live, [upsert({ slug }), upsert({ slug: slug.toUpperCase() })]);
  expect(same).toEqual({ status: 200, link });
  expect(respelled).toMatchObject({ status: 200, link: { id: link.id, slug: slug.toUpperCase(), title: 'T' } });
  expect(respelled!.link!.updated_at > link.updated_at).toBe(true);
});

test('refuses what neither a creation nor an update may have, with their messages', async () => {
  const slug = unique();
  const existing = await service.createLink(account.live, { slug: unique(), title: 'before' });
  const creation = async (link: object) => (await service.create(account.live, link)).body.error;
  const both: [object, string][] = [
    [{ destination_url }, '"slug" is required.'],
    [{ slug: null, destination_url }, '"slug" is required.'],
  ];
  const wrong: object[] = [{ title: 7 }, { clicks: 1 }, { colour: 'red' }, { hashtags: ['!'] }, { auto_meta: 'yes' }];
  wrong.push({ visibility: 'public', password: 'x' }, { destination_url: 'ftp://x' }, { password: '' });
  wrong.push({ destination_url: 'https://go.example/loop' }, { expired_url: 'https://go.example/loop' });
  for (const one of ['api', '_x', 'a b', '', 'x'.repeat(65)])
    both.push([{ slug: one, destination_url }, await creation({ slug: one, destination_url })]);
  for (const fields of wrong) {
    const error = (await creation({ slug, destination_url, ...fields })).replace(/; the known.*/, '');
    both.push([{ slug, destination_url, ...fields }, error]);
    both.push([{ destination_url, ...fields, slug: existing.slug }, error]);
  }
  const results = await bulk(
    account.live,
    both.map(([link]) => upsert(link)),
  );
  expect(results.map(({ status, error }) => [status, error?.replace(/; the known.*/, '')])).toEqual(
    both.map(([, error]) => [422, error]),
  );
  const malformed = await bulk(account.live, [
    { op: 'upsert', id: existing.id, link: { slug: existing.slug } },
    { op: 'upsert' },
    { op: 'upsert', link: [] },
  ]);
  expect(malformed).toEqual([
    { status: 422, error: `"id" cannot be sent with "op" upsert; "slug" names the link. Expected: ${SHAPE}.` },
    { status: 422, error: `"link" is required for "op" upsert. Expected: ${SHAPE}.` },
    { status: 422, error: `"link" must be an object with fields of the link, for "op" upsert. Expected: ${SHAPE}.` },
  ]);
  expect((await service.get(account.live, existing.id)).body).toEqual(existing);
});

test('refuses what only one of the two may have if that is what it is', async () => {
  const [slug, taken] = [unique(), unique()];
  await service.createLink(account.live, { slug: taken });
  const none = '"password" is required for "visibility" password-protected, because none is set yet.';
  const cases: [object, [number, string | undefined], [number, string | undefined]][] = [
    [{ title: 'T' }, [422, '"destination_url" is required.'], [200, undefined]],
    [
      { destination_url: null },
      [422, '"destination_url" is required.'],
      [422, expect.stringContaining('"destination_url"')],
    ],
    [{ destination_url, visibility: 'password-protected' }, [422, none], [422, none]],
    [
      { destination_url, visibility: null },
      [201, undefined],
      [422, expect.stringContaining('"visibility" must be a string, one of')],
    ],
    [{ destination_url, password: null }, [201, undefined], [422, expect.stringContaining('"password" must be')]],
  ];
  for (const [fields, whenNew, whenTaken] of cases) {
    const [created, updated] = await bulk(account.live, [
      upsert({ ...fields, slug }),
      upsert({ ...fields, slug: taken }),
    ]);
    expect([fields, created!.status, created!.error]).toEqual([fields, ...whenNew]);
    expect([fields, updated!.status, updated!.error]).toEqual([fields, ...whenTaken]);
    if (created!.status === 201) await service.delete(account.live, slug);
  }
});

test('a password protects the link, new or not, and a link that had one may be protected again without it', async () => {
  const slug = unique();
  const results = await bulk(account.live, [
    upsert({ slug, destination_url, password: 'one' }),
    upsert({ slug, password: 'two' }),
    upsert({ slug, visibility: 'public' }),
    upsert({ slug, visibility: 'password-protected' }),
  ]);
  expect(results.map(({ status, link }) => [status, link?.visibility])).toEqual([
    [201, 'password-protected'],
    [200, 'password-protected'],
    [200, 'public'],
    [200, 'password-protected'],
  ]);
  const open = await fetch(`${service.origin}/${slug}`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ password: 'two' }),
  });
  expect(open.status).toBe(303);
});

test('a slug that the key does not see is answered as one that is taken, whatever else is sent', async () => {
  const other = await service.createAccount();
  const foreign = await service.createLink(other.live, { slug: unique() });
  const hidden = await service.createLink(account.live, { slug: unique(), visibility: 'private' });
  const locked = await service.createLink(account.live, { slug: unique(), password: 'x' });
  const bodies = [{ destination_url }, {}, { title: 'T' }, { title: null, destination_url, auto_meta: true }];
  for (const { slug } of [foreign, hidden, locked])
    for (const body of bodies) {
      const [result] = await bulk(account.public, [upsert({ slug, ...body })]);
      const taken = await service.create(account.public, { slug, destination_url });
      expect(result).toEqual({ status: 422, error: taken.body.error });
    }
  const [result] = await bulk(account.live, [upsert({ slug: foreign.slug, title: 'T' })]);
  expect(result).toEqual({ status: 422, error: `"slug" "${foreign.slug}" is taken; choose another one.` });
  expect((await service.get(other.live, foreign.id)).body).toEqual(foreign);
  for (const link of [hidden, locked]) expect((await service.get(account.live, link.id)).body).toEqual(link);
  // What the key may not do is refused first, whether or not the link exists.
  for (const slug of [foreign.slug, hidden.slug, unique()])
    for (const body of [{ visibility: 'private' }, { password: 'x' }])
      expect(statuses(await bulk(account.public, [upsert({ slug, destination_url, ...body })]))).toEqual([403]);
});

describe('in one request', () => {
  test('operations are done in order, also with the same slug twice', async () => {
    const [a, b] = [unique(), unique()];
    const results = await bulk(account.live, [
      upsert({ slug: a, destination_url, title: '1' }),
      upsert({ slug: a, title: '2' }),
      { op: 'create', link: { slug: a, destination_url } },
      { op: 'update', id: a, link: { slug: b } },
      upsert({ slug: a, title: '3' }),
      upsert({ slug: a, destination_url, title: '4' }),
      { op: 'delete', id: b },
      upsert({ slug: b, destination_url, title: '5' }),
      upsert({ slug: b.toUpperCase(), title: '6' }),
    ]);
    expect(statuses(results)).toEqual([201, 200, 422, 200, 422, 201, 204, 201, 200]);
    expect(results.map(({ link }) => link?.title)).toEqual([
      '1',
      '2',
      undefined,
      '2',
      undefined,
      '4',
      undefined,
      '5',
      '6',
    ]);
    const ids = results.map(({ link }) => link?.id);
    expect([ids[1], ids[3], ids[8]]).toEqual([ids[0], ids[0], ids[7]]);
    expect(new Set([ids[0], ids[5], ids[7]]).size).toBe(3);
  });

  test('`fields` limits the links, and an Idempotency-Key covers upserts and their passwords', async () => {
    const slug = unique();
    const operations = [upsert({ slug, destination_url, password: 'p' }), upsert({ slug, title: 'T' })];
    const headers = { 'idempotency-key': slug };
    const first = await bulk(account.live, operations, { headers, fields: 'title' });
    expect(first).toEqual([
      { status: 201, link: { id: expect.any(String), title: null } },
      { status: 200, link: { id: first[0]!.link!.id, title: 'T' } },
    ]);
    expect(await bulk(account.live, operations, { headers, fields: 'title', at: replica })).toEqual(first);
    for (const another of [
      [upsert({ slug, destination_url, password: 'q' }), operations[1]],
      [upsert({ slug, destination_url }), operations[1]],
      [operations[0], upsert({ slug, title: null })],
    ]) {
      const body = { operations: another, fields: 'title' };
      expect((await service.request(account.live, 'POST', '/api/v1/links/bulk', { body, headers })).status).toBe(422);
    }
  });

  test('auto_meta reads the page of a link that it creates, and of no other', async () => {
    const read: string[] = [];
    const pages = createServer(({ url }, response) => {
      read.push(url!);
      response.setHeader('content-type', 'text/html').end(`<title>Page ${url}</title>`);
    });
    await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', resolve));
    const page = (path: string) => ({
      destination_url: `http://127.0.0.1:${(pages.address() as AddressInfo).port}${path}`,
      auto_meta: true,
    });
    try {
      const [slug, freed] = [unique(), unique()];
      await service.createLink(account.live, { slug: freed });
      const results = await bulk(account.live, [
        upsert({ slug, ...page('/new') }),
        upsert({ slug, ...page('/twice') }),
      ]);
      expect(results.map(({ status, link }) => [status, link!.title])).toEqual([
        [201, 'Page /new'],
        [200, 'Page /new'],
      ]);
      read.length = 0;
      expect((await bulk(account.live, [upsert({ slug, ...page('/known') })]))[0]!.link!.title).toBe('Page /new');
      expect(read).toEqual([]);
      const again = await bulk(account.live, [{ op: 'delete', id: freed }, upsert({ slug: freed, ...page('/freed') })]);
      expect(again[1]).toMatchObject({ status: 201, link: { title: 'Page /freed' } });
    } finally {
      pages.closeAllConnections();
      pages.close();
    }
  });
});

test('of concurrent upserts of one slug on two replicas one creates the link and the others change it', async () => {
  const owner = await service.createAccount();
  for (let race = 0; race < 10; race++) {
    const slug = unique();
    const results = await Promise.all(
      Array.from({ length: 6 }, (_, n) =>
        bulk(owner.live, [upsert({ slug: n % 3 ? slug : slug.toUpperCase(), destination_url, title: `${n}` })], {
          at: n % 2 ? service : replica,
        }),
      ),
    );
    expect(results.flatMap(statuses).sort()).toEqual([200, 200, 200, 200, 200, 201]);
    expect(new Set(results.map(([result]) => result!.link!.id)).size).toBe(1);
  }
  expect((await service.list(owner.live)).body.total).toBe(10);
  await expectConsistent(service.database, owner.id);
});

test('of concurrent upserts of one slug by two accounts one gets it', async () => {
  const other = await service.createAccount();
  for (let race = 0; race < 10; race++) {
    const slug = unique();
    const results = await Promise.all(
      [account, other].map(({ live }, n) =>
        bulk(live, [upsert({ slug, destination_url })], { at: n ? replica : service }),
      ),
    );
    expect(results.flatMap(statuses).sort()).toEqual([201, 422]);
  }
});

test('BulkEditLinks does the same, with null as it was sent', async () => {
  const slug = unique();
  const call = await service.as(account.live);
  const send = async (link: { slug: string }) =>
    bulkResultsFromMessage(await service.links.bulkEditLinks(bulkEditLinksRequest([{ op: 'upsert', link }]), call));
  const first = { slug, destination_url, title: 'T', description: 'D', note: null };
  const [created] = await send(first);
  expect(created).toMatchObject({ status: 201, link: { title: 'T', description: 'D', note: null } });
  const then = { slug, title: null, hashtags: ['x'] };
  const [updated] = await send(then);
  expect(updated).toMatchObject({
    status: 200,
    link: { id: created!.link!.id, title: null, description: 'D', hashtags: ['x'] },
  });
});
