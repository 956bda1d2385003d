import type { Job, JobList, Link } from '@waymark/contract';
import { jobFromMessage, startJobRequest } from '@waymark/proto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventsOf, expectConsistent } from './support/log.ts';
import { Service, type TestAccount } from './support/service.ts';

// docs/api.md, Jobs: the authoritative tests of jobs of kind edit and delete, and of their undo.
// test/job-replicas.test.ts has several replicas, e2e/jobs-survival.test.ts kills.

let service: Service;
let account: TestAccount;
beforeAll(async () => {
  service = await Service.start();
});
afterAll(() => service.close());

type Answer = Job & { error: string };
const start = (body: object, identity = account.live, headers: Record<string, string> = {}) =>
  service.request<Answer>(identity, 'POST', '/api/v1/jobs', { body, headers });
const get = (id: string, identity = account.live) => service.request<Answer>(identity, 'GET', `/api/v1/jobs/${id}`);
const post = (id: string, action: 'cancel' | 'undo', identity = account.live, headers: Record<string, string> = {}) =>
  service.request<Answer>(identity, 'POST', `/api/v1/jobs/${id}/${action}`, { headers });
/** Returns the CSV of what a job refused. */
async function refused(id: string, identity = account.live): Promise<string[]> {
  const { signer } = await import('./support/service.ts');
  const response = await fetch(`${service.origin}/api/v1/jobs/${id}/refused`, {
    headers: { 'x-waymark-identity': await signer.mint(identity) },
  });
  expect([response.status, response.headers.get('content-type')]).toEqual([
    200,
    'text/csv; charset=utf-8; header=present',
  ]);
  return (await response.text()).trimEnd().split('\r\n');
}
/** Starts a job and returns it when it is over. */
async function done(body: object, identity = account.live): Promise<Job> {
  const answer = await start(body, identity);
  expect(answer.body.error).toBeUndefined();
  expect([200, 202]).toContain(answer.status);
  await expect.poll(async () => (await get(answer.body.id, identity)).body.finished_at, { timeout: 20_000 }).not.toBeNull();
  return (await get(answer.body.id, identity)).body;
}
const link = async (id: string): Promise<Link> => (await service.get(account.live, id)).body;
const counts = ({ matched, done, changed, deleted, unchanged, refused }: Job) => ({
  matched,
  done,
  changed,
  deleted,
  unchanged,
  refused,
});
const NONE = { changed: 0, deleted: 0, unchanged: 0, refused: 0 };

beforeAll(async () => {
  account = await service.createAccount();
});

describe('an edit', () => {
  test('changes the links that the filter finds, with one event each, and is 200 with the job if it is done in time', async () => {
    const made = await service.createLink(account.live, { hashtags: ['one', 'first'], title: 'old' });
    const same = await service.createLink(account.live, { hashtags: ['first'], title: 'new' });
    const other = await service.createLink(account.live, { hashtags: ['second'], title: 'old' });
    const before = (await eventsOf(service.database, account.id)).length;
    const { status, body } = await start({ kind: 'edit', filter: { hashtag: '#First' }, change: { title: 'new' } });
    expect(status).toBe(200);
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-z]+$/),
      kind: 'edit',
      state: 'done',
      dry_run: false,
      matched: 2,
      done: 2,
      created: 0,
      changed: 1,
      deleted: 0,
      unchanged: 1,
      refused: 0,
      created_at: expect.any(String),
      finished_at: expect.any(String),
      undo_until: new Date(Date.parse(body.finished_at!) + 24 * 3_600_000).toISOString(),
    });
    expect(await link(made.id)).toMatchObject({ title: 'new', hashtags: ['one', 'first'] });
    expect(await link(same.id)).toEqual(same);
    expect(await link(other.id)).toEqual(other);
    const events = (await eventsOf(service.database, account.id)).slice(before);
    expect(events).toMatchObject([
      {
        type: 'link.updated',
        link_id: made.id,
        actor: { kind: 'key', scope: 'full_access', hint: `…${account.liveKey.slice(-4)}`, name: null },
        data: { changes: { title: { from: 'old', to: 'new' } } },
      },
    ]);
    await expectConsistent(service.database, account.id);
  });
});
