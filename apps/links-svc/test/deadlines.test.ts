// docs/adr/0060-one-deadline-for-a-request.md
import type { Job } from '@waymark/contract';
import { TIME_LEFT_HEADER } from '@waymark/service-kit';
import type { CommandStartedEvent, Document } from 'mongodb';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startMongodbProxy } from './support/mongodb-proxy.ts';
import { mongodbUrl } from './support/mongodb-url.ts';
import { Service, type TestAccount } from './support/service.ts';

const LEFT_MS = 2_000;

let service: Service;
let account: TestAccount;
const commands: CommandStartedEvent[] = [];
beforeAll(async () => {
  service = await Service.start();
  account = await service.createAccount();
  await service.createLink(account.live, { slug: 'known', hashtags: ['news'] });
  service.database.collections.links.db.client.on('commandStarted', (event) => commands.push(event));
  // The follower of the log meets the account once, in the background. This is the last that it reads then.
  const meetsIt = () => commands.some(({ command }) => command.find === 'released_hosts' && about(command));
  await vi.waitFor(() => expect(meetsIt()).toBe(true), { timeout: 30_000 });
});
afterAll(() => service.close());

const about = (command: Document) => JSON.stringify(command).includes(account.id);

/** Returns the `maxTimeMS` of the commands about the account that some work sends. What follows the log has others. */
async function limitsOf(work: () => Promise<unknown>): Promise<unknown[]> {
  commands.length = 0;
  await work();
  return commands
    .filter(({ command }) => !['events', 'webhooks'].includes(command.find) && about(command))
    .map(({ command }) => command.maxTimeMS);
}

const overRest = (path: string) => async () => {
  const headers = { [TIME_LEFT_HEADER]: String(LEFT_MS) };
  expect((await service.request(account.live, 'GET', path, { headers })).status).toBe(200);
};
const overGrpc = (call: (options: { timeoutMs: number; identity: string }) => Promise<unknown>) => async () =>
  call({ ...(await service.as(account.live)), timeoutMs: LEFT_MS });

test.each([
  ['a list', overRest('/api/v1/links')],
  ['a filtered list', overRest('/api/v1/links?hashtag=news&sort=clicks')],
  ['a link', overRest('/api/v1/links/known')],
  ['hashtags', overRest('/api/v1/hashtags')],
  ['jobs', overRest('/api/v1/jobs')],
  ['hosts', overRest('/api/v1/hosts')],
  ['a list over gRPC', overGrpc((options) => service.links.listLinks({}, options))],
  ['a link over gRPC', overGrpc((options) => service.links.getLink({ id: 'known' }, options))],
  ['hashtags over gRPC', overGrpc((options) => service.links.listHashtags({}, options))],
])('MongoDB ends the statements of %s when the time of the request is over', async (_what, ask) => {
  const limits = await limitsOf(ask);
  expect(limits.length).toBeGreaterThan(0);
  for (const limit of limits) {
    expect(limit).toBeGreaterThan(0);
    expect(limit).toBeLessThanOrEqual(LEFT_MS);
  }
});

test('a transaction that begins with a request of little time left has its own time', async () => {
  const headers = { [TIME_LEFT_HEADER]: '200' };
  const create = (more = {}) => service.create(account.live, { destination_url: 'https://example.com/' }, more);
  let isOver = false;
  const statuses: number[] = [];
  // It begins the work of the queue, and the others keep that going.
  const first = create(headers);
  const begun = performance.now();
  const others = Array.from({ length: 3 }, async () => {
    while (!isOver) statuses.push((await create()).status);
  });
  await first;
  while (performance.now() - begun < 1_000) await create();
  isOver = true;
  await Promise.all(others);
  expect(new Set(statuses)).toEqual(new Set([201]));
});

test('a request whose time is over gets 503 with Retry-After, although its database hangs', async () => {
  const proxy = await startMongodbProxy(mongodbUrl());
  const behind = await Service.start({ mongodbUrl: proxy.url });
  try {
    const { live } = await behind.createAccount();
    proxy.set('hanging');
    const asked = await behind.request(live, 'GET', '/api/v1/links', { headers: { [TIME_LEFT_HEADER]: '300' } });
    expect(asked.status).toBe(503);
    expect(Number(asked.headers.get('retry-after'))).toBeGreaterThan(0);
  } finally {
    proxy.set('open');
    await behind.close();
    await proxy.close();
  }
});

test('a job that has begun is 202, although its database hangs from then on', async () => {
  const proxy = await startMongodbProxy(mongodbUrl());
  const behind = await Service.start({ mongodbUrl: proxy.url });
  try {
    const { id, live } = await behind.createAccount();
    const held = { _id: id, holder: 'another replica', beat: 'b', revision: 'r', jobs: [] };
    await behind.database.collections.jobQueues.insertOne(held);
    const isSeen = new Promise<void>((resolve) => {
      behind.database.collections.jobs.db.client.on('commandSucceeded', ({ commandName, reply }) => {
        const { cursor } = reply as Document;
        if (commandName === 'find' && cursor.ns.endsWith('.jobs') && cursor.firstBatch.length > 0) resolve();
      });
    });
    const body = { kind: 'edit', filter: { all: true }, change: { title: 'x' } };
    const asked = behind.request<Job>(live, 'POST', '/api/v1/jobs', { body });
    await isSeen;
    proxy.set('hanging');
    const { status, body: job } = await asked;
    expect([status, job.state]).toEqual([202, 'waiting']);
  } finally {
    proxy.set('open');
    await behind.close();
    await proxy.close();
  }
});
