import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createAccount, createLink, stack } from '../support/world.ts';

// packages/client, as it is published: the files of its package.json, alone in an empty folder.

const run = promisify(execFile);
const PACKAGE = join(import.meta.dirname, '../../packages/client');
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-client-'));
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '@waymark/client'), { recursive: true });
  const { files } = JSON.parse(await readFile(join(PACKAGE, 'package.json'), 'utf8')) as { files: string[] };
  for (const path of ['package.json', ...files.filter((name) => !name.startsWith('!'))])
    await cp(join(PACKAGE, path), join(modules, '@waymark/client', path), { recursive: true });
  const readme = await readFile(join(PACKAGE, 'README.md'), 'utf8');
  const examples = [...readme.matchAll(/^```ts\n(.*?)^```/gms)].map(([, code]) => code);
  expect(examples.length).toBeGreaterThan(5);
  await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
  await writeFile(join(folder, 'examples.ts'), examples.join('\n'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the examples of its README compile', async () => {
  const compiler = createRequire(join(PACKAGE, '../../package.json')).resolve('typescript/package.json');
  const types = join(PACKAGE, '../../node_modules/@types');
  const options = ['--strict', '--noEmit', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2024'];
  const args = [...options, '--types', 'node', '--typeRoots', types, 'examples.ts'];
  const compiling = run(process.execPath, [join(compiler, '../bin/tsc'), ...args], { cwd: folder });
  expect(await compiling.catch(({ stdout }) => stdout)).toMatchObject({ stdout: '' });
});

test('the examples of its README run', async () => {
  const { live } = await createAccount();
  await createLink(live, { title: 'old', archived: true });
  const env = { PATH: process.env.PATH, WAYMARK_URL: stack.publicUrl, WAYMARK_KEY: live };
  const { stdout } = await run(process.execPath, ['examples.ts'], { cwd: folder, env });
  const [shortUrl, clicks, listed, exported, ...rest] = stdout.trimEnd().split('\n');
  const slug = shortUrl!.slice(stack.publicUrl.length + 1);
  expect([clicks, listed, exported]).toEqual(['0', `${slug} 0`, '1']);
  const created = expect.stringMatching(/^link\.created 20/);
  expect(rest.slice(-4)).toEqual(['1', created, created, expect.stringMatching(/^404 Link not found\. [\w-]+$/)]);
});
