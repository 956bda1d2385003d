import type { AccountIdentity } from '@waymark/auth';
import { IMPORT_MAX_BYTES } from '@waymark/contract';
import { type CallOptions, jobFromMessage } from '@waymark/proto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { writeHost } from './support/hosts.ts';
import { counts, JobsClient } from './support/jobs.ts';
import { eventsOf, expectConsistent } from './support/log.ts';
import { Service, type TestAccount } from './support/service.ts';

// How the command line imports files: jobs.v1.JobsService. import-jobs.test.ts has what an import does.

let service: Service;
let account: TestAccount;
let asAdmin: CallOptions;
beforeAll(async () => {
  service = await Service.start();
});
beforeEach(async () => {
  account = await service.createAccount();
  asAdmin = await service.asService('admin');
});
afterAll(() => service.close());

const COLUMNS = 'slug,destination_url\n';

interface First {
  username?: string;
  format?: string;
  host?: string;
  charset?: string;
}

async function* upload(file: string | Uint8Array, first: First = {}) {
  yield { username: account.username, ...first };
  const bytes = Buffer.from(file);
  for (let at = 0; at < bytes.length; at += 10) yield { piece: bytes.subarray(at, at + 10) };
}

async function importFile(file: string | Uint8Array, first = {}) {
  const { job, guessedEncoding, unusedColumns } = await service.jobs.importLinks(upload(file, first), asAdmin);
  const { id } = jobFromMessage(job);
  return { job: await over(id), guessedEncoding, unusedColumns };
}

async function over(id: string) {
  const get = async () =>
    jobFromMessage((await service.jobs.getAccountJob({ username: account.username, id }, asAdmin)).job);
  await expect.poll(async () => (await get()).finished_at).not.toBeNull();
  return get();
}

async function refusedRows(id: string) {
  const rows: { row: number; reason: string }[] = [];
  for await (const part of service.jobs.getRefusedRows({ username: account.username, id }, asAdmin))
    rows.push(...part.rows.map(({ row, reason }) => ({ row, reason })));
  return rows;
}

const jobsOf = async (identity: AccountIdentity) => (await new JobsClient(service, identity).list()).body.jobs;

describe('an import by the command line', () => {
  test('is a job of the account, by the admin, with its rows, notes and refused rows', async () => {
    const file = `${COLUMNS.trim()},Größe\nrpc-${account.username},https://example.com/,1\n,nowhere,2\n`;
    const { job, guessedEncoding, unusedColumns } = await importFile(Buffer.from(file, 'latin1'));
    expect(job).toMatchObject({ kind: 'import', state: 'done', matched: 2, ...counts({ created: 1, refused: 1 }) });
    expect([guessedEncoding, unusedColumns]).toEqual(['windows-1252', ['Größe']]);
    expect(await refusedRows(job.id)).toEqual([{ row: 3, reason: expect.stringContaining('"destination_url"') }]);
    expect((await jobsOf(account.live)).map(({ id }) => id)).toEqual([job.id]);
    expect((await jobsOf(account.public)).length).toBe(0);
    const [event] = await eventsOf(service.database, account.id);
    expect(event!.actor).toMatchObject({ kind: 'admin' });
    await expectConsistent(service.database, account.id);
  });

  test('puts links of rows that name no host on the one that it names', async () => {
    const host = `go.${account.username}.example`;
    await writeHost(service, account, host);
    const { job } = await importFile('url\nhttps://example.com/\n', { host: host.toUpperCase() });
    expect(job).toMatchObject(counts({ created: 1 }));
    expect((await service.list(account.live)).body.links).toMatchObject([{ host }]);
  });

  test('reads the charset that it names, which is then not guessed', async () => {
    // "Привет" in windows-1251.
    const privet = Buffer.concat([
      Buffer.from('url,title\nhttps://example.com/,'),
      Buffer.from([0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]),
    ]);
    const { job, guessedEncoding } = await importFile(privet, { charset: 'CP1251' });
    expect([job.encoding, guessedEncoding]).toEqual(['windows-1251', '']);
    expect((await service.list(account.live)).body.links).toMatchObject([{ title: 'Привет' }]);
    const marked = Buffer.from('\ufeffurl\nhttps://example.com/\n', 'utf16le');
    expect(await importFile(marked, { charset: 'shift_jis' })).toMatchObject({ guessedEncoding: 'utf-16le' });
  });

  test('needs no key and no plan of the account', async () => {
    account = await service.createAccount(undefined, 'free');
    await service.accounts.revokeKey({ username: account.username, scope: 'full_access' }, asAdmin);
    const { job } = await importFile('url\nhttps://example.com/\n');
    expect(job).toMatchObject({ state: 'done', ...counts({ created: 1 }) });
  });

  test('of an empty file is a job of no rows', async () => {
    expect((await importFile('')).job).toMatchObject({ state: 'done', matched: 0, ...counts({}) });
  });

  test.each([
    ['an unknown account', '', { username: 'nobody-at-all' }, { code: 'not_found', message: /nobody-at-all/ }],
    ['an unknown format', '', { format: 'polr' }, { code: 'invalid', message: /"format" must be one of/ }],
    ['another format', 'url\nhttps://example.com/\n', { format: 'bitly' }, { code: 'invalid', message: /bitly/ }],
    [
      'a host that is not verified',
      'url\n',
      { host: 'go.example.com' },
      { code: 'invalid', message: /"host" must be/ },
    ],
    ['no name of a host', 'url\n', { host: '' }, { code: 'invalid', message: /"host" must be/ }],
    ['an unknown charset', 'url\n', { charset: 'klingon' }, { code: 'invalid', message: /charset "klingon" is not/ }],
    ['no name of a charset', 'url\n', { charset: '' }, { code: 'invalid', message: /charset "" is not known/ }],
    ['a charset and more', 'url\n', { charset: 'utf-8; x=json' }, { code: 'invalid', message: /"utf-8; x=json" is/ }],
    [
      'a file of another charset',
      Buffer.from('url,ü\n', 'latin1'),
      { charset: 'utf-8' },
      { code: 'invalid', message: /--charset windows-1251/ },
    ],
    ['a file that is not understood', 'a,b\n1,2\n', {}, { code: 'invalid', message: /column/ }],
  ])('%s is an error, and no job begins', async (_name, file, first, { code, message }) => {
    const call = service.jobs.importLinks(upload(file, first), asAdmin);
    await expect(call).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
    expect(await jobsOf(account.live)).toEqual([]);
  });

  test('of more than 64 MiB is refused before all of it is sent, and no job begins', async () => {
    const rows = Buffer.from(`${'x'.repeat(100_000)}\n`.repeat(10));
    let sent = 0;
    async function* pieces() {
      yield { username: account.username };
      yield { piece: Buffer.from('url\n') };
      for (; ; sent += rows.length) yield { piece: rows };
    }
    const call = service.jobs.importLinks(pieces(), { ...asAdmin, timeoutMs: 60_000 });
    await expect(call).rejects.toMatchObject({
      code: 'too_large',
      message: 'The body is over 64 MiB; send a smaller one.',
    });
    expect(sent).toBeLessThan(2 * IMPORT_MAX_BYTES);
    expect(await jobsOf(account.live)).toEqual([]);
  });

  test('whose upload breaks off creates nothing and leaves nothing', async () => {
    const controller = new AbortController();
    const parts = () => service.database.collections.jobParts.countDocuments({ account_id: account.id });
    async function* pieces() {
      yield { username: account.username };
      yield { piece: Buffer.from(`url\n${'https://example.com/\n'.repeat(5_000)}`) };
      await new Promise(() => {});
    }
    const call = service.jobs.importLinks(pieces(), { ...asAdmin, timeoutMs: 60_000, signal: controller.signal });
    call.catch(() => {});
    await expect.poll(parts).toBeGreaterThan(3);
    controller.abort();
    await expect(call).rejects.toMatchObject({ code: 'unavailable' });
    await expect.poll(parts).toBe(0);
    expect(await jobsOf(account.live)).toEqual([]);
  });

  test('is for the command line only', async () => {
    const { username } = account;
    for (const call of [await service.as(account.live), await service.asService('gateway')]) {
      const forbidden = { code: 'forbidden' };
      await expect(service.jobs.importLinks(upload(''), call)).rejects.toMatchObject(forbidden);
      await expect(service.jobs.getAccountJob({ username, id: 'x' }, call)).rejects.toMatchObject(forbidden);
      await expect(
        service.jobs.getRefusedRows({ username, id: 'x' }, call)[Symbol.asyncIterator]().next(),
      ).rejects.toMatchObject(forbidden);
    }
  });

  test('is not found under the name of another account', async () => {
    const { job } = await importFile('');
    const { username } = await service.createAccount();
    await expect(service.jobs.getAccountJob({ username, id: job.id }, asAdmin)).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});
