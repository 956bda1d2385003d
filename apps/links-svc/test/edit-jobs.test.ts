import type { CreateLinkInput, Link } from '@waymark/contract';
import { jobFromMessage, startJobRequest } from '@waymark/proto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { counts, JobsClient } from './support/jobs.ts';
import { eventsOf, expectConsistent } from './support/log.ts';
import { PUBLIC_URL, Service, type TestAccount } from './support/service.ts';

// docs/api.md, Jobs: the authoritative tests of jobs of kind edit and delete, and of their undo, on one replica.
// job-queue.test.ts has their order and rights, job-replicas.test.ts several replicas.

let service: Service;
let account: TestAccount;
let jobs: JobsClient;
beforeAll(async () => {
  service = await Service.start();
});
beforeEach(async () => {
  account = await service.createAccount();
  jobs = new JobsClient(service, account.live);
});
afterAll(() => service.close());

const DAY_MS = 24 * 3_600_000;
const made = (input: Partial<CreateLinkInput> = {}) => service.createLink(account.live, input);
const stored = async (id: string): Promise<Link> => (await service.get(account.live, id)).body;
const events = () => eventsOf(service.database, account.id);
/** Starts an edit of all links. */
const editAll = (change: object) => jobs.run({ kind: 'edit', filter: { all: true }, change });

describe('an edit', () => {
  test('changes the links that the filter finds, with one event each; 200 with the job if it is done in time', async () => {
    const [one, same, other] = [
      await made({ hashtags: ['one', 'first'], title: 'old' }),
      await made({ hashtags: ['first'], title: 'new' }),
      await made({ hashtags: ['second'], title: 'old' }),
    ];
    const before = (await events()).length;
    const { status, body } = await jobs.start({
      kind: 'edit',
      filter: { hashtag: '#First' },
      change: { title: 'new' },
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-z]+$/),
      kind: 'edit',
      state: 'done',
      dry_run: false,
      matched: 2,
      ...counts({ changed: 1, unchanged: 1 }),
      title: 'Title set to new in links with #first',
      actor: { kind: 'key', scope: 'full_access', hint: `…${account.liveKey.slice(-4)}`, name: null },
      created_at: expect.any(String),
      finished_at: expect.any(String),
      undo_until: new Date(Date.parse(body.finished_at!) + DAY_MS).toISOString(),
    });
    expect(await jobs.get(body.id)).toMatchObject({ status: 200, body });
    expect((await stored(one.id)).title).toBe('new');
    expect([await stored(same.id), await stored(other.id)]).toEqual([same, other]);
    expect((await events()).slice(before)).toMatchObject([
      {
        type: 'link.updated',
        link_id: one.id,
        actor: { kind: 'key', scope: 'full_access', hint: `…${account.liveKey.slice(-4)}`, name: null },
        data: { changes: { title: { from: 'old', to: 'new' } } },
      },
    ]);
    await expectConsistent(service.database, account.id);
  });

  test('changes hundreds of links, archived ones only if asked for', async () => {
    const operations = Array.from({ length: 100 }, (_, n) => ({
      op: 'create',
      link: { destination_url: 'https://example.com/', archived: n % 4 === 0 },
    }));
    for (let n = 0; n < 4; n++)
      await service.request(account.live, 'POST', '/api/v1/links/bulk', { body: { operations } });
    const change = { add_hashtags: ['x'] };
    const unarchived = await jobs.run({ kind: 'edit', filter: { domain: 'example.com' }, change });
    expect(unarchived).toMatchObject({ matched: 300, ...counts({ changed: 300 }) });
    expect(await editAll(change)).toMatchObject({ matched: 400, ...counts({ changed: 100, unchanged: 300 }) });
    expect((await service.list(account.live, { hashtag: 'x', archived: 'any' })).body.total).toBe(400);
    await expectConsistent(service.database, account.id);
  });

  test('says how many archived links match too, whatever its filter and kind', async () => {
    const archived = { archived: true, hashtags: ['a'], title: 'Straße' };
    const ids = [await made({ hashtags: ['a'], title: 'Straße' }), await made(archived), await made(archived)].map(
      ({ id }) => id,
    );
    await made({ ...archived, visibility: 'private' });
    await made({ archived: true, title: 'other' });
    const change = { add_hashtags: ['a'] };
    const notice = '3 archived links also match; send "archived" any to include them.';
    for (const filter of [{ hashtag: 'a' }, { q: 'strasse' }, { q: '#a', archived: 'false' }])
      expect(await jobs.run({ kind: 'edit', filter, change, dry_run: true })).toMatchObject({ matched: 1, notice });
    const publicJobs = new JobsClient(service, account.public);
    expect(await publicJobs.run({ kind: 'edit', filter: { hashtag: 'a' }, change, dry_run: true })).toMatchObject({
      notice: '2 archived links also match; send "archived" any to include them.',
    });
    for (const filter of [{ hashtag: 'a', archived: 'any' }, { archived: 'true' }, { all: true }, { ids }])
      expect(await jobs.run({ kind: 'edit', filter, change, dry_run: true })).not.toHaveProperty('notice');
    const deletion = await jobs.run({ kind: 'delete', filter: { hashtag: 'a' } });
    expect(deletion).toMatchObject({ ...counts({ deleted: 1 }), notice });
    expect((await jobs.get(deletion.id)).body.notice).toBe(notice);
  });

  test('sets every field of an update but slug and password', async () => {
    const { id } = await made({ password: 'secret' });
    const change = {
      destination_url: 'https://example.org/new',
      title: 'Title',
      description: '',
      note: 'n',
      hashtags: ['#B', 'a', 'b'],
      visibility: 'password-protected',
      expires_at: '2090-01-31T12:00:00+01:00',
      expired_url: 'https://example.org/over',
      archived: true,
      social_title: 'S',
      social_description: 'D',
      social_image_url: 'https://example.org/s.png',
    };
    expect(await editAll(change)).toMatchObject(counts({ changed: 1 }));
    const shown = { ...change, description: null, hashtags: ['b', 'a'], expires_at: '2090-01-31T11:00:00.000Z' };
    expect(await stored(id)).toMatchObject(shown);
    expect(await editAll(change)).toMatchObject(counts({ unchanged: 1 }));
    for (const refused of [{ slug: 'x' }, { password: 'x' }, { clicks: 1 }, { nope: 1 }])
      expect((await jobs.start({ kind: 'edit', filter: { all: true }, change: refused })).status).toBe(422);
  });

  test('replaces, removes and adds hashtags, in this order and folded; more than 20 are refused', async () => {
    const many = Array.from({ length: 20 }, (_, n) => `h${n}`);
    const [three, none, full] = [
      await made({ hashtags: ['keep', 'old', 'last'] }),
      await made(),
      await made({ hashtags: many }),
    ];
    const change = {
      replace_hashtag: { from: '#OLD', to: 'New' },
      remove_hashtags: ['LAST', 'gone'],
      add_hashtags: ['Added', 'keep'],
    };
    const job = await editAll(change);
    expect(job).toMatchObject(counts({ changed: 2, refused: 1 }));
    expect((await stored(three.id)).hashtags).toEqual(['keep', 'new', 'added']);
    expect((await stored(none.id)).hashtags).toEqual(['added', 'keep']);
    expect(await stored(full.id)).toEqual(full);
    expect(await jobs.refused(job.id)).toEqual([
      `${full.id},"""hashtags"" must have at most 20 items; this link would have 22."`,
    ]);
    const replaced = await editAll({ replace_hashtag: { from: 'keep', to: 'added' } });
    expect(replaced).toMatchObject(counts({ changed: 2, unchanged: 1 }));
    expect((await stored(three.id)).hashtags).toEqual(['added', 'new']);
  });

  test('replaces exactly this host of destinations, and leaves the rest as it is', async () => {
    const urls = {
      'HTTPS://Old.example.com:8443/ä b?x=old.example.com#old.example.com': (host: string) =>
        `HTTPS://${host}:8443/ä b?x=old.example.com#old.example.com`,
      'http://old.example.com': (host: string) => `http://${host}`,
      'https://www.old.example.com/': undefined,
      'https://example.com/old.example.com': undefined,
    };
    const links = await Promise.all(Object.keys(urls).map((destination_url) => made({ destination_url })));
    const replace_host = { from: 'OLD.example.com', to: 'new.example.org' };
    expect(await editAll({ replace_host })).toMatchObject(counts({ changed: 2, unchanged: 2 }));
    for (const [n, expected] of Object.values(urls).entries())
      expect((await stored(links[n]!.id)).destination_url).toBe(
        expected?.('new.example.org') ?? links[n]!.destination_url,
      );
    // The host in lists follows.
    expect((await service.list(account.live, { domain: 'new.example.org' })).body.total).toBe(2);
  });

  test('refuses a link whose new destination would be none, with the message of an update', async () => {
    const [short, long] = [
      await made({ destination_url: 'https://a.example/abc' }),
      await made({ destination_url: `https://a.example/${'x'.repeat(2_030)}` }),
    ];
    const toHost = (to: string) => editAll({ replace_host: { from: 'a.example', to } });
    const toItself = await toHost(new URL(PUBLIC_URL).host);
    expect(toItself).toMatchObject(counts({ refused: 2 }));
    expect(await jobs.refused(toItself.id)).toContain(
      `${short.id},"""destination_url"" must not be a short URL of this service; send the URL that it leads to."`,
    );
    const tooLong = await toHost('a-longer-host.example');
    expect(tooLong).toMatchObject(counts({ changed: 1, refused: 1 }));
    expect((await jobs.refused(tooLong.id))[0]).toMatch(new RegExp(`^${long.id},.*1 to 2048 characters`));
  });

  test('refuses a link that would be password-protected without a password, with the message of an update', async () => {
    const [bare, kept] = [await made(), await made({ password: 'secret', visibility: 'password-protected' })];
    await service.update(account.live, kept.id, { visibility: 'public' });
    const job = await editAll({ visibility: 'password-protected' });
    expect(job).toMatchObject(counts({ changed: 1, refused: 1 }));
    const { body } = await service.update(account.live, bare.id, { visibility: 'password-protected' });
    expect(await jobs.refused(job.id)).toEqual([`${bare.id},"${body.error.replaceAll('"', '""')}"`]);
  });

  test('that finds nothing is done', async () => {
    expect(await editAll({ title: 'x' })).toMatchObject({ state: 'done', matched: 0, ...counts({}) });
    const job = await jobs.run({ kind: 'edit', filter: { q: 'nothing' }, change: { title: 'x' } });
    expect(job).toMatchObject({ state: 'done', matched: 0 });
    expect(await jobs.refused(job.id)).toEqual([]);
    expect(job.undo_until).toBeNull();
    expect((await jobs.undo(job.id)).body.error).toBe('This job changed nothing.');
  });
});

describe('a filter', () => {
  test('finds what the list finds', async () => {
    await made({ title: 'Straße one', hashtags: ['a'], destination_url: 'https://shop.example.org/' });
    await made({ title: 'two', hashtags: ['a', 'b'], visibility: 'unlisted' });
    await made({ title: 'three strasse', archived: true, visibility: 'private' });
    const filters = [
      { q: 'STRASSE' },
      { q: 'STRASSE', archived: 'any' },
      { q: '#a', visibility: 'unlisted' },
      { hashtag: 'a', domain: 'example.org' },
      { archived: 'true' },
      { visibility: 'private', archived: 'any' },
      { last_clicked_before: '2026-01-01' },
    ];
    for (const filter of filters) {
      const { total } = (await service.list(account.live, filter as Record<string, string>)).body;
      const job = await jobs.run({ kind: 'edit', filter, change: { note: 'x' }, dry_run: true });
      expect(job.matched, JSON.stringify(filter)).toBe(total);
      expect(total).toBeGreaterThan(0);
    }
  });

  test.each<[object, string]>([
    [
      {},
      '"filter" must narrow the links, with more than an empty "q" or "archived" of false or any, or be {"all":true}.',
    ],
    [
      { q: ' ' },
      '"filter" must narrow the links, with more than an empty "q" or "archived" of false or any, or be {"all":true}.',
    ],
    [
      { archived: 'any' },
      '"filter" must narrow the links, with more than an empty "q" or "archived" of false or any, or be {"all":true}.',
    ],
    [
      { archived: 'false', q: '' },
      '"filter" must narrow the links, with more than an empty "q" or "archived" of false or any, or be {"all":true}.',
    ],
    [
      { q: '', archived: 'any' },
      '"filter" must narrow the links, with more than an empty "q" or "archived" of false or any, or be {"all":true}.',
    ],
    [{ all: false }, '"filter.all" must be true, or not be sent.'],
    [{ all: true, q: 'x' }, '"filter.all" cannot be combined with other filters.'],
    [{ all: true, archived: 'true' }, '"filter.all" cannot be combined with other filters.'],
    [{ page: 2 }, '"filter.page" is not a known field; the known ones are q, hashtag, '],
    [{ sort: 'slug' }, '"filter.sort" is not a known field; the known ones are q, hashtag, '],
    [{ archived: true }, '"filter.archived" must be a string, one of false, true, any; you sent true.'],
    [{ hashtag: 'a b' }, '"filter.hashtag" must be '],
    [{ q: null }, '"filter.q" must be a string'],
    [{ q: 'a b c d e f g h i j k' }, '"q" must have at most 10 words'],
  ])('%j is 422', async (filter, message) => {
    const { status, body } = await jobs.start({ kind: 'delete', filter });
    expect([status, body.error]).toEqual([422, expect.stringContaining(message)]);
  });
});

test.each<[object, string]>([
  [{}, '"kind" is required.'],
  [{ kind: 'undo', filter: { all: true } }, '"kind" must be one of edit, delete; you sent "undo".'],
  [{ kind: 'edit' }, '"filter" is required.'],
  [{ kind: 'edit', filter: { all: true } }, '"change" is required for "kind" edit.'],
  [{ kind: 'edit', filter: { all: true }, change: {} }, '"change" must change at least one field.'],
  [
    { kind: 'edit', filter: { all: true }, change: { add_hashtags: [], remove_hashtags: [] } },
    '"change" must change at least one field.',
  ],
  [{ kind: 'delete', filter: { all: true }, change: { title: 'x' } }, '"change" cannot be sent with "kind" delete.'],
  [
    { kind: 'edit', filter: { all: true }, change: { destination_url: `${PUBLIC_URL}/abc` } },
    '"destination_url" must not be a short URL of this service; send the URL that it leads to.',
  ],
  [
    { kind: 'edit', filter: { all: true }, change: { replace_host: { from: 'a.example', to: 'https://b.example' } } },
    '"change.replace_host.to" must be a host name such as example.com',
  ],
  [
    { kind: 'edit', filter: { all: true }, change: { replace_host: { from: 'a' } } },
    '"change.replace_host.to" is required.',
  ],
  [{ kind: 'edit', filter: { all: true }, change: { add_hashtags: ['a b'] } }, '"change.add_hashtags[0]" must be '],
  [{ kind: 'edit', filter: { all: true }, change: { slug: 'a' } }, '"change.slug" is not a known field'],
  [{ kind: 'edit', filter: { all: true }, change: { clicks: 1 } }, '"change.clicks" is read-only and cannot be sent.'],
])('%j is 422', async (body, message) => {
  const answer = await jobs.start(body);
  expect([answer.status, answer.body.error]).toEqual([422, expect.stringContaining(message)]);
  expect((await jobs.list()).body).toEqual({ jobs: [] });
});

describe('a job with "matched_max"', () => {
  const one = { hashtag: 'a' };

  test.each([{ kind: 'delete' }, { kind: 'delete', dry_run: true }, { kind: 'edit', change: { title: 'x' } }])(
    'fails and does nothing if more links match as it begins: %j',
    async (body) => {
      const links = [await made({ hashtags: ['a'] }), await made({ hashtags: ['a'] })];
      const before = await events();
      const ids = links.map(({ id }) => id);
      for (const filter of [one, { all: true }, { ids }]) {
        const job = await jobs.run({ ...body, filter, matched_max: 1 });
        expect(job).toMatchObject({ state: 'failed', matched: 2, ...counts({}), undo_until: null });
        expect(job.notice).toMatch(/^More links match than the 1 that "matched_max" allows, so nothing was done/);
      }
      expect(await events()).toEqual(before);
      expect((await service.list(account.live)).body.links).toEqual(links.reverse());
      expect(await service.database.collections.jobParts.countDocuments({ account_id: account.id })).toBe(0);
    },
  );

  test('does its work if as many match, or fewer', async () => {
    await made({ hashtags: ['a'] });
    const edit = { kind: 'edit', filter: one, change: { title: 'x' } };
    expect(await jobs.run({ ...edit, matched_max: 1 })).toMatchObject({ state: 'done', ...counts({ changed: 1 }) });
    expect(await jobs.run({ ...edit, matched_max: 9 })).toMatchObject({ state: 'done', ...counts({ unchanged: 1 }) });
    expect(await jobs.run({ ...edit, filter: { hashtag: 'b' }, matched_max: 0 })).toMatchObject({ state: 'done' });
  });

  test.each([-1, 1.5, '1', null, 1e12])('of %j is 422', async (matched_max) => {
    const { status, body } = await jobs.start({ kind: 'delete', filter: one, matched_max });
    expect([status, body.error]).toEqual([422, expect.stringContaining('"matched_max" must be ')]);
  });
});

describe('a job of ids', () => {
  test('edits exactly these links, archived ones too, and can be undone', async () => {
    const [first, archived, other] = [await made({ title: 'one' }), await made({ archived: true }), await made()];
    const ids = [first.id, archived.id, first.id, 'none'];
    const job = await jobs.run({ kind: 'edit', filter: { ids }, change: { title: 'new' } });
    expect(job).toMatchObject({ state: 'done', matched: 3, ...counts({ changed: 2, refused: 1 }) });
    expect(job.title).toBe('Title set to new in 3 links');
    expect(await jobs.refused(job.id)).toEqual(['none,Link not found.']);
    expect([(await stored(archived.id)).title, await stored(other.id)]).toEqual(['new', other]);
    expect(await jobs.runUndo(job.id)).toMatchObject(counts({ changed: 2 }));
    expect((await stored(first.id)).title).toBe('one');
    await expectConsistent(service.database, account.id);
  });

  test('deletes exactly these links, and none of another account or hidden from the key', async () => {
    const [gone, stays, hidden] = [await made(), await made(), await made({ visibility: 'private' })];
    const foreign = await service.createLink((await service.createAccount()).live);
    const ids = [gone.id, hidden.id, foreign.id];
    const byPublicKey = new JobsClient(service, account.public);
    const job = await byPublicKey.run({ kind: 'delete', filter: { ids } });
    expect(job).toMatchObject({ matched: 3, ...counts({ deleted: 1, refused: 2 }), title: '3 links deleted' });
    expect((await service.list(account.live)).body.links).toEqual([hidden, stays]);
  });

  test.each<[string, object, string]>([
    ['none', { ids: [] }, '"filter.ids" must have at least 1 item.'],
    ['1,001', { ids: Array(1_001).fill('a') }, '"filter.ids" must have at most 1000 items; you sent 1001.'],
    ['some, and all', { ids: ['a'], all: true }, '"filter.ids" cannot be combined with other filters.'],
    ['some, and a filter', { ids: ['a'], archived: 'any' }, '"filter.ids" cannot be combined with other filters.'],
  ])('with %s is 422', async (_name, filter, message) => {
    const { status, body } = await jobs.start({ kind: 'delete', filter });
    expect([status, body.error]).toEqual([422, expect.stringContaining(message)]);
  });
});

test('a job names who began it: a key, a session or the command line, but not to a Public Links Only key', async () => {
  await made({ title: 'old' });
  const body = { kind: 'edit', filter: { all: true }, change: { title: 'x' } };
  const byPublicKey = new JobsClient(service, account.public);
  const [own, ofPublicKey] = [await jobs.run(body), await byPublicKey.run(body)];
  expect(ofPublicKey.actor).toBeNull();
  const key = { kind: 'key', scope: 'public_links_only', hint: `…${account.publicKey.slice(-4)}`, name: null };
  const undo = await jobs.runUndo(own.id);
  expect(undo).toMatchObject({ title: 'Undo: Title set to x in all links', actor: own.actor });
  expect((await jobs.list()).body.jobs.map(({ actor }) => actor)).toEqual([own.actor, key, own.actor]);
  expect((await byPublicKey.list()).body.jobs.map(({ actor }) => actor)).toEqual([null]);
  expect((await byPublicKey.get(ofPublicKey.id)).body.actor).toBeNull();
});

test('a deletion deletes the links that the filter finds, with one event each, and cannot be undone', async () => {
  const [gone, stays] = [await made({ hashtags: ['a'] }), await made({ hashtags: ['b'] })];
  const job = await jobs.run({ kind: 'delete', filter: { hashtag: 'a' } });
  expect(job).toMatchObject({ kind: 'delete', state: 'done', matched: 1, ...counts({ deleted: 1 }), undo_until: null });
  expect((await service.get(account.live, gone.id)).status).toBe(404);
  expect(await stored(stays.id)).toEqual(stays);
  expect(await service.request(null, 'GET', `/${gone.slug}`)).toMatchObject({ status: 404 });
  expect((await events()).filter(({ type }) => type === 'link.deleted')).toMatchObject([{ link_id: gone.id }]);
  expect(await service.database.collections.deletedLinks.findOne({ _id: gone.id })).not.toBeNull();
  expect(await jobs.undo(job.id)).toMatchObject({ status: 422, body: { error: 'A deletion cannot be undone.' } });
  await expectConsistent(service.database, account.id);
});

test.each([{ kind: 'edit', change: { add_hashtags: ['x'] } }, { kind: 'delete' }])(
  'a dry run counts as the job would, and changes nothing: %j',
  async (body) => {
    await made({ hashtags: ['x'] });
    await made({ hashtags: Array.from({ length: 20 }, (_, n) => `h${n}`) });
    await made();
    const before = [await events(), (await service.list(account.live)).body];
    const dry = await jobs.run({ ...body, filter: { all: true }, dry_run: true });
    expect(dry).toMatchObject({ dry_run: true, undo_until: null, matched: 3, done: 3 });
    expect([await events(), (await service.list(account.live)).body]).toEqual(before);
    const dryRefused = await jobs.refused(dry.id);
    const { error } = (await jobs.undo(dry.id)).body;
    expect(error).toMatch(body.kind === 'edit' ? 'This job was a dry run; it changed nothing.' : 'A deletion');
    const { changed, deleted, unchanged, refused } = await jobs.run({ ...body, filter: { all: true } });
    expect(dry).toMatchObject({ changed, deleted, unchanged, refused });
    expect(dryRefused).toHaveLength(refused);
  },
);

describe('an undo', () => {
  test('restores each field that the edit changed and nobody changed since, as a job of its own', async () => {
    const fields = {
      title: 'old',
      note: 'n',
      hashtags: ['a'],
      expires_at: '2090-01-01T00:00:00.000Z',
      archived: false,
    };
    const [plain, partly, edited, gone, same] = await Promise.all([0, 1, 2, 3, 4].map(() => made(fields)));
    const change = { title: 'new', add_hashtags: ['b'], expires_at: '' };
    const job = await editAll(change);
    await service.update(account.live, partly!.id, { title: 'mine' });
    await service.update(account.live, edited!.id, { title: 'mine', hashtags: [], expires_at: '2091-01-01T00:00:00Z' });
    await service.delete(account.live, gone!.id);
    await service.update(account.live, same!.id, { title: 'old', hashtags: ['a'], expires_at: fields.expires_at });
    const before = (await events()).length;
    const undo = await jobs.runUndo(job.id);
    expect(undo).toMatchObject({
      kind: 'undo',
      state: 'done',
      dry_run: false,
      undo_until: null,
      matched: 5,
      ...counts({ changed: 2, unchanged: 1, refused: 2 }),
    });
    expect(undo.id).not.toBe(job.id);
    expect(await stored(plain!.id)).toMatchObject(fields);
    expect(await stored(partly!.id)).toMatchObject({ ...fields, title: 'mine' });
    expect(await stored(edited!.id)).toMatchObject({ title: 'mine', hashtags: [] });
    expect((await events()).slice(before).map(({ type, link_id }) => [type, link_id])).toEqual(
      [plain!.id, partly!.id].sort().map((id) => ['link.updated', id]),
    );
    expect((await jobs.refused(undo.id)).sort()).toEqual(
      [
        `${edited!.id},"""title"", ""expires_at"", ""hashtags"" were changed since the job."`,
        `${gone!.id},Link not found.`,
      ].sort(),
    );
    expect((await jobs.get(job.id)).body).toMatchObject({ state: 'done', undo_until: null });
    await expectConsistent(service.database, account.id);
  });

  test('works once, within 24 hours, also with an Idempotency-Key', async () => {
    const { id } = await made({ title: 'old' });
    const job = await editAll({ title: 'new' });
    await service.database.collections.jobs.updateOne(
      { _id: job.id },
      { $set: { undo_until: new Date(Date.now() - 1) } },
    );
    expect((await jobs.undo(job.id)).body.error).toMatch(/^This job could be undone until \d{4}-.*Z\.$/);
    await service.database.collections.jobs.updateOne(
      { _id: job.id },
      { $set: { undo_until: new Date(Date.now() + DAY_MS) } },
    );
    // Many clients name a type although they send no body.
    const headers = { 'idempotency-key': 'undo', 'content-type': 'application/json' };
    const [first, again] = [await jobs.undo(job.id, headers), await jobs.undo(job.id, headers)];
    expect([first.status, again.status, again.body.id]).toEqual([200, 200, first.body.id]);
    expect((await stored(id)).title).toBe('old');
    const second = await jobs.undo(job.id);
    expect([second.status, second.body.error]).toEqual([422, 'This job was undone already.']);
    const undone = await jobs.undo(first.body.id);
    expect([undone.status, undone.body.error]).toEqual([422, 'An undo cannot be undone.']);
    expect((await jobs.undo('none')).status).toBe(404);
  });

  test('restores a protection with its password, and a host that was replaced', async () => {
    const link = await made({ password: 'secret', destination_url: 'https://a.example/x' });
    const job = await editAll({ visibility: 'public', replace_host: { from: 'a.example', to: 'b.example' } });
    expect(await stored(link.id)).toMatchObject({ visibility: 'public', destination_url: 'https://b.example/x' });
    await jobs.runUndo(job.id);
    expect(await stored(link.id)).toMatchObject({
      visibility: 'password-protected',
      destination_url: 'https://a.example/x',
    });
    const visit = await fetch(`${service.origin}/${link.slug}`, {
      method: 'POST',
      body: new URLSearchParams({ password: 'secret' }),
      redirect: 'manual',
    });
    expect([visit.status, visit.headers.get('location')]).toEqual([303, 'https://a.example/x']);
  });

  test('of hundreds of links restores all of them', async () => {
    const link = (n: number) => ({ destination_url: 'https://example.com/', title: `t${n}` });
    for (let n = 0; n < 3; n++) {
      const operations = Array.from({ length: 100 }, (_, m) => ({ op: 'create', link: link(100 * n + m) }));
      await service.request(account.live, 'POST', '/api/v1/links/bulk', { body: { operations } });
    }
    const job = await editAll({ title: 'all' });
    expect(await jobs.runUndo(job.id)).toMatchObject({ matched: 300, ...counts({ changed: 300 }) });
    const { links } = (await service.list(account.live, { per: 100, page: 2, sort: 'created_at', dir: 'asc' })).body;
    expect(new Set(links.map(({ title }) => title))).toEqual(new Set(links.map((_, m) => `t${100 + m}`)));
    await expectConsistent(service.database, account.id);
  });
});

test('over gRPC a job has its first 20 refusals and, of a dry run, five links that it would change', async () => {
  const as = await service.as(account.live);
  for (let n = 0; n < 6; n++) await made({ hashtags: ['a'] });
  const ids = Array.from({ length: 21 }, (_, n) => `none${n}`);
  const refusing = await jobs.run({ kind: 'delete', filter: { ids } });
  const { refusals, examples } = await service.jobs.getJob({ id: refusing.id }, as);
  expect([refusals.length, examples.length]).toEqual([20, 0]);
  expect(refusals[0]).toMatchObject({ id: 'none0', reason: 'Link not found.' });
  const dry = await jobs.run({ kind: 'edit', filter: { hashtag: 'a' }, change: { title: 'x' }, dry_run: true });
  const shown = await service.jobs.getJob({ id: dry.id }, as);
  const listed = (await service.list(account.live, { dir: 'asc', per: '5' })).body.links;
  expect(shown.examples.map(({ slug }) => slug).sort()).toEqual(listed.map(({ slug }) => slug).sort());
  expect(shown.refusals).toEqual([]);
});

test('over gRPC a job is the same', async () => {
  const { id } = await made({ title: 'old', hashtags: ['a'] });
  const as = await service.as(account.live);
  const request = startJobRequest({
    kind: 'edit',
    filter: { hashtag: 'a', archived: 'any' },
    change: { title: null, hashtags: [], add_hashtags: ['b'], replace_hashtag: { from: 'a', to: 'c' } },
    dry_run: false,
  });
  const job = jobFromMessage((await service.jobs.startJob(request, as)).job);
  expect(job).toMatchObject({ kind: 'edit', state: 'done', matched: 1, ...counts({ changed: 1 }) });
  expect(jobFromMessage((await service.jobs.getJob({ id: job.id }, as)).job)).toEqual((await jobs.get(job.id)).body);
  expect(await stored(id)).toMatchObject({ title: null, hashtags: ['b'] });
  const [first] = (await service.list(account.live)).body.links;
  expect(first!.hashtags).toEqual(['b']);
  const undo = jobFromMessage((await service.jobs.undoJob({ id: job.id }, as)).job);
  expect(undo).toMatchObject({ kind: 'undo', state: 'done', title: `Undo: ${job.title}`, ...counts({ changed: 1 }) });
  expect(await stored(id)).toMatchObject({ title: 'old', hashtags: ['a'] });
  await expect(service.jobs.undoJob({ id: job.id }, as)).rejects.toMatchObject({
    code: 'invalid',
    message: 'This job was undone already.',
  });
  const bounded = startJobRequest({ kind: 'delete', filter: { ids: [id] }, matched_max: 0, dry_run: false });
  expect(jobFromMessage((await service.jobs.startJob(bounded, as)).job)).toMatchObject({ state: 'failed', matched: 1 });
  const nothing = startJobRequest({ kind: 'delete', filter: {}, dry_run: false });
  await expect(service.jobs.startJob(nothing, as)).rejects.toMatchObject({
    code: 'invalid',
    message:
      '"filter" must narrow the links, with more than an empty "q" or "archived" of false or any, or be {"all":true}.',
  });
  await expect(service.jobs.getJob({ id: 'none' }, as)).rejects.toMatchObject({ code: 'not_found' });
});
