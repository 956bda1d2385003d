import { setTimeout as sleep } from 'node:timers/promises';
import type { BulkResults, Job, JobList, LinkList } from '@waymark/contract';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EMBEDDED_DATABASES, type OwnStack, startOwnStack } from '../support/own-stack.ts';
import { type Answer, eventually, request } from '../support/world.ts';

// ADR 53: whenever a replica of links-svc or MongoDB is killed, jobs go on, do each link exactly once, with one event each,
// and their counts are right. Uses its own stack, because it kills processes. For long runs, set
// KILLS=40: so many for each job.

const KILLS = Number(process.env.KILLS ?? 1);
const VICTIMS = ['links-svc', 'links-svc-2', 'mongodb'];
const LINKS = 2_000;

let own: OwnStack;
let kills = 0;
beforeAll(async () => {
  own = await startOwnStack({ autoRestart: true, replicas: { 'links-svc': 2 }, ...EMBEDDED_DATABASES });
});
afterAll(() => own?.close());

/** Sends a request with JSON, or with a file of CSV. */
const send = <Body>(method: string, path: string, body?: object | string, headers = {}): Promise<Answer<Body>> =>
  request<Body>(path, {
    method,
    key: own.key,
    base: own.stack.urls.gateway,
    ...(typeof body === 'string'
      ? { body, headers: { ...headers, 'content-type': 'text/csv' } }
      : { headers, ...(body && { json: body }) }),
  });

/** Sends a request until it gets a response that says what happened. */
async function insist<Body>(
  method: string,
  path: string,
  body: object | string | undefined,
  key: string,
): Promise<Body> {
  for (;;) {
    const answer = await send<Body>(method, path, body, { 'idempotency-key': key }).catch(() => null);
    if (answer !== null && answer.status < 300) return answer.body;
    expect([503, undefined], JSON.stringify(answer?.body)).toContain(answer?.status);
    await sleep(200);
  }
}

/** Returns a resource as soon as the replica that is asked has its database again. */
async function get<Body>(path: string): Promise<Body> {
  let body: Body | undefined;
  await eventually(async () => {
    const answer = await send<Body>('GET', path);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    body = answer.body;
  });
  return body!;
}

async function create(count: number): Promise<void> {
  for (let n = 0; n < count; n += 100) {
    const operations = Array.from({ length: 100 }, () => ({
      op: 'create',
      link: { destination_url: 'https://a.example/' },
    }));
    const { results } = await insist<BulkResults>('POST', '/api/v1/links/bulk', { operations }, `create-${n}`);
    expect(results.every(({ status }) => status === 201)).toBe(true);
  }
}

/** Runs a job while processes are killed at random, and returns it. */
async function runWhileKilling(start: () => Promise<Job>): Promise<Job> {
  const started = start();
  for (let kill = 0; kill < KILLS; kill++) {
    await sleep(200 + Math.random() * 1_000);
    await own.stack.processes[VICTIMS[kills++ % VICTIMS.length]!]!.kill('SIGKILL');
  }
  const { id } = await started;
  let job: Job | undefined;
  await eventually(async () => {
    const answer = await send<Job>('GET', `/api/v1/jobs/${id}`);
    expect(answer).toMatchObject({ status: 200, body: { finished_at: expect.any(String) } });
    job = answer.body;
  });
  return job!;
}

/** Returns how many events of a type the log has, and of how many links. Checks that the log has no gap. */
async function eventsOf(type: string): Promise<number[]> {
  const client = new MongoClient(own.stack.mongodbUrl);
  try {
    const log = await client.db(own.database).collection('events').find({}).sort({ _id: 1 }).toArray();
    expect(log.map(({ _id }) => Number(String(_id).split(':')[1]))).toEqual(log.map((_, n) => n + 1));
    const found = log.filter((event) => event.type === type);
    return [found.length, new Set(found.map(({ link_id }) => link_id)).size];
  } finally {
    await client.close();
  }
}

// No repetition: by its keys, it would get the answers of the first run.
const OPTIONS = { timeout: 240_000 + KILLS * 25_000 };

test('whatever is killed, jobs do each link once', OPTIONS, async () => {
  await create(LINKS);
  const total = async (query: string) => (await get<LinkList>(`/api/v1/links?${query}`)).total;
  const all = { matched: LINKS, done: LINKS, unchanged: 0, refused: 0 };

  const body = {
    kind: 'edit',
    filter: { all: true },
    change: { replace_host: { from: 'a.example', to: 'b.example' } },
  };
  const edit = await runWhileKilling(() => insist<Job>('POST', '/api/v1/jobs', body, 'edit'));
  expect(edit).toMatchObject({ state: 'done', ...all, changed: LINKS });
  expect(await total('domain=b.example')).toBe(LINKS);
  expect(await eventsOf('link.updated')).toEqual([LINKS, LINKS]);

  const undo = await runWhileKilling(() => insist<Job>('POST', `/api/v1/jobs/${edit.id}/undo`, undefined, 'undo'));
  expect(undo).toMatchObject({ kind: 'undo', state: 'done', ...all, changed: LINKS });
  expect(await total('domain=a.example')).toBe(LINKS);
  expect(await eventsOf('link.updated')).toEqual([2 * LINKS, LINKS]);

  const deletion = { kind: 'delete', filter: { domain: 'a.example' } };
  const deleted = await runWhileKilling(() => insist<Job>('POST', '/api/v1/jobs', deletion, 'delete'));
  expect(deleted).toMatchObject({ state: 'done', ...all, deleted: LINKS });
  expect(await total('archived=any')).toBe(0);
  expect(await eventsOf('link.deleted')).toEqual([LINKS, LINKS]);

  const file = `url,title\n${Array.from({ length: LINKS }, (_, n) => `https://c.example/${n},T${n}\n`).join('')}`;
  const rows = { matched: LINKS, done: LINKS, refused: 0 };
  const imported = await runWhileKilling(() => insist<Job>('POST', '/api/v1/jobs/import', file, 'import'));
  expect(imported).toMatchObject({ state: 'done', ...rows, created: LINKS });
  expect(await total('domain=c.example')).toBe(LINKS);
  const again = await runWhileKilling(() => insist<Job>('POST', '/api/v1/jobs/import', file, 'again'));
  expect(again).toMatchObject({ state: 'done', ...rows, unchanged: LINKS });
  expect(await eventsOf('link.created')).toEqual([2 * LINKS, 2 * LINKS]);
  const kinds = (await get<JobList>('/api/v1/jobs')).jobs.map(({ kind }) => kind).sort();
  expect(kinds).toEqual(['delete', 'edit', 'import', 'import', 'undo']);
});
