import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { unpackAnswer } from '../src/idempotency/kept-answer.ts';
import { Service, type TestAccount } from './support/service.ts';

// docs/api.md, Idempotency: the authoritative tests. bulk.test.ts has the key of a bulk edit.

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

const destination_url = 'https://example.com/';
let keys = 0;
const newKey = () => ({ 'idempotency-key': `key ${++keys}` });
const total = async () => (await service.list(account.live)).body.total;

describe('Idempotency-Key', () => {
  test('returns the first response for the same key and body, even if the link has changed or is deleted', async () => {
    const headers = newKey();
    const first = await service.create(account.live, { destination_url, title: 'T' }, headers);
    expect(first.status).toBe(201);
    const before = await total();
    // The order of the fields does not matter.
    const again = await service.create(account.live, { title: 'T', destination_url }, headers);
    expect([again.status, again.body]).toEqual([201, first.body]);
    expect(again.headers.get('location')).toBe(first.headers.get('location'));
    await service.update(account.live, first.body.id, { title: 'changed' });
    expect((await service.create(account.live, { destination_url, title: 'T' }, headers)).body).toEqual(first.body);
    expect(await total()).toBe(before);
    await service.delete(account.live, first.body.id);
    expect((await service.create(account.live, { destination_url, title: 'T' }, headers)).body).toEqual(first.body);
    expect(await total()).toBe(before - 1);
  });

  test('gives 422 for the same key with another body, even if only the password differs', async () => {
    const headers = newKey();
    const body = { destination_url, password: 'one' };
    const first = await service.create(account.live, body, headers);
    expect(first.status).toBe(201);
    for (const another of [
      { ...body, password: 'two' },
      { destination_url },
      { ...body, title: 'T' },
      { ...body, destination_url: 'https://example.org/' },
    ]) {
      const refused = await service.create(account.live, another, headers);
      expect([another, refused.status]).toEqual([another, 422]);
      expect(refused.body.error).toContain('Idempotency-Key');
    }
    expect((await service.create(account.live, body, headers)).body).toEqual(first.body);
    const records = await service.database.collections.idempotency.find({ account_id: account.id }).toArray();
    const stored = await Promise.all(
      records.map(async (record) => JSON.stringify([record, await unpackAnswer(record.answer)])),
    );
    expect(stored).toContainEqual(expect.stringContaining(first.body.id));
    for (const record of stored) expect(record).not.toContain('"one"');
  });

  test('is separate for each account and scope', async () => {
    const headers = newKey();
    const other = await service.createAccount();
    const ids = new Set<string>();
    for (const identity of [account.live, account.public, other.live])
      ids.add((await service.create(identity, { destination_url }, headers)).body.id);
    expect(ids.size).toBe(3);
  });

  test('makes identical concurrent requests on two replicas create one link and get the same response', async () => {
    for (const extra of [{}, { slug: 'in-flight' }, { slug: 'In-Flight-2', title: 'x' }]) {
      const headers = newKey();
      const before = await total();
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          (i % 2 ? replica : service).create(account.live, { destination_url, ...extra }, headers),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
      for (const { body } of answers) expect(body).toEqual(answers[0]!.body);
      expect(await total()).toBe(before + 1);
    }
  });

  test('gives a Public Links Only key 404 while the link is hidden, else the first response', async () => {
    const headers = newKey();
    const body = { destination_url };
    const first = await service.create(account.public, body, headers);
    await service.update(account.live, first.body.id, { visibility: 'private', note: 'secret' });
    const hidden = await service.create(account.public, body, headers);
    expect([hidden.status, hidden.body]).toEqual([404, { error: 'Link not found.' }]);
    await service.update(account.live, first.body.id, { visibility: 'unlisted', note: null });
    const shown = await service.create(account.public, body, headers);
    expect(shown.status).toBe(201);
    expect(shown.body).toMatchObject({ id: first.body.id, note: null });
    expect(['public', 'unlisted']).toContain(shown.body.visibility);
    await service.delete(account.live, first.body.id);
    expect((await service.create(account.public, body, headers)).body).toEqual(shown.body);
  });

  test('gives a Full Access key the first response while the link is hidden too', async () => {
    const headers = newKey();
    const first = await service.create(account.live, { destination_url }, headers);
    await service.update(account.live, first.body.id, { visibility: 'private' });
    const again = await service.create(account.live, { destination_url }, headers);
    expect([again.status, again.body]).toEqual([201, first.body]);
  });

  test('repeats the error for a taken slug', async () => {
    const headers = newKey();
    const taken = await service.createLink(account.live);
    const body = { destination_url, slug: taken.slug };
    const first = await service.create(account.live, body, headers);
    expect(first.status).toBe(422);
    await service.delete(account.live, taken.id);
    const again = await service.create(account.live, body, headers);
    expect([again.status, again.body]).toEqual([422, first.body]);
  });

  test('is forgotten after 24 hours', async () => {
    const headers = newKey();
    const first = await service.create(account.live, { destination_url }, headers);
    const record = await service.database.collections.idempotency.findOne({}, { sort: { expires_at: -1 } });
    const lifetime = record!.expires_at.getTime() - Date.parse(first.body.created_at);
    expect(lifetime / 3_600_000).toBeCloseTo(24, 2);
    await service.database.collections.idempotency.updateOne(
      { _id: record!._id },
      { $set: { expires_at: new Date(0) } },
    );
    const later = await service.create(account.live, { destination_url, title: 'another' }, headers);
    expect(later.status).toBe(201);
    expect(later.body.id).not.toBe(first.body.id);
  });

  test('must have 1 to 255 characters, else 422', async () => {
    for (const key of ['k', '"a b,c;=\u00fc', 'k'.repeat(255)]) {
      const create = () => service.create(account.live, { destination_url }, { 'idempotency-key': key });
      const first = await create();
      expect([first.status, (await create()).body]).toEqual([201, first.body]);
    }
    for (const key of ['', 'k'.repeat(256)]) {
      const answer = await service.create(account.live, { destination_url }, { 'idempotency-key': key });
      expect([answer.status, answer.body.error]).toEqual([422, expect.stringContaining('Idempotency-Key')]);
    }
  });
});
