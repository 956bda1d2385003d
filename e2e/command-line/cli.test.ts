import { type ChildProcess, type ExecFileOptions, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Link, LinkList } from '@waymark/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { api, createAccount, createLink, stack, type TestAccount } from '../support/world.ts';

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
async function waymark(
  args: string[],
  { env = {}, input }: { env?: object; input?: string | Buffer } = {},
): Promise<Outcome> {
  const options: ExecFileOptions = { cwd: home, env: { ...environment(), ...env } };
  const running = run(join(home, 'node_modules/.bin/waymark'), args, options);
  running.child.stdin!.end(input ?? '');
  const { code = 0, stdout, stderr } = (await running.catch((error: unknown) => error)) as Outcome;
  return { code, stdout, stderr };
}

function environment(): Record<string, string> {
  return {
    PATH: process.env.PATH!,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE!,
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

/** Returns a slug of this account: those of the default host are of all accounts. */
function named(slug: string): string {
  return `${account.username}-${slug}`;
}

test('the package has no dependencies, and the licences of what is in it', async () => {
  const modules = (await readdir(join(home, 'node_modules'))).filter((name) => !name.startsWith('.'));
  expect([modules, await readdir(join(home, 'node_modules/@waymark'))]).toEqual([['@waymark'], ['cli']]);
  const licences = await readFile(join(home, 'node_modules/@waymark/cli/dist/third-party-licenses.md'), 'utf8');
  for (const name of ['commander', 'string-width', 'yaml']) expect(licences).toContain(name);
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
  const slug = named('summer');
  const options = ['--slug', slug, '--title', 'Summer', '--hashtags', 'a, b', '--visibility', 'unlisted'];
  const created = await waymark(['links', 'create', 'https://example.com/', ...options]);
  expect(created).toEqual({ code: 0, stdout: `${stack.publicUrl}/${slug}\n`, stderr: '' });
  const { links } = await json<LinkList>(['links', 'list', '--hashtag', 'b', '--per', '5']);
  expect(links).toMatchObject([{ slug, title: 'Summer', hashtags: ['a', 'b'], visibility: 'unlisted' }]);
  expect((await waymark(['links', 'list'])).stdout).toMatch(/^LINK .*\n.*-summer +0 +example\.com\/ .*\n1 link\.\n$/);
  const chosen = await waymark(['links', 'list', '--fields', 'slug,clicks,redirect_code']);
  expect(chosen.stdout.split('\n')[0]!.split(/ {2,}/)).toEqual(['LINK', 'REDIRECT CODE', 'CLICKS']);
  const changed = await json<Link>([
    'links',
    'update',
    slug,
    '--title',
    '',
    '--archived',
    '--expires-at',
    '2030-01-01T00:00:00Z',
  ]);
  expect(changed).toMatchObject({ title: null, archived: true, expires_at: '2030-01-01T00:00:00.000Z' });
  const hidden = await json<Link>(
    ['links', 'update', slug, '--archived', 'false', '--redirect-code', '301', '--password'],
    {
      input: 'secret',
    },
  );
  expect(hidden).toMatchObject({ archived: false, redirect_code: 301, visibility: 'password-protected' });
  const { stdout } = await waymark(['links', 'get', slug]);
  expect(stdout).toMatch(/^short url +http.*-summer$/m);
  expect(stdout).toMatch(/^health +state unknown$/m);
  expect(await waymark(['links', 'delete', slug])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/--yes/),
  });
  expect(await json(['links', 'delete', slug, '--yes'])).toEqual({ id: slug, deleted: true });
  expect(await waymark(['links', 'get', slug])).toEqual({ code: 4, stdout: '', stderr: 'Link not found.\n' });
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
  const rows = [`https://example.com/1,${named('one')}`, 'no url,two', '"https://example.com/3","th,ree"'];
  await writeFile(join(folder, 'links.csv'), ['Destination URL,Slug', ...rows].join('\n'));
  expect(await json(['links', 'export', join(folder, 'empty.ndjson')])).toMatchObject({ bytes: 0 });
  const imported = await waymark(['links', 'import', join(folder, 'links.csv')]);
  expect(imported).toMatchObject({ code: 5, stderr: '' });
  expect(imported.stdout).toMatch(
    /^line 3: "destination_url" .*\nline 4: "slug" .*\nRead 3 links: 1 created, .* 2 refused\.\n$/,
  );
  const again = await waymark(['links', 'import', join(folder, 'links.csv'), '--json']);
  expect(JSON.parse(again.stdout)).toMatchObject({
    created: 0,
    unchanged: 1,
    refused: 2,
    refusals: [{ row: 3 }, { row: 4 }],
  });
  expect(await json(['links', 'export', join(folder, 'out.csv')])).toMatchObject({ file: join(folder, 'out.csv') });
  expect(await readFile(join(folder, 'out.csv'), 'utf8')).toMatch(/^id,.*\r\n.*-one,.*\r\n$/);
  const { stdout } = await waymark(['links', 'export']);
  expect(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).slug),
  ).toEqual([named('one')]);
  await json(['links', 'qr', named('one'), join(folder, 'one.png'), '--size', '128']);
  expect((await readFile(join(folder, 'one.png'))).subarray(1, 4).toString()).toBe('PNG');
});

test('what a file contains is shown before it is imported, and a file that cannot be read is named', async () => {
  const file = join(home, `${account.username}.csv`);
  await writeFile(
    file,
    Buffer.from('Destination URL,Title,Extra\nhttps://example.com/1,Caf\xe9,x\nno url,,\n', 'latin1'),
  );
  const { code, stdout } = await waymark(['links', 'import', file, '--dry-run', '--charset', 'windows-1252']);
  expect([code, stdout.split('\n')]).toEqual([
    0,
    [
      'ROW  SLUG  DESTINATION            TITLE',
      '  2        https://example.com/1  Café',
      expect.stringMatching(/^line 3: "destination_url" must be /),
      'The file is not UTF-8; it was read as windows-1252.',
      'Columns that were not imported: Extra.',
      expect.stringMatching(/^Format: \w+\. Columns: destination_url from "Destination URL", title from "Title"\.$/),
      '',
    ],
  ]);
  for (const path of [join(home, 'nothing.csv'), home]) {
    const outcome = await waymark(['links', 'import', path]);
    expect(outcome).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(/^Cannot read \/.*: .*\.\n$/) });
    expect(outcome.stderr).toContain(path);
  }
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
  const link = await createLink(account.live, { slug: named('shown') });
  const { stdout } = await waymark(['analytics', '--days', '2', '--link-id', named('shown'), '--include', 'previous']);
  expect(stdout).toMatch(/^0 clicks from .* \(UTC\), 0 in the window before\.\n\nclicks by day\nDATE +CLICKS/);
  expect(await json(['analytics', '--days', '2'])).toMatchObject({ days: 2, clicks: 0 });
  const name = `${account.username}.example.com`;
  expect((await waymark(['hosts', 'add', name])).stdout).toMatch(new RegExp(`TXT record +_waymark.${name}\n`));
  expect(await json(['hosts', 'update', name, '--root-url', 'https://example.com/'])).toMatchObject({ host: name });
  expect((await waymark(['hosts', 'list'])).stdout).toMatch(
    new RegExp(`^HOST .*\n${name} +pending +https://example.com/`),
  );
  expect(await json(['hosts', 'delete', name, '--yes'])).toEqual({ host: name, deleted: true });
  expect(await json(['open', named('shown')])).toEqual({ url: `${stack.publicUrl}/app/links/${link.id}` });
});

test('webhooks are created with a secret that is shown once, listed, stopped and deleted', async () => {
  const created = await json<{ id: string }>(['webhooks', 'create', 'https://example.com/hook', 'link.*', 'host.lost']);
  expect(created).toMatchObject({ secret: expect.stringMatching(/^whsec_/), types: ['link.*', 'host.lost'] });
  const { id } = created;
  expect((await waymark(['webhooks', 'list'])).stdout).toMatch(
    new RegExp(`^ID .*\n${id} +enabled +example.com/hook +link\\.\\* host.lost`),
  );
  const options = ['--enabled', 'false', '--types', 'link.created,link.deleted', '--hashtag', 'a'];
  expect(await json(['webhooks', 'update', id, ...options])).toMatchObject({
    enabled: false,
    types: ['link.created', 'link.deleted'],
    hashtag: 'a',
  });
  expect((await waymark(['webhooks', 'rotate-secret', id])).stdout).toMatch(/^secret +whsec_/m);
  expect(await json(['webhooks', 'deliveries', id])).toEqual({ deliveries: [] });
  expect(await json(['webhooks', 'test', id])).toEqual({ id, sent: true });
  const events = await waymark(['events', '--types', 'webhook.created']);
  expect(events.stdout).toMatch(/ webhook\.created +https:\/\/example\.com\/hook by key …\w+\n$/);
  const event = (await json<{ id: string }>(['events', '--types', 'webhook.created'])).id;
  expect(await json(['webhooks', 'replay', id, event])).toEqual({ id, after: event });
  expect(await json(['webhooks', 'delete', id, '--yes'])).toEqual({ id, deleted: true });
  expect((await waymark(['webhooks', 'list'])).stdout).toBe('No webhooks.\n');
  expect((await waymark(['events', '--types', 'webhook.deleted'])).stdout).toMatch(
    / {2}webhook.deleted +https:\/\/example.com\/hook by key …\w+\n$/,
  );
});

test('events are shown in order, and followed until Ctrl-C, which says how to go on', async () => {
  await createLink(account.live, { slug: named('first') });
  const cli = spawn(
    join(home, 'node_modules/.bin/waymark'),
    ['events', '--follow', '--types', 'link.created,link.deleted'],
    {
      env: environment(),
    },
  );
  const lines = createInterface({ input: cli.stdout })[Symbol.asyncIterator]();
  const time = /^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d {2}/;
  expect((await lines.next()).value).toMatch(new RegExp(`${time.source}link.created +${named('first')} by key …`));
  await api(account.live).delete(named('first'));
  expect((await lines.next()).value).toMatch(new RegExp(`${time.source}link.deleted +${named('first')} by key …`));
  cli.kill('SIGINT');
  const [stderr, [code]] = await Promise.all([text(cli.stderr), once(cli, 'exit')]);
  expect([code, stderr]).toEqual([130, expect.stringMatching(/^Interrupted; --after [\w-]+ goes on\.\n$/)]);
  const after = /--after (\S+)/.exec(stderr)![1]!;
  const link = await createLink(account.live, { slug: named('second') });
  const event = await json<{ type: string; data: { link: Link } }>(['events', '--after', after]);
  expect([event.type, event.data.link.id]).toEqual(['link.created', link.id]);
});

test('the last events are found behind many others, of which the API looks at a part for each request', async () => {
  const event = (n: number) => ({ id: `e${n}`, type: 'host.added', created_at: '2026-11-29T00:00:00.000Z', data: {} });
  const pages = [
    { events: [event(3)], next: 'e3', notice: 'There may be more.' },
    { events: [], next: 'e2', notice: 'There may be more.' },
    { events: [event(1)], next: 'e1' },
  ];
  const asked: (string | null)[] = [];
  const server = createServer((request, response) => {
    asked.push(new URL(request.url!, 'http://localhost').searchParams.get('after'));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(pages[asked.length - 1]));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const env = { WAYMARK_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  const { stdout } = await waymark(['events', '--types', 'host.added', '--json'], { env });
  const ids = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line).id);
  expect([ids, asked]).toEqual([
    ['e1', 'e3'],
    [null, 'e3', 'e2'],
  ]);
  server.close();
});

const COMPLETIONS: Record<string, { args: string[]; script: string }> = {
  bash: {
    args: ['-c'],
    script: `
      source <(waymark completion bash)
      COMP_WORDS=(waymark links list --visibility pu) COMP_CWORD=4
      _waymark
      echo "$\{COMPREPLY[@]}"`,
  },
  fish: {
    args: ['--no-config', '-c'],
    script: `
      waymark completion fish | source
      complete -C 'waymark links list --visibility pu'`,
  },
  // It completes only in a terminal, where somebody presses Tab.
  zsh: {
    args: ['-f', '-c'],
    script: `
      zmodload zsh/zpty
      zpty shell zsh -f -i
      zpty -w shell 'autoload -Uz compinit && compinit -u -D && source <(waymark completion zsh) && echo rea""dy'
      zpty -r shell typed '*ready*'
      zpty -w -n shell $'waymark links list --visibility pu\\t'
      zpty -r shell typed '*--visibility pu*c*'
      echo "$\{typed##*--visibility }"`,
  },
};

test.for(Object.entries(COMPLETIONS))(
  '%s completes what it is asked to',
  async ([shell, { args, script }], { skip }) => {
    const isThere = await run(shell, ['--version']).catch(() => false);
    skip(isThere === false, `${shell} is not installed`);
    const env = { ...process.env, PATH: `${join(home, 'node_modules/.bin')}:${process.env.PATH}` };
    expect((await run(shell, [...args, script], { env })).stdout.trim()).toBe('public');
  },
);

describe('apply', () => {
  const yamlOf = (links: object[]) => `links:\n${links.map((link) => `  - ${JSON.stringify(link)}\n`).join('')}`;
  const manyLinks = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ slug: named(`l-${n}`), destination_url: `https://example.com/${n}` }));
  /** Runs `apply` on these links. */
  const apply = (links: object[], args: string[] = []) =>
    waymark(['apply', '-f', '-', '--managed-by', 'team-a', ...args], { input: yamlOf(links) });
  const slugs = async (query = '') =>
    (await api(account.live).list(`?per=100&archived=any${query}`)).body.links
      .map(({ slug }) => slug.replace(named(''), ''))
      .sort();

  test('makes the links as the file says, prints the difference, and changes nothing the second time', async () => {
    await createLink(account.live, { slug: named('mine'), title: 'Old', note: 'Mine.' });
    const links = [
      {
        slug: named('sale'),
        destination_url: 'https://example.com/sale',
        hashtags: ['#Sale'],
        expires_at: '2030-01-01T00:00:00+01:00',
      },
      { slug: named('Mine'), destination_url: 'https://example.com/', title: 'New', description: '' },
    ];
    const difference = [
      `+ ${named('sale')} → https://example.com/sale`,
      `~ ${named('Mine')}`,
      '    title: "Old" → "New"',
      '    managed_by: null → "team-a"',
      '',
    ].join('\n');
    const planned = '1 to create, 1 to change, 0 to delete, 0 unchanged. Nothing was changed.\n';
    expect(await apply(links, ['--dry-run'])).toEqual({ code: 0, stdout: difference + planned, stderr: '' });
    expect(await slugs()).toEqual(['mine']);
    const done = '1 created, 1 changed, 0 deleted, 0 unchanged.\n';
    expect(await apply(links)).toEqual({ code: 0, stdout: difference + done, stderr: '' });
    expect((await api(account.live).get(named('mine'))).body).toMatchObject({
      title: 'New',
      note: 'Mine.',
      managed_by: 'team-a',
    });
    const before = (await api(account.live).list()).body;
    const again = await apply(links);
    expect(again).toEqual({ code: 0, stdout: '0 created, 0 changed, 0 deleted, 2 unchanged.\n', stderr: '' });
    expect((await api(account.live).list()).body).toEqual(before);
  });

  test('a second run changes nothing, however the file writes a host and what is empty', async () => {
    const host = new URL(stack.publicUrl).hostname.toUpperCase();
    const links = [
      { slug: named('host'), host, destination_url: 'https://example.com/' },
      { slug: named('empty'), destination_url: 'https://example.com/', rules: null, hashtags: null, title: '' },
    ];
    expect(await apply(links)).toMatchObject({ code: 0, stdout: expect.stringMatching(/\n2 created, /) });
    const again = { code: 0, stdout: '0 created, 0 changed, 0 deleted, 2 unchanged.\n', stderr: '' };
    expect(await apply(links, ['--prune'])).toEqual(again);
  });

  test('a field that an update refuses is refused for a new link, too', async () => {
    const links = [{ slug: named('a'), destination_url: 'https://example.com/', visibility: null }];
    expect(await apply(links)).toMatchObject({ code: 1, stderr: expect.stringMatching(/^-:2: "visibility" must be /) });
    expect(await slugs()).toEqual([]);
  });

  test.each([
    ['an alias without an anchor', 'links:\n  - { slug: a, destination_url: *nothing }\n', /^-:2: .*nothing\.\n$/],
    [
      'a text that is not UTF-8',
      Buffer.from('links: [] # Caf\xe9\n', 'latin1'),
      /^Cannot read -: it is not UTF-8\.\n$/,
    ],
  ])('%s is named', async (_, input, stderr) => {
    const outcome = await waymark(['apply', '-f', '-', '--managed-by', 'team-a'], { input });
    expect(outcome).toEqual({ code: 2, stdout: '', stderr: expect.stringMatching(stderr) });
  });

  test('--prune deletes what has this managed_by and is not in the file, and nothing of another team', async () => {
    await createLink(account.live, { slug: named('unmanaged') });
    await createLink(account.live, { slug: named('theirs'), managed_by: 'team-b' });
    for (const link of manyLinks(3)) await createLink(account.live, { ...link, managed_by: 'team-a' });
    await apply(manyLinks(1));
    expect(await slugs()).toEqual(['l-0', 'l-1', 'l-2', 'theirs', 'unmanaged']);
    const pruned = await apply(manyLinks(1), ['--prune', '--json']);
    expect(JSON.parse(pruned.stdout)).toMatchObject({ deleted: 2, unchanged: 1, refused: [] });
    expect(await slugs()).toEqual(['l-0', 'theirs', 'unmanaged']);
  });

  test('a link of another team stops it before anything changes, with the line of the file', async () => {
    await createLink(account.live, { slug: named('theirs'), managed_by: 'team-b' });
    const links = [...manyLinks(1), { slug: named('Theirs'), destination_url: 'https://example.com/new' }];
    expect(await apply(links, ['--prune'])).toEqual({
      code: 1,
      stdout: '',
      stderr: `-:3: "slug" ${named('Theirs')} is managed by team-b.\nNothing was changed.\n`,
    });
    expect(await slugs()).toEqual(['theirs']);
  });

  test('what the server refuses is named by its line, the rest is done, and nothing is pruned', async () => {
    await createLink(account.live, { slug: named('old'), managed_by: 'team-a' });
    // The public key does not see the private link, so that its slug is taken.
    await createLink(account.live, { slug: named('hidden'), visibility: 'private' });
    const links = [{ slug: named('hidden'), destination_url: 'https://example.com/' }, ...manyLinks(1)];
    const args = ['apply', '-f', '-', '--managed-by', 'team-a', '--prune'];
    const outcome = await waymark(args, { input: yamlOf(links), env: { WAYMARK_KEY: account.public } });
    expect(outcome).toMatchObject({ code: 5, stderr: expect.stringMatching(/^-:2: "slug" .* taken.*\n$/) });
    expect(await slugs()).toEqual(['hidden', 'l-0', 'old']);
  });

  test('everything that is wrong with a file is named by its line, and nothing is done', async () => {
    const input = [
      'links:',
      '  - slug: fine',
      '    destination_url: https://example.com/',
      '  - slug: wrong',
      '    destination_url: no url',
      '  - slug: FINE',
      '  - slug: secret',
      '    password: x',
      'more: 1',
    ].join('\n');
    const outcome = await waymark(['apply', '-f', '-', '--managed-by', 'team-a'], { input });
    expect(outcome.code).toBe(2);
    expect(outcome.stderr.split('\n').map((line) => line.slice(0, 24))).toEqual([
      '-:9: "more" is not known',
      '-:5: "destination_url" m',
      '-:6: "slug" FINE is in l',
      '-:8: "password" is a sec',
      '',
    ]);
    expect(await slugs()).toEqual([]);
  });

  /** Starts a server that passes requests on to the stack, and calls `onBulk` before each bulk request. */
  async function startProxy(onBulk: (count: number) => void) {
    const requests: string[] = [];
    const proxy = createServer(async (request, response) => {
      requests.push(`${request.method} ${request.url!.split('?')[0]}`);
      const bulks = requests.filter((one) => one.endsWith('/bulk')).length;
      if (request.url!.endsWith('/bulk')) onBulk(bulks);
      const { host: _, connection: __, ...headers } = request.headers as Record<string, string>;
      const body =
        request.method === 'POST' ? { body: Readable.toWeb(request) as ReadableStream, duplex: 'half' as const } : {};
      const answer = await fetch(stack.publicUrl + request.url, { method: request.method!, headers, ...body });
      const content = Buffer.from(await answer.arrayBuffer());
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' }).end(content);
    }).listen(0, '127.0.0.1');
    await once(proxy, 'listening');
    return {
      url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
      requests,
      close: () => {
        proxy.closeAllConnections();
        proxy.close();
      },
    };
  }

  test('1,000 links take 12 requests, and one if they are there already', async () => {
    const proxy = await startProxy(() => {});
    const args = ['apply', '-f', '-', '--managed-by', 'team-a', '--json'];
    const options = { input: yamlOf(manyLinks(1000)), env: { WAYMARK_URL: proxy.url } };
    expect(JSON.parse((await waymark(args, options)).stdout)).toMatchObject({ created: 1000, unchanged: 0 });
    expect(proxy.requests).toEqual([
      ...Array(2).fill('GET /api/v1/links/export'),
      ...Array(10).fill('POST /api/v1/links/bulk'),
    ]);
    proxy.requests.length = 0;
    expect(JSON.parse((await waymark(args, options)).stdout)).toMatchObject({
      created: 0,
      changed: 0,
      unchanged: 1000,
    });
    expect(proxy.requests).toEqual(['GET /api/v1/links/export']);
    proxy.close();
  });

  test.each(['SIGINT', 'SIGKILL'] as const)(
    '%s in the middle: a second run ends what the first began',
    async (signal) => {
      const file = join(home, `${account.username}.yaml`);
      await writeFile(file, yamlOf(manyLinks(300)));
      const args = ['apply', '-f', file, '--managed-by', 'team-a', '--json'];
      let cli: ChildProcess | undefined;
      const proxy = await startProxy((count) => count === 2 && cli?.kill(signal));
      cli = spawn(join(home, 'node_modules/.bin/waymark'), args, { env: { ...environment(), WAYMARK_URL: proxy.url } });
      const [stderr, [code]] = await Promise.all([text(cli.stderr!), once(cli, 'exit')]);
      if (signal === 'SIGINT')
        expect([code, stderr.slice(0, 100)]).toEqual([130, expect.stringMatching(/after 200 of 300 links/)]);
      proxy.close();
      await expect.poll(async () => (await api(account.live).list()).body.total).toBe(200);
      const { stdout } = await waymark(args);
      expect(JSON.parse(stdout)).toMatchObject({ created: 100, unchanged: 200, refused: [] });
      expect((await api(account.live).list()).body.total).toBe(300);
    },
  );

  test('the schema for editors knows the fields that a file may have', async () => {
    const schema = JSON.parse(await readFile(join(home, 'node_modules/@waymark/cli/dist/links.schema.json'), 'utf8'));
    const check = new Ajv2020({ strict: false, validateFormats: false }).compile(schema);
    const link = { slug: 'a', destination_url: 'https://example.com/', visibility: 'unlisted', hashtags: ['a'] };
    expect(check({ links: [link] })).toBe(true);
    const wrong = [{ password: 'x' }, { managed_by: 'x' }, { titel: 'x' }, { visibility: 'secret' }, { slug: 1 }];
    expect(wrong.filter((fields) => check({ links: [{ ...link, ...fields }] }))).toEqual([]);
  });
});

describe('the MCP server', () => {
  const packaged = async (name: string) => JSON.parse(await readFile(join(PACKAGE, name), 'utf8'));

  test('the MCPB bundle starts it, with the address and the key in its environment', async () => {
    const [bundle, unpacked] = [join(home, 'waymark.mcpb'), join(home, 'unpacked')];
    await run(process.execPath, [join(PACKAGE, 'scripts/bundle.ts'), bundle]);
    await run(join(PACKAGE, 'node_modules/.bin/mcpb'), ['unpack', bundle, unpacked]);
    const manifest = JSON.parse(await readFile(join(unpacked, 'manifest.json'), 'utf8'));
    expect(manifest.user_config).toMatchObject({ url: { required: true }, key: { required: true, sensitive: true } });
    const values = { __dirname: unpacked, 'user_config.url': stack.publicUrl, 'user_config.key': account.public };
    const filled = (template: string) =>
      Object.entries(values).reduce((filling, [name, value]) => filling.replace(`\${${name}}`, value), template);
    const { args, env } = manifest.server.mcp_config as { args: string[]; env: Record<string, string> };
    const environment = Object.fromEntries(Object.entries(env).map(([name, value]) => [name, filled(value)]));
    const client = new Client({ name: 'e2e', version: '1.0.0' });
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args: args.map(filled), env: environment }),
    );
    const me = await client.callTool({ name: 'get_me', arguments: {} });
    expect(me.structuredContent).toMatchObject({ username: account.username, key_scope: 'public_links_only' });
    await client.close();
  });

  test('server.json has the version and the name of the package, and keeps the key secret', async () => {
    const [server, { name, version, mcpName }] = [await packaged('dist/server.json'), await packaged('package.json')];
    expect(server).toMatchObject({ name: mcpName, version, packages: [{ identifier: name, version }] });
    expect(server.packages[0].environmentVariables).toMatchObject([
      { name: 'WAYMARK_URL', isRequired: true },
      { name: 'WAYMARK_KEY', isRequired: true, isSecret: true },
    ]);
  });

  test('ends when it is told to, and when its input ends', async () => {
    for (const end of [(cli: ChildProcess) => cli.kill('SIGTERM'), (cli: ChildProcess) => cli.stdin!.end()]) {
      const cli = spawn(join(home, 'node_modules/.bin/waymark'), ['mcp'], { env: environment() });
      cli.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\nno json\n');
      const lines = createInterface({ input: cli.stdout })[Symbol.asyncIterator]();
      const answers = [await lines.next(), await lines.next()].map(({ value }) => JSON.parse(value!));
      expect(answers).toContainEqual({ jsonrpc: '2.0', id: 1, result: {} });
      expect(answers).toContainEqual({ jsonrpc: '2.0', id: null, error: expect.objectContaining({ code: -32700 }) });
      end(cli);
      await once(cli, 'exit');
    }
  });
});
