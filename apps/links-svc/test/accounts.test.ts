import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freedNameKey } from '../src/accounts/account.ts';
import { redirectId } from '../src/slugs/redirect-id.ts';
import { writeHost } from './support/hosts.ts';
import { startMongodbProxy } from './support/mongodb-proxy.ts';
import { mongodbUrl } from './support/mongodb-url.ts';
import { Service } from './support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await Service.start();
});
afterAll(() => service.close());

describe('GET /api/v1/me', () => {
  test('returns {"username","plan","key_scope"} for both keys', async () => {
    const account = await service.createAccount();
    for (const [identity, key_scope] of [
      [account.live, 'full_access'],
      [account.public, 'public_links_only'],
    ] as const) {
      const answer = await service.request(identity, 'GET', '/api/v1/me');
      expect(answer.status).toBe(200);
      expect(answer.body).toEqual({ username: account.username, plan: 'developer', key_scope });
      expect((await service.request(identity, 'HEAD', '/api/v1/me')).status).toBe(200);
      expect(await service.accounts.getMe({}, await service.as(identity))).toMatchObject({
        username: account.username,
        plan: 'developer',
        keyScope: key_scope,
      });
    }
  });

  test('accepts only an identity that the gateway signed, and responds to others with 401, over gRPC with UNAUTHENTICATED', async () => {
    const headers = { 'x-waymark-identity': 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhIiwia2luZCI6ImFjY291bnQifQ.' };
    for (const path of ['/api/v1/me', '/api/v1/links', '/api/v1/links/x']) {
      for (const sent of [{}, headers, { authorization: 'Bearer key_live_x' }] as Record<string, string>[]) {
        const answer = await service.request(null, 'GET', path, { headers: sent });
        expect(answer.status).toBe(401);
        expect(answer.headers.get('www-authenticate')).toBe('Bearer');
        expect(Object.keys(answer.body)).toEqual(['error']);
      }
    }
    await expect(service.accounts.getMe({}, { timeoutMs: 5_000 })).rejects.toMatchObject({ code: 'unauthenticated' });
    await expect(service.links.listLinks({}, { timeoutMs: 5_000, identity: 'forged' })).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  });

  test('refuses the identity of a service', async () => {
    expect((await service.request({ kind: 'service', service: 'mcp-svc' }, 'GET', '/api/v1/me')).status).toBe(401);
    await expect(service.links.listLinks({}, await service.asService('gateway'))).rejects.toMatchObject({
      code: 'unauthenticated',
    });
  });
});

describe('accounts', () => {
  test('only the gateway can resolve a key to its account, plan and scope', async () => {
    const account = await service.createAccount();
    expect(account.liveKey).toMatch(/^key_live_[0-9A-Za-z]{32,}$/);
    expect(account.publicKey).toMatch(/^key_pub_[0-9A-Za-z]{32,}$/);
    const shown = { accountId: account.id, username: account.username, plan: 'developer' };
    expect(await service.resolveKey(account.liveKey)).toMatchObject({ ...shown, scope: 'full_access' });
    expect(await service.resolveKey(account.publicKey)).toMatchObject({ ...shown, scope: 'public_links_only' });
    for (const keyHash of [new Uint8Array(32), new Uint8Array(0), new Uint8Array(31)]) {
      await expect(service.accounts.resolveKey({ keyHash }, await service.asService('gateway'))).rejects.toMatchObject({
        code: 'not_found',
      });
    }
    for (const other of ['admin', 'mcp-svc', 'analytics-svc', 'links-svc'] as const) {
      await expect(service.accounts.resolveKey({}, await service.asService(other))).rejects.toMatchObject({
        code: 'forbidden',
      });
    }
    await expect(service.accounts.resolveKey({}, await service.as(account.live))).rejects.toMatchObject({
      code: 'forbidden',
    });
  });

  test('only the command line can manage accounts', async () => {
    const account = await service.createAccount();
    const { username } = account;
    for (const options of [await service.asService('gateway'), await service.as(account.live)]) {
      const calls = await Promise.allSettled([
        service.accounts.createAccount({ username: 'x', plan: 'developer' }, options),
        service.accounts.getAccount({ username }, options),
        service.accounts.listAccounts({}, options),
        service.accounts.setPlan({ username, plan: 'free' }, options),
        service.accounts.deleteAccount({ username }, options),
        service.accounts.rotateKey({ username, scope: 'full_access' }, options),
        service.accounts.revokeKey({ username, scope: 'full_access' }, options),
      ]);
      for (const call of calls) expect(call).toMatchObject({ status: 'rejected', reason: { code: 'forbidden' } });
    }
  });

  test('only a hash of a key is stored', async () => {
    const account = await service.createAccount();
    const stored = await service.database.collections.accounts.findOne({ _id: account.id });
    expect(JSON.stringify(stored)).not.toContain(account.liveKey.slice('key_live_'.length));
    expect(stored!.keys.map(({ hash }) => hash)).toEqual([
      expect.stringMatching(/^[0-9a-f]{64}$/),
      expect.stringMatching(/^[0-9a-f]{64}$/),
    ]);
  });

  test('user names are unique ignoring case, also for concurrent creations', async () => {
    const admin = await service.asService('admin');
    const answers = await Promise.allSettled(
      ['Twin', 'twin', 'TWIN', 'tWin'].map((username) =>
        service.accounts.createAccount({ username, plan: 'free' }, admin),
      ),
    );
    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const answer of answers)
      if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ code: 'conflict' });
    expect((await service.accounts.getAccount({ username: 'TWIN' }, admin)).account!.plan).toBe('free');
  });

  test('an invalid name, plan or scope is refused with a message', async () => {
    const admin = await service.asService('admin');
    for (const username of ['', ' ', 'ä', '-x', 'a b', 'a'.repeat(65), 'a\u0000b']) {
      await expect(service.accounts.createAccount({ username, plan: 'free' }, admin)).rejects.toMatchObject({
        code: 'invalid',
        message: expect.stringContaining('"username"'),
      });
    }
    await expect(service.accounts.createAccount({ username: 'ok', plan: 'gold' }, admin)).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringContaining('free, starter, developer, business'),
    });
    const { username } = await service.createAccount();
    await expect(service.accounts.rotateKey({ username, scope: 'all' }, admin)).rejects.toMatchObject({
      code: 'invalid',
    });
    await expect(service.accounts.getAccount({ username: 'nobody' }, admin)).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('each key is rotated and revoked separately, and at most one of each kind works', async () => {
    const { username, liveKey, publicKey, id } = await service.createAccount();
    const admin = await service.asService('admin');
    const rotated = await Promise.all(
      Array.from({ length: 4 }, () => service.accounts.rotateKey({ username, scope: 'full_access' }, admin)),
    );
    await expect(service.resolveKey(liveKey)).rejects.toMatchObject({ code: 'not_found' });
    const working = await Promise.allSettled(rotated.map(({ key }) => service.resolveKey(key)));
    expect(working.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await service.resolveKey(publicKey)).toMatchObject({ accountId: id });

    await service.accounts.revokeKey({ username, scope: 'public_links_only' }, admin);
    await service.accounts.revokeKey({ username, scope: 'public_links_only' }, admin);
    await expect(service.resolveKey(publicKey)).rejects.toMatchObject({ code: 'not_found' });
    expect((await service.accounts.getAccount({ username }, admin)).account).toMatchObject({
      hasLiveKey: true,
      hasPublicKey: false,
    });
    const { key } = await service.accounts.rotateKey({ username, scope: 'public_links_only' }, admin);
    expect(await service.resolveKey(key)).toMatchObject({ accountId: id, scope: 'public_links_only' });
  });

  test('a key resolves to the new plan after a plan change', async () => {
    const { username, liveKey } = await service.createAccount();
    const admin = await service.asService('admin');
    expect((await service.accounts.setPlan({ username, plan: 'free' }, admin)).account!.plan).toBe('free');
    expect(await service.resolveKey(liveKey)).toMatchObject({ plan: 'free' });
  });

  test('the pages of the list have every account once', async () => {
    const admin = await service.asService('admin');
    const created = await Promise.all(Array.from({ length: 5 }, () => service.createAccount()));
    const names: string[] = [];
    for (let pageToken = '', more = true; more; more = pageToken !== '') {
      const page = await service.accounts.listAccounts({ pageSize: 3, pageToken }, admin);
      expect(page.accounts.length).toBeLessThanOrEqual(3);
      names.push(...page.accounts.map((account) => account.username));
      pageToken = page.nextPageToken;
    }
    expect(new Set(names).size).toBe(names.length);
    for (const { username } of created) expect(names).toContain(username);
  });

  test('deleting an account removes its keys and links and frees its name', async () => {
    const account = await service.createAccount();
    const { username, liveKey } = account;
    const admin = await service.asService('admin');
    const links = await Promise.all(
      (['public', 'private'] as const).map((visibility) => service.createLink(account.live, { visibility })),
    );
    await service.accounts.deleteAccount({ username }, admin);
    await expect(service.resolveKey(liveKey)).rejects.toMatchObject({ code: 'not_found' });
    await expect(service.accounts.getAccount({ username }, admin)).rejects.toMatchObject({ code: 'not_found' });
    expect((await service.get(account.live, links[0]!.id)).status).toBe(404);
    expect((await service.request(null, 'GET', `/${links[0]!.slug}`)).status).toBe(404);
    expect(await service.database.collections.deletedLinks.countDocuments({ account_id: account.id })).toBe(2);
    await service.createAccount(username);
  });

  test('a creation that is running while its account is deleted gets 401 and adds nothing', async () => {
    const page = createServer();
    const asked = once(page, 'request') as Promise<[IncomingMessage, ServerResponse]>;
    await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', resolve));
    const { port } = page.address() as AddressInfo;
    const slow = await Service.start({
      databaseName: service.databaseName,
      config: { AUTO_META_ALLOW: ['127.0.0.1/32'] },
    });
    const account = await service.createAccount();
    const creation = slow.create(
      account.live,
      { destination_url: `http://127.0.0.1:${port}/`, auto_meta: true },
      { 'idempotency-key': 'running' },
    );
    const [, response] = await asked;
    await service.accounts.deleteAccount({ username: account.username }, await service.asService('admin'));
    response.setHeader('content-type', 'text/html').end('<title>Late</title>');
    expect((await creation).status).toBe(401);
    expect(await service.database.collections.links.countDocuments({ account_id: account.id })).toBe(0);
    expect(await service.database.collections.idempotency.countDocuments({ account_id: account.id })).toBe(0);
    await slow.close();
    page.close();
  });

  test('the redirects of a deleted account end on other replicas', async () => {
    const replica = await Service.start({ databaseName: service.databaseName });
    const account = await service.createAccount();
    const { slug } = await service.createLink(account.live);
    const visit = async () =>
      (await replica.request(null, 'GET', `/${slug}`, { headers: { 'user-agent': 'Mozilla/5.0' } })).status;
    await expect.poll(visit).toBe(302);
    await service.accounts.deleteAccount({ username: account.username }, await service.asService('admin'));
    await expect.poll(visit, { interval: 50 }).toBe(404);
    await replica.close();
  });

  test('the redirects of a deleted account end on a replica that learns of it late', async () => {
    const proxy = await startMongodbProxy(mongodbUrl());
    const replica = await Service.start({ mongodbUrl: proxy.url, databaseName: service.databaseName });
    const [account, other] = [await service.createAccount(), await service.createAccount()];
    const { slug } = await service.createLink(account.live);
    const visit = async (at: string) =>
      (await replica.request(null, 'GET', `/${at}`, { headers: { 'user-agent': 'Mozilla/5.0' } })).headers.get(
        'location',
      );
    const isFollowing = (host: string) =>
      expect
        .poll(async () => (await fetch(`${replica.origin}/internal/tls-allowed?domain=${host}`)).status, {
          timeout: 30_000,
          interval: 10,
        })
        .toBe(200);
    // The deleted account is not the one that changed last.
    await writeHost(service, other, 'early.example.com');
    await isFollowing('early.example.com');
    await expect.poll(() => visit(slug)).not.toBeNull();
    proxy.set('cut');
    await service.accounts.deleteAccount({ username: account.username }, await service.asService('admin'));
    const { accounts } = service.database.collections;
    const deleted = { _id: account.id };
    await accounts.updateOne(deleted, { $set: { deleting_at: new Date(Date.now() - 301_000) } });
    await expect.poll(async () => (await accounts.findOne(deleted))?.username ?? '').toBe('');
    await writeHost(service, other, 'late.example.com');
    proxy.set('open');
    // It follows the logs again.
    await isFollowing('late.example.com');
    expect(await visit(slug)).toBeNull();
    await replica.close();
    await proxy.close();
  });

  test('nothing but its id is left of an account 5 minutes after its deletion, also if that was interrupted', async () => {
    const [deleted, interrupted] = [await service.createAccount(), await service.createAccount()];
    const link = await service.createLink(interrupted.live);
    await service.accounts.deleteAccount({ username: deleted.username }, await service.asService('admin'));
    const { accounts, links, redirects, events } = service.database.collections;
    const ids = [deleted.id, interrupted.id];
    await accounts.updateMany(
      { _id: { $in: ids } },
      { $set: { keys: [], deleting_at: new Date(Date.now() - 301_000) } },
    );
    const left = () => accounts.find({ _id: { $in: ids } }, { sort: { _id: 1 } }).toArray();
    await expect.poll(async () => (await left()).map(({ username }) => username)).toEqual(['', '']);
    for (const one of await left()) {
      expect(one).toMatchObject({ keys: [], passkeys: [], hosts: [], counts: {}, username_key: freedNameKey(one._id) });
      expect(one.expires_at!.getTime()).toBeGreaterThan(Date.now() + 29 * 86_400_000);
    }
    expect(await links.countDocuments({ account_id: interrupted.id })).toBe(0);
    expect(await redirects.countDocuments({ _id: redirectId(null, link.slug) })).toBe(0);
    for (const id of ids) expect(await events.countDocuments({ _id: { $gt: `${id}:`, $lt: `${id};` } })).toBe(0);
  });

  test('a repetition finishes an interrupted deletion', async () => {
    const account = await service.createAccount();
    const link = await service.createLink(account.live);
    await service.database.collections.accounts.updateOne(
      { _id: account.id },
      { $set: { keys: [], deleting_at: new Date() } },
    );
    await service.accounts.deleteAccount({ username: account.username }, await service.asService('admin'));
    expect(await service.database.collections.links.findOne({ account_id: account.id, _id: link.id })).toBeNull();
    await service.createAccount(account.username);
  });
});
