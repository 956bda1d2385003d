import { type CreateLinkInput, Link, linkExample, UpdateLinkInput } from '@waymark/contract';
import { createLinkRequest, linkFromMessage, type linksV1, updateLinkRequest } from '@waymark/proto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AccountsStore } from '../src/accounts/accounts.store.ts';
import type { LinkDocument } from '../src/database/documents/link.ts';
import { newLinkId } from '../src/database/ids.ts';
import { DeletedLinksStore } from '../src/deletions/deleted-links.store.ts';
import { EventsStore } from '../src/events/events.store.ts';
import { AccountLogs } from '../src/follower/account-logs.store.ts';
import { stateOf } from '../src/links/indexed-values.ts';
import { LinkScope } from '../src/links/link-scope.ts';
import { LinksStore } from '../src/links/links.store.ts';
import { LinksForAnalytics } from '../src/links/links-for-analytics.ts';
import { PUBLIC_URL, Service, type TestAccount } from './support/service.ts';
import { documentOf, inParts, type SeededLink } from './support/write-links.ts';

// docs/api.md, Links: the operations on links. e2e/contract has each field, names of links and hidden links.

let service: Service;
let account: TestAccount;
let other: TestAccount;
beforeAll(async () => {
  service = await Service.start();
  account = await service.createAccount();
  other = await service.createAccount();
});
afterAll(() => service.close());

const destination_url = 'https://example.com/';
const unique = () => `s${Math.random().toString(36).slice(2, 12)}`;

describe('the `social_…` fields', () => {
  const SOCIAL = {
    social_title: 'Sale',
    social_description: 'Half off',
    social_image_url: 'HTTPS://Example.com/sale ä.png',
  };
  const NONE = { social_title: null, social_description: null, social_image_url: null };

  test('are stored as sent, and emptied by null and "", over REST and gRPC', async () => {
    const link = await service.createLink(account.live, SOCIAL);
    expect(link).toMatchObject(SOCIAL);
    const emptied = { social_title: '', social_description: null, social_image_url: '' };
    expect((await service.update(account.live, link.id, emptied)).body).toMatchObject(NONE);
    const options = await service.as(account.live);
    const { link: created } = await service.links.createLink(
      createLinkRequest({ destination_url, ...SOCIAL }),
      options,
    );
    expect(linkFromMessage(created)).toMatchObject(SOCIAL);
    const change = updateLinkRequest(created!.id, { ...emptied, social_title: 'New' });
    const { link: updated } = await service.links.updateLink(change, options);
    expect(linkFromMessage(updated)).toMatchObject({ ...NONE, social_title: 'New' });
  });

  test('have the rules of title, description and destination_url, the last one with https only', async () => {
    const wrong = [
      { social_title: 'x'.repeat(201) },
      { social_title: 'a\u0000' },
      { social_description: 'x'.repeat(1_001) },
      ...[
        'http://example.com/a.png',
        '/a.png',
        'data:image/png,x',
        'https://u@example.com/',
        'https://go.example/x',
      ].map((social_image_url) => ({ social_image_url })),
      { social_image_url: `https://example.com/${'x'.repeat(2_048)}` },
    ];
    for (const fields of wrong) {
      const { status, body } = await service.create(account.live, { destination_url, ...fields });
      expect([status, JSON.stringify(body)], JSON.stringify(fields)).toEqual([
        422,
        expect.stringContaining(Object.keys(fields)[0]!),
      ]);
    }
  });

  test('are not searched', async () => {
    const word = `card${unique()}`;
    const link = await service.createLink(account.live, { social_title: word, social_description: word });
    expect((await service.list(account.live, { q: word })).body.total).toBe(0);
    await service.update(account.live, link.id, { title: word });
    expect((await service.list(account.live, { q: word })).body.total).toBe(1);
  });

  test('are null for a link that was stored before they existed, and setting null changes nothing', async () => {
    const link = await service.createLink(account.live, SOCIAL);
    const $unset = { social_title: '', social_description: '', social_image_url: '' } as const;
    await service.database.collections.links.updateOne({ _id: link.id, account_id: account.id }, { $unset });
    expect((await service.get(account.live, link.id)).body).toEqual({ ...link, ...NONE });
    expect((await service.update(account.live, link.id, NONE)).body).toEqual({ ...link, ...NONE });
    const { body } = await service.update(account.live, link.id, SOCIAL);
    expect(body).toMatchObject(SOCIAL);
  });
});

describe('create', () => {
  test('returns 201, Location and the link with every field, null if empty', async () => {
    const answer = await service.create(account.live, { destination_url: 'HTTPS://Example.com/ä b?x=1#y' });
    expect(answer.status).toBe(201);
    expect(answer.headers.get('location')).toBe(`/api/v1/links/${answer.body.id}`);
    expect(answer.body).toEqual({
      id: expect.stringMatching(/^[0-9a-z]{1,64}$/),
      host: null,
      slug: expect.stringMatching(/^[2-9a-hjkmnp-z]{7}$/),
      short_url: `${PUBLIC_URL}/${answer.body.slug}`,
      destination_url: 'HTTPS://Example.com/ä b?x=1#y',
      title: null,
      description: null,
      note: null,
      hashtags: [],
      visibility: 'public',
      expires_at: null,
      expired_url: null,
      archived: false,
      max_clicks: null,
      redirect_code: 302,
      rules: [],
      social_title: null,
      social_description: null,
      social_image_url: null,
      managed_by: null,
      health: { state: 'unknown', status: null, since: null, checked_at: null },
      clicks: 0,
      last_clicked_at: null,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updated_at: answer.body.created_at,
    });
    expect(Object.keys(answer.body)).toEqual(Object.keys(Link.properties));
    const got = await service.get(account.live, answer.body.id);
    expect([got.status, got.body]).toEqual([200, answer.body]);
  });

  test('keeps every field that is sent, as update does, through REST and gRPC', async () => {
    const call = await service.as(account.live);
    const shown = Object.entries(linkExample(PUBLIC_URL));
    const writable = Object.fromEntries(shown.filter(([name]) => name in UpdateLinkInput.properties));
    const blankId = async () => (await service.createLink(account.live)).id;
    const requests = {
      POST: async (link: CreateLinkInput) => (await service.create(account.live, link)).body,
      PUT: async (link: CreateLinkInput) => (await service.update(account.live, await blankId(), link)).body,
      CreateLink: async (link: CreateLinkInput) =>
        linkFromMessage((await service.links.createLink(createLinkRequest(link), call)).link),
      UpdateLink: async (link: CreateLinkInput) =>
        linkFromMessage((await service.links.updateLink(updateLinkRequest(await blankId(), link), call)).link),
    };
    for (const [name, send] of Object.entries(requests)) {
      const link = { ...writable, destination_url, slug: unique() };
      expect(await send(link), name).toMatchObject(link);
    }
  });

  test('shows the defaults of fields that did not exist when the link was stored, and setting them changes nothing', async () => {
    const link = await service.createLink(account.live);
    await service.database.collections.links.updateOne(
      { _id: link.id, account_id: account.id },
      { $unset: { managed_by: '' } },
    );
    expect((await service.get(account.live, link.id)).body).toEqual(link);
    expect((await service.update(account.live, link.id, { managed_by: null })).body).toEqual(link);
    expect((await service.update(account.live, link.id, { title: 'T' })).body).toMatchObject({ managed_by: null });
  });

  test('treats null for an optional field like a field that is not sent', async () => {
    const nulls = { slug: null, title: null, description: null, note: null, hashtags: null, visibility: null };
    const answer = await service.create(account.live, { destination_url, ...nulls, password: null, auto_meta: null });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ title: null, note: null, hashtags: [], visibility: 'public' });
  });

  test('keeps every writable field as sent, and hashtags without #, case folded and without duplicates', async () => {
    const input = {
      slug: unique().toUpperCase(),
      title: 'T😀'.repeat(100),
      description: 'line\nbreak\r\n',
      note: '€'.repeat(5_000),
      visibility: 'unlisted',
    };
    const answer = await service.create(account.live, {
      ...input,
      destination_url,
      hashtags: ['#Sale', 'sale', 'été', 'ÉTÉ', '夏', 'a-b_c'],
    });
    expect(answer.status).toBe(201);
    expect(answer.body).toMatchObject({ ...input, hashtags: ['sale', 'été', '夏', 'a-b_c'] });
  });

  test('gives 422 for a read-only or unknown field, an invalid value and a reserved slug, and names the field', async () => {
    const bad: [object, string][] = [
      [{}, 'destination_url'],
      [{ destination_url: 'ftp://example.com' }, 'destination_url'],
      [{ destination_url: 'https://user:secret@example.com' }, 'destination_url'],
      [{ destination_url, id: 'x' }, 'id'],
      [{ destination_url, clicks: 1 }, 'clicks'],
      [{ destination_url, colour: 'red' }, 'colour'],
      [{ destination_url, slug: 'API' }, 'slug'],
      [{ destination_url, slug: '_x' }, 'slug'],
      [{ destination_url, slug: '' }, 'slug'],
      [{ destination_url, title: 'x'.repeat(201) }, 'title'],
      [{ destination_url, title: 'a\u0000b' }, 'title'],
      [{ destination_url, hashtags: Array.from({ length: 21 }, (_, i) => `t${i}`) }, 'hashtags'],
      [{ destination_url, hashtags: ['a b'] }, 'hashtags'],
      [{ destination_url, visibility: 'secret' }, 'visibility'],
      [{ destination_url, visibility: 'password-protected' }, 'password'],
      [{ destination_url, visibility: 'public', password: 'x' }, 'password'],
      [{ destination_url, password: '' }, 'password'],
      [{ destination_url, auto_meta: 'yes' }, 'auto_meta'],
    ];
    for (const [body, field] of bad) {
      const answer = await service.create(account.live, body);
      expect([body, answer.status]).toEqual([body, 422]);
      expect(Object.keys(answer.body)).toEqual(['error']);
      expect(answer.body.error).toContain(`"${field}`);
    }
    for (const body of [[], 'x', 1, null])
      expect((await service.create(account.live, body as object)).status).toBe(422);
  });

  test('makes a link with a password password-protected, and stores the password hashed and never shows it', async () => {
    const answer = await service.create(account.live, { destination_url, password: 'correct horse' });
    expect(answer.body.visibility).toBe('password-protected');
    expect(JSON.stringify(answer.body)).not.toContain('password_hash');
    const stored = await service.database.collections.links.findOne({ account_id: account.id, _id: answer.body.id });
    expect(stored!.password_hash).toMatch(/^scrypt\$/);
    expect(JSON.stringify(stored)).not.toContain('correct horse');
    expect((await service.list(account.live, { q: 'horse' })).body.total).toBe(0);
  });

  test('lets exactly one of several concurrent creations of a slug succeed, and gives the others 422', async () => {
    for (let race = 0; race < 10; race++) {
      const slug = unique();
      const answers = await Promise.all(
        [slug, slug.toUpperCase(), slug, slug.toUpperCase(), slug].map((one, i) =>
          service.create(i % 2 ? other.live : account.live, { destination_url, slug: one }),
        ),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 422, 422, 422, 422]);
      const taken = answers.find(({ status }) => status === 422)!;
      expect(taken.body.error).toMatch(/^"slug" "[^"]+" is taken; choose another one\.$/);
    }
  });

  test('never reuses an id, and keeps the order of links created at the same moment', async () => {
    const links = [];
    for (let i = 0; i < 5; i++) links.push(await service.createLink(account.live));
    const ids = links.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    const byTime = [...links].sort((a, b) => (a.created_at + a.id < b.created_at + b.id ? -1 : 1));
    expect(byTime.map(({ id }) => id)).toEqual([...ids].sort());
  });
});

describe('update', () => {
  test('stores an empty title, description or note as null, also when it had a value', async () => {
    const texts = { title: 'T', description: 'D', note: 'N' };
    const empty = { title: '', description: '', note: '' };
    const none = { title: null, description: null, note: null };
    const made = await service.createLink(account.live, empty);
    expect(made).toMatchObject(none);
    for (const emptied of [empty, none]) {
      await service.update(account.live, made.id, texts);
      expect((await service.update(account.live, made.id, emptied)).body).toMatchObject(none);
    }
  });

  test('treats null hashtags as the empty list', async () => {
    const link = await service.createLink(account.live, { hashtags: ['a'] });
    const answer = await service.update(account.live, link.id, { hashtags: null });
    expect([answer.status, answer.body.hashtags]).toEqual([200, []]);
  });

  test('changes only the fields that are sent, and replaces the whole list of hashtags', async () => {
    const before = await service.createLink(account.live, {
      title: 'T',
      description: 'D',
      note: 'N',
      hashtags: ['a', 'b'],
    });
    const steps: object[] = [
      { title: null },
      { description: null, note: null },
      { hashtags: ['C'] },
      { destination_url: 'http://example.org' },
      { slug: unique() },
      { visibility: 'private' },
      { visibility: 'unlisted', title: 'again' },
    ];
    let expected = before;
    for (const sent of steps) {
      const answer = await service.update(account.live, before.id, sent);
      expect(answer.status).toBe(200);
      const fields = 'hashtags' in sent ? { hashtags: ['c'] } : sent;
      expected = { ...expected, ...fields, updated_at: answer.body.updated_at };
      expected.short_url = `${PUBLIC_URL}/${expected.slug}`;
      expect(answer.body).toEqual(expected);
      expect((await service.get(account.live, before.id)).body).toEqual(expected);
    }
  });

  test('changes nothing, not even updated_at, for an empty object and for the current value of a field', async () => {
    const link = await service.createLink(account.live, { title: 'T' });
    for (const same of [{}, { title: 'T' }]) {
      const { status, body } = await service.update(account.live, link.id, same);
      expect([status, body]).toEqual([200, link]);
    }
    expect((await service.update(account.live, 'none', {})).status).toBe(404);
  });

  test('keeps two concurrent updates of different fields', async () => {
    const link = await service.createLink(account.live);
    const updates: object[] = [
      { title: 'one' },
      { description: 'two' },
      { note: 'three' },
      { hashtags: ['four'] },
      { destination_url: 'https://five.example/' },
      { visibility: 'unlisted' },
    ];
    const answers = await Promise.all(updates.map((sent) => service.update(account.live, link.id, sent)));
    expect(answers.map(({ status }) => status)).toEqual(updates.map(() => 200));
    const after = (await service.get(account.live, link.id)).body;
    expect(after).toMatchObject(Object.assign({}, ...updates));
    // The derived fields match the final fields.
    const found = await service.list(account.live, { q: 'one two three four five.example' });
    expect(found.body.links.map(({ id }) => id)).toEqual([link.id]);
  });

  test('keeps 64 concurrent updates of one link', async () => {
    const link = await service.createLink(account.live);
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, i) => service.update(account.live, link.id, { title: `title ${i}` })),
    );
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(answers.map(({ body }) => body.title).sort()).toEqual(answers.map((_, i) => `title ${i}`).sort());
  });

  test('requires a password for password-protected unless one is already set', async () => {
    const link = await service.createLink(account.live);
    const refused = await service.update(account.live, link.id, { visibility: 'password-protected' });
    expect([refused.status, refused.body.error]).toEqual([422, expect.stringContaining('"password"')]);
    expect((await service.get(account.live, link.id)).body).toEqual(link);
    expect((await service.update(account.live, link.id, { password: 'x' })).body.visibility).toBe('password-protected');
    for (const visibility of ['public', 'password-protected', 'private', 'password-protected']) {
      const answer = await service.update(account.live, link.id, { visibility });
      expect([answer.status, answer.body.visibility]).toEqual([200, visibility]);
    }
    expect((await service.update(account.live, link.id, { visibility: 'unlisted', password: 'x' })).status).toBe(422);
  });

  test('can change a slug or only its case, frees the old one, and gives 422 for a taken one', async () => {
    const [a, b] = [await service.createLink(account.live), await service.createLink(account.live)];
    const upper = await service.update(account.live, a.id, { slug: a.slug.toUpperCase() });
    expect([upper.status, upper.body.slug]).toEqual([200, a.slug.toUpperCase()]);
    const taken = await service.update(account.live, b.id, { slug: a.slug });
    expect([taken.status, taken.body.error]).toEqual([422, `"slug" "${a.slug}" is taken; choose another one.`]);
    expect((await service.update(account.live, a.id, { slug: unique() })).status).toBe(200);
    expect((await service.update(account.live, b.id, { slug: a.slug })).status).toBe(200);
  });

  test('refuses auto_meta, read-only fields, a taken slug, and null for a field that cannot be empty, and changes nothing', async () => {
    const [link, other] = [await service.createLink(account.live), await service.createLink(account.live)];
    const refused: object[] = [{ auto_meta: true }, { created_at: link.created_at }, { note: 5 }, { slug: other.slug }];
    for (const name of ['slug', 'destination_url', 'visibility', 'password']) refused.push({ [name]: null });
    for (const body of refused)
      expect((await service.update(account.live, link.id, { title: 'valid', ...body })).status).toBe(422);
    expect((await service.get(account.live, link.id)).body).toEqual(link);
  });
});

describe('delete', () => {
  test('returns 204 without a body, frees the slug, and gives 404 the second time', async () => {
    const link = await service.createLink(account.live);
    expect(await service.delete(account.live, link.id)).toMatchObject({ status: 204, body: null });
    expect((await service.delete(account.live, link.id)).status).toBe(404);
    expect((await service.get(account.live, link.id)).status).toBe(404);
    expect((await service.update(account.live, link.id, { title: 'x' })).status).toBe(404);
    const again = await service.createLink(other.live, { slug: link.slug });
    expect(again.id).not.toBe(link.id);
  });

  test('gives 204 to exactly one of several concurrent deletions', async () => {
    const link = await service.createLink(account.live);
    const answers = await Promise.all(Array.from({ length: 5 }, () => service.delete(account.live, link.id)));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404, 404, 404, 404]);
  });

  test('wins against a concurrent update: the link is gone afterwards', async () => {
    for (let i = 0; i < 10; i++) {
      const link = await service.createLink(account.live);
      const [updated, deleted] = await Promise.all([
        service.update(account.live, link.id, { title: 'x' }),
        service.delete(account.live, link.id),
      ]);
      expect([200, 404]).toContain(updated.status);
      expect(deleted.status).toBe(204);
      expect((await service.get(account.live, link.id)).status).toBe(404);
    }
  });
});

describe('scopes', () => {
  test('never let a public key change or delete a link that is being hidden concurrently', async () => {
    for (let i = 0; i < 10; i++) {
      const link = await service.createLink(account.live);
      const [hide, change, remove] = await Promise.all([
        service.update(account.live, link.id, { visibility: 'private', note: 'secret' }),
        service.update(account.public, link.id, { title: 'x' }),
        i % 2 ? service.delete(account.public, link.id) : null,
      ]);
      if (change.status === 200) expect(change.body.visibility).toBe('public');
      else expect(change.status).toBe(404);
      if (remove?.status === 204) continue;
      expect(hide.status).toBe(200);
      expect((await service.get(account.public, link.id)).status).toBe(404);
      expect((await service.get(account.live, link.id)).body.note).toBe('secret');
    }
  });
});

describe('hidden links, for the analytics', () => {
  /** Returns all messages of the response as one. */
  const hiddenOf = async (identity: TestAccount['live'], knownRevision = '') => {
    const parts: linksV1.GetHiddenLinksResponse[] = [];
    // A large response takes long on a busy machine.
    const options = { ...(await service.as(identity)), timeoutMs: 60_000 };
    for await (const part of service.links.getHiddenLinks({ knownRevision }, options)) parts.push(part);
    expect(new Set(parts.map(({ revision, unchanged }) => `${revision} ${unchanged}`)).size).toBe(1);
    const { revision, unchanged } = parts[0]!;
    return { revision, unchanged, linkIds: parts.flatMap(({ linkIds }) => linkIds) };
  };

  test('are deleted links for both keys, and hidden links for the public key, as of the response', async () => {
    const owner = await service.createAccount();
    const link = await service.createLink(owner.live);
    const gone = await service.createLink(owner.live);
    expect((await hiddenOf(owner.public)).linkIds).toEqual([]);
    await service.update(owner.live, link.id, { visibility: 'private' });
    expect((await hiddenOf(owner.public)).linkIds).toEqual([link.id]);
    expect((await hiddenOf(owner.live)).linkIds).toEqual([]);
    await service.delete(owner.live, gone.id);
    expect((await hiddenOf(owner.live)).linkIds).toEqual([gone.id]);
    expect([...(await hiddenOf(owner.public)).linkIds].sort()).toEqual([link.id, gone.id].sort());
    await service.update(owner.live, link.id, { visibility: 'unlisted' });
    expect((await hiddenOf(owner.public)).linkIds).toEqual([gone.id]);
  });

  test('have a revision that is valid until the next change of what is hidden', async () => {
    const owner = await service.createAccount();
    const link = await service.createLink(owner.live);
    const first = await hiddenOf(owner.public);
    expect(first.revision).not.toBe('');
    await service.update(owner.live, link.id, { title: 'x', visibility: 'unlisted' });
    expect(await hiddenOf(owner.public, first.revision)).toMatchObject({ unchanged: true, linkIds: [] });
    // The revision for one key is not valid for the other, which may see other links.
    expect(await hiddenOf(owner.live, first.revision)).toMatchObject({ unchanged: false });
    await service.update(owner.live, link.id, { visibility: 'private' });
    const later = await hiddenOf(owner.public, first.revision);
    expect(later).toMatchObject({ unchanged: false, linkIds: [link.id] });
    expect(later.revision).not.toBe(first.revision);
  });

  test('are complete for each of many slow readers, also if more links are deleted meanwhile', async () => {
    const owner = await service.createAccount();
    const hidden = await service.createLink(owner.live, { visibility: 'private' });
    const purge_at = new Date(Date.UTC(2100, 0, 1));
    const deleted = Array.from({ length: 1_100 }, (_, n) => newLinkId(owner.id, n));
    const documents = deleted.map((_id) => ({ _id, account_id: owner.id, purge_at }));
    await inParts(documents, (part) => service.database.collections.deletedLinks.insertMany(part, { ordered: false }));
    const { database } = service;
    const accounts = new AccountsStore(database);
    const logs = new AccountLogs(database, new EventsStore(database));
    const deletedLinks = new DeletedLinksStore(database);
    const analytics = new LinksForAnalytics({ links: new LinksStore(database), deletedLinks, accounts, logs });
    // More than a database may have snapshots. Each has read the first of the deleted links, and not the last.
    const readers = Array.from({ length: 70 }, () => ({
      pieces: analytics.hiddenLinks(owner.public, ''),
      found: new Set<string>(),
      revision: '',
    }));
    const readPiece = async (reader: (typeof readers)[number]): Promise<boolean> => {
      const { value, done } = await reader.pieces.next();
      if (done === true) return false;
      reader.revision = value.revision;
      for (const id of value.linkIds) reader.found.add(id);
      return true;
    };
    for (const reader of readers) {
      while (reader.found.size <= 1_000) await readPiece(reader);
      expect(reader.revision).not.toBe('');
    }
    await service.delete(owner.live, hidden.id);
    for (const reader of readers) {
      expect(reader.found.size).toBe(1_001);
      while (await readPiece(reader));
      expect(reader.found).toEqual(new Set([...deleted, hidden.id]));
      expect(reader.revision, 'is not valid again').toBe('');
    }
  });

  test('include a link that changes from one hidden visibility to another while they are read', async () => {
    const owner = await service.createAccount();
    const links = Array.from({ length: 6_000 }, (_, n) => {
      const link = { visibility: n < 3_000 ? 'private' : 'password-protected', slug: `${owner.id}${n}` } as const;
      return documentOf(owner.id, link, new Date(n));
    });
    await inParts(links, (part) => service.database.collections.links.insertMany(part, { ordered: false }));
    const { _id, account_id } = links[0]!;
    const found: string[] = [];
    for await (const linkIds of new LinksStore(service.database).hiddenClicksIds(new LinkScope(owner.public))) {
      found.push(...linkIds);
      const changed = { visibility: 'password-protected', state: 'password-protected' } as const;
      await service.database.collections.links.updateOne({ _id, account_id }, { $set: changed });
    }
    expect(new Set(found)).toEqual(new Set(links.map(({ _id }) => _id)));
  });
});

describe('while links change their states, a read of', () => {
  let owner: TestAccount;
  let links: LinkDocument[];
  beforeAll(async () => {
    owner = await service.createAccount();
    const documents = Array.from({ length: 6_000 }, (_, n) => {
      const visibility = n % 2 ? 'public' : 'unlisted';
      const link = { hashtags: ['sale'], visibility, slug: `${owner.id}${n}` } as SeededLink;
      return documentOf(owner.id, link, new Date(n));
    });
    links = documents;
    await inParts(links, (part) => service.database.collections.links.insertMany(part, { ordered: false }));
  });

  /** Reads pieces, and archives the last links after the first piece. */
  async function readWhileArchived<Piece>(pieces: AsyncGenerator<Piece[]>): Promise<Piece[]> {
    const found: Piece[] = [];
    const write = (archived: boolean) =>
      Promise.all(
        links
          .slice(-5)
          .map(({ visibility, _id, account_id }) =>
            service.database.collections.links.updateOne(
              { _id, account_id },
              { $set: { archived, state: stateOf(visibility, archived) } },
            ),
          ),
      );
    for await (const piece of pieces) {
      if (found.length === 0) await write(true);
      found.push(...piece);
    }
    await write(false);
    return found;
  }
  const idsOf = (found: readonly { _id: string }[]) => found.map(({ _id }) => _id).sort();

  test('the links with a hashtag finds each of them once', async () => {
    const store = new LinksStore(service.database);
    for (const key of [owner.live, owner.public]) {
      const found = await readWhileArchived(store.clicksIdsWithHashtag(new LinkScope(key), 'sale'));
      expect(found.toSorted()).toEqual(idsOf(links));
    }
  });

  test('the hashtags of links, or of those with one, finds each of them once', async () => {
    const store = new LinksStore(service.database);
    for (const key of [owner.live, owner.public])
      for (const hashtag of ['sale', undefined]) {
        const found = await readWhileArchived(store.hashtagsOfLinks(new LinkScope(key), hashtag));
        expect(idsOf(found)).toEqual(idsOf(links));
      }
  });
});

describe('"only clicks of links that have it now": the links with a hashtag', () => {
  const tagged = async (identity: TestAccount['live'], hashtag: string) => {
    const ids: string[] = [];
    for await (const { linkIds } of service.links.findLinkIds({ hashtag }, await service.as(identity)))
      ids.push(...linkIds);
    return ids.sort();
  };

  test('are those of the account that have it now, in any case, and that the key may see', async () => {
    const [owner, stranger] = [await service.createAccount(), await service.createAccount()];
    const summer = { hashtags: ['Sommer', 'x'] };
    const open = await service.createLink(owner.live, summer);
    const hidden = await service.createLink(owner.live, { ...summer, visibility: 'private' });
    const former = await service.createLink(owner.live, summer);
    const gone = await service.createLink(owner.live, summer);
    await service.createLink(owner.live, { hashtags: ['sommerfest'] });
    await service.createLink(stranger.live, summer);
    await service.update(owner.live, former.id, { hashtags: ['x'] });
    await service.delete(owner.live, gone.id);
    for (const hashtag of ['sommer', '#SOMMER']) {
      expect(await tagged(owner.live, hashtag)).toEqual([open.id, hidden.id].sort());
      expect(await tagged(owner.public, hashtag)).toEqual([open.id]);
    }
    expect(await tagged(owner.live, 'winter')).toEqual([]);
  });

  test('are found in an account of more links than a list may have, if few of them have the hashtag', async () => {
    const owner = await service.createAccount();
    const link = await service.createLink(owner.live, { hashtags: ['summer'] });
    await service.database.collections.accounts.updateOne({ _id: owner.id }, { $set: { counts: { public: 600_000 } } });
    expect(await tagged(owner.live, 'summer')).toEqual([link.id]);
  });
});

describe('"A click counts once for each hashtag that its link has now": the hashtags of links', () => {
  /** Returns the hashtags of each link as FindLinkHashtags sends them. */
  async function hashtagsOf(identity: TestAccount['live'], hashtag?: string) {
    const names: string[] = [];
    const found: Record<string, string[]> = {};
    const request = hashtag === undefined ? {} : { hashtag };
    for await (const part of service.links.findLinkHashtags(request, await service.as(identity))) {
      names.push(...part.hashtags);
      const numbers = [...part.hashtagNumbers];
      for (const [n, id] of part.linkIds.entries())
        found[id] = numbers.splice(0, part.hashtagCounts[n]).map((number) => names[number - 1]!);
      expect(numbers).toEqual([]);
    }
    expect(new Set(names).size).toBe(names.length);
    return found;
  }

  test('are those of the links that have some now and that the key may see', async () => {
    const [owner, stranger] = [await service.createAccount(), await service.createAccount()];
    const open = await service.createLink(owner.live, { hashtags: ['Sommer', 'x'] });
    const archived = await service.createLink(owner.live, { hashtags: ['x'], archived: true });
    const hidden = await service.createLink(owner.live, { hashtags: ['x', 'secret'], visibility: 'private' });
    const former = await service.createLink(owner.live, { hashtags: ['x'] });
    const gone = await service.createLink(owner.live, { hashtags: ['x'] });
    await service.createLink(owner.live);
    await service.createLink(stranger.live, { hashtags: ['x'] });
    await service.update(owner.live, former.id, { hashtags: [] });
    await service.delete(owner.live, gone.id);
    const shown = { [open.id]: ['sommer', 'x'], [archived.id]: ['x'] };
    expect(await hashtagsOf(owner.public)).toEqual(shown);
    expect(await hashtagsOf(owner.live)).toEqual({ ...shown, [hidden.id]: ['x', 'secret'] });
    expect(await hashtagsOf(owner.public, 'SOMMER')).toEqual({ [open.id]: ['sommer', 'x'] });
    expect(await hashtagsOf(owner.public, 'secret')).toEqual({});
    expect(await hashtagsOf(owner.live, '#secret')).toEqual({ [hidden.id]: ['x', 'secret'] });
  });

  test('of many links come in several parts', async () => {
    const owner = await service.createAccount();
    const { id } = await service.createLink(owner.live, { hashtags: ['a', 'b'] });
    const stored = (await service.database.collections.links.findOne({ _id: id, account_id: owner.id }))!;
    const links = Array.from({ length: 2_500 }, (_, n) => ({
      ...stored,
      _id: newLinkId(owner.id, Date.now() + n),
      hashtags: [`n${n % 7}`, 'a'],
    }));
    await inParts(links, (part) => service.database.collections.links.insertMany(part));
    const expected = Object.fromEntries(links.map(({ _id, hashtags }) => [_id, hashtags]));
    expect(await hashtagsOf(owner.live)).toEqual({ [id]: ['a', 'b'], ...expected });
  });
});
