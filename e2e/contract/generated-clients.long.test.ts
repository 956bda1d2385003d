import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { accounts, asAdmin, createAccount, request, stack } from '../support/world.ts';
import { CACHE, type Command, LANGUAGES, type Language } from './generated-clients/languages.ts';

// Generates clients in other languages from /openapi.json, compiles them, and calls every operation with each. The folder
// of a language has a program that prints what it saw. Needs Java and Maven, Rust, Go or Python, and what their
// registries have; a language is skipped if its tools, or the packages, are missing. openapi-fetch/ has
// openapi-typescript. What is fetched and compiled is kept in node_modules/.cache.

const FIXTURES = join(import.meta.dirname, 'generated-clients');
/** The first build of the Rust client compiles its dependencies, which takes minutes on a busy machine. */
const TIMEOUT_MS = 540_000;

interface Outcome {
  failed: boolean;
  stdout: string;
  /** The last lines of what it printed. */
  end: string;
}

async function run({ line, unless }: Command, cwd: string, env: Record<string, string> = {}): Promise<Outcome> {
  if (unless !== undefined && existsSync(unless)) return { failed: false, stdout: '', end: '' };
  const [file, ...args] = line;
  const options = { cwd, env: { ...process.env, ...env }, timeout: TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 };
  const ended = await promisify(execFile)(file, args, options).then(
    (output) => ({ failed: false, ...output }),
    (error: Error & { stdout?: string; stderr?: string }) => ({
      failed: true,
      stdout: error.stdout ?? '',
      stderr: error.stderr || error.message,
    }),
  );
  return { ...ended, end: `${ended.stdout}\n${ended.stderr}`.trim().split('\n').slice(-30).join('\n') };
}

async function succeed(command: Command, cwd: string, env?: Record<string, string>): Promise<Outcome> {
  const outcome = await run(command, cwd, env);
  expect(outcome.failed, `${command.line.join(' ')}\n${outcome.end}`).toBe(false);
  return outcome;
}

const temporary = await mkdtemp(join(tmpdir(), 'waymark-generated-clients-'));
afterAll(() => rm(temporary, { recursive: true, force: true }));

/** Lays out the folder in which a client is generated. Returns its path. */
async function layOut({ name, files, folder = join(temporary, name) }: Language): Promise<string> {
  await rm(join(folder, 'src'), { recursive: true, force: true });
  await cp(join(FIXTURES, name), folder, { recursive: true });
  const { body } = await request('/openapi.json');
  for (const [path, text] of Object.entries({ ...files, 'openapi.json': JSON.stringify(body) }))
    await writeFile(join(folder, path), text);
  return folder;
}

/** What each program must see. */
const SEEN = {
  me: 'full_access',
  created: ['Created', ['kept'], 'public'],
  updated: ['Updated', ['kept']],
  emptied: ['Updated', []],
  got: 'unlisted',
  bulk: [
    [201, 'Bulk'],
    [200, 'Changed'],
    [200, 'Upserted'],
    [404, 'Link not found.'],
    [204, null],
  ],
  listed: [1, 'Bulk'],
  png: '89504e470d0a1a0a',
  svg: '<svg',
  csv: 'id,host,',
  ndjson: 'Bulk',
  analytics: [7, 0, 7],
  clicks: 'id,link',
  forgotten: [404, 'Link not found.'],
  page: 422,
  job: ['done', 1],
  hashtags: [['jobbed', 1]],
  events: ['link.created', 'key'],
  webhooks: ['whsec_', 'https://example.com/hook', false, false, 0, 0],
  rejected: 'id,reason',
  over: [422, 'This job is over; it cannot be cancelled.'],
  undone: 'undo',
  imported: ['import', 1],
  jobs: 3,
  refused: [404, 'Link not found.'],
  invalid: [422, '"per" must be between 1 and 100; you sent 101.'],
  keys: ['full_access', 'public_links_only'],
  rotated: 'key_pub_',
  left: 1,
  restricted: ['key_res_', 'Reader', ['read'], 0],
  filters: ['sale', ['Sale'], 0],
  hosts: ['pending', 'https://example.com/', 1, 'go.example.com', 'pending', 404],
  accounts: ['owner', true, 404],
  passkeys: ['none', 0, 422, 404, 'required', 401],
};

test.for(LANGUAGES)(
  'a generated $name client compiles, and every operation works with it',
  { timeout: TIMEOUT_MS },
  async (language, { skip }) => {
    await mkdir(CACHE, { recursive: true });
    for (const tool of language.tools) {
      const { failed, end } = await run(tool, CACHE);
      skip(failed, `${tool.line[0]} is missing: ${end}`);
    }
    const folder = await layOut(language);
    for (const command of language.fetch) {
      const { failed, end } = await run(command, folder, language.env);
      skip(failed, `${command.line.join(' ')} failed: ${end}`);
    }
    for (const command of language.build) await succeed(command, folder, language.env);
    const account = await createAccount();
    const { url } = await accounts.createSignInLink({ username: account.username }, await asAdmin());
    const { stdout } = await succeed(language.run, folder, {
      BASE_URL: stack.publicUrl,
      API_KEY: account.live,
      SIGN_IN_TOKEN: url.split('#token=')[1]!,
    });
    expect(JSON.parse(stdout)).toEqual(SEEN);
  },
);
