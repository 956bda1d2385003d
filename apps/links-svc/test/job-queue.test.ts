import type { AccountIdentity } from '@waymark/auth';
import { hashSecret } from '@waymark/auth';
import type { CreateLinkInput, Job } from '@waymark/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { PART_SIZE } from '../src/jobs/job.ts';
import { counts, holdAt, JobsClient } from './support/jobs.ts';
import { eventsOf, expectConsistent } from './support/log.ts';
import { Service, type TestAccount } from './support/service.ts';
import { documentOf, writeLinks } from './support/write-links.ts';

// docs/api.md, Jobs: the order of jobs, who sees and who ends them, whose rights they have, and what happens meanwhile.

let service: Service;
let account: TestAccount;
let jobs: JobsClient;
/** The stopwatch of leases stands still while jobs are held, so that no lease is abandoned then. */
let stoppedAtMs: number | undefined;
/** How far the stopwatch is ahead, after a test that did not wait. */
let aheadMs = 0;
const stopwatch = () => performance.now() + aheadMs;
beforeAll(async () => {
  service = await Service.start({ stopwatch: () => stoppedAtMs ?? stopwatch() });
});
beforeEach(async () => {
  stoppedAtMs = undefined;
  account = await service.createAccount();
  jobs = new JobsClient(service, account.live);
});
afterAll(() => service.close());

const made = (input: Partial<CreateLinkInput> = {}) => service.createLink(account.live, input);
const edit = (title: string) => ({ kind: 'edit', filter: { all: true }, change: { title } });
/** Writes links to an account that has none. They have titles, and no redirects. */
async function write(count: number, { id }: TestAccount = account): Promise<string[]> {
  const links = Array.from({ length: count }, (_, n) => documentOf(id, { title: `t${n}` }, new Date()));
  for (let from = 0; from < count; from += 1_000)
    await writeLinks(
      service.database,
      id,
      links.slice(from, from + 1_000).map((after) => ({ before: null, after })),
    );
  return links.map(({ _id }) => _id).sort();
}
/** Makes the jobs of the account wait, as if another replica held them. */
async function hold(): Promise<void> {
  stoppedAtMs = stopwatch();
  const queue = { _id: account.id, holder: 'another replica', beat: 'b', revision: 'r', jobs: [] };
  await service.database.collections.jobQueues.insertOne(queue);
}
async function letGo(): Promise<void> {
  stoppedAtMs = undefined;
  await service.database.collections.jobQueues.updateOne({ _id: account.id }, { $set: { holder: null } });
}
/** So many links are two parts of a job. */
const TWO_PARTS = PART_SIZE + 10;
/** Returns the job that runs once it has done its first part. */
async function running(): Promise<Job> {
  await expect.poll(async () => (await jobs.list()).body.jobs[0]?.done).toBeGreaterThanOrEqual(PART_SIZE);
  return (await jobs.list()).body.jobs[0]!;
}
const titled = async (title: string) => (await service.list(account.live, { q: title })).body.total;

test('a job that is not done within 4 seconds is 202, and jobs run one after the other, in their order', async () => {
  await made();
  await hold();
  const started = performance.now();
  const answers: Awaited<ReturnType<typeof jobs.start>>[] = [];
  const first = jobs.start(edit('one'));
  await expect.poll(async () => (await jobs.list()).body.jobs).toHaveLength(1);
  const second = jobs.start(edit('two'));
  for (const one of [first, second]) answers.push(await one);
  expect(performance.now() - started).toBeGreaterThan(3_000);
  for (const { status, body } of answers) {
    expect([status, body.state, body.matched, body.finished_at]).toEqual([202, 'waiting', 0, null]);
  }
  await letGo();
  const [one, two] = [await jobs.over(answers[0]!.body.id), await jobs.over(answers[1]!.body.id)];
  expect(one.finished_at! <= two.finished_at!).toBe(true);
  expect((await service.list(account.live)).body.links[0]!.title).toBe('two');
  expect((await jobs.list()).body).toEqual({ jobs: [two, one] });
});

test('20 jobs of an account may wait; one more is 429, other accounts and other requests are not', async () => {
  await made();
  await hold();
  const waiting = Array.from({ length: 21 }, (_, n) => jobs.start(edit(`t${n}`)));
  await expect.poll(async () => (await jobs.list()).body.jobs).toHaveLength(21);
  const key = { 'idempotency-key': 'later' };
  const refused = await jobs.start(edit('late'), key);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
  expect(refused.body.error).toBe('20 jobs of this account wait already; wait until one has ended.');
  const other = await service.createAccount();
  expect(await new JobsClient(service, other.live).run(edit('x'))).toMatchObject({ state: 'done' });
  await made();
  await letGo();
  await Promise.all(waiting);
  await expect.poll(async () => (await jobs.list()).body.jobs.every(({ state }) => state === 'done')).toBe(true);
  // A refusal that is only for now is not kept.
  expect((await jobs.start(edit('late'), key)).status).toBe(200);
});

describe('a job that finds its links', () => {
  const storedJob = (id: string) => service.database.collections.jobs.findOne({ _id: id });

  test.each([
    ['text', { q: 'nowhere' }],
    ['hashtag', { hashtag: 'nowhere' }],
  ])('goes on from the last link that it looked at, also if no %s matched', async (_, filter) => {
    // More than it looks at together.
    const ids = await write(1_010);
    const { id } = await jobs.run({ kind: 'delete', filter });
    expect(await storedJob(id)).toMatchObject({ state: 'done', matched: 0, last_id: ids[999] });
    // As if another replica had been killed in the middle.
    await hold();
    const answer = jobs.start({ kind: 'edit', filter: { q: 't' }, change: { title: 'edited' } });
    await expect.poll(async () => (await jobs.list()).body.jobs[0]?.state).toBe('waiting');
    const next = (await jobs.list()).body.jobs[0]!;
    await service.database.collections.jobs.updateOne({ _id: next.id }, { $set: { last_id: ids[999]! } });
    await letGo();
    expect(await jobs.over(next.id)).toMatchObject({ state: 'done', matched: 10, ...counts({ changed: 10 }) });
    await answer;
  });

  test('fails with the reason if its search cannot be done, and the next job runs', async () => {
    await made();
    await hold();
    const answers = [
      jobs.start({ kind: 'edit', filter: { q: 'x' }, change: { title: 'never' } }),
      (async () => {
        await expect.poll(async () => (await jobs.list()).body.jobs).toHaveLength(1);
        return jobs.start(edit('next'));
      })(),
    ] as const;
    await expect.poll(async () => (await jobs.list()).body.jobs).toHaveLength(2);
    const [next, first] = (await jobs.list()).body.jobs;
    // Words that were short URLs are more than ten words once their host is gone.
    const q = Array.from({ length: 11 }, (_, n) => `w${n}`).join(' ');
    await service.database.collections.jobs.updateOne({ _id: first!.id }, { $set: { filter: { q } } });
    await letGo();
    const notice = '"q" must have at most 10 words; you sent 11 different ones.';
    expect(await jobs.over(first!.id)).toMatchObject({ state: 'failed', notice, ...counts({}) });
    expect(await jobs.over(next!.id)).toMatchObject({ state: 'done', ...counts({ changed: 1 }) });
    expect((await jobs.get(next!.id)).body).not.toHaveProperty('notice');
    await Promise.all(answers);
  });

  test('fails with a reason after a fault of the service that repeats itself', async () => {
    const { body } = await (async () => {
      await hold();
      return jobs.import('url\nhttps://example.com/\n');
    })();
    await service.database.collections.jobParts.deleteMany({ account_id: account.id });
    await letGo();
    expect(await jobs.over(body.id)).toMatchObject({
      state: 'failed',
      notice: 'An internal error stopped the job three times. Its cause is in the log of links-svc.',
    });
  });
});

describe('a job that is cancelled', () => {
  test('while it waits never begins', async () => {
    const link = await made();
    await hold();
    const answer = jobs.start(edit('never'));
    await expect.poll(async () => (await jobs.list()).body.jobs).toHaveLength(1);
    const { id } = (await jobs.list()).body.jobs[0]!;
    const cancelled = await jobs.cancel(id);
    expect(cancelled).toMatchObject({ status: 200, body: { state: 'cancelled', matched: 0, ...counts({}) } });
    expect(await answer).toMatchObject({ status: 200, body: { state: 'cancelled' } });
    expect((await service.get(account.live, link.id)).body).toEqual(link);
    const again = await jobs.cancel(id);
    expect([again.status, again.body.error]).toEqual([422, 'This job is over; it cannot be cancelled.']);
    expect((await jobs.cancel('none')).body.error).toBe('Job not found.');
  });

  test('while it runs keeps what is done, which can be undone, and the next one runs', async () => {
    await write(TWO_PARTS);
    const goOn = holdAt(1, service);
    const answer = jobs.start(edit('edited'));
    const { id } = await running();
    const { body } = await jobs.cancel(id);
    expect(body).toMatchObject({ state: 'cancelled', matched: TWO_PARTS, ...counts({ changed: PART_SIZE }) });
    goOn();
    await answer;
    expect(await jobs.get(id)).toMatchObject({ body });
    expect(await titled('edited')).toBe(body.done);
    await expect.poll(() => service.database.collections.jobParts.countDocuments({ account_id: account.id })).toBe(0);
    expect(await jobs.runUndo(id)).toMatchObject({ matched: body.done, ...counts({ changed: body.done }) });
    expect(await titled('edited')).toBe(0);
  });
});

test('a Full Access key and a session see all jobs of the account, another key its own; a foreign job is 404', async () => {
  await write(1);
  const other = await service.createAccount();
  const session: AccountIdentity = { ...account.live, sessionId: 's' };
  const clients = {
    live: jobs,
    public: new JobsClient(service, account.public),
    session: new JobsClient(service, session),
    other: new JobsClient(service, other.live),
  };
  const [byLive, byPublic, bySession] = [
    await clients.live.run(edit('x')),
    await clients.public.run(edit('y')),
    await clients.session.run(edit('z')),
  ];
  // A public key does not see who began a job.
  const all = [bySession, (await clients.live.get(byPublic.id)).body, byLive];
  for (const [client, seen] of [
    [clients.live, all],
    [clients.session, all],
    [clients.public, [byPublic]],
    [clients.other, []],
  ] as const) {
    expect((await client.list()).body).toEqual({ jobs: seen });
    for (const job of all) {
      const status = seen.some(({ id }: Job) => id === job.id) ? 200 : 404;
      expect((await client.get(job.id)).status).toBe(status);
      expect((await client.cancel(job.id)).status).toBe(status === 200 ? 422 : 404);
      if (status === 200) continue;
      expect((await client.undo(job.id)).status).toBe(404);
      expect((await service.request(client.identity, 'GET', `/api/v1/jobs/${job.id}/refused`)).status).toBe(404);
    }
  }
  for (const job of all) await clients.live.runUndo(job.id);
});

describe('a job of a Public Links Only key', () => {
  let own: JobsClient;
  beforeEach(() => {
    own = new JobsClient(service, account.public);
  });

  test('finds no hidden link, and cannot hide one', async () => {
    const hidden = await made({ visibility: 'private' });
    const kept = await made({ password: 'secret' });
    await made({ visibility: 'unlisted' });
    for (const filter of [{ all: true }, { visibility: 'private' }, { q: 'http' }])
      expect((await own.run({ kind: 'edit', filter, change: { title: 'x' } })).matched).toBe(
        'visibility' in filter ? 0 : 1,
      );
    for (const visibility of ['private', 'password-protected']) {
      const { status, body } = await own.start({ kind: 'edit', filter: { all: true }, change: { visibility } });
      expect([status, body.error]).toEqual([
        403,
        `"visibility" ${visibility} needs a Full Access key; this key is Public Links Only.`,
      ]);
    }
    expect(await own.run({ kind: 'delete', filter: { all: true } })).toMatchObject(counts({ deleted: 1 }));
    for (const link of [hidden, kept]) expect((await service.get(account.live, link.id)).body).toEqual(link);
  });

  test('does not touch a link that is hidden while it runs, and does not tell it from a deleted one', async () => {
    const ids = await write(TWO_PARTS);
    const [hidden, gone, shown] = ids.slice(-3) as [string, string, string];
    const goOn = holdAt(1, service);
    const answer = own.start(edit('edited'));
    const { id } = await running();
    await service.update(account.live, hidden, { visibility: 'private' });
    await service.delete(account.live, gone);
    goOn();
    const job = await own.over(id);
    await answer;
    expect(job).toMatchObject({ state: 'done', matched: TWO_PARTS, ...counts({ changed: TWO_PARTS - 2, refused: 2 }) });
    expect((await service.get(account.live, hidden)).body.title).not.toBe('edited');
    expect((await service.get(account.live, shown)).body.title).toBe('edited');
    expect(await own.refused(id)).toEqual([]);
    expect(await jobs.refused(id)).toEqual([hidden, gone].map((one) => `${one},Link not found.`));
    await expectConsistentLog();
  });

  test('that is undone does not touch a link that is hidden by now', async () => {
    const [hidden, shown] = [await made({ title: 'old' }), await made({ title: 'old' })];
    const { id } = await own.run(edit('new'));
    await service.update(account.live, hidden.id, { visibility: 'private' });
    const undo = await own.runUndo(id);
    expect(undo).toMatchObject({ matched: 2, ...counts({ changed: 1, refused: 1 }) });
    expect(await own.refused(undo.id)).toEqual([]);
    expect((await service.get(account.live, hidden.id)).body.title).toBe('new');
    expect((await service.get(account.live, shown.id)).body.title).toBe('old');
  });
});

/** Checks that the log of the account has no gap, and one event for each link that was edited. */
async function expectConsistentLog(): Promise<void> {
  const log = await eventsOf(service.database, account.id);
  expect(new Set(log.map(({ _id }) => _id)).size).toBe(log.length);
  const updates = log.filter(({ type }) => type === 'link.updated').map(({ link_id }) => link_id);
  expect(new Set(updates).size).toBe(updates.length);
}

describe('what happens while a job runs', () => {
  test('it works on exactly the links that the filter found as it began', async () => {
    const ids = await write(TWO_PARTS);
    const goOn = holdAt(1, service);
    const answer = jobs.start({ kind: 'edit', filter: { q: 't' }, change: { title: 'edited', hashtags: ['x'] } });
    await running();
    const late = await made({ title: 't late' });
    const [gone, other] = ids.slice(-2) as [string, string];
    await service.delete(account.live, gone);
    // The filter does not find it any more, but it did.
    await service.update(account.live, other, { title: 'zzz', destination_url: 'https://zzz.example/' });
    goOn();
    const job = await jobs.over((await answer).body.id);
    expect(job).toMatchObject({ matched: TWO_PARTS, ...counts({ changed: TWO_PARTS - 1, refused: 1 }) });
    expect(await jobs.refused(job.id)).toEqual([`${gone},Link not found.`]);
    expect((await service.get(account.live, late.id)).body).toEqual(late);
    expect((await service.get(account.live, other)).body).toMatchObject({ title: 'edited', hashtags: ['x'] });
  });

  test('redirects, creations and jobs of others do not wait for it', async () => {
    await write(5 * PART_SIZE);
    // It works while the others do, and does not end before them.
    holdAt(4, service);
    const answer = jobs.start(edit('edited'));
    const { id } = await running();
    const other = await service.createAccount();
    const link = await service.createLink(other.live);
    for (let n = 0; n < 3; n++) {
      await service.createLink(other.live);
      expect(await service.request(null, 'GET', `/${link.slug}`)).toMatchObject({ status: 302 });
      await made();
    }
    expect(await new JobsClient(service, other.live).run(edit('x'))).toMatchObject(counts({ changed: 4 }));
    expect((await jobs.get(id)).body.state).toBe('running');
    await jobs.cancel(id);
    await answer;
  });
});

test('a job has its turn although long jobs of other accounts take every place', async () => {
  const file = `url\n${Array.from({ length: 2_500 }, (_, n) => `https://example.com/${n}\n`).join('')}`;
  const long = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const client = new JobsClient(service, (await service.createAccount()).live);
      return { client, id: (await client.import(file)).body.id };
    }),
  );
  const states = async () =>
    (await Promise.all(long.map(({ client, id }) => client.get(id)))).map(({ body }) => body.state);
  await expect
    .poll(async () => (await states()).filter((state) => state === 'running').length)
    .toBeGreaterThanOrEqual(4);
  await made();
  // The long ones have had their time.
  aheadMs += 2_000;
  expect(await jobs.run(edit('short'))).toMatchObject({ state: 'done', ...counts({ changed: 1 }) });
  expect(await states()).not.toContain('done');
  for (const { client, id } of long) await client.cancel(id);
});

describe('a job has the rights of what began it', () => {
  const admin = () => service.asService('admin');
  /** Starts a job, and changes something when it runs and another job waits. Returns both when they are over. */
  async function changing(identity: AccountIdentity, change: () => Promise<unknown>): Promise<Job[]> {
    await write(PART_SIZE);
    await made({ hashtags: ['next'] });
    const goOn = holdAt(1, service);
    const own = new JobsClient(service, identity);
    const answers = [own.start(edit('edited'))];
    await running();
    answers.push(own.start({ ...edit('next'), filter: { hashtag: 'next' } }));
    await expect.poll(async () => (await jobs.list()).body.jobs).toHaveLength(2);
    await change();
    goOn();
    const ids = (await Promise.all(answers)).map(({ body }) => body.id);
    return Promise.all(ids.map((id) => jobs.over(id)));
  }

  test('it fails when the key is revoked, also if there is a new key by then', async () => {
    const { username } = account;
    const scope = 'public_links_only';
    const [first, next] = await changing(account.public, async () => {
      await service.accounts.revokeKey({ username, scope }, await admin());
      await service.accounts.rotateKey({ username, scope }, await admin());
    });
    expect([first!.state, next!.state, next!.done]).toEqual(['failed', 'failed', 0]);
    expect(first!.notice).toBe('The key that began this job was revoked.');
    expect([first!.done, await titled('edited')]).toEqual([PART_SIZE, PART_SIZE]);
    await expect.poll(() => service.database.collections.jobParts.countDocuments({ account_id: account.id })).toBe(0);
    expect((await jobs.runUndo(first!.id)).changed).toBe(first!.changed);
  });

  test('it goes on when the key is rotated, and when the other key is revoked', async () => {
    const { username } = account;
    const [first, next] = await changing(account.public, async () => {
      await service.accounts.rotateKey({ username, scope: 'public_links_only' }, await admin());
      await service.accounts.revokeKey({ username, scope: 'full_access' }, await admin());
    });
    expect([first!.state, next!.state]).toEqual(['done', 'done']);
  });

  test('it fails when the plan no longer includes the API', async () => {
    const [first, next] = await changing(account.live, async () =>
      service.accounts.setPlan({ username: account.username, plan: 'starter' }, await admin()),
    );
    expect([first!.state, next!.state]).toEqual(['failed', 'failed']);
    expect(next!.notice).toBe('The plan of the account no longer includes the API.');
  });

  test('that of a session goes on when the session ends, fails when all are ended, and is the session’s in events', async () => {
    const { username } = account;
    const { url } = await service.accounts.createSignInLink({ username }, await admin());
    const { token } = await service.accounts.createSession(
      { signInTokenHash: hashSecret(url.split('#token=')[1]!) },
      await service.asService('gateway'),
    );
    const { sessionId } = await service.accounts.resolveSession(
      { tokenHash: hashSecret(token) },
      await service.asService('gateway'),
    );
    const session: AccountIdentity = { ...account.live, sessionId };
    const [first, next] = await changing(session, async () => {
      await service.request(session, 'DELETE', '/api/v1/sessions/current');
    });
    expect([first!.state, next!.state]).toEqual(['done', 'done']);
    const log = await eventsOf(service.database, account.id);
    expect(log.find(({ type }) => type === 'link.updated')!.actor.kind).toBe('session');
    account = await service.createAccount();
    jobs = new JobsClient(service, account.live);
    const ended = await changing({ ...account.live, sessionId: 's' }, async () =>
      service.accounts.signOut({ username: account.username }, await admin()),
    );
    expect(ended.map(({ state }) => state)).toEqual(['failed', 'failed']);
    expect(ended[0]!.notice).toBe('All sessions of the account were ended, and a session began this job.');
  });

  test('it is gone when the account is deleted', async () => {
    await write(TWO_PARTS);
    const goOn = holdAt(1, service);
    const answer = jobs.start(edit('edited'));
    const { id } = await running();
    await service.accounts.deleteAccount({ username: account.username }, await admin());
    goOn();
    await answer;
    const { database } = service;
    const left = async () => {
      const filter = { account_id: account.id };
      const found = [database.collections.jobs, database.collections.jobParts, database.collections.jobUndo].map(
        (one) => one.countDocuments(filter),
      );
      return [...(await Promise.all(found)), await database.collections.jobQueues.countDocuments({ _id: account.id })];
    };
    expect(await left()).toEqual([0, 0, 0, 0]);
    await expect.poll(() => service.metric('jobs_running')).toBe(0);
    expect(await left()).toEqual([0, 0, 0, 0]);
    expect((await jobs.get(id)).status).toBe(404);
  });
});

describe('an Idempotency-Key', () => {
  test('makes one job of the same request, also concurrently; another body is 422', async () => {
    await made();
    const headers = { 'idempotency-key': 'k' };
    const body = { kind: 'edit', filter: { archived: 'false', q: 'http' }, change: { title: 'x', note: 'n' } };
    const same = { change: { note: 'n', title: 'x' }, filter: { q: 'http', archived: 'false' }, kind: 'edit' };
    const answers = await Promise.all([jobs.start(body, headers), jobs.start(same, headers)]);
    answers.push(await jobs.start({ ...body, dry_run: false }, headers));
    for (const { status, body: job } of answers) {
      expect([200, 202]).toContain(status);
      expect(job.id).toBe(answers[0]!.body.id);
    }
    expect((await jobs.list()).body.jobs).toHaveLength(1);
    const other = await jobs.start({ ...body, dry_run: true }, headers);
    expect([other.status, other.body.error]).toEqual([
      422,
      '"Idempotency-Key" was used with another body; send a new key for a new request.',
    ]);
    expect((await service.create(account.live, { destination_url: 'https://example.com/' }, headers)).status).toBe(422);
  });
});

test('the results of a job that is over are kept for 30 days, what undoes it for two, and its input not at all', async () => {
  await made({ hashtags: Array.from({ length: 20 }, (_, n) => `h${n}`) });
  await made();
  const { id, finished_at } = await jobs.run({ kind: 'edit', filter: { all: true }, change: { add_hashtags: ['x'] } });
  const stored = (await service.database.collections.jobs.findOne({ _id: id }))!;
  expect([stored.filter, stored.change]).toEqual([undefined, undefined]);
  const days = (date: Date) => Math.round((date.getTime() - Date.parse(finished_at!)) / 86_400_000);
  const part = (await service.database.collections.jobParts.findOne({ account_id: account.id }))!;
  const undo = (await service.database.collections.jobUndo.findOne({ account_id: account.id }))!;
  expect([days(stored.expires_at!), days(part.expires_at), days(undo.expires_at)]).toEqual([30, 30, 2]);
  expect([part.ids, part.refused.length]).toEqual([[], 1]);
  for (const name of ['jobs', 'jobParts', 'jobUndo'] as const)
    expect(await service.database.collections[name].indexes()).toContainEqual(
      expect.objectContaining({ key: { expires_at: 1 }, expireAfterSeconds: 0 }),
    );
  await expectConsistent(service.database, account.id);
});
