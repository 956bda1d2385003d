import { type ExecFileOptions, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Link, LinkList } from '@waymark/contract';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createAccount, createLink, stack, type TestAccount } from '../support/world.ts';

// The command line `waymark`, as `npm pack` packs it, installed in an empty folder (docs/cli.md).

const run = promisify(execFile);
const PACKAGE = join(import.meta.dirname, '../../apps/cli');
let home: string;
let account: TestAccount;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'waymark-cli-'));
  await run('npm', ['pack', '--pack-destination', home], { cwd: PACKAGE });
  const [tarball] = (await readdir(home)).filter((name) => name.endsWith('.tgz'));
  const settings = ['--offline', '--no-audit', '--no-fund', '--prefix', home];
  await run('npm', ['install', ...settings, join(home, tarball!)], { cwd: home });
});
afterAll(() => rm(home, { recursive: true, force: true }));
beforeEach(async () => {
  account = await createAccount();
});

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs the installed command, with the key of the account in its environment. */
async function waymark(args: string[], { env = {}, input }: { env?: object; input?: string } = {}): Promise<Outcome> {
  const options: ExecFileOptions = { cwd: home, env: { ...environment(), ...env } };
  const running = run(join(home, 'node_modules/.bin/waymark'), args, options);
  running.child.stdin!.end(input ?? '');
  const { code = 0, stdout, stderr } = (await running.catch((error: unknown) => error)) as Outcome;
  return { code, stdout, stderr };
}

function environment(): Record<string, string> {
  return {
    PATH: process.env.PATH!,
    XDG_CONFIG_HOME: join(home, 'config'),
    WAYMARK_URL: stack.publicUrl,
    WAYMARK_KEY: account.live,
  };
}

async function json<Result>(args: string[], options: Parameters<typeof waymark>[1] = {}): Promise<Result> {
  const { code, stdout, stderr } = await waymark([...args, '--json'], options);
  expect([code, stderr]).toEqual([0, '']);
  return JSON.parse(stdout) as Result;
}

test('the package has no dependencies, and the licences of what is in it', async () => {
  const modules = (await readdir(join(home, 'node_modules'))).filter((name) => !name.startsWith('.'));
  expect([modules, await readdir(join(home, 'node_modules/@waymark'))]).toEqual([['@waymark'], ['cli']]);
  const licences = await readFile(join(home, 'node_modules/@waymark/cli/dist/third-party-licenses.md'), 'utf8');
  for (const name of ['commander', 'openapi-fetch', 'string-width']) expect(licences).toContain(name);
});

test('login stores the key where only its owner can read it, once the server accepts it', async () => {
  const env = { WAYMARK_URL: '', WAYMARK_KEY: '' };
  const login = ['login', '--url', `${stack.publicUrl}/`];
  expect(await waymark(['whoami'], { env })).toMatchObject({ code: 3, stderr: expect.stringMatching(/waymark login/) });
  expect(await waymark(login, { env, input: 'key_live_wrong' })).toMatchObject({ code: 3 });
  expect(await waymark(login, { env, input: `${account.public}\n` })).toMatchObject({ code: 0, stderr: '' });
  const file = join(home, 'config/waymark/connection.json');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await json(['whoami'], { env })).toMatchObject({
    username: account.username,
    key_scope: 'public_links_only',
    url: stack.publicUrl,
  });
  expect(await json(['whoami'])).toMatchObject({ key_scope: 'full_access' });
  // The stored key is for its own server.
  const elsewhere = { WAYMARK_URL: 'http://127.0.0.1:9', WAYMARK_KEY: '' };
  expect(await waymark(['whoami'], { env: elsewhere })).toMatchObject({
    code: 3,
    stderr: 'WAYMARK_URL is set, so set WAYMARK_KEY too.\n',
  });
  await rm(join(home, 'config'), { recursive: true });
});

test('links are created, listed, shown, changed and deleted', async () => {
  const options = ['--slug', 'summer', '--title', 'Summer', '--hashtags', 'a, b', '--visibility', 'unlisted'];
  const created = await waymark(['links', 'create', 'https://example.com/', ...options]);
  expect(created).toEqual({ code: 0, stdout: `${stack.publicUrl}/summer\n`, stderr: '' });
  const { links } = await json<LinkList>(['links', 'list', '--hashtag', 'b', '--per', '5']);
  expect(links).toMatchObject([{ slug: 'summer', title: 'Summer', hashtags: ['a', 'b'], visibility: 'unlisted' }]);
  expect((await waymark(['links', 'list'])).stdout).toMatch(/^LINK .*\n.*\/summer +0 +example\.com\/ .*\n1 link\.\n$/);
  const changed = await json<Link>([
    'links',
    'update',
    'summer',
    '--title',
    '',
    '--archived',
    '--expires-at',
    '2030-01-01T00:00:00Z',
  ]);
  expect(changed).toMatchObject({ title: null, archived: true, expires_at: '2030-01-01T00:00:00.000Z' });
  const hidden = await json<Link>(['links', 'update', 'summer', '--archived', 'false', '--password'], {
    input: 'secret',
  });
  expect(hidden).toMatchObject({ archived: false, visibility: 'password-protected' });
  expect((await waymark(['links', 'get', 'summer'])).stdout).toMatch(/^short url +http.*\/summer$/m);
  expect(await waymark(['links', 'delete', 'summer'])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/--yes/),
  });
  expect(await json(['links', 'delete', 'summer', '--yes'])).toEqual({ id: 'summer', deleted: true });
  expect(await waymark(['links', 'get', 'summer'])).toEqual({ code: 4, stdout: '', stderr: 'Link not found.\n' });
});

test.each<[number, string, string[], object]>([
  [1, '"per" must be between 1 and 100; you sent 101.', ['links', 'list', '--per', '101'], {}],
  [2, "unknown option '--colour'", ['links', 'list', '--colour'], {}],
  [2, "option '--per <number>' argument 'x' is invalid. It is not a number.", ['links', 'list', '--per', 'x'], {}],
  [3, expect.stringMatching(/API key/) as unknown as string, ['whoami'], { WAYMARK_KEY: 'key_live_wrong' }],
  [4, 'Link not found.', ['links', 'get', 'nothing'], {}],
])('exit code %i and one line of JSON: %s', async (code, error, args, env) => {
  const outcome = await waymark([...args, '--json'], { env });
  expect({ ...outcome, stderr: JSON.parse(outcome.stderr) }).toEqual({ code, stdout: '', stderr: { error } });
});

test('links are imported and exported, and rows that are refused are named', async () => {
  const folder = join(home, account.username);
  await mkdir(folder);
  const csv = 'Destination URL,Slug\nhttps://example.com/1,one\nno url,two\n"https://example.com/3","th,ree"\n';
  await writeFile(join(folder, 'links.csv'), csv);
  const imported = await waymark(['links', 'import', join(folder, 'links.csv')]);
  expect(imported).toMatchObject({ code: 5, stderr: '' });
  expect(imported.stdout).toMatch(
    /^row 3: "destination_url" .*\nrow 4: "slug" .*\nRead 3 links: 1 created, .* 2 refused\.\n$/,
  );
  const again = await waymark(['links', 'import', join(folder, 'links.csv'), '--json']);
  expect(JSON.parse(again.stdout)).toMatchObject({
    created: 0,
    unchanged: 1,
    refused: 2,
    refusals: [{ row: 3 }, { row: 4 }],
  });
  expect(await json(['links', 'export', join(folder, 'out.csv')])).toMatchObject({ file: join(folder, 'out.csv') });
  expect(await readFile(join(folder, 'out.csv'), 'utf8')).toMatch(/^id,.*\r\n.*,one,.*\r\n$/);
  const { stdout } = await waymark(['links', 'export']);
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).slug),
  ).toEqual(['one']);
  await json(['links', 'qr', 'one', join(folder, 'one.png'), '--size', '128']);
  expect((await readFile(join(folder, 'one.png'))).subarray(1, 4).toString()).toBe('PNG');
});

test('Ctrl-C in an export leaves no file', async () => {
  const server = createServer((_request, response) => response.writeHead(200).write('{"id":"a"}\n')).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  const folder = join(home, account.username);
  await mkdir(folder);
  const env = { ...environment(), WAYMARK_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  const cli = spawn(join(home, 'node_modules/.bin/waymark'), ['links', 'export', 'out.ndjson'], { cwd: folder, env });
  await expect.poll(() => readdir(folder)).toEqual(['out.ndjson.part']);
  cli.kill('SIGINT');
  const [code] = await once(cli, 'exit');
  expect([code, await readdir(folder)]).toEqual([130, []]);
  server.closeAllConnections();
  server.close();
});

test('the analytics, the hosts and the address of the dashboard are shown', async () => {
  const link = await createLink(account.live, { slug: 'shown' });
  const { stdout } = await waymark(['analytics', '--days', '2', '--link-id', 'shown', '--include', 'previous']);
  expect(stdout).toMatch(/^0 clicks from .* \(UTC\), 0 in the window before\.\n\nclicks by day\nDATE +CLICKS/);
  expect(await json(['analytics', '--days', '2'])).toMatchObject({ days: 2, clicks: 0 });
  const name = `${account.username}.example.com`;
  expect((await waymark(['hosts', 'add', name])).stdout).toMatch(new RegExp(`TXT record +_waymark.${name}\n`));
  expect(await json(['hosts', 'update', name, '--root-url', 'https://example.com/'])).toMatchObject({ host: name });
  expect((await waymark(['hosts', 'list'])).stdout).toMatch(
    new RegExp(`^HOST .*\n${name} +pending +https://example.com/`),
  );
  expect(await json(['hosts', 'delete', name, '--yes'])).toEqual({ host: name, deleted: true });
  expect(await json(['open', 'shown'])).toEqual({ url: `${stack.publicUrl}/app/links/${link.id}` });
});

test('bash completes what it is asked to', async () => {
  const script = [
    'source <(waymark completion bash)',
    'COMP_WORDS=(waymark links list --visibility pu) COMP_CWORD=4',
    '_waymark',
    'echo "$' + '{COMPREPLY[@]}"',
  ].join('\n');
  const env = { PATH: `${join(home, 'node_modules/.bin')}:${process.env.PATH}` };
  expect((await run('bash', ['-c', script], { env })).stdout).toBe('public\n');
});
