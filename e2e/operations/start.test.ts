import { type ChildProcess, execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readStackFile } from '@waymark/stack';
import { NO_BROWSER, startBrowser } from '@waymark/web/test/browser';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePorts } from '../support/free-ports.ts';
import { interrupt, paste, type Started, startCommand } from '../support/start-command.ts';
import { eventually } from '../support/world.ts';

// README.md, Run it: the program that `pnpm start` runs after the build.

const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' };

let dataDir: string;
let port: number;
let running: ChildProcess | undefined;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'waymark-start-'));
  [port] = (await freePorts(1)) as [number];
});
afterAll(async () => {
  if (running) await stop(running);
  await rm(dataDir, { recursive: true, force: true });
});

test('start prints both demo keys, a sign-in link and curl lines that work repeatedly, Ctrl-C stops everything, and a second start finds the data', async () => {
  const first = await start();
  const keys = [...first.output.matchAll(/key_(?:live|pub)_[0-9A-Za-z]{32,}/g)].map(([key]) => key);
  expect(new Set(keys).size).toBe(2);
  const signInToken = /\/app\/#token=(signin_[0-9A-Za-z]{40})\n/.exec(first.output)![1]!;
  expect([await signInWith(signInToken), await signInWith(signInToken)]).toEqual([201, 401]);
  const { id } = await pasteAll(first);
  const { slug, ...last } = await pasteAll(first);
  for (const deleted of [id, last.id])
    await fetch(`http://127.0.0.1:${port}/api/v1/links/${deleted}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${keys[0]}` },
    });
  const newest = await pasteAll(first);
  await stop(first.child);

  const second = await start();
  expect([...second.output.matchAll(/key_(?:live|pub)_[0-9A-Za-z]{32,}/g)].map(([key]) => key)).toEqual(keys);
  const found = async (q: string) => {
    const url = `http://127.0.0.1:${port}/api/v1/links?q=${q}`;
    const listed = await fetch(url, { headers: { authorization: `Bearer ${keys[0]}` } });
    return ((await listed.json()) as { total: number }).total;
  };
  expect([await found(newest.slug), await found(slug)]).toEqual([1, 0]);
  await pasteAll(second);
  await stop(second.child);
});

test('start starts its services again when they are killed, and no click is lost', async () => {
  const started = await start();
  const { slug } = await pasteAll(started);
  const follow = async () =>
    (await fetch(`http://127.0.0.1:${port}/${slug}`, { redirect: 'manual', headers: BROWSER }).catch(() => null))
      ?.status;
  const clicks = () => (JSON.parse(paste(started.curls[2]!)) as { clicks: number }).clicks;
  const before = clicks();
  expect(await follow()).toBe(302);
  process.kill(pidOf('all-in-one'), 'SIGKILL');
  await eventually(async () => expect(await follow()).toBe(302));
  await eventually(async () => expect(clicks()).toBe(before + 2));
  await stop(started.child);
});

test('with GATEWAY_HOST=:: and another API_URL than PUBLIC_URL, every printed URL is of API_URL and answers, and short URLs are of PUBLIC_URL', async ({
  skip,
}) => {
  const apiUrl = `http://127.0.0.1:${port}`;
  const publicUrl = `http://localhost:${port}`;
  const started = await start({ GATEWAY_HOST: '::', API_URL: apiUrl, PUBLIC_URL: publicUrl });
  for (const host of ['127.0.0.1', '[::1]']) expect((await fetch(`http://${host}:${port}/readyz`)).status).toBe(200);

  const printed = [...started.output.matchAll(/http:\/\/[^\s'")]+/g)].map(([url]) => url);
  expect(new Set(printed.map((url) => new URL(url).origin))).toEqual(new Set([apiUrl]));
  const [key] = /key_live_\w+/.exec(started.output)!;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', accept: 'application/json' };
  const ping = { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' };
  for (const url of new Set(printed)) {
    const path = url.endsWith('/api/v1') ? '/me' : '';
    expect((await fetch(url + path, { headers, ...(url.endsWith('/mcp') && ping) })).status, url).toBe(200);
  }

  // The printed lines work, and either host serves both.
  const { slug, short_url } = await pasteAll(started);
  expect(short_url).toBe(`${publicUrl}/${slug}`);
  for (const base of [apiUrl, publicUrl]) {
    expect((await fetch(`${base}/${slug}`, { method: 'HEAD', redirect: 'manual' })).status).toBe(302);
    const list = await fetch(`${base}/api/v1/links?per=1`, { headers });
    expect([list.status, list.headers.get('link')]).toEqual([200, expect.stringContaining(`<${apiUrl}/api/v1/links?`)]);
  }

  const browser = await startBrowser();
  if (browser !== undefined) {
    const page = await browser.newPage();
    await page.goto(printed.find((url) => url.includes('#token='))!);
    await page.getByRole('button', { name: 'New link' }).first().click();
    await page.getByText(`localhost:${port}/`, { exact: true }).waitFor();
    await page.goto(`${apiUrl}/app/settings`);
    await page.getByText(`${apiUrl}/mcp`).first().waitFor();
    await browser.close();
  }
  await stop(started.child);
  skip(browser === undefined, NO_BROWSER);
});

test.each([
  ['GATEWAY_HOST', '192.0.2.1', 'GATEWAY_HOST must be an address of this machine.'],
  ['GATEWAY_HOST', 'nowhere.invalid', 'GATEWAY_HOST must be an address of this machine.'],
])('%s=%s is refused in one line', async (name, value, line) => {
  await expect(start({ [name]: value })).rejects.toThrow(`start ended with 1:\n${line}\n`);
});

/** Exchanges a sign-in token for a session. Returns the status. */
async function signInWith(token: string): Promise<number> {
  const body = JSON.stringify({ token });
  const headers = { 'content-type': 'application/json' };
  return (await fetch(`http://127.0.0.1:${port}/api/v1/sessions`, { method: 'POST', headers, body })).status;
}

/** Runs the three printed command lines, which create a link, follow it and show its click. Returns the link. */
async function pasteAll({ curls }: Started): Promise<{ id: string; slug: string; short_url: string }> {
  expect(curls).toHaveLength(3);
  const clicks = () => (JSON.parse(paste(curls[2]!)) as { clicks: number }).clicks;
  const before = clicks();
  const link = JSON.parse(paste(curls[0]!)) as { id: string; slug: string; short_url: string };
  expect(link).toMatchObject({ visibility: 'public', slug: expect.any(String) });
  expect(paste(curls[1]!)).toBe('302 https://example.com/\n');
  expect((await fetch(`http://127.0.0.1:${port}/${link.slug}`, { method: 'HEAD', redirect: 'manual' })).status).toBe(
    302,
  );
  await eventually(async () => expect(clicks()).toBe(before + 1));
  return link;
}

/** Starts the program with this test's folder and port. */
async function start(env: Record<string, string> = {}): Promise<Started> {
  const started = await startCommand({ DATA_DIR: dataDir, GATEWAY_PORT: String(port), ...env });
  running = started.child;
  return started;
}

/** Stops the program, and checks that it leaves no process behind and frees its port. */
async function stop(child: ChildProcess): Promise<void> {
  running = undefined;
  expect(await interrupt(child)).toBe(0);
  expect(processesNaming(dataDir)).toEqual([]);
  await new Promise<void>((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve()));
  });
}

/** Returns the id of the process of the running stack whose command line contains `name`. */
function pidOf(name: string): number {
  return readStackFile(dataDir)!.pids.find((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(name))!;
}

/** Returns the `/proc/<pid>/environ` paths of other processes whose environment contains `folder`. */
function processesNaming(folder: string): string[] {
  return execFileSync('sh', ['-c', `grep -lsa -- ${folder} /proc/[0-9]*/environ || true`], {
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => path !== '' && !path.startsWith(`/proc/${process.pid}/`));
}
