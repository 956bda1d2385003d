import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import createClient from 'openapi-fetch';
import openapiTypes, { astToString } from 'openapi-typescript';
import { expect, test } from 'vitest';
import { accounts, asAdmin, createAccount, request, stack } from '../../support/world.ts';
import type { components, paths } from './api.gen.ts';

// Generates the types of /openapi.json with openapi-typescript, compiles this folder with them, and calls every operation
// with them. `check` leaves the folder out, because `api.gen.ts` is made here.

test('the types of /openapi.json, and a client that uses them, compile strictly', async () => {
  const { body } = await request<object>('/openapi.json');
  const types = astToString(await openapiTypes(JSON.stringify(body)));
  await writeFile(join(import.meta.dirname, 'api.gen.ts'), types);
  // Use the workspace's compiler, not the one that openapi-typescript depends on.
  const workspace = createRequire(join(import.meta.dirname, '../../../package.json'));
  const compiler = join(workspace.resolve('typescript/package.json'), '../bin/tsc');
  const compile = promisify(execFile)(process.execPath, [compiler, '-p', import.meta.dirname]);
  const outcome = await compile.catch(({ code, stdout, stderr }) => ({ code, stdout, stderr }));
  expect(outcome).toEqual({ stdout: '', stderr: '' });
});

test('a client of the generated types can call every operation', async () => {
  const account = await createAccount();
  const client = createClient<paths>({
    baseUrl: stack.publicUrl,
    headers: { Authorization: `Bearer ${account.live}` },
    redirect: 'manual',
  });

  const me = await client.GET('/api/v1/me');
  expect(me.data).toEqual({ username: account.username, plan: 'developer', key_scope: 'full_access' });

  const { url } = await accounts.createSignInLink({ username: account.username }, await asAdmin());
  const session = await client.POST('/api/v1/sessions', { body: { token: url.split('#token=')[1]! } });
  const headers = { Authorization: `Bearer ${session.data!.token}` };
  const keys = await client.GET('/api/v1/me/keys', { headers });
  expect(keys.data?.keys.map(({ scope, hint }) => [scope, hint?.length])).toEqual([
    ['full_access', 5],
    ['public_links_only', 5],
  ]);
  const publicKey = { path: { scope: 'public_links_only' } } as const;
  const rotated = await client.POST('/api/v1/me/keys/{scope}/rotate', { params: publicKey, headers });
  expect(rotated.data?.key).toMatch(/^key_pub_/);
  const revoked = await client.DELETE('/api/v1/me/keys/{scope}', { params: publicKey, headers });
  expect(revoked.response.status).toBe(204);
  const restricted = await client.POST('/api/v1/me/keys/restricted', {
    headers,
    body: { name: 'Reader', scope: 'full_access', actions: ['read'] },
  });
  expect(restricted.data?.key).toMatch(/^key_res_/);
  const { key: _, ...reader } = restricted.data!;
  expect((await client.GET('/api/v1/me/keys/restricted', { headers })).data).toEqual({ keys: [reader] });
  const restrictedId = { path: { id: reader.id } };
  const deletedKey = await client.DELETE('/api/v1/me/keys/restricted/{id}', { params: restrictedId, headers });
  expect(deletedKey.response.status).toBe(204);
  const toSave = { name: 'Typed', query: { hashtag: 'typed', health: 'broken' } } as const;
  const saved = await client.POST('/api/v1/me/filters', { headers, body: toSave });
  expect(saved.data).toMatchObject(toSave);
  expect((await client.GET('/api/v1/me/filters', { headers })).data).toEqual({ filters: [saved.data] });
  const filterId = { path: { id: saved.data!.id } };
  const deletedFilter = await client.DELETE('/api/v1/me/filters/{id}', { params: filterId, headers });
  expect(deletedFilter.response.status).toBe(204);
  const options = await client.POST('/api/v1/me/passkeys/options', { headers });
  expect(options.data).toMatchObject({ attestation: 'none', user: { name: account.username } });
  const added = await client.POST('/api/v1/me/passkeys', { headers, body: { name: 'Typed', response: {} } });
  expect(added.response.status).toBe(422);
  expect((await client.GET('/api/v1/me/passkeys', { headers })).data).toEqual({ passkeys: [] });
  const unknown = { path: { id: 'unknown' } };
  const removed = await client.DELETE('/api/v1/me/passkeys/{id}', { params: unknown, headers });
  expect(removed.error).toEqual({ error: 'There is no such passkey.' });
  const signInOptions = await client.POST('/api/v1/sessions/passkey/options');
  expect(signInOptions.data).toMatchObject({ userVerification: 'required' });
  const refusedSignIn = await client.POST('/api/v1/sessions/passkey', { body: { response: {} } });
  expect(refusedSignIn.response.status).toBe(401);
  const sessionAccounts = await client.GET('/api/v1/me/accounts', { headers });
  expect(sessionAccounts.data?.accounts).toEqual([{ username: account.username, role: 'owner', current: true }]);
  const switched = await client.POST('/api/v1/sessions/switch', { headers, body: { username: 'unknown' } });
  expect(switched.response.status).toBe(404);
  const ended = await client.DELETE('/api/v1/sessions/current', { headers });
  expect(ended.response.status).toBe(204);

  const body: components['schemas']['CreateLinkInput'] = {
    destination_url: 'https://example.com/',
    title: 'Typed',
    hashtags: ['typed'],
    visibility: 'unlisted',
    auto_meta: false,
  };
  const created = await client.POST('/api/v1/links', {
    params: { header: { 'Idempotency-Key': 'typed-1' } },
    body,
  });
  expect(created.response.status).toBe(201);
  const link = created.data!;
  const path = { id: link.id };

  expect((await client.GET('/api/v1/links/{id}', { params: { path } })).data).toEqual(link);
  const query = { q: 'typed', page: 1, per: 10, sort: 'title', dir: 'asc' } as const;
  expect((await client.GET('/api/v1/links', { params: { query } })).data).toEqual({
    links: [link],
    page: 1,
    per: 10,
    total: 1,
    total_pages: 1,
  });
  const updated = await client.PUT('/api/v1/links/{id}', { params: { path }, body: { title: null, note: 'n' } });
  expect(updated.data).toMatchObject({ title: null, note: 'n', hashtags: ['typed'] });
  const page = await client.GET('/api/v1/auto-meta');
  expect(page.error?.error).toMatch(/"destination_url" is required/);
  const hashtags = await client.GET('/api/v1/hashtags');
  expect(hashtags.data?.hashtags).toContainEqual({ hashtag: 'typed', links: 1, clicks: 0 });
  const analytics = await client.GET('/api/v1/analytics', { params: { query: { days: 7, tz: 'Europe/Berlin' } } });
  expect(analytics.data).toMatchObject({ days: 7, tz: 'Europe/Berlin', source: null });
  expect(analytics.data?.clicks_by_day).toHaveLength(7);

  const bulk = await client.POST('/api/v1/links/bulk', {
    body: {
      operations: [
        { op: 'update', id: link.id, link: { title: 'Typed' } },
        { op: 'delete', id: 'unknown' },
      ],
    },
  });
  expect(bulk.data?.results.map(({ status, link, error }) => [status, link?.title, error])).toEqual([
    [200, 'Typed', undefined],
    [404, undefined, 'Link not found.'],
  ]);
  const filter = { q: '#typed' };
  const edit = await client.POST('/api/v1/jobs', {
    body: { kind: 'edit', filter, change: { replace_hashtag: { from: 'typed', to: 'retyped' } } },
  });
  expect(edit.data).toMatchObject({ kind: 'edit', matched: 1, changed: 1 });
  const jobPath = { id: edit.data!.id };
  const undo = await client.POST('/api/v1/jobs/{id}/undo', { params: { path: jobPath } });
  expect(undo.data).toMatchObject({ kind: 'undo', changed: 1 });
  const listed = await client.GET('/api/v1/jobs');
  expect(listed.data?.jobs.map(({ kind }) => kind)).toEqual(['undo', 'edit']);
  const got = await client.GET('/api/v1/jobs/{id}', { params: { path: jobPath } });
  expect(got.data).toEqual({ ...edit.data, undo_until: null });
  const refused = await client.GET('/api/v1/jobs/{id}/refused', { params: { path: jobPath }, parseAs: 'text' });
  expect(refused.data).toBe('id,reason\r\n');
  const over = await client.POST('/api/v1/jobs/{id}/cancel', { params: { path: jobPath } });
  expect(over.error?.error).toBe('This job is over; it cannot be cancelled.');
  const file = { body: 'url\nhttps://example.com/imported\n', bodySerializer: (text: string) => text };
  const headersOfFile = { 'content-type': 'text/csv' };
  const preview = await client.POST('/api/v1/jobs/import', {
    ...file,
    headers: headersOfFile,
    params: { query: { dry_run: 'true' } },
  });
  expect(preview.data).toMatchObject({ columns: { destination_url: 'url' }, rows: [{ row: 2 }] });
  const imported = await client.POST('/api/v1/jobs/import', { ...file, headers: headersOfFile });
  expect([imported.response.status, imported.data]).toEqual([202, expect.objectContaining({ kind: 'import' })]);
  const exported = await client.GET('/api/v1/links/export', {
    params: { query: { q: 'typed', format: 'ndjson' } },
    parseAs: 'text',
  });
  expect(exported.data).toContain(link.id);
  const qr = await client.GET('/api/v1/links/{id}/qr', { params: { path, query: { size: 128 } }, parseAs: 'text' });
  expect(qr.data).toMatch(/^<svg /);

  const slug = { slug: link.slug };
  const shown = await client.GET('/{slug}+', { params: { path: slug }, parseAs: 'text' });
  expect([shown.response.status, shown.data]).toEqual([200, expect.stringContaining('<!doctype html>')]);
  expect((await client.HEAD('/{slug}', { params: { path: slug } })).response.status).toBe(302);
  expect((await client.GET('/{slug}', { params: { path: slug }, parseAs: 'text' })).response.status).toBe(302);
  await client.PUT('/api/v1/links/{id}', { params: { path }, body: { password: 'open sesame' } });
  const opened = await client.POST('/{slug}', {
    params: { path: slug },
    body: { password: 'open sesame' },
    bodySerializer: (form) => new URLSearchParams(form),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    parseAs: 'text',
  });
  expect(opened.response.status).toBe(303);

  const events = await client.GET('/api/v1/events', { params: { query: { types: 'link.created', limit: 1 } } });
  expect(events.data?.events).toMatchObject([{ type: 'link.created', actor: { kind: 'key' } }]);
  const clicks = await client.GET('/api/v1/clicks', { params: { query: { limit: 1 } }, parseAs: 'text' });
  expect(clicks.response.status).toBe(200);
  const forgotten = await client.DELETE('/api/v1/links/{id}/clicks', { params: { path } });
  expect(forgotten.response.status).toBe(204);

  const webhook = await client.POST('/api/v1/webhooks', {
    body: { url: 'https://example.com/hook', types: ['link.*'] },
  });
  expect(webhook.data?.secret).toMatch(/^whsec_/);
  const webhookId = { path: { id: webhook.data!.id } };
  const { secret: _secret, ...madeHook } = webhook.data!;
  expect((await client.GET('/api/v1/webhooks')).data?.webhooks).toEqual([madeHook]);
  expect((await client.GET('/api/v1/webhooks/{id}', { params: webhookId })).data).toEqual(madeHook);
  const disabled = await client.PUT('/api/v1/webhooks/{id}', { params: webhookId, body: { enabled: false } });
  expect(disabled.data?.enabled).toBe(false);
  const renewed = await client.POST('/api/v1/webhooks/{id}/rotate-secret', { params: webhookId });
  expect(renewed.data?.secret).not.toBe(webhook.data!.secret);
  const replayed = await client.POST('/api/v1/webhooks/{id}/replay', {
    params: webhookId,
    body: { after: events.data!.events[0]!.id },
  });
  expect(replayed.response.status).toBe(202);
  expect((await client.GET('/api/v1/webhooks/{id}/deliveries', { params: webhookId })).data).toEqual({
    deliveries: [],
  });
  expect((await client.POST('/api/v1/webhooks/{id}/test', { params: webhookId })).response.status).toBe(202);
  expect((await client.DELETE('/api/v1/webhooks/{id}', { params: webhookId })).response.status).toBe(204);

  const host = await client.POST('/api/v1/hosts', { body: { host: 'go.example.com' } });
  expect(host.data).toMatchObject({ host: 'go.example.com', status: 'pending', root_url: null });
  const hostId = { path: { id: host.data!.id } };
  const rooted = await client.PUT('/api/v1/hosts/{id}', { params: hostId, body: { root_url: 'https://example.com/' } });
  expect(rooted.data?.root_url).toBe('https://example.com/');
  expect((await client.GET('/api/v1/hosts')).data).toEqual({ hosts: [rooted.data] });
  expect((await client.GET('/api/v1/hosts/{id}', { params: hostId })).data).toEqual(rooted.data);
  const looked = await client.POST('/api/v1/hosts/{id}/verify', { params: hostId });
  expect(looked.data?.status).toBe('pending');
  expect((await client.DELETE('/api/v1/hosts/{id}', { params: hostId })).response.status).toBe(204);

  const invalid = await client.GET('/api/v1/links', { params: { query: { per: 101 } } });
  const problem: components['schemas']['Error'] | undefined = invalid.error;
  expect(problem?.error).toBe('"per" must be between 1 and 100; you sent 101.');

  const deleted = await client.DELETE('/api/v1/links/{id}', { params: { path } });
  expect([deleted.response.status, deleted.data]).toEqual([204, undefined]);
  const gone = await client.DELETE('/api/v1/links/{id}', { params: { path } });
  expect([gone.response.status, gone.error]).toEqual([404, { error: 'Link not found.' }]);
});
