import type { AccountIdentity } from '@waymark/auth';
import {
  type AccountEvent,
  type BulkResults,
  EVENTS_LOST_MESSAGE,
  type EventList,
  type Link,
  MORE_EVENTS_NOTICE,
} from '@waymark/contract';
import { linkFromMessage, updateLinkRequest } from '@waymark/proto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventId } from '../src/events/event.ts';
import { writeHost } from './support/hosts.ts';
import { counts, JobsClient } from './support/jobs.ts';
import { eventsOf, expectConsistent } from './support/log.ts';
import { Service } from './support/service.ts';
import { inParts } from './support/write-links.ts';

// docs/api.md, Events: every change that a client got its answer for has exactly one event, and no other change has one.

let service: Service;
beforeAll(async () => {
  service = await Service.start();
});
afterAll(() => service.close());

const destination_url = 'https://example.com/';
const ID = /^[\w-]{22}$/;
const TIME = /^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/;

/** Returns a link as its events show it. */
const shown = ({ note: _n, health: _h, clicks: _c, last_clicked_at: _l, short_url: _s, ...rest }: Link) => rest;

function read(identity: AccountIdentity, query: Record<string, string | number> = {}) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) parameters.set(name, String(value));
  return service.request<EventList & { error: string }>(identity, 'GET', `/api/v1/events?${parameters}`);
}

/** Returns all events that an identity sees, by going on from `next`. */
async function readAll(
  identity: AccountIdentity,
  query: Record<string, string | number> = {},
): Promise<AccountEvent[]> {
  const all: AccountEvent[] = [];
  for (let after = query.after; ; ) {
    const { status, body } = await read(identity, { ...query, ...(after !== undefined && { after }) });
    expect(status, body.error).toBe(200);
    all.push(...body.events);
    if (body.next === after) return all;
    after = body.next;
  }
}

const NO_KEY = { scope: null, hint: null, name: null };

describe('the events of links', () => {
  test('have the link without its note, and an update also what changed; a password and a note are never shown', async () => {
    const { id, live, liveKey } = await service.createAccount();
    const link = await service.createLink(live, { slug: 'event-a', title: 'Old', note: 'secret note' });
    const change = {
      title: 'New',
      note: 'other note',
      password: 'pass-word',
      slug: 'event-b',
      expires_at: '2100-01-01T00:00:00Z',
    };
    const { body: updated } = await service.update(live, link.id, change);
    await service.delete(live, link.id);
    const log = await eventsOf(service.database, id);
    expect(log.map(({ type, link_id }) => [type, link_id])).toEqual([
      ['link.created', link.id],
      ['link.updated', link.id],
      ['link.deleted', link.id],
    ]);
    expect(log[0]!.data).toEqual({ link: shown(link) });
    expect(log[1]!.data).toEqual({
      link: shown(updated),
      changes: {
        slug: { from: 'event-a', to: 'event-b' },
        title: { from: 'Old', to: 'New' },
        note: {},
        visibility: { from: 'public', to: 'password-protected' },
        expires_at: { from: null, to: '2100-01-01T00:00:00.000Z' },
      },
    });
    expect(log[2]!.data).toEqual({ link: shown(updated) });
    expect(log[1]!.redirect_ids).toEqual(['/event-a', '/event-b']);
    expect(JSON.stringify(log)).not.toMatch(/note"?:"|pass-word|scrypt/);
    for (const { actor } of log)
      expect(actor).toEqual({ kind: 'key', scope: 'full_access', hint: `…${liveKey.slice(-4)}`, name: null });
  });

  test('name the key that made the change', async () => {
    const account = await service.createAccount();
    await service.createLink(account.public);
    await service.createLink({ ...account.live, sessionId: 'a-session' });
    const [first, second] = await eventsOf(service.database, account.id);
    expect(first!.actor).toMatchObject({
      kind: 'key',
      scope: 'public_links_only',
      hint: `…${account.publicKey.slice(-4)}`,
    });
    expect(second!.actor).toEqual({ kind: 'session', ...NO_KEY });
  });

  test('exist for each operation in bulk that did something, in order, and for no other', async () => {
    const { id, live } = await service.createAccount();
    const { id: linkId } = await service.createLink(live, { slug: 'event-bulk' });
    const operations = [
      { op: 'create', link: { destination_url } },
      { op: 'create', link: { destination_url, slug: 'EVENT-BULK' } },
      { op: 'update', id: linkId, link: { title: 'x' } },
      { op: 'update', id: linkId, link: {} },
      { op: 'delete', id: linkId },
      { op: 'delete', id: linkId },
    ];
    const headers = { 'idempotency-key': 'once' };
    const bulk = () =>
      service.request<BulkResults>(live, 'POST', '/api/v1/links/bulk', { body: { operations }, headers });
    const { body } = await bulk();
    expect(body.results.map(({ status }) => status)).toEqual([201, 422, 200, 200, 204, 404]);
    expect((await bulk()).body).toEqual(body);
    const log = await eventsOf(service.database, id, 2);
    expect(log.map(({ type }) => type)).toEqual(['link.created', 'link.updated', 'link.deleted']);
    await expectConsistent(service.database, id);
  });

  test('do not exist for values that are there already, however they are sent, and `updated_at` stays', async () => {
    const account = await service.createAccount();
    const { id, live } = account;
    const jobs = new JobsClient(service, live);
    const { host } = await writeHost(service, account, 'same-values.example');
    const fields = {
      ...{ host, slug: 'event-Same', destination_url, title: 'T', description: 'D', note: 'N', hashtags: ['a', 'b'] },
      ...{ expires_at: '2100-01-01T00:00:00.000Z', expired_url: 'https://example.com/over', archived: true },
      ...{ social_title: 'S', social_description: 'SD', social_image_url: 'https://example.com/s.png' },
      ...{ managed_by: 'team-a/links.yaml', redirect_code: 301 as const },
    };
    const link = await service.createLink(live, { ...fields, password: 'secret' });
    const others = await Promise.all([service.createLink(live), service.createLink(live, { hashtags: ['a'] })]);
    const before = await eventsOf(service.database, id);
    const same = {
      ...fields,
      host: 'Same-Values.Example.',
      hashtags: ['#A', 'b', 'B'],
      expires_at: '2100-01-01T01:00:00+01:00',
      visibility: 'password-protected',
    };
    for (const [field, value] of Object.entries(same))
      expect((await service.update(live, link.id, { [field]: value })).body, field).toEqual(link);
    expect((await service.update(live, link.id, same)).body).toEqual(link);
    for (const one of others) {
      const {
        id: _i,
        short_url: _s,
        health: _h,
        clicks: _c,
        last_clicked_at: _l,
        created_at: _a,
        updated_at: _u,
        ...sent
      } = one;
      expect((await service.update(live, one.id, sent)).body).toEqual(one);
    }
    const empty = {
      title: '',
      description: null,
      note: '',
      host: '',
      expires_at: '',
      expired_url: null,
      managed_by: '',
    };
    expect((await service.update(live, others[0].id, { ...empty, hashtags: null })).body).toEqual(others[0]);
    const body = {
      operations: [
        { op: 'update', id: link.id, link: same },
        { op: 'upsert', link: same },
      ],
    };
    const { body: bulk } = await service.request<BulkResults>(live, 'POST', '/api/v1/links/bulk', { body });
    expect(bulk.results).toEqual(body.operations.map(() => ({ status: 200, link })));
    const { slug: _, ...change } = same;
    const job = await jobs.run({ kind: 'edit', filter: { ids: [link.id] }, change });
    expect(job).toMatchObject(counts({ unchanged: 1 }));
    expect((await jobs.undo(job.id)).body.error).toBe('This job changed nothing.');
    const call = await service.as(live);
    const { link: updated } = await service.links.updateLink(updateLinkRequest(link.id, { title: 'T' }), call);
    expect(linkFromMessage(updated!)).toEqual(link);
    expect((await service.get(live, link.id)).body).toEqual(link);
    expect(await eventsOf(service.database, id)).toEqual(before);
    // Whether a password is the same cannot be known from its hash.
    expect((await service.update(live, link.id, { password: 'secret' })).body.updated_at > link.updated_at).toBe(true);
    await expectConsistent(service.database, id);
  });

  test('exist for each imported row that made a link', async () => {
    const { id, live } = await service.createAccount();
    const jobs = new JobsClient(service, live);
    const rows = ['x', 'y', 'X'].map((slug, n) => `event-${slug},https://example.com/${n}\n`);
    for (const created of [2, 0])
      expect(await jobs.runImport(`slug,url\n${rows.join('')}`)).toMatchObject({ created, refused: 1 });
    const log = await eventsOf(service.database, id);
    expect(log.map(({ type }) => type)).toEqual(['link.created', 'link.created']);
    await expectConsistent(service.database, id);
  });
});

describe('`link.expired`', () => {
  test('follows once for each time that is set and passes, also for archived links and in jobs, on any number of replicas', async () => {
    let nowMs = Date.now();
    const first = await Service.start({ now: () => nowMs });
    const shared = { now: () => nowMs, databaseName: first.databaseName };
    const second = await Service.start({ ...shared, config: { EVENTS_DAYS: 7 } });
    const { id, live } = await first.createAccount();
    const at = (ms: number) => new Date(nowMs + ms).toISOString();
    const own = async () =>
      (await eventsOf(first.database, id))
        .map(({ type, link_id }) => [type, link_id])
        .filter(([type]) => type === 'link.expired');
    const expectExpired = async (...links: Link[]) => {
      const ids = links.map((link) => link.id).sort();
      await expect.poll(async () => (await own()).map(([, link]) => link).sort()).toEqual(ids);
      expect(await first.database.collections.linkExpiries.countDocuments({ due_at: { $lte: new Date(nowMs) } })).toBe(
        0,
      );
    };
    const past = await first.createLink(live, { expires_at: at(-1_000) });
    await expectExpired(past);
    const soon = await first.createLink(live, { expires_at: at(60_000), archived: true });
    const moved = await first.createLink(live, { expires_at: at(60_000) });
    const never = await first.createLink(live, { expires_at: at(60_000) });
    const deleted = await first.createLink(live, { expires_at: at(60_000) });
    await second.update(live, moved.id, { expires_at: at(3_600_000) });
    await second.update(live, never.id, { expires_at: null });
    await second.update(live, soon.id, { title: 'other' });
    const { created_at, expires_at } = (await eventsOf(first.database, id)).at(-1)!;
    expect(expires_at.getTime() - created_at.getTime()).toBe(7 * 86_400_000);
    await first.delete(live, deleted.id);
    nowMs += 60_000;
    await expectExpired(past, soon);
    await first.update(live, past.id, { title: 'no new time' });
    await new JobsClient(first, live).run({
      kind: 'edit',
      filter: { ids: [soon.id] },
      change: { expires_at: at(1_000) },
    });
    nowMs += 3_600_000;
    await expectExpired(past, soon, soon, moved);
    const { data, actor, link_id } = (await eventsOf(first.database, id)).at(-1)!;
    expect([actor, data]).toEqual([
      { kind: 'system', ...NO_KEY },
      { link: shown((await first.get(live, link_id!)).body) },
    ]);
    await expectConsistent(first.database, id);
    expect(await first.database.collections.linkExpiries.countDocuments({})).toBe(0);
    await second.close();
    await first.close();
  });
});

describe('the events of the account', () => {
  test('tell of keys, the plan and sessions, and who did it', async () => {
    const { id, username, live } = await service.createAccount();
    const admin = await service.asService('admin');
    await service.accounts.rotateKey({ username, scope: 'public_links_only' }, admin);
    await service.accounts.revokeKey({ username, scope: 'public_links_only' }, admin);
    await service.accounts.revokeKey({ username, scope: 'public_links_only' }, admin);
    await service.accounts.setPlan({ username, plan: 'business' }, admin);
    await service.accounts.setPlan({ username, plan: 'business' }, admin);
    await service.accounts.signOut({ username }, admin);
    const session = { ...live, sessionId: 'none' };
    await service.request(session, 'POST', '/api/v1/me/keys/full_access/rotate', { body: {} });
    await service.request(session, 'DELETE', '/api/v1/sessions/current');
    const log = await eventsOf(service.database, id);
    expect(log.map(({ type, actor }) => [type, actor.kind])).toEqual([
      ['key.rotated', 'admin'],
      ['key.revoked', 'admin'],
      ['account.plan_changed', 'admin'],
      ['session.ended', 'admin'],
      ['key.rotated', 'session'],
    ]);
    expect(log[0]!.data).toEqual({ scope: 'public_links_only', hint: expect.stringMatching(/^….{4}$/) });
    expect(log[2]!.data).toEqual({ from: 'developer', to: 'business' });
    expect(log[0]!.expires_at.getTime() - log[0]!.created_at.getTime()).toBe(30 * 86_400_000);
    await expectConsistent(service.database, id);
  });
});

describe('GET /api/v1/events', () => {
  test('shows what happened in its order, and whoever goes on from `next` misses none and sees none twice', async () => {
    const account = await service.createAccount();
    const { live, liveKey } = account;
    const start = await read(live);
    expect(start.body.events).toMatchObject([
      { type: 'account.plan_changed', actor: { kind: 'admin', ...NO_KEY }, data: { from: null, to: 'developer' } },
    ]);
    const link = await service.createLink(live, { title: 'Old', note: 'secret' });
    const { body: updated } = await service.update(live, link.id, { title: 'New' });
    await service.delete(live, link.id);
    const { body: all } = await read(live, { after: start.body.next });
    const actor = { kind: 'key', scope: 'full_access', hint: `…${liveKey.slice(-4)}`, name: null };
    expect(all).toEqual({
      events: [
        { type: 'link.created', data: { link: shown(link) } },
        { type: 'link.updated', data: { link: shown(updated), changes: { title: { from: 'Old', to: 'New' } } } },
        { type: 'link.deleted', data: { link: shown(updated) } },
      ].map((event) => ({ id: expect.stringMatching(ID), created_at: expect.stringMatching(TIME), actor, ...event })),
      next: all.events.at(-1)!.id,
    });
    expect((await read(live)).body).toEqual({ ...all, events: [...start.body.events, ...all.events] });
    expect(await readAll(live, { limit: 1 })).toEqual([...start.body.events, ...all.events]);
    expect((await read(live, { after: all.next })).body).toEqual({ events: [], next: all.next });
    await service.createLink(live);
    expect((await read(live, { after: all.next })).body.events.map(({ type }) => type)).toEqual(['link.created']);
    const types = await read(live, { types: 'link.deleted,link.updated' });
    expect(types.body.events).toEqual(all.events.slice(1));
    expect((await read(live, { link_id: link.id })).body.events).toEqual(all.events);
  });

  test('with `dir=desc` begins with the newest event, and whoever goes on from `next` gets all of them back to the oldest', async () => {
    const { live, public: pub, id } = await service.createAccount();
    expect((await read(pub, { dir: 'desc' })).body.events).toEqual([]);
    const link = await service.createLink(live);
    await service.update(live, link.id, { title: 'New' });
    await service.createLink(live, { visibility: 'private' });
    await service.delete(live, link.id);
    const back = async (identity: AccountIdentity, query: Record<string, string | number> = {}) =>
      (await readAll(identity, { ...query, dir: 'desc' })).toReversed();
    for (const limit of [1, 2, 3, 25]) {
      expect(await back(live, { limit })).toEqual(await readAll(live));
      expect(await back(pub, { limit })).toEqual(await readAll(pub));
    }
    for (const query of [{ link_id: link.id }, { types: 'link.created' }] as Record<string, string>[])
      expect(await back(live, { ...query, limit: 1 })).toEqual(await readAll(live, query));
    const [newest, ...older] = (await read(live, { dir: 'desc' })).body.events;
    await service.createLink(live);
    expect((await read(live, { dir: 'desc', after: newest!.id })).body.events).toEqual(older);
    // What has expired is missing, and its id is no error.
    await service.database.collections.events.deleteMany({ _id: { $in: [eventId(id, 1), eventId(id, 2)] } });
    expect((await read(live, { dir: 'desc', after: newest!.id })).body.events).toEqual(older.slice(0, 2));
    expect((await read(live, { dir: 'desc', after: older[1]!.id })).body).toEqual({ events: [], next: older[1]!.id });
    const foreign = (await read((await service.createAccount()).live)).body.next;
    for (const after of [foreign, 'x'])
      expect((await read(live, { dir: 'desc', after })).body.error).toBe(EVENTS_LOST_MESSAGE);
    expect((await read(live, { dir: 'down' })).body.error).toMatch(/"dir" .*asc, desc/);
  });

  test('refuses an `after` that is too old or of no event, unknown types and a limit above 100', async () => {
    const { live, id } = await service.createAccount();
    const other = await service.createAccount();
    for (let n = 0; n < 2; n++) await service.createLink(live);
    const { events } = (await read(live)).body;
    const foreign = (await read(other.live)).body.next;
    for (const after of [foreign, 'x', events[0]!.id.slice(1), `${events[0]!.id}A`, 'A'.repeat(22)])
      expect((await read(live, { after })).body.error, after).toBe(EVENTS_LOST_MESSAGE);
    await service.database.collections.events.deleteOne({ _id: eventId(id, 1) });
    expect((await read(live, { after: events[0]!.id })).body.events).toEqual(events.slice(1));
    expect((await read(live)).body.events).toEqual(events.slice(1));
    await service.database.collections.events.deleteOne({ _id: eventId(id, 2) });
    expect(await read(live, { after: events[0]!.id })).toMatchObject({
      status: 422,
      body: { error: EVENTS_LOST_MESSAGE },
    });
    expect((await read(live, { after: events[1]!.id })).body.events).toEqual(events.slice(2));
    // A backup was restored: another event has the place of the known one.
    await service.database.collections.events.updateOne({ _id: eventId(id, 3) }, { $set: { change_id: 'other' } });
    await service.createLink(live);
    expect((await read(live, { after: events[2]!.id })).body.error).toBe(EVENTS_LOST_MESSAGE);
    for (const types of ['link.*', 'link.created,', 'clicks.recorded'])
      expect((await read(live, { types })).body.error).toMatch(/"types" .*of link.created, link.updated/);
    for (const limit of [0, 101]) expect((await read(live, { limit })).status).toBe(422);
  });

  test('a request looks through a part of the log and returns a part of many bytes, and `next` goes on after it', async () => {
    const { live, public: pub, id } = await service.createAccount();
    const link = await service.createLink(live, { visibility: 'private' });
    const { events, accounts } = service.database.collections;
    const [sample] = await eventsOf(service.database, id);
    // Two more than a request looks through, the last one of a visible link.
    const last = 5_002;
    const log = Array.from({ length: last - 2 }, (_, n) => ({ ...sample!, _id: eventId(id, n + 3) }));
    const visible = { link: { ...shown(link), visibility: 'public' as const } };
    Object.assign(log.at(-1)!, { seen_by: ['public'], data: visible });
    await inParts(log, (part) => events.insertMany(part));
    const head = { revision: last, change_id: sample!.change_id, write_id: 'another' };
    await accounts.updateOne({ _id: id }, { $set: head });
    const { body: none } = await read(pub);
    expect(none).toEqual({ events: [], next: expect.stringMatching(ID), notice: MORE_EVENTS_NOTICE });
    const { body: rest } = await read(pub, { after: none.next });
    expect(rest).toEqual({ events: [expect.objectContaining({ data: visible })], next: rest.events[0]!.id });
    expect((await read(live, { types: 'host.lost' })).body).toEqual(none);
    expect((await read(live, { types: 'host.lost', after: none.next })).body).toEqual({ events: [], next: rest.next });

    const long = { link: { ...shown(link), description: 'x'.repeat(100_000) } };
    await events.updateMany({ _id: { $in: log.slice(0, 15).map(({ _id }) => _id) } }, { $set: { data: long } });
    const { body: cut } = await read(live, { limit: 100 });
    expect(cut).toMatchObject({ notice: MORE_EVENTS_NOTICE, next: cut.events.at(-1)!.id });
    const { body: following } = await read(live, { limit: 100, after: cut.next });
    // The creations of account and link, and ten long ones. Then the other five, and others.
    expect([cut.events.length, following.events.length]).toEqual([12, 100]);
    expect(new Set([...cut.events, ...following.events].map((event) => event.id)).size).toBe(112);

    // The same from the newest back.
    const { body: newest } = await read(live, { types: 'host.lost', dir: 'desc' });
    expect(newest).toEqual({ events: [], next: expect.stringMatching(ID), notice: MORE_EVENTS_NOTICE });
    const { body: oldest } = await read(live, { types: 'host.lost', dir: 'desc', after: newest.next });
    expect(oldest).toEqual({ events: [], next: newest.next });
    const { body: backCut } = await read(live, { limit: 100, dir: 'desc', after: following.events[5]!.id });
    expect(backCut).toMatchObject({ notice: MORE_EVENTS_NOTICE, next: backCut.events.at(-1)!.id });
    const { body: first } = await read(live, { limit: 100, dir: 'desc', after: backCut.next });
    expect(first.notice).toBeUndefined();
    const back = [...backCut.events, ...first.events].map((event) => event.id);
    expect(back.reverse()).toEqual([...cut.events, ...following.events.slice(0, 5)].map((event) => event.id));
  });

  test('of an account whose events have all expired, goes on with the next one', async () => {
    const { live, id } = await service.createAccount();
    await service.createLink(live);
    const { next } = (await read(live)).body;
    await service.database.collections.events.deleteMany({ _id: { $in: [1, 2].map((n) => eventId(id, n)) } });
    const { body } = await read(live);
    expect(body).toEqual({ events: [], next });
    await service.createLink(live);
    for (const query of [{}, { after: next }]) expect((await read(live, query)).body.events).toHaveLength(1);
  });
});

describe('the events of a key that does not see all links', () => {
  test('have no actor, and never show what happened before a link was hidden, or while it was', async () => {
    const { live, public: pub } = await service.createAccount();
    const link = await service.createLink(live, { slug: 'view-a', title: 'Seen' });
    const update = async (change: object) => (await service.update(live, link.id, change)).body;
    await update({ title: 'Seen too' });
    const seen = async () => (await readAll(pub)).map(({ type, data }) => [type, data]);
    expect((await seen()).map(([type]) => type)).toEqual(['link.created', 'link.updated']);
    const { next } = (await read(pub)).body;
    await update({ visibility: 'private', slug: 'view-hidden', title: 'Hidden' });
    await update({ title: 'Hidden too' });
    const hidden = ['link.deleted', { link: { id: link.id } }];
    expect(await seen()).toEqual([hidden]);
    const shownAgain = await update({ visibility: 'unlisted', slug: 'view-b' });
    const created = ['link.created', { link: shown(shownAgain) }];
    expect(await seen()).toEqual([hidden, created]);
    expect((await readAll(pub, { after: next })).map(({ type, data }) => [type, data])).toEqual([hidden, created]);
    await update({ visibility: 'password-protected', password: 'pass-word' });
    expect(await seen()).toEqual([hidden]);
    await service.delete(live, link.id);
    expect(await seen()).toEqual([hidden]);
    const other = await service.createLink(live, { visibility: 'private' });
    await service.delete(live, other.id);
    const third = await service.createLink(live);
    await service.delete(live, third.id);
    expect((await seen()).slice(1)).toEqual([
      ['link.created', { link: shown(third) }],
      ['link.deleted', { link: shown(third) }],
    ]);
    const events = await readAll(pub);
    for (const event of events) expect(Object.keys(event)).toEqual(['id', 'type', 'created_at', 'data']);
    for (const type of ['link.created', 'link.deleted', 'link.updated'])
      expect(await readAll(pub, { types: type })).toEqual(events.filter((event) => event.type === type));
    expect(await readAll(pub, { types: 'session.started' })).toEqual([]);
  });

  test('are those of the links with its hashtag, which are hidden from it without', async () => {
    const { live, public: pub } = await service.createAccount();
    const key = { id: 'k', name: 'k', actions: ['read' as const], hashtag: 'mine', expiresAt: null };
    const [mine, mineIfPublic] = [
      { ...live, key },
      { ...pub, key },
    ];
    const link = await service.createLink(live, { hashtags: ['mine', 'a'], visibility: 'private' });
    await service.createLink(live, { hashtags: ['b'] });
    const update = (change: object) => service.update(live, link.id, change);
    const types = async (identity: AccountIdentity) => (await readAll(identity)).map(({ type }) => type);
    expect([await types(mine), await types(mineIfPublic)]).toEqual([['link.created'], []]);
    await update({ visibility: 'public' });
    expect([await types(mine), await types(mineIfPublic)]).toEqual([
      ['link.created', 'link.updated'],
      ['link.created'],
    ]);
    await update({ hashtags: ['a'] });
    for (const identity of [mine, mineIfPublic])
      expect((await readAll(identity)).map(({ type, data }) => [type, data])).toEqual([
        ['link.deleted', { link: { id: link.id } }],
      ]);
    await update({ hashtags: ['mine', 'c'] });
    for (const identity of [mine, mineIfPublic])
      expect(await types(identity)).toEqual(['link.deleted', 'link.created']);
    expect((await readAll(mine))[1]!.data).toMatchObject({ link: { hashtags: ['mine', 'c'] } });
  });
});
