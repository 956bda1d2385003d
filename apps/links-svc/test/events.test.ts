import type { BulkResults, Link } from '@waymark/contract';
import { linkFromMessage, updateLinkRequest } from '@waymark/proto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeHost } from './support/hosts.ts';
import { counts, JobsClient } from './support/jobs.ts';
import { eventsOf, expectConsistent } from './support/log.ts';
import { Service } from './support/service.ts';

// Contract, section 11: every change that a client got its answer for has exactly one event, and no other change has one.

let service: Service;
beforeAll(async () => {
  service = await Service.start();
});
afterAll(() => service.close());

const destination_url = 'https://example.com/';
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
    const shown = ({ note: _n, clicks: _c, last_clicked_at: _l, short_url: _s, ...rest }: Link) => rest;
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
    const log = await eventsOf(service.database, id, 1);
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
      ...{ managed_by: 'team-a/links.yaml' },
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
      const { id: _i, short_url: _s, clicks: _c, last_clicked_at: _l, created_at: _a, updated_at: _u, ...sent } = one;
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
