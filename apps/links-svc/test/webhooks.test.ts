import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Delivery, EventList, NewWebhook, Webhook as ShownWebhook, Webhooks } from '@waymark/contract';
import { AppError, type RawClick, WEBHOOKS_MAX } from '@waymark/contract';
import { rawClickToMessage, timeToMessage } from '@waymark/proto';
import { MongoClient } from 'mongodb';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { createAuthority } from '../../../packages/proto/test/certificates.ts';
import type { WebhookDocument } from '../src/database/documents/webhook.ts';
import type { HostLookup } from '../src/guarded-fetch/host-lookup.ts';
import { renewSecrets } from '../src/webhooks/renew-secrets.ts';
import { WebhookAddresses } from '../src/webhooks/webhook-addresses.ts';
import { WebhookSecrets } from '../src/webhooks/webhook-secrets.ts';
import { WebhookSender } from '../src/webhooks/webhook-sender.ts';
import { WebhooksStore } from '../src/webhooks/webhooks.store.ts';
import { startLinksProcess } from './support/links-process.ts';
import { eventsOf } from './support/log.ts';
import { mongodbUrl } from './support/mongodb-url.ts';
import { dropDatabase, type FakeAnalytics, Service, SIGNING_KEY, type TestAccount } from './support/service.ts';
import { type Received, WebhookReceiver } from './support/webhook-receiver.ts';

// docs/api.md, Webhooks, with two replicas and a receiver on loopback.

const PATH = '/api/v1/webhooks';
const DAY_MS = 86_400_000;
/** Longer than a pause before a retry, with its jitter. */
const PAUSE_MS = 700_000;
const WAIT = { timeout: 90_000, interval: 20 };

let receiver: WebhookReceiver;
let service: Service;
let replica: Service;
/** The counted clicks, as the fake analytics-svc has them. Their cursors are their numbers. */
const clicks: RawClick[] = [];
/** The links that no webhook sees. */
const hidden = new Set<string>();
let isAnalyticsDown = false;
/** How often clicks were asked for. */
let looks = 0;
const analytics: FakeAnalytics = {
  listClicks: async ({ after, upTo, limit, fromNow }) => {
    looks += 1;
    if (isAnalyticsDown) throw new AppError('unavailable', 'ClickHouse is down.');
    if (fromNow) return { next: `${clicks.length}` };
    const end = Number(upTo ?? clicks.length);
    // Pages are short, as they are at the end of a range of blocks.
    const stored = clicks.slice(Number(after), Math.min(end, Number(after) + limit, Number(after) + 300));
    const next = stored.at(-1)?.cursor ?? after!;
    const page = stored.filter(({ link_id }) => !hidden.has(link_id));
    return { clicks: page.map(rawClickToMessage), next, more: Number(next) < end };
  },
  getLinkTotals: async ({ linkIds }) => ({
    totals: linkIds.map((linkId) => ({ linkId, clicks: 1n, lastClickedAt: timeToMessage(new Date()) })),
    complete: true,
  }),
};
/** How far the clocks of both replicas are ahead. */
let aheadMs = 0;
/** The time of both replicas while it stands still. */
let frozenMs: number | null = null;
const nowMs = () => frozenMs ?? Date.now() + aheadMs;
beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  const options = {
    config: { WEBHOOK_ALLOW: ['127.0.0.1/32'], WEBHOOK_RETRIES: ['600', '600', '600'] },
    now: nowMs,
    webhookTimeoutMs: 500,
    analytics,
  };
  service = await Service.start(options);
  replica = await Service.start({ ...options, databaseName: service.databaseName });
});
afterAll(async () => {
  await replica?.close();
  await service?.close();
  await receiver?.close();
});

let paths = 0;
/** Returns a path of the receiver that no other test has. */
function newPath(): string {
  paths += 1;
  return `/hooks/${paths}`;
}

type Answered = NewWebhook & { error: string };
const create = (account: TestAccount, body: object) =>
  service.request<Answered>(account.live, 'POST', PATH, { body: { types: ['link.*'], ...body } });
async function created(account: TestAccount, path: string, body: object = {}): Promise<NewWebhook> {
  const answer = await create(account, { url: receiver.url(path), ...body });
  expect(answer.status, answer.body?.error).toBe(201);
  return answer.body;
}
const update = (account: TestAccount, { id }: { id: string }, body: object) =>
  service.request<ShownWebhook & { error: string }>(account.live, 'PUT', `${PATH}/${id}`, { body });
const post = (account: TestAccount, { id }: { id: string }, action: string, body?: object) =>
  service.request<Answered>(account.live, 'POST', `${PATH}/${id}/${action}`, body && { body });
const get = async (account: TestAccount, { id }: { id: string }) =>
  (await replica.request<ShownWebhook>(account.live, 'GET', `${PATH}/${id}`)).body;
const deliveries = async (account: TestAccount, { id }: { id: string }) =>
  (await replica.request<{ deliveries: Delivery[] }>(account.live, 'GET', `${PATH}/${id}/deliveries`)).body.deliveries;
const stored = async ({ id }: { id: string }) => (await service.database.collections.webhooks.findOne({ _id: id }))!;
async function createLinks(account: TestAccount, count: number): Promise<void> {
  const operations = Array(count).fill({ op: 'create', link: { destination_url: 'https://example.com/' } });
  await service.request(account.live, 'POST', '/api/v1/links/bulk', { body: { operations } });
}
const events = async (account: TestAccount) =>
  (await service.request<EventList>(account.live, 'GET', '/api/v1/events?limit=100')).body.events;
/** Verifies a delivery as receivers do, at the time of the service. */
function verified({ secret }: NewWebhook, { body, headers }: Received): unknown {
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + aheadMs);
  try {
    return new Webhook(secret).verify(body, headers);
  } finally {
    clock.mockRestore();
  }
}

describe('managing webhooks', () => {
  test('a webhook is created with a secret that is shown once, changed, and deleted', async () => {
    const account = await service.createAccount();
    const { secret, ...webhook } = await created(account, '/managed', { hashtag: '#Sale' });
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/);
    expect(webhook).toMatchObject({ types: ['link.*'], scope: 'full_access', hashtag: 'sale', enabled: true });
    const list = await service.request<Webhooks>(account.live, 'GET', PATH);
    expect(list.body).toEqual({ webhooks: [webhook] });
    const changed = await update(account, webhook, { types: ['host.lost'], hashtag: null, enabled: false });
    expect(changed.body).toEqual({ ...webhook, types: ['host.lost'], hashtag: null, enabled: false });
    expect((await update(account, webhook, { types: null, enabled: true })).body).toMatchObject({ enabled: true });
    expect((await service.request(account.live, 'DELETE', `${PATH}/${webhook.id}`)).status).toBe(204);
    expect((await service.request(account.live, 'DELETE', `${PATH}/${webhook.id}`)).status).toBe(404);
    expect((await service.request(account.live, 'GET', `${PATH}/${webhook.id}/deliveries`)).status).toBe(404);
    const log = await eventsOf(service.database, account.id);
    expect(log.filter(({ type }) => type.startsWith('webhook.')).map(({ type }) => type)).toEqual([
      'webhook.created',
      'webhook.disabled',
      'webhook.deleted',
    ]);
    expect(JSON.stringify(log)).not.toContain('whsec_');
  });

  test('no secret is in the database', async () => {
    const account = await service.createAccount();
    const { id, secret } = await created(account, '/secret');
    const stored = await service.database.collections.webhooks.findOne({ _id: id });
    expect(JSON.stringify(stored)).not.toContain(secret.slice('whsec_'.length));
    for (const { ciphertext } of stored!.secrets)
      expect(Buffer.from(ciphertext, 'base64').toString('latin1')).not.toContain(secret);
  });

  test('a Public Links Only key may not, and another account sees nothing', async () => {
    const [account, other] = [await service.createAccount(), await service.createAccount()];
    const { id } = await created(account, '/mine');
    for (const [method, path] of [
      ['GET', PATH],
      ['POST', PATH],
      ['GET', `${PATH}/${id}`],
      ['PUT', `${PATH}/${id}`],
      ['DELETE', `${PATH}/${id}`],
      ['POST', `${PATH}/${id}/rotate-secret`],
      ['POST', `${PATH}/${id}/test`],
      ['POST', `${PATH}/${id}/replay`],
      ['GET', `${PATH}/${id}/deliveries`],
    ] as const) {
      const options = method === 'GET' ? {} : { body: {} };
      expect([path, (await service.request(account.public, method, path, options)).status]).toEqual([path, 403]);
      if (path === PATH) continue;
      const body = path.endsWith('replay') ? { after: 'x' } : {};
      const answer = await service.request(other.live, method, path, method === 'GET' ? {} : { body });
      expect([path, answer.status]).toEqual([path, 404]);
    }
  });

  test(`an account has at most ${WEBHOOKS_MAX}`, async () => {
    const account = await service.createAccount();
    const answers = await Promise.all(
      Array.from({ length: WEBHOOKS_MAX + 1 }, () => create(account, { url: receiver.url('/many') })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(WEBHOOKS_MAX).fill(201), 422]);
  });

  test('what is wrong is refused, and says why', async () => {
    const account = await service.createAccount();
    const url = receiver.url('/x');
    for (const [body, words] of [
      [{ url: 'ftp://example.com/' }, '"url" must be'],
      [{ url: 'https://10.0.0.1/' }, 'public address'],
      [{ url: 'https://[::ffff:127.0.0.1]/' }, 'public address'],
      [{ url: 'http://93.184.216.34/' }, 'https'],
      [{ url: 'https://user:pass@example.com/' }, '"url" must be'],
      [{ url, types: [] }, 'at least 1 item'],
      [{ url, types: ['link.*', 'nothing'] }, '"types[1]" must be one of link.created'],
      [{ url, types: ['link.*', 'link.*'] }, '"types"'],
      [{ url, types: ['*'] }, '"types[0]"'],
      [{ url, scope: 'all' }, '"scope"'],
      [{ url, hashtag: 'a b' }, '"hashtag"'],
      [{ url, secret: 'whsec_' }, '"secret" is not a known field'],
    ] as const) {
      const answer = await create(account, body);
      expect([answer.status, answer.body.error]).toEqual([422, expect.stringContaining(words)]);
    }
    const webhook = await created(account, '/x');
    for (const after of ['nothing', 'A'.repeat(22), ''])
      expect([after, (await post(account, webhook, 'replay', { after })).status]).toEqual([after, 422]);
  });
});

describe('deliveries', () => {
  test('each event of its types comes signed, with what GET /events shows', async () => {
    const account = await service.createAccount();
    const path = newPath();
    const webhook = await created(account, path, { types: ['link.created', 'link.deleted'] });
    const link = await replica.createLink(account.live, { note: 'secret note' });
    await service.update(account.live, link.id, { title: 'T' });
    await service.delete(account.live, link.id);
    await vi.waitFor(() => expect(receiver.at(path)).toHaveLength(2), WAIT);
    for (const received of receiver.at(path)) verified(webhook, received);
    expect(() => verified({ ...webhook, secret: `whsec_${'A'.repeat(43)}=` }, receiver.at(path)[0]!)).toThrow();
    const sent = receiver.at(path).map(({ event }) => event);
    const shown = (await events(account)).filter(({ type }) => /^link\.(created|deleted)$/.test(type));
    const expected = shown.map(({ type, created_at, data }) => ({ type, timestamp: created_at, data }));
    expect(sent.sort((a, b) => (a.type < b.type ? -1 : 1))).toEqual(expected);
    expect(receiver.at(path)[0]!.body).not.toContain('secret note');
    await vi.waitFor(async () => expect(await deliveries(account, webhook)).toHaveLength(2), WAIT);
    expect((await deliveries(account, webhook)).map(({ attempt, status, error }) => [attempt, status, error])).toEqual([
      [1, 204, null],
      [1, 204, null],
    ]);
    expect((await deliveries(account, webhook)).map(({ event_id }) => event_id).sort()).toEqual(
      shown.map(({ id }) => id).sort(),
    );
  });

  test('what fails is sent again after each pause, with the same id, until it succeeds', async () => {
    const account = await service.createAccount();
    const path = newPath();
    const webhook = await created(account, path);
    receiver.answer(path, 500);
    await service.createLink(account.live);
    for (const attempts of [1, 2]) {
      await vi.waitFor(async () => expect(await deliveries(account, webhook)).toHaveLength(attempts), WAIT);
      expect((await get(account, webhook)).failing_since).not.toBeNull();
      if (attempts === 2) receiver.answer(path, 200);
      aheadMs += PAUSE_MS;
    }
    await vi.waitFor(async () => expect(await deliveries(account, webhook)).toHaveLength(3), WAIT);
    expect((await deliveries(account, webhook)).map(({ attempt, status, error }) => [attempt, status, error])).toEqual([
      [3, 200, null],
      [2, 500, 'The receiver answered 500.'],
      [1, 500, 'The receiver answered 500.'],
    ]);
    expect((await get(account, webhook)).failing_since).toBeNull();
    expect(receiver.at(path)).toHaveLength(3);
    expect(new Set(receiver.at(path).map(({ id, body }) => `${id} ${body}`)).size).toBe(1);
  });

  test('an event is given up after the last pause', async () => {
    const account = await service.createAccount();
    const path = newPath();
    const webhook = await created(account, path);
    receiver.answer(path, 503);
    await service.createLink(account.live);
    for (let attempts = 1; attempts <= 4; attempts++) {
      await vi.waitFor(async () => expect(await deliveries(account, webhook)).toHaveLength(attempts), WAIT);
      aheadMs += PAUSE_MS;
    }
    expect(await stored(webhook)).toMatchObject({ retries: [], due_at: null, enabled: true });
  });

  test('a retry waits as long as Retry-After says', async () => {
    const account = await service.createAccount();
    const path = newPath();
    const webhook = await created(account, path);
    receiver.answer(path, 429, { 'retry-after': '3600' });
    await service.createLink(account.live);
    await vi.waitFor(async () => expect(await deliveries(account, webhook)).toHaveLength(1), WAIT);
    const dueInMs = (await stored(webhook)).retries[0]!.due_at.getTime() - Date.now() - aheadMs;
    expect(dueInMs).toBeGreaterThan(3_500_000);
    receiver.answer(path, 204);
    aheadMs += 3_601_000;
    await vi.waitFor(() => expect(receiver.at(path)).toHaveLength(2), WAIT);
  });

  test('410 disables a webhook, and it goes on where it stopped once it is enabled', async () => {
    const account = await service.createAccount();
    const path = newPath();
    const webhook = await created(account, path);
    receiver.answer(path, 410);
    const first = await service.createLink(account.live);
    await vi.waitFor(async () => expect((await get(account, webhook)).enabled).toBe(false), WAIT);
    expect((await get(account, webhook)).disabled_reason).toContain('410');
    expect((await eventsOf(service.database, account.id)).at(-1)).toMatchObject({
      type: 'webhook.disabled',
      actor: { kind: 'system' },
    });
    const second = await service.createLink(account.live);
    receiver.answer(path, 204);
    expect(receiver.at(path)).toHaveLength(1);
    const enabled = await update(account, webhook, { enabled: true });
    expect(enabled.body).toMatchObject({ enabled: true, disabled_reason: null, failing_since: null });
    aheadMs += PAUSE_MS;
    await vi.waitFor(() => expect(receiver.at(path)).toHaveLength(3), WAIT);
    expect(receiver.at(path).map(({ event }) => event.data.link!.id)).toEqual(
      expect.arrayContaining([first.id, second.id]),
    );
  });

  test('5 days of failures disable a webhook', async () => {
    const account = await service.createAccount();
    const path = newPath();
    const webhook = await created(account, path);
    receiver.answer(path, 500);
    await service.createLink(account.live);
    await vi.waitFor(async () => expect(await deliveries(account, webhook)).toHaveLength(1), WAIT);
    aheadMs += 5 * DAY_MS - PAUSE_MS;
    await vi.waitFor(async () => expect(await deliveries(account, webhook)).toHaveLength(2), WAIT);
    expect((await get(account, webhook)).enabled).toBe(true);
    aheadMs += PAUSE_MS;
    await vi.waitFor(async () => expect((await get(account, webhook)).enabled).toBe(false), WAIT);
    expect((await get(account, webhook)).disabled_reason).toBe('Every delivery has failed for 5 days.');
  });

  test('redirects are not followed, and of what comes instead of a response only a few words are shown', async () => {
    const account = await service.createAccount();
    const [redirect, hang, close, trickle, elsewhere] = [newPath(), newPath(), newPath(), newPath(), newPath()];
    receiver.answer(redirect, 302, { location: receiver.url(elsewhere) });
    receiver.answer(hang, () => {});
    receiver.answer(close, (_received, response) => response.destroy());
    receiver.answer(trickle, (_received, { socket }) => {
      socket!.write('HTTP/1.1 200 OK\r\n');
      const timer = setInterval(() => socket!.write('x-more: y\r\n'), 50);
      socket!.on('close', () => clearInterval(timer));
    });
    const webhooks = await Promise.all([redirect, hang, close, trickle].map((path) => created(account, path)));
    await service.createLink(account.live);
    await vi.waitFor(async () => {
      for (const webhook of webhooks) expect((await deliveries(account, webhook)).length).toBeGreaterThan(0);
    }, WAIT);
    const last = await Promise.all(webhooks.map(async (webhook) => (await deliveries(account, webhook))[0]!));
    expect(last.map(({ status, error }) => [status, error])).toEqual([
      [302, 'The receiver answered 302.'],
      [null, 'No response within 0.5 seconds.'],
      [null, 'The connection failed.'],
      [null, 'No response within 0.5 seconds.'],
    ]);
    expect(receiver.at(elsewhere)).toEqual([]);
  });

  test('a 2xx is done, however long its body is', async () => {
    const account = await service.createAccount();
    const path = newPath();
    const webhook = await created(account, path);
    let closed = 0;
    receiver.answer(path, (_received, response) => {
      response.writeHead(200).write('x');
      const timer = setInterval(() => response.write('x'.repeat(1_000)), 20);
      response.on('close', () => {
        clearInterval(timer);
        closed += 1;
      });
    });
    for (let n = 0; n < 5; n++) await service.createLink(account.live);
    await vi.waitFor(async () => expect(await deliveries(account, webhook)).toHaveLength(5), WAIT);
    expect((await deliveries(account, webhook)).map(({ status, error }) => [status, error])).toEqual(
      Array(5).fill([200, null]),
    );
    await vi.waitFor(() => expect(closed).toBe(5), WAIT);
  });

  test('at most 4 run at once for each webhook, and one that hangs delays no other', async () => {
    const account = await service.createAccount();
    const [slow, fast] = [newPath(), newPath()];
    await created(account, slow);
    await created(account, fast);
    const held: (() => void)[] = [];
    receiver.answer(slow, (_received, response) => held.push(() => response.writeHead(204).end()));
    await createLinks(account, 30);
    await vi.waitFor(() => expect(receiver.at(fast)).toHaveLength(30), WAIT);
    expect(receiver.mostOpen.get(slow)).toBe(4);
    receiver.answer(slow, 204);
    for (const release of held) release();
    aheadMs += PAUSE_MS;
    const ids = (path: string) => new Set(receiver.at(path).map(({ id }) => id));
    await vi.waitFor(() => expect(ids(slow).size).toBe(30), WAIT);
    expect(receiver.mostOpen.get(slow)).toBe(4);
    expect(ids(fast).size).toBe(30);
    expect(new Set([...ids(slow), ...ids(fast)]).size).toBe(60);
  });

  test('a receiver that is down gets every event once it is back, however many wait', async () => {
    const account = await service.createAccount();
    const path = newPath();
    const webhook = await created(account, path, { types: ['link.created'] });
    receiver.answer(path, 500);
    await createLinks(account, 70);
    await createLinks(account, 70);
    await vi.waitFor(async () => expect(await stored(webhook)).toMatchObject({ stalled: true, holder: null }), WAIT);
    expect((await stored(webhook)).retries).toHaveLength(100);
    receiver.answer(path, 204);
    const got = () => new Set(receiver.at(path).map(({ event }) => event.data.link!.id));
    await vi.waitFor(
      async () => {
        // On a busy machine, an attempt may time out, and is due again later.
        aheadMs += PAUSE_MS;
        expect(await stored(webhook)).toMatchObject({ stalled: false, retries: [] });
      },
      { ...WAIT, interval: 500 },
    );
    await vi.waitFor(() => expect(got().size).toBe(140), WAIT);
  });

  test('a replay sends again what came after an event, with the same ids', async () => {
    const account = await service.createAccount();
    const path = newPath();
    const webhook = await created(account, path);
    for (let n = 0; n < 3; n++) await service.createLink(account.live);
    await vi.waitFor(() => expect(receiver.at(path)).toHaveLength(3), WAIT);
    const [first] = (await events(account)).filter(({ type }) => type === 'link.created');
    expect((await post(account, webhook, 'replay', { after: first!.id })).status).toBe(202);
    await vi.waitFor(() => expect(receiver.at(path)).toHaveLength(5), WAIT);
    expect(new Set(receiver.at(path).map(({ id }) => id)).size).toBe(3);
  });

  test('a test event is sent once, also to a webhook that is disabled', async () => {
    const account = await service.createAccount();
    const path = newPath();
    const webhook = await created(account, path);
    await update(account, webhook, { enabled: false });
    receiver.answer(path, 500);
    for (const count of [1, 2]) {
      expect((await post(account, webhook, 'test')).status).toBe(202);
      await vi.waitFor(async () => expect(await deliveries(account, webhook)).toHaveLength(count), WAIT);
    }
    expect(receiver.at(path).map(({ event }) => [event.type, event.data])).toEqual(Array(2).fill(['webhook.test', {}]));
    expect((await get(account, webhook)).failing_since).toBeNull();
    for (const received of receiver.at(path)) verified(webhook, received);
  });

  test('a test event that a replica could not send before it shut down is sent by another one', async () => {
    const options = {
      config: { WEBHOOK_ALLOW: ['127.0.0.1/32'] },
      databaseName: `waymark_test_${randomBytes(6).toString('hex')}`,
    };
    const [first, second] = [await Service.start(options), await Service.start(options)];
    const account = await first.createAccount();
    const path = newPath();
    const body = { url: receiver.url(path), types: ['link.*'] };
    const { id } = (await first.request<NewWebhook>(account.live, 'POST', PATH, { body })).body;
    receiver.answer(path, () => {});
    expect((await first.request(account.live, 'POST', `${PATH}/${id}/test`)).status).toBe(202);
    await vi.waitFor(() => expect(receiver.at(path)).toHaveLength(1), WAIT);
    receiver.answer(path, 204);
    await first.close();
    await vi.waitFor(() => expect(receiver.at(path)).toHaveLength(2), WAIT);
    const [sent, again] = receiver.at(path);
    expect([again!.id, again!.event.type]).toEqual([sent!.id, 'webhook.test']);
    await second.close();
    await dropDatabase(mongodbUrl(), options.databaseName);
  });

  test('without the signing key of its secret a webhook is disabled, a test says so and ends, and a new secret mends it', async () => {
    const account = await service.createAccount();
    const path = newPath();
    const webhook = await created(account, path);
    await service.database.collections.webhooks.updateOne({ _id: webhook.id }, { $set: { key_id: 'of a lost key' } });
    await createLinks(account, 1);
    await vi.waitFor(async () => expect((await get(account, webhook)).enabled).toBe(false), WAIT);
    const error = 'No signing key of this service decrypts its secret. Rotate the secret.';
    expect((await get(account, webhook)).disabled_reason).toBe(error);
    expect((await post(account, webhook, 'test')).status).toBe(202);
    await vi.waitFor(async () => expect(await stored(webhook)).toMatchObject({ holder: null, test_id: null }), WAIT);
    const failed = { status: null, error };
    expect(await deliveries(account, webhook)).toMatchObject([
      { type: 'webhook.test', ...failed },
      { type: 'link.created', ...failed },
    ]);
    expect((await events(account)).filter(({ type }) => type === 'webhook.disabled')).toHaveLength(1);
    const { secret } = (await post(account, webhook, 'rotate-secret')).body;
    await update(account, webhook, { enabled: true });
    await vi.waitFor(() => expect(receiver.at(path)).toHaveLength(1), WAIT);
    verified({ ...webhook, secret }, receiver.at(path)[0]!);
  });

  test('after a rotation both secrets sign for 24 hours, then the new one alone', async () => {
    const account = await service.createAccount();
    const path = newPath();
    const old = await created(account, path);
    const { status, body: rotated } = await post(account, old, 'rotate-secret');
    expect([status, rotated.id]).toEqual([200, old.id]);
    await service.createLink(account.live);
    await vi.waitFor(() => expect(receiver.at(path)).toHaveLength(1), WAIT);
    for (const webhook of [old, rotated]) verified(webhook, receiver.at(path)[0]!);
    aheadMs += DAY_MS + 1_000;
    await service.createLink(account.live);
    await vi.waitFor(() => expect(receiver.at(path)).toHaveLength(2), WAIT);
    expect(receiver.at(path)[1]!.headers['webhook-signature']!.split(' ')).toHaveLength(1);
  });

  test('if events expired before they could be sent, it begins with the oldest, and says so', async () => {
    const account = await service.createAccount();
    const path = newPath();
    const webhook = await created(account, path);
    await update(account, webhook, { enabled: false });
    for (let n = 0; n < 3; n++) await service.createLink(account.live);
    const log = await eventsOf(service.database, account.id);
    await service.database.collections.events.deleteMany({ _id: { $in: log.slice(0, -2).map(({ _id }) => _id) } });
    await update(account, webhook, { enabled: true });
    await vi.waitFor(() => expect(receiver.at(path)).toHaveLength(2), WAIT);
    await vi.waitFor(async () => expect((await get(account, webhook)).notice).toContain('had expired'), WAIT);
  });

  test('nothing is left of the webhooks of an account that is deleted', async () => {
    const account = await service.createAccount();
    const { id } = await created(account, '/gone');
    await service.accounts.deleteAccount({ username: account.username }, await service.asService('admin'));
    expect(await service.database.collections.webhooks.findOne({ _id: id })).toBeNull();
  });
});

describe('clicks', () => {
  const count = (linkId: string, many: number) => {
    for (let n = 0; n < many; n++) {
      const [id, clicked_at] = [`click-${clicks.length}`, new Date(nowMs()).toISOString()];
      const none = { host: null, referrer: null, country: null, language: null };
      const utm = { utm_campaign: null, utm_medium: null, utm_content: null, utm_term: null };
      const client = { source: 'direct', device: 'desktop', browser: 'Firefox', os: 'Linux' } as const;
      clicks.push({
        id,
        link_id: linkId,
        slug: 's',
        clicked_at,
        ...none,
        ...client,
        ...utm,
        cursor: `${clicks.length + 1}`,
      });
    }
  };
  /** Visits a link, of which its webhooks hear. */
  const visit = async (slug: string) => {
    const headers = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };
    await fetch(`${service.origin}/${slug}`, { redirect: 'manual', headers });
  };
  const clicksAt = (path: string) =>
    receiver.at(path).map(({ event }) => (event.data as unknown as { clicks: RawClick[] }).clicks);
  /** Waits until a webhook has looked for clicks, and will look again then. */
  const waitsUntil = (webhook: { id: string }, ms: number | null) =>
    vi.waitFor(
      async () =>
        expect(await stored(webhook)).toMatchObject({
          clicks_due_at: ms === null ? null : new Date(ms),
          clicks_at: null,
          holder: null,
        }),
      WAIT,
    );

  test('they come as soon as there are 500, or 10 seconds after the first', async () => {
    const account = await service.createAccount();
    const path = newPath();
    const { id, slug } = await service.createLink(account.live);
    const webhook = await created(account, path, { types: ['clicks.recorded'] });
    await waitsUntil(webhook, null);
    const beganMs = Date.now() + aheadMs;
    frozenMs = beganMs;
    try {
      count(id, 1);
      await visit(slug);
      await waitsUntil(webhook, beganMs + 9_000);
      frozenMs += 3_000;
      count(id, 498);
      const before = looks;
      await visit(slug);
      await vi.waitFor(() => expect(looks).toBeGreaterThan(before), WAIT);
      await waitsUntil(webhook, beganMs + 9_000);
      expect(receiver.at(path)).toEqual([]);
      count(id, 2);
      await visit(slug);
      await vi.waitFor(() => expect(clicksAt(path).map(({ length }) => length)).toEqual([500]), WAIT);
      await waitsUntil(webhook, beganMs + 12_000);
      frozenMs += 9_000;
      await vi.waitFor(() => expect(clicksAt(path).map(({ length }) => length)).toEqual([500, 1]), WAIT);
      await waitsUntil(webhook, null);
    } finally {
      frozenMs = null;
    }
  });

  test('what fails is sent again, and later ones do not wait for it', async () => {
    const account = await service.createAccount();
    const path = newPath();
    const link = await service.createLink(account.live);
    count(link.id, 3);
    const webhook = await created(account, path, { types: ['clicks.recorded'] });
    count(link.id, 600);
    receiver.answer(path, (_received, response) =>
      response.writeHead(receiver.at(path).length === 1 ? 500 : 200).end(),
    );
    await visit(link.slug);
    await vi.waitFor(() => expect(receiver.at(path)).toHaveLength(1), WAIT);
    aheadMs += 10_000;
    await vi.waitFor(() => expect(receiver.at(path)).toHaveLength(2), WAIT);
    for (const received of receiver.at(path)) verified(webhook, received);
    expect(clicksAt(path).map(({ length }) => length)).toEqual([500, 100]);
    count(link.id, 7);
    await vi.waitFor(async () => expect((await stored(webhook)).retries[0]?.attempts).toBe(1), WAIT);
    aheadMs += PAUSE_MS;
    const first = receiver.at(path)[0]!;
    const again = () =>
      receiver
        .at(path)
        .slice(2)
        .find(({ id }) => id === first.id);
    await vi.waitFor(() => expect(again()?.body).toBe(first.body), WAIT);
    await visit(link.slug);
    await vi.waitFor(() => expect(receiver.at(path).length).toBeGreaterThan(3), WAIT);
    const delivered = new Set(
      clicksAt(path)
        .slice(1)
        .flatMap((some) => some.map(({ id }) => id)),
    );
    const { clicks_after } = await stored(webhook);
    expect(clicks_after).toBe(`${clicks.length}`);
    expect([...delivered].sort()).toEqual(
      clicks
        .slice(-607)
        .map(({ id }) => id)
        .sort(),
    );
    expect(receiver.at(path)[0]!.event.type).toBe('clicks.recorded');
    await vi.waitFor(async () => expect(await stored(webhook)).toMatchObject({ retries: [], holder: null }), WAIT);
  });

  test('an attempt has the same id as the one before, and lacks the clicks of links that were hidden meanwhile', async () => {
    const account = await service.createAccount();
    const [path, other] = [newPath(), newPath()];
    const [shown, secret] = [await service.createLink(account.live), await service.createLink(account.live)];
    const webhooks = [
      await created(account, path, { types: ['clicks.*'] }),
      await created(account, other, { types: ['clicks.*'] }),
    ];
    for (const webhook of webhooks) await waitsUntil(webhook, null);
    receiver.answer(path, 500);
    count(secret.id, 2);
    count(shown.id, 1);
    count(secret.id, 2);
    await visit(shown.slug);
    aheadMs += 10_000;
    await vi.waitFor(async () => expect((await stored(webhooks[0]!)).retries[0]?.attempts).toBe(1), WAIT);
    hidden.add(secret.id);
    count(shown.id, 3);
    receiver.answer(path, 204);
    aheadMs += PAUSE_MS;
    await vi.waitFor(() => expect(clicksAt(path)).toHaveLength(2), WAIT);
    const [first, again] = receiver.at(path);
    expect(again!.id).toBe(first!.id);
    expect(clicksAt(path).map((some) => some.map(({ link_id }) => link_id))).toEqual([
      [secret.id, secret.id, shown.id, secret.id, secret.id],
      [shown.id],
    ]);
  });

  test('of clicks that are all hidden by the next attempt, nothing is sent', async () => {
    const account = await service.createAccount();
    const path = newPath();
    const link = await service.createLink(account.live);
    const webhook = await created(account, path, { types: ['clicks.*'] });
    receiver.answer(path, 500);
    count(link.id, 2);
    await visit(link.slug);
    aheadMs += 10_000;
    await vi.waitFor(async () => expect((await stored(webhook)).retries[0]?.attempts).toBe(1), WAIT);
    hidden.add(link.id);
    aheadMs += PAUSE_MS;
    await vi.waitFor(async () => expect((await stored(webhook)).retries).toEqual([]), WAIT);
    expect(receiver.at(path)).toHaveLength(1);
  });

  test('a replica that loses the lease while it sends is replaced by one that sends the same clicks with the same id', async () => {
    const account = await service.createAccount();
    const path = newPath();
    const link = await service.createLink(account.live);
    const webhook = await created(account, path, { types: ['clicks.*'] });
    const webhooks = service.database.collections.webhooks;
    receiver.answer(path, () => {});
    count(link.id, 2);
    await visit(link.slug);
    aheadMs += 10_000;
    await vi.waitFor(() => expect(receiver.at(path)).toHaveLength(1), WAIT);
    await webhooks.updateOne({ _id: webhook.id }, { $set: { holder: 'another replica' } });
    receiver.answer(path, 204);
    count(link.id, 3);
    await webhooks.updateOne({ _id: webhook.id }, { $set: { holder: null, beat: 'given back' } });
    await vi.waitFor(() => expect(receiver.at(path).length).toBeGreaterThan(1), WAIT);
    const [first, again] = receiver.at(path);
    expect([again!.id, again!.body]).toEqual([first!.id, first!.body]);
  });

  test('while analytics-svc is away, events come, and clicks come later', async () => {
    const account = await service.createAccount();
    const path = newPath();
    const webhook = await created(account, path, { types: ['link.created', 'clicks.*'] });
    await waitsUntil(webhook, null);
    isAnalyticsDown = true;
    const answer = await create(account, { url: receiver.url(path), types: ['clicks.*'] });
    expect(answer.status).toBe(503);
    const link = await service.createLink(account.live);
    await vi.waitFor(() => expect(receiver.at(path)).toHaveLength(1), WAIT);
    count(link.id, 2);
    await visit(link.slug);
    await vi.waitFor(async () => expect((await stored(webhook)).clicks_due_at).not.toBeNull(), WAIT);
    // An event meanwhile does not make it forget the clicks.
    await service.createLink(account.live);
    await vi.waitFor(() => expect(receiver.at(path)).toHaveLength(2), WAIT);
    isAnalyticsDown = false;
    aheadMs += 10_000;
    await vi.waitFor(() => expect(receiver.at(path)).toHaveLength(3), WAIT);
    expect(receiver.at(path)[2]!.event).toMatchObject({ type: 'clicks.recorded', data: { clicks: [{}, {}] } });
    await update(account, webhook, { types: ['link.created'] });
    expect((await stored(webhook)).clicks_after).toBeNull();
  });
});

describe('what a webhook may see', () => {
  test('a public webhook never shows a link while it is hidden, whatever changes and fails', async () => {
    const account = await service.createAccount();
    const path = newPath();
    const webhook = await created(account, path, { scope: 'public_links_only' });
    const links: { id: string; slug: string; isHidden: boolean }[] = [];
    const shown: string[] = [];
    let isDown = false;
    receiver.answer(path, ({ event }, response) => {
      const { id, slug } = event.data.link!;
      if (slug !== undefined && links.find((link) => link.id === id)?.isHidden) shown.push(slug);
      response.writeHead(isDown ? 500 : 204).end();
    });
    /** Waits until all requests have ended: what is sent later was read later. */
    const settled = () =>
      vi.waitFor(async () => {
        const { holder, position, due_at } = await stored(webhook);
        const rest = await service.request<EventList>(account.live, 'GET', `/api/v1/events?after=${position}`);
        expect([holder, rest.body.events]).toEqual([null, []]);
        expect(due_at === null || due_at.getTime() > Date.now() + aheadMs).toBe(true);
      }, WAIT);
    const pick = <Item>(items: readonly Item[]) => items[Math.floor(Math.random() * items.length)]!;
    for (let step = 0; step < 24; step++) {
      isDown = Math.random() < 0.6;
      const link = pick(links);
      const action = pick(['create', 'hide', 'show', 'edit', 'edit', 'delete'] as const);
      if (action === 'create' || link === undefined) {
        const isHidden = Math.random() < 0.5;
        const { id, slug } = await service.createLink(account.live, { visibility: isHidden ? 'private' : 'public' });
        links.push({ id, slug, isHidden });
      } else if (action === 'hide') {
        await settled();
        await service.update(account.live, link.id, { visibility: 'private' });
        link.isHidden = true;
      } else if (action === 'show') {
        link.isHidden = false;
        await service.update(account.live, link.id, { visibility: 'unlisted' });
      } else if (action === 'edit') await replica.update(account.live, link.id, { title: `T${step}` });
      else {
        await service.delete(account.live, link.id);
        links.splice(links.indexOf(link), 1);
      }
      if (Math.random() < 0.5) aheadMs += PAUSE_MS;
      // Looks for work at once.
      if (Math.random() < 0.5) await update(account, webhook, {});
    }
    isDown = false;
    aheadMs += PAUSE_MS;
    await settled();
    expect(shown).toEqual([]);
    expect(receiver.at(path).length).toBeGreaterThan(5);
    for (const { event } of receiver.at(path)) {
      expect(event).not.toHaveProperty('actor');
      expect(event.type).toMatch(/^link\./);
    }
  });

  test('a webhook with a hashtag gets the events of links that have it', async () => {
    const account = await service.createAccount();
    const path = newPath();
    await created(account, path, { types: ['link.*', 'host.*'], hashtag: 'promo' });
    await service.createLink(account.live);
    const { id } = await service.createLink(account.live, { hashtags: ['promo'] });
    await service.update(account.live, id, { hashtags: [] });
    await vi.waitFor(() => expect(receiver.at(path).at(-1)?.event.type).toBe('link.deleted'), WAIT);
    expect(receiver.at(path).at(-1)!.event.data).toEqual({ link: { id } });
  });
});

describe('where a webhook may lead', () => {
  const send = async (url: string, allow: string[], lookup: HostLookup) => {
    const sender = new WebhookSender({ addresses: new WebhookAddresses(allow), timeoutMs: 2_000, lookup });
    const sent = await sender.send(url, {}, '{}', new AbortController().signal);
    await sender.close();
    return sent!;
  };

  test('no name leads to an address that is not public, also not with the second look at DNS', async () => {
    const before = receiver.received.length;
    const refused = { status: null, error: 'The URL does not lead to a public address.', retryAfterMs: 0 };
    for (const addresses of [['127.0.0.1'], ['::1'], ['::ffff:127.0.0.1'], ['10.0.0.1', '169.254.169.254']])
      for (const scheme of ['http', 'https'])
        expect(await send(`${scheme}://hook.example:${receiver.port}/`, [], async () => addresses)).toEqual(refused);
    let looks = 0;
    const rebinding: HostLookup = async () => [looks++ === 0 ? '127.0.0.2' : '127.0.0.1'];
    for (let n = 0; n < 2; n++)
      expect((await send(`http://hook.example:${receiver.port}/`, ['127.0.0.2'], rebinding)).status).toBeNull();
    expect(receiver.received.length).toBe(before);
  });

  test('http leads to the networks of WEBHOOK_ALLOW alone', async () => {
    const url = `http://hook.example:${receiver.port}${newPath()}`;
    expect((await send(url, ['127.0.0.1'], async () => ['127.0.0.1'])).status).toBe(204);
    expect((await send(url, ['127.0.0.1'], async () => ['93.184.216.34'])).error).toContain('public address');
  });
});

describe('what webhooks outlive', () => {
  test('a secret outlives the signing key that encrypted it', async () => {
    const next = 'another-signing-key-for-tests-of-48-characters-or-more';
    const webhook = await created(await service.createAccount(), '/rotated');
    expect(new WebhookSecrets([next]).decrypt(await stored(webhook), new Date())).toBeNull();
    const secrets = new WebhookSecrets([next, SIGNING_KEY]);
    const store = new WebhooksStore(service.database);
    await renewSecrets({ webhooks: store, secrets, now: Date.now }, new AbortController().signal);
    const { secret } = webhook;
    expect(new WebhookSecrets([next]).decrypt(await stored(webhook), new Date())).toEqual([{ secret, until: null }]);
  });

  test('a replica that is killed is replaced and nothing is lost; receivers may have an authority of their own', async () => {
    const authority = createAuthority('Receivers');
    const folder = await mkdtemp(join(tmpdir(), 'waymark-ca-'));
    await writeFile(join(folder, 'ca.pem'), authority.cert);
    const secure = await WebhookReceiver.start({ tls: authority.issue('receiver') });
    const databaseName = `waymark_test_${randomBytes(6).toString('hex')}`;
    const config = { WEBHOOK_ALLOW: ['127.0.0.1'] };
    const client = await MongoClient.connect(mongodbUrl());
    const webhooks = client.db(databaseName).collection<WebhookDocument>('webhooks');
    const hold = (holder: string | null) => webhooks.updateMany({}, { $set: { holder } });

    const before = await Service.start({ config, databaseName });
    const account = await before.createAccount();
    const make = async (url: string) => {
      const body = { url, types: ['link.created'] };
      return (await before.request<NewWebhook>(account.live, 'POST', PATH, { body })).body;
    };
    await make(receiver.url('/killed'));
    const trusting = await make(secure.url('/tls').replace('http:', 'https:'));
    await hold('another replica');
    for (let n = 0; n < 12; n++) await before.createLink(account.live);
    await before.close();
    await hold(null);

    const hanging: string[] = [];
    receiver.answer('/killed', ({ id }, response) =>
      receiver.at('/killed').length > 6 ? hanging.push(id) : response.writeHead(204).end(),
    );
    const killed = await startLinksProcess('main.ts', mongodbUrl(), {
      MONGODB_DATABASE: databaseName,
      WEBHOOK_ALLOW: '127.0.0.1',
      NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
    });
    await vi.waitFor(() => expect(hanging).toHaveLength(4), WAIT);
    await vi.waitFor(() => expect(secure.at('/tls')).toHaveLength(12), WAIT);
    for (const received of secure.at('/tls')) new Webhook(trusting.secret).verify(received.body, received.headers);
    await killed.end();
    receiver.answer('/killed', 204);

    const after = await Service.start({ config, databaseName, stopwatch: () => 100 * performance.now() });
    const ids = () => new Set(receiver.at('/killed').map(({ id }) => id));
    await vi.waitFor(() => expect(ids().size).toBe(12), WAIT);
    const links = receiver.at('/killed').map(({ event }) => event.data.link!.id);
    expect(new Set(links).size).toBe(12);
    for (const id of hanging) expect(receiver.at('/killed').filter((one) => one.id === id).length).toBeGreaterThan(1);
    await after.close();
    await client.db(databaseName).dropDatabase();
    await client.close();
    await secure.close();
    await rm(folder, { recursive: true });
  });
});
