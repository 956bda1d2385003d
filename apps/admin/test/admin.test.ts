import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSigner, hashKey } from '@waymark/auth';
import { randomCredentials, startMongoServer } from '@waymark/embedded';
import { accountsV1, createGrpcClient } from '@waymark/proto';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

// Runs the real command line against a real links-svc and database. Both programs are processes of their own.

const ADMIN = join(import.meta.dirname, '../src/main.ts');
const LINKS_SVC = join(import.meta.dirname, '../../links-svc/src/main.ts');
const SIGNING_KEY = 'a signing key for the tests of the command line';
const KEY = { live: /^key_live_[0-9A-Za-z]{32,}$/, public: /^key_pub_[0-9A-Za-z]{32,}$/ };

let directory: string;
let linksSvc: ChildProcess;
let linksGrpc: string;
let env: Record<string, string>;
const cleanUp: (() => unknown)[] = [];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'admin-'));
  cleanUp.push(() => rmSync(directory, { recursive: true }));
  let mongodbUrl = process.env.MONGODB_URL;
  if (!mongodbUrl) {
    const dataDir = join(directory, 'mongodb');
    const mongodb = await startMongoServer({ dataDir, credentials: randomCredentials() });
    cleanUp.push(() => mongodb.close());
    mongodbUrl = mongodb.url;
  }
  const database = `admin_test_${Date.now().toString(36)}`;
  cleanUp.push(async () => {
    const client = await MongoClient.connect(mongodbUrl);
    await client.db(database).dropDatabase();
    await client.close();
  });
  linksSvc = spawn(process.execPath, ['--conditions=@waymark/source', LINKS_SVC], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      HOST: '127.0.0.1',
      HTTP_PORT: '0',
      GRPC_PORT: '0',
      MONGODB_URL: mongodbUrl,
      MONGODB_DATABASE: database,
      ANALYTICS_GRPC: '127.0.0.1:1',
      SPOOL_DIR: join(directory, 'spool'),
      SIGNING_KEY,
    },
  });
  cleanUp.push(async () => {
    const ended = new Promise((resolve) => linksSvc.once('exit', resolve));
    linksSvc.kill('SIGKILL');
    await ended;
  });
  let output = '';
  const port = await new Promise<string>((resolve, reject) => {
    linksSvc.once('exit', (code) => reject(new Error(`links-svc ended with ${code}: ${output}`)));
    linksSvc.stdout!.on('data', (data) => {
      output += data;
      const found = /"grpc_port":(\d+)/.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    });
  });
  linksGrpc = `127.0.0.1:${port}`;
  env = { LINKS_GRPC: linksGrpc, SIGNING_KEY };
});
afterAll(async () => {
  for (const step of cleanUp.reverse()) await step();
});

function run(args: string, environment = env): Promise<{ status: number | null; out: string; err: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--conditions=@waymark/source', ADMIN, ...args.split(' ')], {
      env: environment,
    });
    let out = '';
    let err = '';
    child.stdout.on('data', (data) => {
      out += data;
    });
    child.stderr.on('data', (data) => {
      err += data;
    });
    child.once('close', (status) => resolve({ status, out, err }));
  });
}

/** Runs the command on a terminal and types the answer to its question. */
function runOnTerminal(args: string, answer: string): Promise<{ status: number | null; out: string }> {
  return new Promise((resolve) => {
    const command = `'${process.execPath}' --conditions=@waymark/source '${ADMIN}' ${args}`;
    const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], { env });
    let out = '';
    let isAnswered = false;
    child.stdout.on('data', (data) => {
      out += data;
      if (isAnswered || !out.includes('[y/N]')) return;
      isAnswered = true;
      child.stdin.write(answer);
    });
    child.once('close', (status) => resolve({ status, out }));
  });
}

async function json<Value>(args: string): Promise<Value> {
  const { status, out, err } = await run(`${args} --json`);
  expect(err).toBe('');
  expect(status).toBe(0);
  return JSON.parse(out) as Value;
}

async function fails(args: string, environment = env): Promise<string> {
  const { status, out, err } = await run(args, environment);
  expect(status).toBe(1);
  expect(out).toBe('');
  expect(err.trim().split('\n')).toHaveLength(1);
  expect(err).not.toMatch(/\.ts:\d+|\.js:\d+/);
  return err.trim();
}

/** Looks a key up as the gateway does. Returns null if it does not work. */
async function resolveKey(key: string): Promise<{ username: string; plan: string } | null> {
  const accounts = createGrpcClient(accountsV1.AccountsService, { address: linksGrpc });
  const identity = await createSigner({ current: SIGNING_KEY }).mint({ kind: 'service', service: 'gateway' });
  try {
    return await accounts.resolveKey({ keyHash: hashKey(key) }, { timeoutMs: 5000, identity });
  } catch (error) {
    if ((error as { code?: string }).code === 'not_found') return null;
    throw error;
  } finally {
    accounts.close();
  }
}

interface Made {
  username: string;
  plan: string;
  keys: { live: string; public: string };
}

describe('README.md, Use it: accounts', () => {
  test('account create --json prints username, plan and both keys, which work', async () => {
    const made = await json<Made>('account create --username ada --plan developer');
    expect(made).toEqual({
      username: 'ada',
      plan: 'developer',
      keys: { live: expect.stringMatching(KEY.live), public: expect.stringMatching(KEY.public) },
    });
    expect(await resolveKey(made.keys.live)).toMatchObject({
      username: 'ada',
      plan: 'developer',
      scope: 'full_access',
    });
    expect(await resolveKey(made.keys.public)).toMatchObject({ username: 'ada', scope: 'public_links_only' });
  });

  test('a key is shown once: neither list nor show has it', async () => {
    await json('account create --username once --plan free');
    const account = {
      username: 'once',
      plan: 'free',
      created_at: expect.any(String),
      keys: { live: true, public: true },
    };
    const shown = await json<{ created_at: string }>('account show --username once');
    expect(shown).toEqual(account);
    expect(Math.abs(Date.parse(shown.created_at) - Date.now())).toBeLessThan(60_000);
    const all = await json<unknown[]>('account list');
    expect(all).toContainEqual(account);
    expect(JSON.stringify(all)).not.toMatch(/key_(live|pub)_/);
  });

  test('account set-plan and account delete', async () => {
    const { keys } = await json<Made>('account create --username leaving --plan free');
    expect(await json('account set-plan --username leaving --plan business')).toMatchObject({ plan: 'business' });
    expect(await resolveKey(keys.live)).toMatchObject({ plan: 'business' });
    expect(await json('account delete --username leaving --yes')).toEqual({ username: 'leaving', deleted: true });
    expect(await resolveKey(keys.live)).toBeNull();
    await fails('account show --username leaving');
  });

  test('key rotate and key revoke touch one key and not the other', async () => {
    const { keys } = await json<Made>('account create --username keys --plan developer');
    const rotated = await json<{ key: string }>('key rotate --username keys --scope public');
    expect(rotated).toEqual({ username: 'keys', scope: 'public', key: expect.stringMatching(KEY.public) });
    expect(await resolveKey(keys.public)).toBeNull();
    expect(await resolveKey(rotated.key)).toMatchObject({ username: 'keys' });
    expect(await json('key revoke --username keys --scope live')).toMatchObject({ scope: 'live', revoked: true });
    expect(await resolveKey(keys.live)).toBeNull();
    expect(await json('account show --username keys')).toMatchObject({ keys: { live: false, public: true } });
  });

  test('without --json it prints for a person', async () => {
    const made = await run('account create --username grace --plan starter');
    expect(made.out).toMatch(
      /^Made the account grace \(starter\)\. .*once:\n {2}Full Access {8}key_live_\w+\n {2}Public Links Only {2}key_pub_\w+\n$/,
    );
    const [head, ...rows] = (await run('account list')).out.trimEnd().split('\n');
    expect(head).toMatch(/^USERNAME +PLAN +CREATED +LIVE KEY +PUBLIC KEY$/);
    expect(rows.find((row) => row.startsWith('grace'))).toMatch(/^grace +starter +\S+Z +yes +yes$/);
  });
});

describe('README.md, Use it: account delete asks, or needs --yes', () => {
  test('without a terminal and without --yes it refuses, and nothing is deleted', async () => {
    const { keys } = await json<Made>('account create --username asked --plan free');
    expect(await fails('account delete --username asked')).toContain('--yes');
    expect(await resolveKey(keys.live)).toMatchObject({ username: 'asked' });
    expect((await run('account delete --username asked --yes')).out).toBe('Deleted the account asked.\n');
    expect(await resolveKey(keys.live)).toBeNull();
  });

  test('on a terminal it goes on after yes only', async ({ skip }) => {
    skip(spawnSync('script', ['--version']).error !== undefined, 'there is no script, which makes a terminal');
    const { keys } = await json<Made>('account create --username tty --plan free');
    for (const answer of ['\n', 'no\n', '\u0004', '\u0003']) {
      const refused = await runOnTerminal('account delete --username tty', answer);
      expect([refused.status, refused.out]).toEqual([1, expect.stringContaining('Nothing was changed.')]);
      expect(await resolveKey(keys.live)).toMatchObject({ username: 'tty' });
    }
    const deleted = await runOnTerminal('account delete --username tty', 'y\n');
    expect([deleted.status, deleted.out]).toEqual([0, expect.stringContaining('Deleted the account tty.')]);
    expect(await resolveKey(keys.live)).toBeNull();
  });
});

test('--version prints the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'));
  expect(await run('--version')).toEqual({ status: 0, out: `${version}\n`, err: '' });
});

test.each([
  ['account show --username nobody', 'There is no account named "nobody".'],
  ['account delete --username nobody', 'There is no account named "nobody".'],
  ['account create --username x', "required option '--plan <plan>' not specified"],
  ['account frobnicate', 'frobnicate'],
  ['key rotate --username x --scope all', 'live, public'],
])('with --json an error is JSON on standard error: %s', async (args, words) => {
  const { status, out, err } = await run(`${args} --json`);
  expect([status, out]).toEqual([1, '']);
  expect(err.endsWith('\n')).toBe(true);
  expect(JSON.parse(err)).toEqual({ error: expect.stringContaining(words) });
  expect(JSON.parse(err).error).not.toMatch(/^error:/);
});

test('with --json a wrong environment is JSON too', async () => {
  const { status, err } = await run('account list --json', { LINKS_GRPC: linksGrpc });
  expect([status, JSON.parse(err)]).toEqual([1, { error: expect.stringContaining('SIGNING_KEY') }]);
});

describe('a mistake is one clear sentence and exit code 1', () => {
  test('an unknown account, a taken name, a name that is none', async () => {
    await json('account create --username taken --plan free');
    await Promise.all(
      [
        'account create --username taken --plan free',
        'account create --username !! --plan free',
        'account show --username nobody',
        'account set-plan --username nobody --plan free',
        'account delete --username nobody',
        'account delete --username nobody --yes',
        'key rotate --username nobody --scope live',
        'key revoke --username nobody --scope live',
      ].map((args) => fails(args)),
    );
  });

  test('options that are missing or wrong', async () => {
    expect(await fails('account create --username x --plan gold')).toContain('free, starter, developer, business');
    expect(await fails('account create --username x')).toContain('--plan');
    expect(await fails('key rotate --username x --scope all')).toContain('live, public');
    expect(await fails('account frobnicate')).toContain('frobnicate');
  });

  test('a stack that is not there, not named whole, or has another signing key', async () => {
    expect(await fails('account list', { LINKS_GRPC: linksGrpc })).toContain('SIGNING_KEY');
    expect(await fails('account list', { LINKS_GRPC: 'nonsense', SIGNING_KEY })).toContain('LINKS_GRPC');
    expect(await fails('account list', { LINKS_GRPC: linksGrpc, SIGNING_KEY: 'x'.repeat(40) })).toContain(
      'signing key',
    );
    expect(await fails('account list', { LINKS_GRPC: '127.0.0.1:1', SIGNING_KEY })).toContain('does not answer');
    expect(await fails('account list', { DATA_DIR: directory })).toMatch(/^No stack runs on /);
  });
});

test('README.md, Use it: it finds the running stack through DATA_DIR', async () => {
  const id = 'the running stack';
  const lock: Server = createServer((socket) => socket.end(id));
  await new Promise<void>((resolve) => lock.listen(0, '127.0.0.1', resolve));
  const { port } = lock.address() as { port: number };
  writeFileSync(
    join(directory, 'stack.json'),
    JSON.stringify({ lock: { port, id }, publicUrl: 'http://localhost:8080', linksGrpc, pids: [] }),
  );
  expect(await fails('account list', { DATA_DIR: directory })).toContain('SIGNING_KEY');
  writeFileSync(join(directory, 'signing-key'), `${SIGNING_KEY}\n`);
  expect((await run('account list --json', { DATA_DIR: directory })).status).toBe(0);
  await new Promise((resolve) => lock.close(resolve));
  expect(await fails('account list', { DATA_DIR: directory })).toMatch(/^No stack runs on /);
});
