import { spawn, spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { createSigner, hashSecret } from '@waymark/auth';
import type { AccountEvent, RestrictedKey } from '@waymark/contract';
import { accountsV1, createGrpcClient, type GrpcClient } from '@waymark/proto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  ADMIN,
  type LinksSvc,
  type Outcome,
  runAdmin,
  SIGNING_KEY,
  spawnAdmin,
  startLinksSvc,
} from './support/links-svc.ts';

// Runs the real command line against a real links-svc and database. It is a process of its own where the test is about
// one: standard input, a terminal, the exit code.

const KEY = { live: /^key_live_[0-9A-Za-z]{32,}$/, public: /^key_pub_[0-9A-Za-z]{32,}$/ };

let linksSvc: LinksSvc;
let directory: string;
let linksGrpc: string;
let env: Record<string, string>;

beforeAll(async () => {
  linksSvc = await startLinksSvc();
  ({ directory, linksGrpc, env } = linksSvc);
});
afterAll(() => linksSvc.close());

const run = (args: string, environment = env) => runAdmin(args.split(' '), environment);
const spawned = (args: string) => spawnAdmin(args.split(' '), env);

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

const fails = async (args: string, environment = env) => expectMistake(await run(args, environment));

/** Checks that a run printed one sentence and exited with 1. Returns the sentence. */
function expectMistake({ status, out, err }: Outcome): string {
  expect(status).toBe(1);
  expect(out).toBe('');
  expect(err.trim().split('\n')).toHaveLength(1);
  expect(err).not.toMatch(/\.ts:\d+|\.js:\d+/);
  return err.trim();
}

type Call<Result> = (
  accounts: GrpcClient<typeof accountsV1.AccountsService>,
  options: { timeoutMs: number; identity: string },
) => Promise<Result>;

/** Runs one call with the identity of a service. */
async function as<Result>(service: 'gateway' | 'admin', call: Call<Result>): Promise<Result> {
  const accounts = createGrpcClient(accountsV1.AccountsService, { address: linksGrpc });
  const identity = await createSigner({ current: SIGNING_KEY }).mint({ kind: 'service', service });
  try {
    return await call(accounts, { timeoutMs: 30_000, identity });
  } finally {
    accounts.close();
  }
}

/** Runs one call with the identity of the gateway. Returns null if links-svc finds nothing. */
function asGateway<Result>(call: Call<Result>): Promise<Result | null> {
  return as('gateway', call).catch((error: { code?: string }) => {
    if (error.code === 'not_found') return null;
    throw error;
  });
}

/** Creates an account over gRPC. Returns its keys. */
async function createAccount(username: string, plan: 'developer' | 'free' = 'developer') {
  const made = await as('admin', (accounts, options) => accounts.createAccount({ username, plan }, options));
  return { live: made.liveKey, public: made.publicKey };
}

/** Exchanges the token of a sign-in link as the gateway does. Returns the token of the session, or null. */
async function exchange(url: string): Promise<string | null> {
  const signInTokenHash = hashSecret(url.split('#token=')[1]!);
  return (await asGateway((accounts, options) => accounts.createSession({ signInTokenHash }, options)))?.token ?? null;
}

/** Looks a session up as the gateway does. Returns null if it has ended. */
function resolveSession(token: string) {
  return asGateway((accounts, options) => accounts.resolveSession({ tokenHash: hashSecret(token) }, options));
}

/** Looks a key up as the gateway does. Returns null if it does not work. */
function resolveKey(key: string) {
  return asGateway((accounts, options) => accounts.resolveKey({ keyHash: hashSecret(key) }, options));
}

interface Made {
  username: string;
  plan: string;
  keys: { live: string; public: string };
}

describe('README.md, Use it: accounts', () => {
  test('account create --json prints username, plan and both working keys', async () => {
    const { status, out, err } = await spawned('account create --username ada --plan developer --json');
    expect([status, err]).toEqual([0, '']);
    const made = JSON.parse(out) as Made;
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

  test('a key is printed once, and neither list nor show prints it', async () => {
    await createAccount('once', 'free');
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

  test('account set-plan changes the plan, and account delete deletes the account', async () => {
    const keys = await createAccount('leaving', 'free');
    expect(await json('account set-plan --username leaving --plan business')).toMatchObject({ plan: 'business' });
    expect(await resolveKey(keys.live)).toMatchObject({ plan: 'business' });
    expect(await json('account delete --username leaving --yes')).toEqual({ username: 'leaving', deleted: true });
    expect(await resolveKey(keys.live)).toBeNull();
    await fails('account show --username leaving');
  });

  test('events prints what happened in an account and who did it, one event a line', async () => {
    await createAccount('audited');
    await json('account set-plan --username audited --plan business');
    const key = await json<{ key: string }>('key rotate --username audited --scope live');
    const lines = async (args: string) => {
      const { status, out, err } = await run(`events --username audited ${args}`);
      expect([status, err]).toEqual([0, '']);
      return out.split('\n').filter((line) => line !== '');
    };
    const events = (await lines('--json')).map((line) => JSON.parse(line) as AccountEvent);
    expect(events.map(({ type, data }) => [type, data])).toEqual([
      ['account.plan_changed', { from: null, to: 'developer' }],
      ['account.plan_changed', { from: 'developer', to: 'business' }],
      ['key.rotated', { scope: 'full_access', hint: `…${key.key.slice(-4)}` }],
    ]);
    for (const { actor } of events) expect(actor).toMatchObject({ kind: 'admin' });
    const { id, created_at } = events[1]!;
    expect((await lines(`--after ${id} --json`)).map((line) => JSON.parse(line))).toEqual(events.slice(2));
    expect((await lines('--types account.plan_changed'))[1]).toBe(
      `${created_at}  ${id}  account.plan_changed  admin  developer -> business`,
    );
    expect(await fails('events --username audited --types account.created')).toMatch(/"types".*account.plan_changed/);
    expect(await fails('events --username audited --after unknown')).toMatch(/"after" is too old/);
    expect(await fails('events --username nobody')).toMatch(/nobody/);
  });

  test('key rotate and key revoke change one key and not the other', async () => {
    const keys = await createAccount('keys');
    const rotated = await json<{ key: string }>('key rotate --username keys --scope public');
    expect(rotated).toEqual({ username: 'keys', scope: 'public', key: expect.stringMatching(KEY.public) });
    expect(await resolveKey(keys.public)).toBeNull();
    expect(await resolveKey(rotated.key)).toMatchObject({ username: 'keys' });
    expect(await json('key revoke --username keys --scope live')).toMatchObject({ scope: 'live', revoked: true });
    expect(await resolveKey(keys.live)).toBeNull();
    expect(await json('account show --username keys')).toMatchObject({ keys: { live: false, public: true } });
  });

  test('key rotate with a grace keeps the old key, and more than a day is a mistake', async () => {
    const keys = await createAccount('gracious');
    const { key } = await json<{ key: string }>('key rotate --username gracious --scope live --grace-seconds 600');
    for (const one of [keys.live, key]) expect(await resolveKey(one)).toMatchObject({ username: 'gracious' });
    expect(await fails('key rotate --username gracious --scope live --grace-seconds 86401')).toContain('86400');
  });

  test('key create-restricted, list and delete manage restricted keys', async () => {
    await createAccount('team');
    const made = await json<RestrictedKey & { key: string }>(
      'key create-restricted --username team --name bot --scope public --actions read,create --hashtag #News --expires-at 2090-01-31T12:00:00Z',
    );
    const { key, ...shown } = made;
    expect(shown).toEqual({
      username: 'team',
      ...{ id: expect.any(String), name: 'bot', scope: 'public_links_only', hint: `…${key.slice(-4)}` },
      ...{ actions: ['read', 'create'], hashtag: 'news', expires_at: '2090-01-31T12:00:00.000Z' },
      ...{ created_at: expect.any(String), last_used_at: null },
    });
    expect(await resolveKey(key)).toMatchObject({ username: 'team', restriction: { name: 'bot', hashtag: 'news' } });
    const listed = await json<RestrictedKey[]>('key list --username team');
    expect(listed.map(({ id }) => id)).toEqual([made.id]);
    const table = (await run('key list --username team')).out;
    expect(table).toMatch(/^ID +NAME +SCOPE +KEY +ACTIONS +HASHTAG +EXPIRES +LAST USED\n/);
    expect(await json(`key delete --username team --id ${made.id}`)).toMatchObject({ deleted: true });
    expect(await resolveKey(key)).toBeNull();
    expect(await json('key list --username team')).toEqual([]);
    expect(await fails(`key delete --username team --id ${made.id}`)).toContain('There is no such restricted key.');
    const wrong = 'key create-restricted --username team --name bot --scope public --actions';
    expect(await fails(`${wrong} everything`)).toContain('"actions');
  });

  test('without --json the output is text', async () => {
    const made = await run('account create --username grace --plan starter');
    expect(made.out).toMatch(
      /^Created the account grace \(starter\)\. .*once:\n {2}Full Access {8}key_live_\w+\n {2}Public Links Only {2}key_pub_\w+\n$/,
    );
    const [head, ...rows] = (await run('account list')).out.trimEnd().split('\n');
    expect(head).toMatch(/^USERNAME +PLAN +CREATED +LIVE KEY +PUBLIC KEY$/);
    expect(rows.find((row) => row.startsWith('grace'))).toMatch(/^grace +starter +\S+Z +yes +yes$/);
  });
});

describe('README.md, Use it: account delete asks for confirmation or needs --yes', () => {
  test('it refuses without a terminal and --yes, and deletes nothing', async () => {
    const keys = await createAccount('asked', 'free');
    expect(expectMistake(await spawned('account delete --username asked'))).toContain('--yes');
    expect(await resolveKey(keys.live)).toMatchObject({ username: 'asked' });
    expect((await run('account delete --username asked --yes')).out).toBe('Deleted the account asked.\n');
    expect(await resolveKey(keys.live)).toBeNull();
  });

  test('on a terminal it continues only after yes', async ({ skip }) => {
    skip(
      spawnSync('script', ['--version']).error !== undefined,
      'the command "script", which makes a terminal, is not installed',
    );
    const keys = await createAccount('tty', 'free');
    const answers = ['\n', '\u0004', '\u0003'];
    for (const refused of await Promise.all(
      answers.map((answer) => runOnTerminal('account delete --username tty', answer)),
    ))
      expect([refused.status, refused.out]).toEqual([1, expect.stringContaining('Nothing was changed.')]);
    expect(await resolveKey(keys.live)).toMatchObject({ username: 'tty' });
    const deleted = await runOnTerminal('account delete --username tty', 'y\n');
    expect([deleted.status, deleted.out]).toEqual([0, expect.stringContaining('Deleted the account tty.')]);
    expect(await resolveKey(keys.live)).toBeNull();
  });
});

describe('README.md, Use it: sign in to the dashboard', () => {
  test('account sign-in-link prints a link that works once, with --json with the time at which it ends', async () => {
    await createAccount('signing-in', 'free');
    const made = await json<{ username: string; url: string; expires_at: string }>(
      'account sign-in-link --username signing-in',
    );
    expect(made).toEqual({
      username: 'signing-in',
      url: expect.stringMatching(/^https:\/\/api\.example\/app\/#token=signin_[0-9A-Za-z]{40}$/),
      expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
    const session = await exchange(made.url);
    expect(await resolveSession(session!)).toMatchObject({ username: 'signing-in', plan: 'free' });
    expect(await exchange(made.url)).toBeNull();

    const { status, out } = await run('account sign-in-link --username signing-in');
    expect(status).toBe(0);
    expect(await exchange(/https:\S+/.exec(out)![0])).toMatch(/^sess_/);

    const { url } = await json<{ url: string }>('account sign-in-link --username signing-in --role viewer');
    expect(await resolveSession((await exchange(url))!)).toMatchObject({ person: { role: 'viewer' } });
    expect(await fails('account sign-in-link --username signing-in --role boss')).toContain('viewer, editor, owner');
  });

  test('account sign-out ends every session and unused link of the account, and its keys keep working', async () => {
    const keys = await createAccount('signing-out', 'free');
    const link = async () => (await json<{ url: string }>('account sign-in-link --username signing-out')).url;
    const session = await exchange(await link());
    const unused = await link();
    expect(await json('account sign-out --username signing-out')).toEqual({
      username: 'signing-out',
      signed_out: true,
    });
    expect(await resolveSession(session!)).toBeNull();
    expect(await exchange(unused)).toBeNull();
    expect(await resolveKey(keys.live)).toMatchObject({ username: 'signing-out' });
    expect(await exchange(await link())).toMatch(/^sess_/);
  });
});

test('--version prints the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'));
  expect(await spawned('--version')).toEqual({ status: 0, out: `${version}\n`, err: '' });
});

const MISTAKES = [
  ['account show --username nobody', 'There is no account named "nobody".'],
  ['account create --username x --plan gold', 'free, starter, developer, business'],
  ['account create --username x', "required option '--plan <plan>' not specified"],
  ['account frobnicate', 'frobnicate'],
  ['key rotate --username x --scope all', 'live, public'],
] as const;
test('with --json an error is JSON on standard error', async () => {
  for (const [args, words] of MISTAKES) {
    const { status, out, err } = await run(`${args} --json`);
    expect([status, out]).toEqual([1, '']);
    expect(err.endsWith('\n')).toBe(true);
    expect(JSON.parse(err)).toEqual({ error: expect.stringContaining(words) });
    expect(JSON.parse(err).error).not.toMatch(/^error:/);
  }
});

test('with --json a configuration error is JSON too', async () => {
  const { status, err } = await run('account list --json', { LINKS_GRPC: linksGrpc });
  expect([status, JSON.parse(err)]).toEqual([1, { error: expect.stringContaining('SIGNING_KEY') }]);
});

describe('a mistake prints one clear sentence and exits with 1', () => {
  test('for an unknown account, a taken name and an invalid name', async () => {
    await createAccount('taken', 'free');
    for (const args of [
      'account create --username taken --plan free',
      'account create --username !! --plan free',
      'account set-plan --username nobody --plan free',
      'account delete --username nobody --yes',
      'key rotate --username nobody --scope live',
    ])
      await fails(args);
  });

  test('for a stack that does not run, is not fully configured or has another signing key', async () => {
    expect(await fails('account list', { LINKS_GRPC: linksGrpc })).toContain('SIGNING_KEY');
    expect(await fails('account list', { LINKS_GRPC: 'nonsense', SIGNING_KEY })).toContain('LINKS_GRPC');
    expect(await fails('account list', { LINKS_GRPC: linksGrpc, SIGNING_KEY: 'x'.repeat(40) })).toContain(
      'signing key',
    );
    expect(await fails('account list', { LINKS_GRPC: '127.0.0.1:1', SIGNING_KEY })).toContain('does not respond');
    expect(await fails('account list', { DATA_DIR: directory })).toMatch(/^No stack runs in /);
  });
});

test('README.md, Use it: it finds the running stack through DATA_DIR', async () => {
  const id = 'the running stack';
  const lock: Server = createServer((socket) => socket.end(id));
  await new Promise<void>((resolve) => lock.listen(0, '127.0.0.1', resolve));
  const { port } = lock.address() as { port: number };
  // Left by an earlier attempt.
  rmSync(join(directory, 'signing-key'), { force: true });
  writeFileSync(
    join(directory, 'stack.json'),
    JSON.stringify({
      lock: { port, id },
      publicUrl: 'http://localhost:8080',
      linksGrpc,
      analyticsGrpc: '127.0.0.1:1',
      pids: [],
    }),
  );
  expect(await fails('account list', { DATA_DIR: directory })).toContain('SIGNING_KEY');
  writeFileSync(join(directory, 'signing-key'), `${SIGNING_KEY}\n`);
  expect((await run('account list --json', { DATA_DIR: directory })).status).toBe(0);
  await new Promise((resolve) => lock.close(resolve));
  expect(await fails('account list', { DATA_DIR: directory })).toMatch(/^No stack runs in /);
});

describe('docs/hosts.md: short hosts', () => {
  test('host list and host verify show a host, its status and its TXT record; host manifests has verified ones', async () => {
    await createAccount('hosting');
    expect(await json('host list')).toEqual([]);
    expect((await run('host list')).out).toBe('There are no short hosts.\n');
    const added = await linksSvc.addHost('hosting', 'go.example.com');
    const shown = {
      username: 'hosting',
      host: 'go.example.com',
      status: 'pending',
      txt: added.txt,
      checked_at: null,
    };
    expect(await json('host list --username hosting')).toEqual([shown]);
    expect(await json('host list')).toEqual([shown]);
    expect((await run('host list')).out).toContain(added.txt.value);
    const verified = await run('host verify --username hosting --host GO.example.com');
    expect(verified).toMatchObject({ status: 1, err: '' });
    expect(verified.out).toContain(`${added.txt.name}  ${added.txt.value}`);
    expect(await fails('host verify --username hosting --host to.example.com')).toMatch(/no such host/);
    expect(await fails('host verify --username nobody --host go.example.com')).toMatch(/nobody/);
    expect(await run('host manifests --issuer letsencrypt')).toEqual({ status: 0, out: '', err: '' });
  });
});
