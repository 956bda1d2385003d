import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Identity } from '@waymark/auth';
import { BULK_BEGIN_WITHIN_MS, type BulkResults, type Link } from '@waymark/contract';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { unpackAnswer } from '../src/idempotency/kept-answer.ts';
import { expectConsistent } from './support/log.ts';
import { Service, type TestAccount } from './support/service.ts';

// docs/api.md, Many at once: each operation is done as its own request would be.

let service: Service;
let account: TestAccount;
beforeAll(async () => {
  service = await Service.start({ config: { AUTO_META_ALLOW: ['127.0.0.0/8'] } });
  account = await service.createAccount();
});
afterAll(() => service.close());

const destination_url = 'https://example.com/';
const create = (link: object) => ({ op: 'create', link: { destination_url, ...link } });

const send = (identity: Identity, body: object, headers: Record<string, string> = {}) =>
  service.request<BulkResults & { error: string }>(identity, 'POST', '/api/v1/links/bulk', { body, headers });
const bulk = (identity: Identity, operations: unknown, headers: Record<string, string> = {}) =>
  send(identity, { operations }, headers);
async function resultsOf(identity: Identity, operations: unknown, headers: Record<string, string> = {}) {
  const { status, body } = await bulk(identity, operations, headers);
  expect([status, body.error]).toEqual([200, undefined]);
  return body.results;
}
const statuses = (results: BulkResults['results']) => results.map(({ status }) => status);

describe('POST /api/v1/links/bulk', () => {
  test('performs operations in order, and each gives the status and body of its own request', async () => {
    const [a, b] = [await service.createLink(account.live), await service.createLink(account.live)];
    const results = await resultsOf(account.live, [
      create({ slug: 'bulk-one', hashtags: ['#A'] }),
      create({ slug: 'BULK-ONE' }),
      { op: 'update', id: a.id, link: { slug: 'bulk-two', title: 'T' } },
      create({ slug: 'bulk-two' }),
      { op: 'delete', id: a.id },
      create({ slug: 'bulk-two' }),
      { op: 'update', id: b.id, link: {} },
      { op: 'delete', id: a.id },
    ]);
    expect(statuses(results)).toEqual([201, 422, 200, 422, 204, 201, 200, 404]);
    expect(results[0]).toEqual({ status: 201, link: (await service.get(account.live, results[0]!.link!.id)).body });
    expect(results[1]).toEqual({ status: 422, error: '"slug" "BULK-ONE" is taken; choose another one.' });
    expect(results[2]!.link).toMatchObject({ id: a.id, slug: 'bulk-two', title: 'T' });
    expect(results[4]).toEqual({ status: 204 });
    expect(results[6]).toEqual({ status: 200, link: b });
    expect(results[7]).toEqual({ status: 404, error: 'Link not found.' });
  });

  test('a malformed operation stops no other; its message is that of its own request, or has the shape expected', async () => {
    const shapes = {
      create: '{"op":"create","link":{"destination_url":"https://example.com/"}}',
      update: '{"op":"update","id":"…","link":{"title":"New title"}}',
      upsert: '{"op":"upsert","link":{"slug":"sale","destination_url":"https://example.com/"}}',
      delete: '{"op":"delete","id":"…"}',
    };
    const any = Object.values(shapes).join(' or ');
    const wrong: [unknown, string][] = [
      [null, `An operation must be a JSON object with "op". Expected: ${any}.`],
      [[], `An operation must be a JSON object with "op". Expected: ${any}.`],
      [{}, `"op" is required. Expected: ${any}.`],
      [{ op: 'replace' }, `"op" must be one of create, update, upsert, delete; you sent "replace". Expected: ${any}.`],
      [{ op: 'create' }, `"link" is required for "op" create. Expected: ${shapes.create}.`],
      [
        { op: 'create', id: 'x', link: {} },
        `"id" cannot be sent with "op" create; the service sets it. Expected: ${shapes.create}.`,
      ],
      [{ op: 'update', link: {} }, `"id" is required for "op" update. Expected: ${shapes.update}.`],
      [{ op: 'delete', id: 'x', link: {} }, `"link" cannot be sent with "op" delete. Expected: ${shapes.delete}.`],
      [{ op: 'delete', id: 7 }, `"id" must be a string; you sent 7. Expected: ${shapes.delete}.`],
      [
        { op: 'delete', id: 'x', slug: 'y' },
        `"slug" is not a known field; the known ones are op, id, link. Expected: ${shapes.delete}.`,
      ],
    ];
    const bodies = [{}, { destination_url: 'x' }, { destination_url, clicks: 1 }, { destination_url, password: '' }];
    for (const body of bodies)
      wrong.push([{ op: 'create', link: body }, (await service.create(account.live, body)).body.error]);
    const link = await service.createLink(account.live);
    for (const body of [{ slug: 'api' }, { hashtags: ['!'] }, { visibility: 'password-protected' }])
      wrong.push([
        { op: 'update', id: link.id, link: body },
        (await service.update(account.live, link.id, body)).body.error,
      ]);
    const results = await resultsOf(account.live, [...wrong.map(([operation]) => operation), create({})]);
    expect(results.slice(0, -1)).toEqual(wrong.map(([, error]) => ({ status: 422, error })));
    expect(results.at(-1)!.status).toBe(201);
  });

  test('the body must have 1 to 100 operations and no other field, in at most 256 KiB', async () => {
    expect((await bulk(account.live, [])).body).toEqual({ error: '"operations" must have at least 1 item.' });
    const tooMany = await bulk(
      account.live,
      Array.from({ length: 101 }, () => create({})),
    );
    expect([tooMany.status, tooMany.body.error]).toEqual([
      422,
      '"operations" must have at most 100 items; you sent 101.',
    ]);
    expect((await bulk(account.live, 'x')).status).toBe(422);
    const before = (await service.list(account.live)).body.total;
    for (const other of [{ dry_run: true }, { links: [] }, { op: 'create' }]) {
      const [name] = Object.keys(other);
      const { status, body } = await send(account.live, { operations: [create({})], ...other });
      const error = `"${name}" is not a known field; the known ones are operations, fields.`;
      expect([status, body]).toEqual([422, { error }]);
    }
    expect((await service.list(account.live)).body.total).toBe(before);
    const large = (note: string) => Array.from({ length: 50 }, () => create({ note }));
    expect(statuses(await resultsOf(account.live, large('n'.repeat(5_000)))).every((status) => status === 201)).toBe(
      true,
    );
    const tooLarge = await bulk(account.live, large('n'.repeat(5_300)));
    expect([tooLarge.status, tooLarge.body.error]).toEqual([413, 'The body is over 256 KiB; send a smaller one.']);
  });

  test('`fields` limits the links of the results as it does those of the list', async () => {
    const [changed, gone] = [await service.createLink(account.live), await service.createLink(account.live)];
    const operations = [
      create({ slug: 'bulk-fields', title: 'T' }),
      { op: 'update', id: changed.id, link: { title: 'U' } },
      { op: 'delete', id: gone.id },
      { op: 'delete', id: gone.id },
    ];
    const { status, body } = await send(account.live, { operations, fields: 'slug,title' });
    expect([status, body.results]).toEqual([
      200,
      [
        { status: 201, link: { id: expect.any(String), slug: 'bulk-fields', title: 'T' } },
        { status: 200, link: { id: changed.id, slug: changed.slug, title: 'U' } },
        { status: 204 },
        { status: 404, error: 'Link not found.' },
      ],
    ]);
    expect((await service.get(account.live, changed.id)).body).toMatchObject({ destination_url, title: 'U' });
    const before = (await service.list(account.live)).body.total;
    for (const fields of ['nope', '', 'slug,', 'slug, title', 'password', ['slug'], null, 7]) {
      const refused = await send(account.live, { operations: [create({})], fields });
      expect([refused.status, refused.body.error]).toEqual([422, expect.stringContaining('"fields" must be')]);
    }
    expect((await service.list(account.live)).body.total).toBe(before);
  });

  test('a Public Links Only key can do no more than with single requests', async () => {
    const hidden = await service.createLink(account.live, { visibility: 'private' });
    const shown = await service.createLink(account.live);
    const operations = [
      create({ visibility: 'private' }),
      create({ password: 'p' }),
      { op: 'update', id: hidden.id, link: { title: 'T' } },
      { op: 'delete', id: hidden.id },
      { op: 'update', id: shown.id, link: { visibility: 'private' } },
      { op: 'update', id: shown.id, link: { title: 'T' } },
    ];
    expect(statuses(await resultsOf(account.public, operations))).toEqual([403, 403, 404, 404, 403, 200]);
    const other = await service.createAccount();
    expect(statuses(await resultsOf(other.live, operations.slice(2)))).toEqual([404, 404, 404, 404]);
  });

  test('100 creations are found at once, in the order in which they were sent', async () => {
    const fresh = await service.createAccount();
    const results = await resultsOf(
      fresh.live,
      Array.from({ length: 100 }, (_, i) => create({ title: `T${i}`, ...(i % 2 === 0 && { slug: `many-${i}` }) })),
    );
    expect(new Set(statuses(results))).toEqual(new Set([201]));
    expect(results.map(({ link }) => link!.title)).toEqual(results.map((_, i) => `T${i}`));
    expect(new Set(results.map(({ link }) => link!.slug)).size).toBe(100);
    const listed = await service.list(fresh.live, { per: 100, dir: 'asc' });
    expect(listed.body.links.map(({ id }) => id)).toEqual(results.map(({ link }) => link!.id));
    const redirect = await fetch(`${service.origin}/${results[99]!.link!.slug}`, { redirect: 'manual' });
    expect(redirect.status).toBe(302);
  });

  test('auto_meta reads all pages at once, also those of creations behind other operations', async () => {
    // No page is answered before all of them were asked for.
    const waiting: (() => void)[] = [];
    const server = createServer(({ url }, response) => {
      waiting.push(() => response.setHeader('content-type', 'text/html').end(`<title>Page ${url}</title>`));
      if (waiting.length === 4) for (const answer of waiting) answer();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const page = (path: string) => ({
      destination_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`,
      auto_meta: true,
    });
    try {
      const results = await resultsOf(account.live, [
        create(page('/a')),
        create({ ...page('/own'), title: 'Own' }),
        { op: 'delete', id: 'x' },
        create(page('/b')),
        create(page('/c')),
      ]);
      expect(statuses(results)).toEqual([201, 201, 404, 201, 201]);
      const titles = results.map(({ link }) => link?.title);
      expect(titles).toEqual(['Page /a', 'Own', undefined, 'Page /b', 'Page /c']);
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });
});

describe('the time of a bulk edit', () => {
  /**
   * Performs a creation whose page takes `ms`, by a clock that only the page moves, and operations after it. Returns all
   * operations, those that came after it, and the results.
   */
  async function editFor(ms: number, headers: Record<string, string> = {}) {
    let nowMs = performance.now();
    const page = createServer((_request, response) => {
      nowMs += ms;
      response.setHeader('content-type', 'text/html').end('<title>Page</title>');
    });
    await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
    const [changed, gone] = [await service.createLink(account.live), await service.createLink(account.live)];
    const destination_url = `http://127.0.0.1:${(page.address() as AddressInfo).port}/`;
    const later = [
      create({ title: 'After the page' }),
      { op: 'update', id: changed.id, link: { title: 'T' } },
      { op: 'delete', id: gone.id },
    ];
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
    try {
      const operations = [{ op: 'create', link: { destination_url, auto_meta: true } }, ...later];
      return { operations, later, results: await resultsOf(account.live, operations, headers) };
    } finally {
      clock.mockRestore();
      page.close();
    }
  }

  test(`an operation that begins within ${BULK_BEGIN_WITHIN_MS} ms is done`, async () => {
    const { results } = await editFor(BULK_BEGIN_WITHIN_MS);
    expect(statuses(results)).toEqual([201, 201, 200, 204]);
    expect(results[0]!.link!.title).toBe('Page');
  });

  test('those that are left then are not done, say so, and can be sent again', async () => {
    const { later, results } = await editFor(BULK_BEGIN_WITHIN_MS + 1);
    expect(statuses(results)).toEqual([201, 503, 503, 503]);
    const error = 'The time of the request ended before this operation, which was not done; send it again.';
    expect(results.slice(1)).toEqual(later.map(() => ({ status: 503, error })));
    expect((await service.list(account.live, { q: 'After the page' })).body.total).toBe(1);
    expect(statuses(await resultsOf(account.live, later))).toEqual([201, 200, 204]);
  });

  test('with an Idempotency-Key, repetitions on two replicas do what was left, once, and nothing else again', async () => {
    const replica = await Service.start({ databaseName: service.databaseName });
    try {
      const headers = { 'idempotency-key': 'bulk in two parts' };
      const { operations, results } = await editFor(BULK_BEGIN_WITHIN_MS + 1, headers);
      expect(statuses(results)).toEqual([201, 503, 503, 503]);
      const total = async () => (await service.list(account.live)).body.total;
      const before = await total();
      const repeated = await Promise.all(
        Array.from({ length: 8 }, (_, n) =>
          (n % 2 ? replica : service).request<BulkResults>(account.live, 'POST', '/api/v1/links/bulk', {
            body: { operations },
            headers,
          }),
        ),
      );
      for (const { status, body } of repeated) {
        expect([status, statuses(body.results)]).toEqual([200, [201, 201, 200, 204]]);
        expect(body).toEqual(repeated[0]!.body);
      }
      expect(repeated[0]!.body.results[0]).toEqual(results[0]);
      // One more was created and one was deleted.
      expect(await total()).toBe(before);
      expect(await resultsOf(account.live, operations, headers)).toEqual(repeated[0]!.body.results);
      const refused = await bulk(account.live, operations.slice(1), headers);
      expect([refused.status, refused.body.error]).toEqual([422, expect.stringContaining('Idempotency-Key')]);
      await expectConsistent(service.database, account.id);
    } finally {
      await replica.close();
    }
  });
});

describe('Idempotency-Key of a bulk edit', () => {
  let keys = 0;
  const newKey = () => ({ 'idempotency-key': `bulk ${++keys}` });
  const total = async () => (await service.list(account.live)).body.total;
  const recordsOf = ({ id }: TestAccount) =>
    service.database.collections.idempotency.find({ account_id: id }).toArray();

  test('returns the first results for the same key and body, and refuses another body', async () => {
    const headers = newKey();
    const gone = await service.createLink(account.live);
    const operations = [create({ slug: 'bulk-once', password: 'p' }), { op: 'delete', id: gone.id }, { op: 'x' }];
    const first = await resultsOf(account.live, operations, headers);
    expect(statuses(first)).toEqual([201, 204, 422]);
    const before = await total();
    expect(await resultsOf(account.live, operations, headers)).toEqual(first);
    expect(await total()).toBe(before);
    for (const another of [
      operations.slice(1),
      [create({ slug: 'bulk-once', password: 'q' }), ...operations.slice(1)],
      [create({ slug: 'bulk-once' }), ...operations.slice(1)],
    ]) {
      const refused = await bulk(account.live, another, headers);
      expect([refused.status, refused.body.error]).toEqual([422, expect.stringContaining('Idempotency-Key')]);
    }
    const single = await service.create(account.live, { destination_url }, headers);
    expect([single.status, single.body.error]).toEqual([422, expect.stringContaining('Idempotency-Key')]);
    const answers = await Promise.all((await recordsOf(account)).map(({ answer }) => unpackAnswer(answer)));
    expect(answers.map((answer) => JSON.stringify(answer))).toContainEqual(expect.stringContaining('bulk-once'));
    for (const answer of answers) expect(JSON.stringify(answer)).not.toContain('"p"');
  });

  test('keeps little of a small request about large links, and repeats its results exactly', async () => {
    const owner = await service.createAccount();
    const large = await service.createLink(owner.live, {
      destination_url: `https://example.com/${'d'.repeat(2_000)}`,
      title: '標'.repeat(200),
      description: '説'.repeat(1_000),
      note: Array.from({ length: 5_000 }, (_, n) => String.fromCodePoint(0x1f300 + ((n * n) % 700))).join(''),
    });
    const operations = Array.from({ length: 100 }, (_, n) => ({ op: 'update', id: large.id, link: { title: `${n}` } }));
    const headers = newKey();
    const first = await resultsOf(owner.live, operations, headers);
    expect(Buffer.byteLength(JSON.stringify(first))).toBeGreaterThan(2_000_000);
    const [record] = await recordsOf(owner);
    expect(record!.answer.length()).toBeLessThan(50_000);
    await service.delete(owner.live, large.id);
    expect(await resultsOf(owner.live, operations, headers)).toEqual(first);
  });

  test('is 429 for a new one once half a gigabyte is kept for the API key, and nothing is done', async () => {
    const owner = await service.createAccount();
    const known = newKey();
    const operations = [create({})];
    const first = await resultsOf(owner.live, operations, known);
    const { idempotency_bytes: kept } = (await service.database.collections.accounts.findOne({ _id: owner.id }))!;
    const [[hour, bytes]] = Object.entries(kept.full_access) as [[string, number]];
    const [record] = await recordsOf(owner);
    expect(bytes).toBeGreaterThanOrEqual(record!.answer.length());
    const setKept = (hour: number) =>
      service.database.collections.accounts.updateOne(
        { _id: owner.id },
        { $set: { idempotency_bytes: { full_access: { [hour]: 512 * 1_024 * 1_024 }, public_links_only: {} } } },
      );
    await setKept(Number(hour));
    for (const refused of [
      await bulk(owner.live, operations, newKey()),
      await service.create(owner.live, { destination_url }, newKey()),
    ]) {
      expect([refused.status, refused.body.error]).toEqual([429, expect.stringContaining('Idempotency-Key')]);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(23 * 3_600);
    }
    expect((await service.list(owner.live)).body.total).toBe(1);
    expect((await bulk(owner.public, operations, newKey())).status).toBe(200);
    // A repetition is answered, and so is a request without an Idempotency-Key.
    expect(await resultsOf(owner.live, operations, known)).toEqual(first);
    await service.createLink(owner.live);
    // What was kept a day ago has expired.
    await setKept(Number(hour) - 25);
    expect((await bulk(owner.live, operations, newKey())).status).toBe(200);
  });

  test('covers `fields`, which a repetition must send again', async () => {
    const headers = newKey();
    const operations = [create({ title: 'T' })];
    const first = await send(account.live, { operations, fields: 'title' }, headers);
    expect(first.body.results).toEqual([{ status: 201, link: { id: expect.any(String), title: 'T' } }]);
    expect((await send(account.live, { operations, fields: 'title' }, headers)).body).toEqual(first.body);
    for (const other of [{}, { fields: 'slug' }])
      expect((await send(account.live, { operations, ...other }, headers)).status).toBe(422);
  });

  test('identical concurrent requests on two replicas perform the operations once', async () => {
    const replica = await Service.start({ databaseName: service.databaseName });
    try {
      const headers = newKey();
      const gone = await service.createLink(account.live);
      const body = { operations: [create({}), create({}), { op: 'delete', id: gone.id }] };
      const before = await total();
      const answers = await Promise.all(
        Array.from({ length: 6 }, (_, i) =>
          (i % 2 ? replica : service).request<BulkResults>(account.live, 'POST', '/api/v1/links/bulk', {
            body,
            headers,
          }),
        ),
      );
      expect(statuses(answers[0]!.body.results)).toEqual([201, 201, 204]);
      for (const answer of answers) expect(answer.body).toEqual(answers[0]!.body);
      expect(await total()).toBe(before + 1);
    } finally {
      await replica.close();
    }
  });

  test('shows a Public Links Only key no link that has been hidden since', async () => {
    const headers = newKey();
    const operations = [create({}), create({})];
    const [hidden, shown] = (await resultsOf(account.public, operations, headers)).map(({ link }) => link as Link);
    await service.update(account.live, hidden!.id, { visibility: 'private' });
    const notFound = { status: 404, error: 'Link not found.' };
    expect(await resultsOf(account.public, operations, headers)).toEqual([notFound, { status: 201, link: shown }]);
    const updates = [{ op: 'update', id: shown!.id, link: { title: 'T' } }];
    const key = newKey();
    const [updated] = await resultsOf(account.public, updates, key);
    await service.update(account.live, shown!.id, { visibility: 'private', note: 'secret' });
    expect(await resultsOf(account.public, updates, key)).toEqual([notFound]);
    await service.update(account.live, shown!.id, { visibility: 'unlisted' });
    expect(await resultsOf(account.public, updates, key)).toEqual([updated]);
    await service.delete(account.live, shown!.id);
    expect(await resultsOf(account.public, updates, key)).toEqual([updated]);
  });
});
