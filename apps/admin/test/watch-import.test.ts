import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError, type Job } from '@waymark/contract';
import { createGrpcServer, type GrpcServer, type Implementation, jobsV1, jobToMessage } from '@waymark/proto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMPILE_CACHE, runAdmin, SIGNING_KEY, spawnAdmin } from './support/links-svc.ts';

// How `admin links import` watches a job: against a links-svc whose jobs do what the test says, over real gRPC.

type Jobs = Implementation<typeof jobsV1.JobsService, null>;

const ROWS = 1_000;
const JOB: Job = {
  id: 'j1',
  kind: 'import',
  state: 'running',
  dry_run: false,
  matched: ROWS,
  done: 0,
  created: 0,
  changed: 0,
  deleted: 0,
  unchanged: 0,
  refused: 0,
  title: 'links.csv',
  actor: { kind: 'admin', scope: null, hint: null, name: null },
  created_at: '2026-11-21T00:00:00.000Z',
  finished_at: null,
  undo_until: null,
};
const DONE: Job = { ...JOB, state: 'done', done: ROWS, created: ROWS, finished_at: '2026-11-21T00:00:01.000Z' };

let folder: string;
let file: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'admin-watch-'));
  file = join(folder, 'links.csv');
  writeFileSync(file, 'url\n');
});
const cleanups: (() => unknown)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  rmSync(folder, { recursive: true });
});

/** Starts a links-svc with these jobs, and returns the environment of the command line. */
async function start(getAccountJob: () => Promise<Job>, given: Partial<Jobs> = {}, port = 0) {
  const server = createGrpcServer();
  const unexpected = async () => {
    throw new Error('the test did not expect this call');
  };
  server.addService(
    jobsV1.JobsService,
    { authenticate: () => null },
    {
      startJob: unexpected,
      getJob: unexpected,
      undoJob: unexpected,
      importLinks: async (requests) => {
        for await (const _ of requests);
        return { job: jobToMessage({ ...JOB, state: 'waiting' }) };
      },
      getAccountJob: async () => ({ job: jobToMessage(await getAccountJob()) }),
      getRefusedRows: async function* () {},
      ...given,
    },
  );
  const bound = await server.listen('127.0.0.1', port);
  cleanups.push(() => server.close(0));
  return { server, port: bound, env: { LINKS_GRPC: `127.0.0.1:${bound}`, SIGNING_KEY, ...COMPILE_CACHE } };
}

const importArgs = (name = file) => ['links', 'import', '--username', 'ada', '--file', name];

// Each waits for seconds, so these are processes that run at once.

test.concurrent('Ctrl-C ends the watching, and says that the import goes on', async ({ expect }) => {
  const interruption = new AbortController();
  const { env } = await start(async () => {
    interruption.abort();
    return JOB;
  });
  expect(await spawnAdmin(importArgs(), env, interruption.signal)).toEqual({
    status: 1,
    out: '',
    err: 'Interrupted. The import goes on as job j1; run the command again later to see which rows it refuses.\n',
  });
});

test.concurrent('it survives that links-svc restarts, and that its database does not respond for a while', async ({
  expect,
}) => {
  let looks = 0;
  let first: { server: GrpcServer; port: number } | undefined;
  const look = async () => {
    looks += 1;
    if (looks === 1) {
      // Closed for a second, in the middle of the call.
      void first!.server.close(0).then(() => setTimeout(() => start(look, {}, first!.port), 1_000));
      return JOB;
    }
    if (looks < 4) throw new AppError('unavailable', 'The database is down.');
    return DONE;
  };
  const started = await start(look);
  first = started;
  expect(await spawnAdmin(importArgs(), started.env)).toMatchObject({ status: 0, err: '' });
  expect(looks).toBe(4);
});

test.concurrent('if links-svc stays away, it says that the import goes on', async ({ expect }) => {
  const { env } = await start(async () => {
    throw new AppError('unavailable', 'The database is down.');
  });
  expect(await spawnAdmin(importArgs(), env)).toEqual({
    status: 1,
    out: '',
    err: 'links-svc does not respond any more. The import goes on as job j1; run the command again later to see which rows it refuses.\n',
  });
});

test('it waits until the job is over, and looks at most once a second; the upload may take long', async () => {
  const looks: number[] = [];
  let uploadMs = 0;
  const { env } = await start(
    async () => {
      looks.push(performance.now());
      return looks.length < 3 ? JOB : DONE;
    },
    {
      importLinks: async (requests, { deadline }) => {
        uploadMs = deadline.getTime() - Date.now();
        for await (const _ of requests);
        return { job: jobToMessage(JOB) };
      },
    },
  );
  expect(await runAdmin(importArgs(), env)).toEqual({
    status: 0,
    out: 'Read 1000 links: 1000 created, 0 already there, 0 refused.\n',
    err: '',
  });
  expect(looks).toHaveLength(3);
  expect(looks[2]! - looks[0]!).toBeGreaterThan(1_900);
  expect(uploadMs).toBeGreaterThan(30 * 60_000);
});

test.for([
  ['cancelled', undefined, '', 'The import was cancelled after 10 of 1000 links. Run the command again to go on.'],
  [
    'failed',
    'An internal error stopped the job.',
    'An internal error stopped the job.\n',
    'The import failed after 10 of 1000 links. Run the command again to go on.',
  ],
] as const)('a job that was %s is an error, after what it did and why', async ([state, notice, why, err]) => {
  const { env } = await start(async () => ({ ...DONE, state, done: 10, created: 10, ...(notice && { notice }) }));
  expect(await runAdmin(importArgs(), env)).toEqual({
    status: 1,
    out: `${why}Read 1000 links: 10 created, 0 already there, 0 refused.\n`,
    err: `${err}\n`,
  });
});

test('each refused row is printed once, in its order, also if their list breaks off, and that some are not listed', async () => {
  let calls = 0;
  const notice = 'A job keeps its first 3 refusals; 2 more are only counted.';
  const { env } = await start(async () => ({ ...DONE, created: 0, refused: 5, notice }), {
    getRefusedRows: async function* () {
      calls += 1;
      yield { rows: [{ row: 2, reason: 'a' }] };
      yield { rows: [{ row: 3, reason: 'b' }] };
      if (calls === 1) throw new AppError('unavailable', 'The database is down.');
      yield { rows: [{ row: 9, reason: 'c' }] };
    },
  });
  expect(await runAdmin(importArgs(), env)).toEqual({
    status: 1,
    out: `line 2: a\nline 3: b\nline 9: c\n${notice}\nRead 1000 links: 0 created, 0 already there, 5 refused.\n`,
    err: '',
  });
});

test('a file that is refused in the middle of its upload is one error, and no more of it is sent', async () => {
  writeFileSync(join(folder, 'large.csv'), Buffer.alloc(20 * 1_024 * 1_024, 'x'));
  let received = 0;
  const { env } = await start(async () => JOB, {
    importLinks: async (requests) => {
      for await (const { piece } of requests) {
        received += piece.length;
        if (received > 0) throw new AppError('invalid', 'The file is not understood.');
      }
      return {};
    },
  });
  expect(await runAdmin(importArgs(join(folder, 'large.csv')), env)).toEqual({
    status: 1,
    out: '',
    err: 'The file is not understood.\n',
  });
  expect(received).toBe(65_536);
});
