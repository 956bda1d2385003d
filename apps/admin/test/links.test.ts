import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSigner } from '@waymark/auth';
import type { Link } from '@waymark/contract';
import { accountsV1, type CallOptions, createGrpcClient, linksV1, updateLinkRequest } from '@waymark/proto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Accounts } from '../src/connection.ts';
import { type LinksSvc, runAdmin, SIGNING_KEY, startLinksSvc } from './support/links-svc.ts';

// docs/operations.md, Import and export.

let linksSvc: LinksSvc;
beforeAll(async () => {
  linksSvc = await startLinksSvc();
});
afterAll(() => linksSvc.close());

const admin = (...args: string[]) => runAdmin(args, linksSvc.env);
const path = (name: string) => join(linksSvc.directory, name);

let count = 0;
/** Creates an account over gRPC. */
async function createAccount(username = `mover${++count}`): Promise<string> {
  await withAccounts((accounts, options) => accounts.createAccount({ username, plan: 'developer' }, options));
  return username;
}

async function withAccounts(work: (accounts: Accounts, options: CallOptions) => Promise<unknown>): Promise<void> {
  const accounts = createGrpcClient(accountsV1.AccountsService, { address: linksSvc.linksGrpc });
  const identity = await createSigner({ current: SIGNING_KEY }).mint({ kind: 'service', service: 'admin' });
  try {
    await work(accounts, { timeoutMs: 5_000, identity });
  } finally {
    accounts.close();
  }
}

/** Changes a link as its account does. */
async function editDestination(username: string, id: string, destination_url: string): Promise<void> {
  const links = createGrpcClient(linksV1.LinksService, { address: linksSvc.linksGrpc });
  const identity = await createSigner({ current: SIGNING_KEY }).mint({
    kind: 'account',
    // The id of a link begins with that of its account.
    accountId: id.slice(0, 16),
    username,
    plan: 'developer',
    scope: 'full_access',
  });
  try {
    await links.updateLink(updateLinkRequest(id, { destination_url }), { timeoutMs: 5_000, identity });
  } finally {
    links.close();
  }
}

interface Imported {
  status: number | null;
  refused: { line: number; error: string }[];
  totals: { rows: number; created: number; existing: number; refused: number };
}

async function importFile(username: string, name: string, content: string): Promise<Imported> {
  writeFileSync(path(name), content);
  const { status, out, err } = await admin('links', 'import', '--username', username, '--file', path(name), '--json');
  expect(err).toBe('');
  const lines = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { status, refused: lines.slice(0, -1), totals: lines.at(-1) };
}

async function exportLinks(username: string, name = `${username}.ndjson`): Promise<string> {
  const { status, err } = await admin('links', 'export', '--username', username, '--file', path(name), '--json');
  expect([err, status]).toEqual(['', 0]);
  return readFileSync(path(name), 'utf8');
}
async function linksOf(username: string): Promise<Partial<Link>[]> {
  const text = await exportLinks(username);
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line));
}

test('what Waymark exports as ndjson and CSV is imported unchanged, in any text', async () => {
  const source = await createAccount();
  const rows = [
    {
      slug: 'own-1',
      destination_url: 'https://example.com/?a=1,2;3',
      title: '=1+1',
      description: 'a "b"\n\nc',
      note: "'=x",
    },
    { slug: 'own-2', destination_url: 'https://example.com/', hashtags: ['a', '-b', 'ü_1'], visibility: 'unlisted' },
    {
      slug: 'Own-3',
      destination_url: 'https://example.com/',
      visibility: 'private',
      created_at: '2020-01-01T00:00:00.001Z',
    },
  ];
  await importFile(source, 'rows.ndjson', rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
  const original = await linksOf(source);
  expect(original.map(({ slug, title, note }) => [slug, title, note])).toEqual([
    ['Own-3', null, null],
    ['own-1', '=1+1', "'=x"],
    ['own-2', null, null],
  ]);
  for (const name of ['own.csv', 'own.ndjson']) {
    const text = await exportLinks(source, name);
    await withAccounts((accounts, options) => accounts.deleteAccount({ username: source }, options));
    await createAccount(source);
    const { status, totals } = await importFile(source, name, text);
    expect([status, totals.created]).toEqual([0, 3]);
    expect((await importFile(source, name, text)).totals).toEqual({ rows: 3, created: 0, existing: 3, refused: 0 });
    const moved = await linksOf(source);
    // These are set anew; links of one millisecond are in the order of their random ids.
    const kept = (links: Partial<Link>[]) =>
      links.map(({ id: _id, updated_at: _updated, ...rest }) => rest).sort((a, b) => (a.slug! < b.slug! ? -1 : 1));
    expect(kept(moved)).toEqual(kept(original));
  }
});

test('each row that cannot be taken is listed with its line and the reason, and the others are imported', async () => {
  const [username, other] = [await createAccount(), await createAccount()];
  await importFile(other, 'taken.csv', 'slug,destination_url\ntaken-1,https://example.com/\n');
  const rows = [
    'slug,destination_url,created_at,password',
    'fine-1,https://example.com/,,',
    'taken-1,https://example.com/,,',
    'api,https://example.com/,,',
    'with space,https://example.com/,,',
    'no-url,ftp://example.com/,,',
    ',nowhere,,',
    'bad-time,https://example.com/,yesterday,',
    'too-late,https://example.com/,2999-01-01T00:00:00Z,',
    'secret,https://example.com/,,hunter2',
    'fine-1,https://example.org/,,',
    'fine-2,https://example.com/,,',
  ];
  const { status, refused, totals } = await importFile(username, 'bad.csv', `${rows.join('\n')}\n`);
  expect(status).toBe(1);
  expect(totals).toEqual({ rows: 11, created: 2, existing: 0, refused: 9 });
  expect(refused).toEqual([
    { line: 3, error: '"slug" "taken-1" is taken; choose another one.' },
    { line: 4, error: expect.stringContaining('reserved word') },
    { line: 5, error: expect.stringContaining('"slug" must be letters') },
    { line: 6, error: expect.stringContaining('"destination_url" must be') },
    { line: 7, error: expect.stringContaining('"destination_url" must be') },
    { line: 8, error: 'The creation time "yesterday" cannot be read; write it like 2024-03-01T10:00:00Z.' },
    { line: 9, error: '"created_at" must be between 1970 and the present.' },
    { line: 10, error: expect.stringContaining('password') },
    { line: 11, error: '"slug" "fine-1" is taken; choose another one.' },
  ]);
  expect(JSON.stringify(refused)).not.toContain('hunter2');
  const text = await admin('links', 'import', '--username', username, '--file', path('bad.csv'));
  expect(text.out).toContain('line 8: The creation time "yesterday" cannot be read; ');
  expect(text.out).toMatch(/Read 11 links: 0 created, 2 already there, 9 refused\.\n$/);
});

test('a link that was changed since its import is left alone, and no row makes two', async () => {
  const username = await createAccount();
  const content = 'slug,destination_url,title\nedited-1,https://example.com/old,A\n,https://example.com/,B\n';
  expect((await importFile(username, 'first.csv', content)).totals).toMatchObject({ created: 2 });
  const { id } = (await linksOf(username)).find(({ slug }) => slug === 'edited-1') as Link;
  await editDestination(username, id, 'https://example.com/new');
  const again = await importFile(username, 'first.csv', content);
  expect(again).toMatchObject({ status: 0, refused: [], totals: { created: 0, existing: 2, refused: 0 } });
  expect(await linksOf(username)).toContainEqual(
    expect.objectContaining({ id, destination_url: 'https://example.com/new' }),
  );
  const other = await importFile(username, 'other.csv', content.replace('/old', '/other'));
  expect(other.totals).toMatchObject({ existing: 1, refused: 1 });
});

test('an unknown account is an error, and a broken ndjson or CSV line stops no other', async () => {
  const unknown = await admin('links', 'export', '--username', 'nobody-at-all', '--file', path('none.csv'));
  expect([unknown.status, unknown.err]).toEqual([1, expect.stringContaining('nobody-at-all')]);
  const username = await createAccount();
  const ndjson = await importFile(
    username,
    'broken.ndjson',
    '{"slug":"line-1","destination_url":"https://example.com/"}\n{"slug"\n[]\n{"slug":"line-4","destination_url":"https://example.com/"}\n',
  );
  expect(ndjson.totals).toEqual({ rows: 4, created: 2, existing: 0, refused: 2 });
  expect(ndjson.refused.map(({ line }) => line)).toEqual([2, 3]);
});

test('a file that cannot be read from some place on is one error that names it, and nothing is imported', async () => {
  const username = await createAccount();
  const rows = Array.from({ length: 3 }, (_, n) => ({ slug: `before-${n}`, destination_url: 'https://example.com/' }));
  writeFileSync(path('late.json'), `${JSON.stringify(rows).slice(0, -1)},oops`);
  const { status, err } = await admin('links', 'import', '--username', username, '--file', path('late.json'));
  expect([status, err]).toEqual([1, expect.stringMatching(/^The file is not valid JSON after row 3: .*\n$/)]);
  expect(await linksOf(username)).toEqual([]);
});

test('a file that does not exist, or is not understood, is one error, and nothing is imported', async () => {
  const username = await createAccount();
  const importOf = async (name: string, content?: string) => {
    if (content !== undefined) writeFileSync(path(name), content);
    const { status, out, err } = await admin('links', 'import', '--username', username, '--file', path(name));
    expect([status, out]).toEqual([1, '']);
    return err;
  };
  expect(await importOf('missing.csv')).toMatch(/^Cannot read .*missing\.csv: ENOENT/);
  expect(await importOf('links.xlsx', 'PK\x03\x04')).toMatch(/^The file is a spreadsheet or a ZIP archive; .*\n$/);
  expect(await importOf('names.csv', 'Kurzlink;Ziel-URL\na;https://example.com/\n')).toContain(
    'begins with the columns "Kurzlink", "Ziel-URL".',
  );
  expect(await linksOf(username)).toEqual([]);
});

test('an import says which columns it did not use and which encoding it guessed, and counts each link of a row', async () => {
  const username = await createAccount();
  const csv =
    'Link,Custom Link,Long URL,Title,Engagements\n' +
    'https://bit.ly/r1,"https://bit.ly/c1,https://bit.ly/c2",https://example.com/,Grüße,7\n';
  writeFileSync(path('bitly.csv'), Buffer.from(csv, 'latin1'));
  const importOf = (...args: string[]) =>
    admin('links', 'import', '--username', username, '--file', path('bitly.csv'), ...args);
  expect(await importOf()).toMatchObject({
    status: 0,
    out:
      'The file is not UTF-8; it was read as windows-1252.\nColumns that were not imported: Engagements.\n' +
      'Read 3 links: 3 created, 0 already there, 0 refused.\n',
  });
  expect((await importOf('--json')).out.split('\n')).toEqual([
    '{"encoding":"windows-1252"}',
    '{"unused_columns":["Engagements"]}',
    '{"rows":3,"created":0,"existing":3,"refused":0}',
    '',
  ]);
  const links = await linksOf(username);
  expect(links.map(({ slug, title }) => `${slug} ${title}`).toSorted()).toEqual(['c1 Grüße', 'c2 Grüße', 'r1 Grüße']);
});

test('--format names the service, and is an error if the file is of another one', async () => {
  const username = await createAccount();
  writeFileSync(path('url.csv'), 'url\nhttps://example.com/\n');
  const importAs = (format: string) =>
    admin('links', 'import', '--username', username, '--file', path('url.csv'), '--format', format);
  expect(await importAs('bitly')).toMatchObject({ status: 1, out: '', err: expect.stringContaining('bitly') });
  expect(await importAs('polr')).toMatchObject({ status: 1, err: expect.stringContaining('auto, waymark, bitly') });
  expect(await importAs('auto')).toMatchObject({ status: 0, err: '' });
});

test('--host names the host of rows that name none, and is an error if it is no verified host of the account', async () => {
  const username = await createAccount();
  await linksSvc.addHost(username, 'pending.example.com');
  writeFileSync(path('host.csv'), 'url\nhttps://example.com/\n');
  const importOn = (host: string) =>
    admin('links', 'import', '--username', username, '--file', path('host.csv'), '--host', host);
  for (const host of ['pending.example.com', ''])
    expect(await importOn(host)).toMatchObject({ status: 1, out: '', err: expect.stringContaining('"host" must be') });
  expect(await importOn('api.example')).toMatchObject({ status: 0, err: '' });
});

test('--charset names the encoding of the file, and an error names the option', async () => {
  const username = await createAccount();
  // "Привет" in windows-1251.
  const privet = Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]);
  writeFileSync(path('privet.csv'), Buffer.concat([Buffer.from('url,title\nhttps://example.com/,'), privet]));
  const importOf = (...args: string[]) =>
    admin('links', 'import', '--username', username, '--file', path('privet.csv'), ...args);
  expect(await importOf()).toMatchObject({
    status: 1,
    out: '',
    err: expect.stringContaining('"admin links import --charset windows-1251"'),
  });
  expect(await importOf('--charset', 'klingon')).toMatchObject({
    status: 1,
    out: '',
    err: expect.stringMatching(/^The charset "klingon" is not known; send one such as utf-8, windows-1251/),
  });
  expect(await importOf('--charset', 'windows-1251')).toEqual({
    status: 0,
    out: 'Read 1 links: 1 created, 0 already there, 0 refused.\n',
    err: '',
  });
  expect(await linksOf(username)).toMatchObject([{ title: 'Привет' }]);
});
