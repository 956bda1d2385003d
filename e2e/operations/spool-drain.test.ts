import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import type { Link } from '@waymark/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  api,
  BROWSER,
  createAccount,
  createLink,
  eventually,
  request,
  stack,
  type TestAccount,
} from '../support/world.ts';

// docs/operations.md, Clicks of a removed pod: a links-svc without a connection to analytics-svc is killed, as a pod that
// goes for good, and the command line sends the clicks that it left.

const APPS = join(import.meta.dirname, '../../apps');
const CLICKS = 30;
const folder = mkdtempSync(join(tmpdir(), 'waymark-drain-'));
let account: TestAccount;
let link: Link;
let linksSvc: ReturnType<typeof spawn>;
let exited: Promise<unknown>;

beforeAll(async () => {
  account = await createAccount();
  link = await createLink(account.live, {});
  linksSvc = spawn(process.execPath, [join(APPS, 'links-svc/dist/main.js')], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      HOST: '127.0.0.1',
      HTTP_PORT: '0',
      GRPC_PORT: '0',
      MONGODB_URL: stack.mongodbUrl,
      MONGODB_DATABASE: stack.database,
      ANALYTICS_GRPC: '127.0.0.1:1',
      SIGNING_KEY: stack.signingKey,
      SPOOL_DIR: folder,
    },
  });
  exited = once(linksSvc, 'exit');
  const base = await new Promise<string>((resolve, reject) => {
    createInterface({ input: linksSvc.stdout! }).on('line', (line) => {
      const origin = /listening at (http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1];
      if (origin !== undefined) resolve(origin);
    });
    linksSvc.once('exit', () => reject(new Error('links-svc ended before it listened')));
  });
  await eventually(async () => expect((await request('/startupz', { base })).status).toBe(200));
  for (let i = 0; i < CLICKS; i += 1) {
    const { status } = await request(`/${link.slug}`, { base, headers: { 'user-agent': BROWSER } });
    expect(status).toBe(302);
  }
});
afterAll(async () => {
  linksSvc?.kill('SIGKILL');
  await exited;
  rmSync(folder, { recursive: true, force: true });
});

async function drain(args: string[] = [], env: Record<string, string> = {}) {
  const child = spawn(
    process.execPath,
    [join(APPS, 'admin/dist/main.js'), 'spool', 'drain', '--dir', folder, '--json', ...args],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { LINKS_GRPC: stack.linksGrpc, ANALYTICS_GRPC: stack.analyticsGrpc, SIGNING_KEY: stack.signingKey, ...env },
    },
  );
  const [out, error, [status]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { status, result: out === '' ? null : JSON.parse(out), error };
}

test('a spool that a links-svc still uses is refused', async () => {
  expect(await drain()).toMatchObject({
    status: 1,
    result: null,
    error: expect.stringContaining('in use by another process'),
  });
});

test('admin spool drain sends the clicks of a killed links-svc exactly once, and updates the counters of their links', async () => {
  linksSvc.kill('SIGKILL');
  await exited;
  const all = { status: 0, result: { sent: CLICKS, remaining: 0, bytes: 0, damaged_files: 0 } };
  expect(await drain()).toMatchObject(all);
  // No links-svc has these clicks, so only the command can have written the counter.
  expect((await api(account.live).get(link.id)).body.clicks).toBe(CLICKS);
  expect(await drain()).toMatchObject({ ...all, result: { ...all.result, sent: 0 } });
  expect((await api(account.live).analytics()).body.clicks).toBe(CLICKS);
});

test.concurrent.each([
  ['a folder without a spool', ['--dir', tmpdir()], {}, 'holds no spool'],
  ['an invalid time', ['--timeout', '0'], {}, 'from 1 to 86400'],
  ['no address of analytics-svc', [], { ANALYTICS_GRPC: '' }, 'ANALYTICS_GRPC'],
  ['an analytics-svc that does not respond', [], { ANALYTICS_GRPC: '127.0.0.1:1' }, 'analytics-svc at 127.0.0.1:1'],
  ['a links-svc that does not respond', [], { LINKS_GRPC: '127.0.0.1:1' }, 'links-svc at 127.0.0.1:1'],
  ['another signing key', [], { SIGNING_KEY: 'x'.repeat(40) }, 'does not accept the signing key'],
])('admin spool drain refuses %s with one clear line', async (_what, args, env, message) => {
  const { status, result, error } = await drain(args, env);
  expect([status, result]).toEqual([1, null]);
  expect(error.trim().split('\n')).toHaveLength(1);
  expect(JSON.parse(error).error).toContain(message);
});
