import { createLinkRequest, updateLinkRequest } from '@waymark/proto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { JobsClient } from './support/jobs.ts';
import { API_URL, PUBLIC_URL, Service, type TestAccount } from './support/service.ts';

// docs/api.md, Links: a short URL of this service is no destination. Visitors would go round in circles.

let service: Service;
let account: TestAccount;
let jobs: JobsClient;
beforeAll(async () => {
  service = await Service.start();
  account = await service.createAccount();
  jobs = new JobsClient(service, account.live);
  await service.createLink(account.live, { slug: 'round' });
});
afterAll(() => service.close());

const ALLOWED = [
  PUBLIC_URL,
  `${PUBLIC_URL}/`,
  `${PUBLIC_URL}/docs`,
  `${PUBLIC_URL}/app/`,
  `${PUBLIC_URL}/a/b`,
  `${API_URL}/`,
];
const REFUSED = [
  `${API_URL}/round`,
  'https://go.example/round',
  'https://go.example/ROUND',
  'HTTPS://GO.EXAMPLE/round',
  'http://go.example/round',
  'http://go.example:80/round',
  'https://go.example:443/round',
  'https://go.example./round',
  'https://go.example/round/',
  'https://go.example/round?utm_source=mail',
  'https://go.example/round#part',
  'https://go.example/%72ound',
  'https://go.example/%72%6F%75%6E%64',
  'https://go.example/x/../round',
  'https://go.example\\round',
  'https://g%6F.example/round',
  'https://ｇｏ.example/round',
  'https://go.example/no-such-slug',
];
const FIELDS = ['destination_url', 'expired_url'] as const;
const error = (name: string) => `"${name}" must not be a short URL of this service; send the URL that it leads to.`;
const destination_url = 'https://example.com/';

describe.each(FIELDS)('%s', (name) => {
  test('a short URL in any spelling is refused', async () => {
    for (const url of REFUSED) {
      const { status, body } = await service.create(account.live, { destination_url, [name]: url });
      expect([url, status, body]).toEqual([url, 422, { error: error(name) }]);
    }
  });

  test('it is refused by create, update, bulk and import, through REST and gRPC', async () => {
    const url = REFUSED[0]!;
    const link = await service.createLink(account.live);
    const input = { destination_url, [name]: url };
    const created = await service.create(account.live, input);
    expect([created.status, created.body]).toEqual([422, { error: error(name) }]);
    const repeatable = await service.create(account.live, input, { 'idempotency-key': `${name} ${encodeURI(url)}` });
    expect([repeatable.status, repeatable.body]).toEqual([422, { error: error(name) }]);
    const updated = await service.update(account.live, link.id, { [name]: url });
    expect([updated.status, updated.body]).toEqual([422, { error: error(name) }]);
    const operations = [
      { op: 'create', link: input },
      { op: 'update', id: link.id, link: { [name]: url } },
      { op: 'create', link: { destination_url } },
    ];
    const bulk = await service.request(account.live, 'POST', '/api/v1/links/bulk', { body: { operations } });
    expect(bulk.body).toMatchObject({
      results: [{ status: 422, error: error(name) }, { status: 422, error: error(name) }, { status: 201 }],
    });
    const call = await service.as(account.live);
    await expect(service.links.createLink(createLinkRequest(input), call)).rejects.toThrow(error(name));
    const update = updateLinkRequest(link.id, { [name]: url });
    await expect(service.links.updateLink(update, call)).rejects.toThrow(error(name));
    const type = { 'content-type': 'application/x-ndjson' };
    const job = await jobs.runImport(JSON.stringify({ ...input, slug: 'imported' }), '', type);
    expect(await jobs.refused(job.id, 'row,reason')).toEqual([`1,"${error(name).replaceAll('"', '""')}"`]);
    expect((await service.get(account.live, link.id)).body).toEqual(link);
  });

  test('the pages of this service are no short URLs', async () => {
    for (const url of ALLOWED)
      expect([url, (await service.create(account.live, { destination_url, [name]: url })).status]).toEqual([url, 201]);
  });
});

test('a link that has such a destination already can be changed otherwise', async () => {
  const link = await service.createLink(account.live);
  await service.database.collections.links.updateOne(
    { _id: link.id, account_id: account.id },
    { $set: { destination_url: `${PUBLIC_URL}/round` } },
  );
  const { status, body } = await service.update(account.live, link.id, { title: 'T' });
  expect([status, body.title, body.destination_url]).toEqual([200, 'T', `${PUBLIC_URL}/round`]);
});
