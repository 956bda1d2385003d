import { setTimeout } from 'node:timers/promises';
import type { ImportPreview, Link } from '@waymark/contract';
import { LINK_FILE_FORMATS } from '@waymark/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { PART_SIZE } from '../src/jobs/job.ts';
import { writeHost } from './support/hosts.ts';
import { counts, holdAt, JobsClient } from './support/jobs.ts';
import { eventsOf, expectConsistent } from './support/log.ts';
import { Service, type TestAccount } from './support/service.ts';
import { visit } from './support/visit.ts';

// docs/api.md, Jobs: the authoritative tests of imports over REST. packages/link-files has those of the files.

let service: Service;
let account: TestAccount;
let jobs: JobsClient;
let word: string;
let number = 0;
beforeAll(async () => {
  service = await Service.start();
});
beforeEach(async () => {
  account = await service.createAccount();
  jobs = new JobsClient(service, account.live);
  word = `import${++number}`;
});
afterAll(() => service.close());

const all = async (): Promise<Link[]> =>
  (await service.list(account.live, { archived: 'any', per: '100', dir: 'asc' })).body.links;
const events = async () => (await eventsOf(service.database, account.id)).map(({ type }) => type);
const parts = () => service.database.collections.jobParts.countDocuments({ account_id: account.id });
const byPublicKey = () => new JobsClient(service, account.public);
/** A body that begins with this text and never ends. The empty lines that follow keep it above the least speed. */
const unfinished = (text: string) => {
  let isBegun = false;
  return new ReadableStream({
    async pull(stream) {
      if (isBegun) await setTimeout(500);
      stream.enqueue(new TextEncoder().encode(isBegun ? '\n'.repeat(8_192) : text));
      isBegun = true;
    },
  });
};

describe('an import', () => {
  test('creates the links of the rows in their order, with slugs and creation times, and one event each', async () => {
    const file = [
      'slug,destination_url,title,hashtags,created_at',
      `${word},https://example.com/a,A,"one,two",2020-01-02T03:04:05.000Z`,
      ',https://example.com/b,B,,',
      ',https://example.com/c,C,,',
    ].join('\n');
    const { status, body } = await jobs.import(file);
    expect([status, body.kind, body.matched, body.dry_run]).toEqual([202, 'import', 3, false]);
    const job = await jobs.over(body.id);
    expect(job).toMatchObject({ state: 'done', matched: 3, ...counts({ created: 3 }) });
    expect(await all()).toMatchObject([
      { slug: word, title: 'A', hashtags: ['one', 'two'], created_at: '2020-01-02T03:04:05.000Z' },
      { title: 'B' },
      { title: 'C' },
    ]);
    expect(await events()).toEqual(['link.created', 'link.created', 'link.created']);
    await expectConsistent(service.database, account.id);
  });

  test('says which file it was, and what of it was not used', async () => {
    const file = Buffer.from('url;Gr\xf6\xdfe\nhttps://example.com/;1\n', 'latin1');
    const found = { format: 'auto', encoding: 'windows-1252', unused_columns: ['Größe'] };
    expect(await jobs.runImport(file, 'name=mine%20%F0%9F%98%80.csv')).toMatchObject({
      title: 'mine 😀.csv',
      ...found,
    });
    expect(await jobs.runImport(file)).toMatchObject({ title: 'Import of a file', ...found });
    const plain = await jobs.runImport('url\nhttps://example.com/other\n');
    expect(plain).toMatchObject({ format: 'auto', encoding: 'utf-8', unused_columns: [] });
    expect((await jobs.runUndo(plain.id)).title).toBe('Undo: Import of a file');
    for (const name of ['', 'a%00b', 'x'.repeat(201)])
      expect(await jobs.import('url\n', `name=${name}`)).toMatchObject({ status: 422 });
  });

  test.each([
    ['application/x-ndjson', '{"destination_url":"https://example.com/"}\n'],
    ['application/json', '[{"destination_url":"https://example.com/"}]'],
    ['text/csv; charset=utf-8', 'url\r\nhttps://example.com/\r\n'],
    ['application/octet-stream', 'url\r\nhttps://example.com/\r\n'],
    ['application/octet-stream', '[{"destination_url":"https://example.com/"}]'],
  ])('takes %s', async (type, file) => {
    expect(await jobs.runImport(file, '', { 'content-type': type })).toMatchObject(counts({ created: 1 }));
  });

  test('names each row that it refuses, in their order, for 30 days', async () => {
    await service.createLink((await service.createAccount()).live, { slug: word });
    const file = [
      'slug,destination_url,created_at',
      `${word},https://example.com/,`,
      ',nowhere,',
      ',https://example.com/fine,',
      ',https://example.com/,2999-01-01',
      ',https://example.com/,,1',
    ].join('\n');
    const job = await jobs.runImport(file);
    expect(job).toMatchObject({ matched: 5, ...counts({ created: 1, refused: 4 }) });
    const refused = await jobs.refused(job.id, 'row,reason');
    expect(refused.map((line) => line.split(',')[0])).toEqual(['2', '3', '5', '6']);
    expect(refused[0]).toContain('is taken');
    expect(refused[2]).toContain('must be between 1970 and the present');
  });

  test('of a header alone, or of nothing, is a job of no rows', async () => {
    for (const file of ['slug,destination_url\n', '', '\n'])
      expect(await jobs.runImport(file)).toMatchObject({ state: 'done', matched: 0, ...counts({}) });
  });

  test.each([
    ['a file without a known column', 'a,b\n1,2\n', '', /no column for the destination/],
    ['a workbook', 'PK\u0003\u0004', '', /Excel|zip/i],
    ['another format', 'url\nhttps://example.com/\n', 'format=bitly', /not an export of bitly/],
    ['an unknown format', 'url\n', 'format=polr', /"format" must be one of/],
    ['a mapping that is no JSON', 'url\n', 'columns=url', /"columns" must be a JSON object/],
    ['a mapping of numbers', 'url\n', 'columns={"destination_url":1}', /"columns" must be a JSON object/],
    ['a mapping of a missing column', 'url\n', 'columns={"destination_url":"Ziel"}', /no column "Ziel"/],
    ['an unknown parameter', 'url\n', 'x=1', /"x" is not a known/],
  ])('%s is 422 before any row', async (_name, file, query, message) => {
    const { status, body } = await jobs.import(file, query);
    expect([status, body.error]).toEqual([422, expect.stringMatching(message)]);
    expect([(await jobs.list()).body.jobs, await parts()]).toEqual([[], 0]);
  });

  test('another content type is 422, and says which there are', async () => {
    for (const type of ['text/plain', 'multipart/form-data; boundary=x'])
      expect(await jobs.import('url\n', '', { 'content-type': type })).toMatchObject({
        status: 422,
        body: { error: expect.stringContaining('text/csv, application/x-ndjson, application/json') },
      });
  });

  test('a mapping names the columns of an unknown file', async () => {
    const file = `Ziel;Name\nhttps://example.com/;${word}\n`;
    const query = `columns=${encodeURIComponent('{"destination_url":"Ziel","title":"Name"}')}`;
    await jobs.runImport(file, query);
    expect(await all()).toMatchObject([{ destination_url: 'https://example.com/', title: word }]);
  });

  test('a file whose upload breaks off creates nothing and leaves nothing', async () => {
    const controller = new AbortController();
    const rows = `url\n${'https://example.com/\n'.repeat(20_000)}`;
    const sent = jobs.importStream(unfinished(rows), controller.signal);
    await expect.poll(parts).toBeGreaterThan(3);
    controller.abort();
    await expect(sent).rejects.toThrow();
    await expect.poll(parts).toBe(0);
    expect((await jobs.list()).body.jobs).toEqual([]);
  });
});

describe('the bounds of an import', () => {
  const JSON_FILE = { 'content-type': 'application/json' };
  const first = '{"url":"https://example.com/"}';
  const rows = (count: number) => `[${first}${',1'.repeat(count - 1)}]`;

  test('are 1,000,000 rows: a file with more is 422 with the number, and leaves nothing', async () => {
    const { status, body } = await jobs.import(rows(1_000_001), '', JSON_FILE);
    expect([status, body.error]).toEqual([422, 'The file has more than 1,000,000 rows; split it into smaller files.']);
    expect((await jobs.import(rows(1_000_000), 'dry_run=true', JSON_FILE)).status).toBe(200);
    expect([await parts(), (await jobs.list()).body.jobs]).toEqual([0, []]);
  });

  test('are 10,000 refusals that a job keeps, of the file and of the work; it says how many more there are', async () => {
    await service.createLink(account.live, { slug: word });
    const taken = `{"slug":"${word}","url":"https://example.org/"}`;
    const bad = (count: number) => ',1'.repeat(count);
    const stored = async () =>
      (await service.database.collections.jobParts.find({ account_id: account.id }).toArray()).flatMap(
        (part) => part.refused,
      ).length;
    const most = await jobs.runImport(`[${first}${bad(9_999)},${taken}]`, '', JSON_FILE);
    expect(most).toMatchObject({ matched: 10_001, ...counts({ created: 1, refused: 10_000 }) });
    expect(most.notice).toBeUndefined();
    expect(await stored()).toBe(10_000);
    const file = `[${first}${bad(9_999)},${taken},${taken}${bad(500)},{"url":"https://example.com/last"}]`;
    const job = await jobs.runImport(file, '', JSON_FILE);
    expect(job).toMatchObject({ matched: 10_503, ...counts({ unchanged: 1, created: 1, refused: 10_501 }) });
    expect(job.notice).toBe('A job keeps its first 10,000 refusals; 501 more are only counted.');
    expect(await stored()).toBe(20_000);
    const listed = await jobs.refused(job.id, 'row,reason');
    expect([listed.length, listed.at(-1)]).toEqual([10_000, expect.stringContaining('is taken')]);
  });

  test('also bound what is stored of a file before its job begins', async () => {
    const controller = new AbortController();
    const text = `url\n${'x\n'.repeat(12_000)}${'https://example.com/\n'.repeat(5_000)}`;
    onTestFinished(() => controller.abort());
    const sent = jobs.importStream(unfinished(text), controller.signal);
    const stored = () => service.database.collections.jobParts.find({ account_id: account.id }).toArray();
    const list = async () => (await stored()).flatMap(({ rows }) => rows!.list);
    await expect.poll(async () => (await list()).some((row) => 'link' in row)).toBe(true);
    expect((await list()).filter((row) => 'error' in row)).toHaveLength(10_000);
    expect((await stored()).reduce((sum, { rows }) => sum + rows!.unlisted, 0)).toBe(2_000);
    controller.abort();
    await expect(sent).rejects.toThrow();
  });
});

describe('an import of links that other services allow', () => {
  test('cuts long titles, and folds their white space', async () => {
    const file = `url\ttitle\tdescription\nhttps://example.com/\t"${'x'.repeat(250)}"\t"a\tb"\nhttps://example.com/2\t"a\t\n b"\t\n`;
    expect(await jobs.runImport(file)).toMatchObject(counts({ created: 2 }));
    expect(await all()).toMatchObject([{ title: 'x'.repeat(200), description: 'a b' }, { title: 'a b' }]);
  });

  test('takes the first 20 of their tags', async () => {
    const tags = Array.from({ length: 25 }, (_, n) => `t${n}`);
    await jobs.runImport(`url,tags\nhttps://example.com/,${tags.join('|')}\n`);
    expect((await all())[0]!.hashtags).toEqual(tags.slice(0, 20));
  });

  test('makes what is from up to a day ahead now, and knows it when it comes again', async () => {
    const ahead = (ms: number) => new Date(Date.now() + ms).toISOString();
    const times = [ahead(30_000), ahead(8 * 3_600_000), ahead(23 * 3_600_000), ahead(25 * 3_600_000)];
    const file = ['url,created_at', ...times.map((time, n) => `https://example.com/${n},${time}`)].join('\n');
    const preview = (await jobs.import(file, 'dry_run=true')).body as unknown as ImportPreview;
    for (const { link } of preview.rows.slice(0, 3))
      expect(Date.parse(link!.created_at!)).toBeLessThanOrEqual(Date.now());
    const before = Date.now();
    expect(await jobs.runImport(file)).toMatchObject(counts({ created: 3, refused: 1 }));
    for (const { created_at } of await all()) {
      expect(Date.parse(created_at)).toBeLessThanOrEqual(Date.now());
      expect(Date.parse(created_at)).toBeGreaterThanOrEqual(before);
    }
    expect(await jobs.runImport(file)).toMatchObject(counts({ unchanged: 3, refused: 1 }));
  });
});

describe('the encoding of an import', () => {
  /** `点検連番` in CP932. */
  const japanese = Buffer.concat([
    Buffer.from('url,title\nhttps://example.com/,'),
    Buffer.from('935f8c9f984194d4', 'hex'),
    Buffer.from('\n'),
  ]);

  test('is the charset of its content type, which the dry run shows', async () => {
    const headers = { 'content-type': 'text/csv; charset=Shift_JIS' };
    expect((await jobs.import(japanese, 'dry_run=true', headers)).body).toMatchObject({
      encoding: 'shift_jis',
      rows: [{ row: 2, link: { title: '点検連番' } }],
    });
    expect(await jobs.runImport(japanese, '', headers)).toMatchObject(counts({ created: 1 }));
    expect(await all()).toMatchObject([{ title: '点検連番' }]);
  });

  test.each([
    ['text/csv', /does not look like Windows-1252; save it as UTF-8, or send its charset/],
    ['application/octet-stream', /does not look like Windows-1252; save it as UTF-8, or send its charset/],
    ['text/csv; charset=klingon', /charset "klingon" is not known/],
    ['text/csv; charset=utf-8', /not valid UTF-8/],
  ])('as %s is 422 before any row if it is not known, or another one', async (type, message) => {
    for (const query of ['', 'dry_run=true']) {
      const { status, body } = await jobs.import(japanese, query, { 'content-type': type });
      expect([status, body.error]).toEqual([422, expect.stringMatching(message)]);
    }
    expect([(await jobs.list()).body.jobs, await parts()]).toEqual([[], 0]);
  });
});

describe('the hosts of an import', () => {
  let go: string;
  let shop: string;
  beforeEach(async () => {
    [go, shop] = [`go.${word}.example`, `shop.${word}.example`];
    await writeHost(service, account, go);
    await writeHost(service, account, shop);
    await writeHost(service, account, `wait.${word}.example`, { status: 'pending' });
    await writeHost(service, account, `lost.${word}.example`, { status: 'lost' });
  });

  const shortUrls = async () => (await all()).map(({ short_url }) => short_url).sort();
  const redirectOf = async (host: string, slug: string) => {
    const { status, headers } = await visit(service.origin, host, `/${slug}`);
    return [status, headers.location];
  };

  test('are those of whole short URLs and of columns of hosts; others are the default host', async () => {
    const dub = JSON.stringify([
      { key: 'du1', domain: go, url: 'https://example.com/1' },
      { key: 'du1', domain: shop, url: 'https://example.com/2' },
      { key: 'du2', domain: 'dub.sh', url: 'https://example.com/3' },
    ]);
    expect(await jobs.runImport(dub, '', { 'content-type': 'application/json' })).toMatchObject(counts({ created: 3 }));
    const yourls = `shorturl,url\nhttps://${go}/yo1,https://example.com/4\nhttps://go.example/${word},https://example.com/5\n`;
    expect(await jobs.runImport(yourls)).toMatchObject(counts({ created: 2 }));
    expect(await jobs.runImport(yourls)).toMatchObject(counts({ unchanged: 2 }));
    expect(await shortUrls()).toEqual(
      [
        `https://${go}/du1`,
        `https://${shop}/du1`,
        'https://go.example/du2',
        `https://${go}/yo1`,
        `https://go.example/${word}`,
      ].sort(),
    );
    await expect.poll(() => redirectOf(go, 'yo1')).toEqual([302, 'https://example.com/4']);
  });

  test('are in the dry run, which says what is wrong with them', async () => {
    const hosts = [go, `${shop}.`, 'bit.ly', `wait.${word}.example`, `lost.${word}.example`, 'GO.example'];
    const file = ['slug,url,domain', ...hosts.map((host, n) => `s${n},https://example.com/,${host}`)].join('\n');
    const { columns, rows } = (await jobs.import(file, 'dry_run=true')).body as unknown as ImportPreview;
    expect(columns).toEqual({ slug: 'slug', destination_url: 'url', host: 'domain' });
    expect(rows.map(({ link, error }) => error ?? link!.host)).toEqual([
      go,
      shop,
      undefined,
      `The host wait.${word}.example is pending; verify it, and import the row again.`,
      `The host lost.${word}.example is lost; verify it, and import the row again.`,
      undefined,
    ]);
    const job = await jobs.runImport(file);
    expect(job).toMatchObject(counts({ created: 4, refused: 2 }));
    expect(await jobs.refused(job.id, 'row,reason')).toEqual([
      `5,"The host wait.${word}.example is pending; verify it, and import the row again."`,
      `6,"The host lost.${word}.example is lost; verify it, and import the row again."`,
    ]);
  });

  test('are the parameter "host" for rows that name none', async () => {
    const file = `slug,url,domain\na,https://example.com/,\n${word},https://example.com/,bit.ly\nc,https://example.com/,${shop}\n`;
    expect(await jobs.runImport(file, `host=${go.toUpperCase()}.`)).toMatchObject(counts({ created: 3 }));
    expect(await shortUrls()).toEqual([`https://${go}/a`, `https://${shop}/c`, `https://go.example/${word}`].sort());
    expect(await jobs.runImport('url\nhttps://example.com/x\n', 'host=api.example')).toMatchObject(
      counts({ created: 1 }),
    );
    expect((await all()).at(-1)!.host).toBe(null);
  });

  test('a parameter "host" that is no verified host of the account is 422 before any row', async () => {
    const other = await service.createAccount();
    await writeHost(service, other, `other.${word}.example`);
    const names = ['wait', 'lost', 'other', 'none'].map((name) => `${name}.${word}.example`);
    for (const host of [...names, 'a b', `https://${go}`])
      for (const query of [`host=${encodeURIComponent(host)}`, `host=${encodeURIComponent(host)}&dry_run=true`]) {
        const { status, body } = await jobs.import('url\nhttps://example.com/\n', query);
        expect([host, status, body.error]).toEqual([host, 422, expect.stringContaining('"host" must')]);
      }
    expect([(await jobs.list()).body.jobs, await parts()]).toEqual([[], 0]);
  });
});

describe('a dry run', () => {
  test('shows the first 20 rows as understood, and makes no job', async () => {
    const rows = Array.from({ length: 30 }, (_, n) => (n === 1 ? 'nowhere,x' : `https://example.com/${n},T${n}`));
    const { status, body } = await jobs.import(['Long URL,Title', ...rows].join('\n'), 'dry_run=true');
    expect([status, body]).toEqual([
      200,
      {
        format: 'auto',
        columns: { destination_url: 'Long URL', title: 'Title' },
        rows: expect.arrayContaining([
          { row: 2, link: { destination_url: 'https://example.com/0', title: 'T0' } },
          { row: 3, error: expect.stringContaining('"destination_url"') },
        ]),
      },
    ]);
    expect((body as unknown as { rows: unknown[] }).rows).toHaveLength(20);
    expect([(await jobs.list()).body.jobs, await parts(), await all()]).toEqual([[], 0, []]);
  });

  test('answers a large file when all of it was sent, with what only its end shows', async () => {
    const rows = 'https://example.com/,T\n'.repeat(50_000);
    const csv = Buffer.from(`url,title,Größe\n${rows}https://example.com/,Grüße\n`, 'latin1');
    const { status, body } = await jobs.import(csv, 'dry_run=true');
    expect([status, body]).toMatchObject([200, { encoding: 'windows-1252', unused_columns: ['Größe'] }]);
    const late = Buffer.from(`url,title\n${rows}https://example.com/,Grüße\n`, 'latin1');
    expect((await jobs.import(late, 'dry_run=true')).body).toMatchObject({ encoding: 'windows-1252' });
    const json = `[${'{"url":"https://example.com/"},'.repeat(1_000)}{"url":"https://example.com/","visits":1}]`;
    const preview = (await jobs.import(json, 'dry_run=true', { 'content-type': 'application/json' })).body;
    expect(preview).toMatchObject({ unused_columns: ['visits'] });
    expect(preview).not.toHaveProperty('encoding');
  });

  test('of a file that cannot be read from some place on is 422, as the import is', async () => {
    const file = Buffer.concat([
      Buffer.from(`url,title\n${'https://example.com/,ü\n'.repeat(50)}`),
      Buffer.from([0xfc]),
    ]);
    for (const query of ['dry_run=true', '']) {
      const { status, body } = await jobs.import(file, query);
      expect([status, body.error]).toEqual([
        422,
        'The file is not valid UTF-8; save it as UTF-8, or send its charset, as with "charset=windows-1251" in "Content-Type" or "admin links import --charset windows-1251".',
      ]);
    }
    expect([(await jobs.list()).body.jobs, await parts()]).toEqual([[], 0]);
  });

  test('refuses the rows that the import would refuse, and leaves nothing behind', async () => {
    await service.create(account.live, { slug: word, destination_url: 'https://example.com/a' });
    const other = await service.createAccount();
    await service.create(other.live, { slug: `${word}-o`, destination_url: 'https://example.com/a' });
    const file = [
      'slug,url,visibility',
      `${word},https://example.com/a,`,
      `${word.toUpperCase()},https://example.com/b,`,
      `${word}-o,https://example.com/a,`,
      `${word}-n,https://example.com/a,`,
      `${word}-n,https://example.com/a,`,
      `${word}-n,https://example.com/b,`,
      `,https://go.example/${word},`,
      ',https://example.com/a,private',
    ].join('\n');
    const before = await events();
    const { rows } = (await byPublicKey().import(file, 'dry_run=true')).body as unknown as ImportPreview;
    const refused = rows.flatMap(({ row, error }) => (error === undefined ? [] : { row, error }));
    expect(refused.map(({ row }) => row)).toEqual([3, 4, 7, 8, 9]);
    expect(await events()).toEqual(before);
    const job = await byPublicKey().runImport(file);
    expect(job).toMatchObject(counts({ created: 1, unchanged: 2, refused: 5 }));
    expect(await byPublicKey().refused(job.id, 'row,reason')).toEqual(
      refused.map(({ row, error }) => `${row},"${error!.replaceAll('"', '""')}"`),
    );
  });

  test.each(LINK_FILE_FORMATS)('refuses a file that is not an export of %s', async (format) => {
    const { status, body } = await jobs.import('a,url\n1,https://example.com/\n', `dry_run=true&format=${format}`);
    expect([status, body.error]).toEqual([422, expect.stringContaining(`not an export of ${format}`)]);
  });
});

describe('a file that is imported again', () => {
  const file = () =>
    [
      'slug,destination_url,title',
      `${word},https://example.com/a,A`,
      ',https://example.com/b,B',
      ',https://example.com/b,B',
      ',https://example.com/b,other',
    ].join('\n');

  test('creates nothing twice; the same row without a slug is one link', async () => {
    expect(await jobs.runImport(file())).toMatchObject(counts({ created: 3, unchanged: 1 }));
    expect(await jobs.runImport(file())).toMatchObject(counts({ unchanged: 4 }));
    expect(await all()).toHaveLength(3);
  });

  test('finds the links that its rows made, although they were changed; and creates those that are gone', async () => {
    await jobs.runImport(file());
    const [first, second, third] = await all();
    await service.update(account.live, first!.id, { slug: `${word}new`, destination_url: 'https://example.com/else' });
    await service.update(account.live, second!.id, { title: 'changed' });
    await service.delete(account.live, third!.id);
    expect(await jobs.runImport(file())).toMatchObject(counts({ created: 1, unchanged: 3 }));
  });

  test('a row whose slug leads to its destination is unchanged; to another one it is refused', async () => {
    await service.createLink(account.live, { slug: word, destination_url: 'https://example.com/a' });
    const row = (url: string) => `slug,url\n${word.toUpperCase()},${url}\n`;
    expect(await jobs.runImport(row('https://example.com/a'))).toMatchObject(counts({ unchanged: 1 }));
    expect(await jobs.runImport(row('https://example.com/b'))).toMatchObject(counts({ refused: 1 }));
  });

  test('with the same Idempotency-Key is the same job; another file with it is 422', async () => {
    const headers = { 'idempotency-key': word };
    const first = await jobs.runImport(file(), '', headers);
    expect((await jobs.import(file(), '', headers)).body).toEqual(first);
    expect(await parts()).toBe(0);
    const other = await jobs.import(`${file()}\n,https://example.com/c,`, '', headers);
    expect([other.status, other.body.error]).toEqual([422, expect.stringContaining('Idempotency-Key')]);
    expect((await jobs.list()).body.jobs).toHaveLength(1);
  });
});

describe('an import by a Public Links Only key', () => {
  test('acts as the key: it sets nothing hidden, and does not see what is hidden', async () => {
    const hidden = { slug: word, destination_url: 'https://example.com/a', visibility: 'private' } as const;
    await service.createLink(account.live, hidden);
    const file = [
      'slug,destination_url,visibility',
      `${word},https://example.com/a,public`,
      ',https://example.com/b,private',
      ',https://example.com/c,public',
    ].join('\n');
    const job = await byPublicKey().runImport(file);
    expect(job).toMatchObject(counts({ created: 1, refused: 2 }));
    const refused = await byPublicKey().refused(job.id, 'row,reason');
    expect(refused.map((line) => line.split(',')[0])).toEqual(['2', '3']);
    const taken = await byPublicKey().runImport(`slug,destination_url\n${word},https://example.com/other`);
    expect(await byPublicKey().refused(taken.id, 'row,reason')).toEqual(refused.slice(0, 1));
  });

  test('creates a link again that its row made and that was hidden since', async () => {
    const file = 'destination_url\nhttps://example.com/\n';
    await byPublicKey().runImport(file);
    const [link] = await all();
    await service.update(account.live, link!.id, { visibility: 'private' });
    expect(await byPublicKey().runImport(file)).toMatchObject(counts({ created: 1 }));
    expect(await byPublicKey().runImport(file)).toMatchObject(counts({ unchanged: 1 }));
  });
});

describe('the undo of an import', () => {
  test('deletes the links that it created and nobody changed since', async () => {
    const before = await service.createLink(account.live, { slug: word, destination_url: 'https://example.com/a' });
    const job = await jobs.runImport(
      `slug,url\n${word},https://example.com/a\n,https://b.example/\n,https://c.example/`,
    );
    expect(job).toMatchObject(counts({ created: 2, unchanged: 1 }));
    const changed = (await all()).find(({ destination_url }) => destination_url === 'https://c.example/')!;
    await service.update(account.live, changed.id, { title: 'mine' });
    const undo = await jobs.runUndo(job.id);
    expect(undo).toMatchObject({ kind: 'undo', matched: 2, ...counts({ deleted: 1, refused: 1 }) });
    expect(await jobs.refused(undo.id)).toEqual([`${changed.id},The link was changed since the import.`]);
    expect((await all()).map(({ id }) => id).sort()).toEqual([before.id, changed.id].sort());
    expect((await jobs.undo(job.id)).status).toBe(422);
    await expectConsistent(service.database, account.id);
  });

  test('compares values: what was changed and changed back is deleted, what differs in any field is kept', async () => {
    const fields = { title: 'T', note: 'N', hashtags: 'a', expires_at: '2090-01-01T00:00:00Z', archived: 'true' };
    const changes = [
      {},
      { slug: `${word}-slug` },
      { destination_url: 'https://example.com/mine' },
      { title: '' },
      { note: 'mine' },
      { hashtags: ['a', 'b'] },
      { expires_at: null },
      { expired_url: 'https://example.com/over' },
      { visibility: 'unlisted' },
      { archived: false },
      { description: 'D' },
      { social_title: 'S' },
      { password: 'secret' },
    ];
    const rows = changes.map((_, n) => [`https://example.com/${n}`, ...Object.values(fields)].join());
    const job = await jobs.runImport([['url', ...Object.keys(fields)].join(), ...rows].join('\n'));
    expect(job).toMatchObject(counts({ created: changes.length }));
    const made = await all();
    for (const [n, link] of made.entries()) {
      const { destination_url, title } = link;
      await service.update(account.live, link.id, { destination_url: 'https://example.org/', title: 'other' });
      await service.update(account.live, link.id, { destination_url, title, ...changes[n] });
    }
    const undo = await jobs.runUndo(job.id);
    expect(undo).toMatchObject(counts({ deleted: 1, refused: changes.length - 1 }));
    const kept = made.slice(1).map(({ id }) => id);
    expect((await all()).map(({ id }) => id)).toEqual(kept);
    expect((await jobs.refused(undo.id)).sort()).toEqual(
      kept.map((id) => `${id},The link was changed since the import.`).sort(),
    );
    await expectConsistent(service.database, account.id);
  });

  test('that was cancelled deletes what it had created', async () => {
    const rows = Array.from({ length: PART_SIZE + 1 }, (_, n) => `https://example.com/${n}\n`);
    holdAt(1, service);
    const { id } = (await jobs.import(`url\n${rows.join('')}`)).body;
    await expect.poll(async () => (await jobs.get(id)).body.created).toBe(PART_SIZE);
    const { body: cancelled } = await jobs.cancel(id);
    expect(cancelled).toMatchObject({
      state: 'cancelled',
      matched: PART_SIZE + 1,
      ...counts({ created: PART_SIZE }),
    });
    expect((await service.list(account.live)).body.total).toBe(PART_SIZE);
    expect(await jobs.runUndo(id)).toMatchObject({ matched: PART_SIZE, ...counts({ deleted: PART_SIZE }) });
    expect(await all()).toEqual([]);
  });
});
