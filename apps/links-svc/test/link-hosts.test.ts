// docs/api.md, Links: `host`. A slug belongs to its host.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { changeHosts, writeHost } from './support/hosts.ts';
import { JobsClient } from './support/jobs.ts';
import { Service, type TestAccount } from './support/service.ts';

const GO = 'go.brand.example';
const SHOP = 'shop.brand.example';
const URLS = ['https://a.example/', 'https://b.example/', 'https://c.example/'] as const;

let service: Service;
let account: TestAccount;
let other: TestAccount;

beforeAll(async () => {
  service = await Service.start();
  [account, other] = [await service.createAccount(), await service.createAccount()];
  for (const host of [GO, SHOP]) await writeHost(service, account, host);
  await writeHost(service, account, 'wait.brand.example', { status: 'pending' });
  await writeHost(service, account, 'lost.brand.example', { status: 'lost' });
  await writeHost(service, other, 'go.other.example');
});
afterAll(() => service.close());

test('a slug is unique on its host, in any case, and the link is shown with its host', async () => {
  const hosts = [null, GO, SHOP];
  const links = await Promise.all(
    hosts.map((host, at) => service.createLink(account.live, { host, slug: 'Sale', destination_url: URLS[at]! })),
  );
  expect(links.map(({ host, short_url }) => [host, short_url])).toEqual([
    [null, 'https://go.example/Sale'],
    [GO, `https://${GO}/Sale`],
    [SHOP, `https://${SHOP}/Sale`],
  ]);
  for (const host of hosts) {
    const { status, body } = await service.create(account.live, {
      host,
      slug: 'sALE',
      destination_url: 'https://x.example/',
    });
    expect([status, body.error]).toEqual([422, '"slug" "sALE" is taken; choose another one.']);
  }
  for (const [at, { id, short_url }] of links.entries()) {
    const { body } = await service.get(account.live, short_url.toUpperCase().replace('HTTPS://', ''));
    expect([body.id, body.destination_url]).toEqual([id, URLS[at]]);
    const { body: found } = await service.list(account.live, { q: short_url });
    expect(found.links.map((one) => one.id)).toEqual([id]);
  }
  expect((await service.get(account.live, 'sale')).body.id).toBe(links[0]!.id);
  expect((await service.get(other.live, links[1]!.short_url)).status).toBe(404);
  expect((await service.list(other.live, { q: links[1]!.short_url })).body.total).toBe(0);
});

test('a host is folded, and one that is no verified host of the account is refused', async () => {
  await writeHost(service, account, 'xn--bcher-kva.example');
  for (const host of ['BÜCHER.example', 'xn--bcher-kva.EXAMPLE']) {
    const { body } = await service.create(account.public, { host, destination_url: URLS[0] });
    expect([body.host, body.short_url]).toEqual([
      'xn--bcher-kva.example',
      `https://xn--bcher-kva.example/${body.slug}`,
    ]);
  }
  for (const host of [`${GO}.`, `${GO.toUpperCase()}.`])
    expect((await service.create(account.live, { host, destination_url: URLS[0] })).body.host).toBe(GO);
  // The names of the service itself are the default host.
  for (const host of ['', null, 'go.example', 'GO.example.', 'api.example'])
    expect((await service.create(account.live, { host, destination_url: URLS[0] })).body.host).toBe(null);
  const refused = ['wait.brand.example', 'lost.brand.example', 'go.other.example', 'none.example'];
  for (const host of [...refused, 'a b', `${GO}:443`, `https://${GO}`, '*.brand.example', 'a'.repeat(254), 7]) {
    const created = await service.create(account.live, { host, destination_url: URLS[0] });
    expect([host, created.status, created.body.error]).toEqual([host, 422, expect.stringContaining('"host" must')]);
    const link = await service.createLink(account.live);
    expect([host, (await service.update(account.live, link.id, { host })).status]).toEqual([host, 422]);
  }
});

test('an update moves a link to another host, where its slug must be free', async () => {
  const slug = 'moved';
  const taken = await service.createLink(account.live, { slug: 'Taken', host: SHOP });
  const link = await service.createLink(account.live, { slug, host: GO });
  const at = async (text: string) => (await service.get(account.live, text)).status;
  expect((await service.update(account.live, link.id, { slug: 'taken', host: SHOP })).status).toBe(422);
  const moved = await service.update(account.live, link.short_url, { host: SHOP.toUpperCase() });
  expect([moved.status, moved.body.host, moved.body.short_url]).toEqual([200, SHOP, `https://${SHOP}/${slug}`]);
  expect([await at(`${GO}/${slug}`), await at(`${SHOP}/${slug}`)]).toEqual([404, 200]);
  await service.createLink(account.live, { slug, host: GO });
  expect((await service.update(account.live, link.id, { host: GO })).status).toBe(422);
  // A slug alone is that of the link's own host.
  expect((await service.update(account.live, link.id, { slug: 'TAKEN' })).status).toBe(422);
  expect((await service.delete(account.live, taken.short_url)).status).toBe(204);
  expect((await service.update(account.live, link.id, { slug: 'TAKEN' })).body.short_url).toBe(`https://${SHOP}/TAKEN`);
  expect((await service.update(account.live, link.id, { host: null })).body.short_url).toBe('https://go.example/TAKEN');
});

test('a link keeps a host that is lost, and everything else of it can be changed', async () => {
  const host = await writeHost(service, account, 'soon.brand.example');
  const link = await service.createLink(account.live, { host: host.host, slug: 'kept' });
  await changeHosts(service, account, host.host, { status: 'lost' });
  const updated = await service.update(account.live, link.id, { host: host.host, slug: 'kept2', title: 'new' });
  expect([updated.status, updated.body.short_url]).toEqual([200, 'https://soon.brand.example/kept2']);
  expect((await service.get(account.live, updated.body.short_url)).body.id).toBe(link.id);
  expect((await service.create(account.live, { host: host.host, destination_url: URLS[0] })).status).toBe(422);
});

test('a host is deleted, or a link is created on it: never both', async () => {
  for (let round = 0; round < 10; round++) {
    const { _id, host } = await writeHost(service, account, `race${round}.brand.example`);
    const creations = Array.from({ length: 5 }, () => service.create(account.live, { host, destination_url: URLS[0] }));
    const deleted = service.request(account.live, 'DELETE', `/api/v1/hosts/${_id}`);
    const created = (await Promise.all(creations)).map(({ status }) => status);
    if ((await deleted).status === 204) expect(created).not.toContain(201);
    else expect(created).toContain(201);
  }
});

test('a short URL on a verified host of any account is refused as a destination', async () => {
  const refused = [`https://${GO}/x`, 'https://GO.other.example./x?y', 'https://go.example/x'];
  const allowed = [`https://${GO}/`, `https://${GO}/a/b`, 'https://wait.brand.example/x', 'https://none.example/x'];
  await vi.waitFor(
    async () => {
      for (const destination_url of refused)
        expect([destination_url, (await service.create(account.live, { destination_url })).status]).toEqual([
          destination_url,
          422,
        ]);
    },
    { timeout: 30_000 },
  );
  for (const destination_url of allowed)
    expect([destination_url, (await service.create(account.live, { destination_url })).status]).toEqual([
      destination_url,
      201,
    ]);
});

describe('many at once', () => {
  test('an upsert finds the link by slug and host, and bulk updates move many links', async () => {
    const mine = await service.createAccount();
    await writeHost(service, mine, 'up.brand.example');
    const host = 'up.brand.example';
    const edit = async (operations: object[]) =>
      (
        await service.request<{ results: { status: number; link: { id: string; host: string | null } }[] }>(
          mine.live,
          'POST',
          '/api/v1/links/bulk',
          { body: { operations } },
        )
      ).body.results;
    const link = { slug: 'One', destination_url: URLS[0] };
    const upserts = [
      link,
      { ...link, host },
      { ...link, slug: 'oNE', title: 'again', host },
      { ...link, host: 'no.example' },
    ];
    const first = await edit(upserts.map((one) => ({ op: 'upsert', link: one })));
    expect(first.map(({ status }) => status)).toEqual([201, 201, 200, 422]);
    expect(first[1]!.link.id).toBe(first[2]!.link.id);
    expect(first[2]!.link).toMatchObject({ host, slug: 'oNE', title: 'again' });
    const created = await edit(
      Array.from({ length: 60 }, (_, n) => ({ op: 'create', link: { ...link, slug: `m${n}` } })),
    );
    const moved = await edit(created.map(({ link: { id } }) => ({ op: 'update', id, link: { host } })));
    expect(moved.map(({ status, link }) => [status, link.host])).toEqual(created.map(() => [200, host]));
    const back = await edit(created.map((_, n) => ({ op: 'update', id: `${host}/m${n}`, link: { slug: `n${n}` } })));
    expect(back.map(({ status }) => status)).toEqual(created.map(() => 200));

    for (const [query, total] of [
      [{ host }, 61],
      [{ host: host.toUpperCase() }, 61],
      [{ host: `${host}.` }, 61],
      [{ host: 'default' }, 1],
      [{ host: 'go.example' }, 1],
      [{ host: 'API.example.' }, 1],
      [{ host: 'no.example' }, 0],
      [{ host, q: 'again' }, 1],
      [{ host: 'default', q: 'one' }, 1],
      [{ host, q: `https://${host}/N3` }, 1],
      [{ host: 'default', q: `https://${host}/N3` }, 0],
    ] as const)
      expect([query, (await service.list(mine.live, query)).body.total]).toEqual([query, total]);
    const pages = [1, 2, 3].map((page) => service.list(mine.live, { sort: 'slug', page, per: 25 }));
    const listed = (await Promise.all(pages)).flatMap(({ body }) => body.links.map(({ id }) => id));
    expect(new Set(listed).size).toBe(62);
  });

  test('a job moves links to a host, refuses those whose slug is taken there, and can be undone', async () => {
    const mine = await service.createAccount();
    const host = 'job.brand.example';
    await writeHost(service, mine, host);
    const links = await Promise.all(['j1', 'j2', 'j3'].map((slug) => service.createLink(mine.live, { slug })));
    await service.createLink(mine.live, { slug: 'J3', host });
    const jobs = new JobsClient(service, mine.live);
    const start = (change: object) => jobs.run({ kind: 'edit', filter: { host: 'default' }, change });
    const refused = await jobs.start({ kind: 'edit', filter: { all: true }, change: { host: 'no.example' } });
    expect(refused.status).toBe(422);
    const job = await start({ host });
    expect(job).toMatchObject({ matched: 3, changed: 2, refused: 1 });
    const hostsOf = () => Promise.all(links.map(async ({ id }) => (await service.get(mine.live, id)).body.host));
    expect(await hostsOf()).toEqual([host, host, null]);
    expect((await service.get(mine.live, `${host}/j1`)).body.id).toBe(links[0]!.id);
    await service.update(mine.live, links[1]!.id, { title: 'mine' });
    await jobs.runUndo(job.id);
    expect(await hostsOf()).toEqual([null, null, null]);
    expect((await service.get(mine.live, 'j1')).body.id).toBe(links[0]!.id);
  });

  test('an undo restores a host that is lost, and refuses one that was deleted', async () => {
    const mine = await service.createAccount();
    const [lost, gone] = ['undo-lost.brand.example', 'undo-gone.brand.example'];
    await writeHost(service, mine, lost);
    const { _id } = await writeHost(service, mine, gone);
    const [first, second] = [
      await service.createLink(mine.live, { slug: 'first', host: lost }),
      await service.createLink(mine.live, { slug: 'second', host: gone }),
    ];
    const jobs = new JobsClient(service, mine.live);
    const job = await jobs.run({ kind: 'edit', filter: { all: true }, change: { host: null } });
    expect(job).toMatchObject({ changed: 2 });
    await changeHosts(service, mine, lost, { status: 'lost' });
    expect((await service.request(mine.live, 'DELETE', `/api/v1/hosts/${_id}`)).status).toBe(204);
    const undo = await jobs.runUndo(job.id);
    expect(undo).toMatchObject({ changed: 1, refused: 1 });
    expect(await jobs.refused(undo.id)).toEqual([
      `${second.id},"""host"" must be a verified host of this account, or null; you sent ""undo-gone.brand.example""."`,
    ]);
    expect((await service.get(mine.live, first.id)).body.host).toBe(lost);
    expect((await service.get(mine.live, second.id)).body.host).toBe(null);
  });

  test('an import keeps the host of each row, and one that the account does not have is the default host', async () => {
    const mine = await service.createAccount();
    const host = 'rows.brand.example';
    await writeHost(service, mine, host);
    const rows = [
      { slug: 'same', destination_url: URLS[0] },
      { slug: 'same', destination_url: URLS[1], host },
      { slug: 'other', destination_url: URLS[2], host: 'no.example' },
    ];
    const jobs = new JobsClient(service, mine.live);
    for (const counts of [
      { created: 3, unchanged: 0, refused: 0 },
      { created: 0, unchanged: 3, refused: 0 },
    ])
      expect(await jobs.runImport(JSON.stringify(rows), '', { 'content-type': 'application/json' })).toMatchObject(
        counts,
      );
    expect((await service.get(mine.live, `${host}/same`)).body.destination_url).toBe(URLS[1]);
    expect((await service.get(mine.live, 'other')).body.destination_url).toBe(URLS[2]);
    const { text } = await service.requestText(mine.live, `/api/v1/links/export?host=${host}`);
    expect(
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line).host),
    ).toEqual([host]);
  });
});
