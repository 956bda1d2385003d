import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, test } from 'vitest';
import { signedHeaders } from '../src/webhooks/webhook-secrets.ts';

// The receivers of docs/events.md, as they are there.

const GUIDE = readFileSync(join(import.meta.dirname, '../../../docs/events.md'), 'utf8');
const [SECRET, OTHER_SECRET] = ['a', 'b'].map((text) => `whsec_${Buffer.alloc(32, text).toString('base64')}`);
const ID = 'msg_1';
const BODY = JSON.stringify({ type: 'link.created', timestamp: '2026-11-21T09:30:00.000Z', data: { title: 'Grüße' } });
/** Within the package, so that a receiver finds its library. */
const FOLDER = mkdtempSync(join(import.meta.dirname, 'receiver-'));
/** Go downloads nothing. */
const ENV = { ...process.env, GOPROXY: 'off', GOTOOLCHAIN: 'local', WEBHOOK_SECRET: SECRET };
const LANGUAGES = {
  ts: { file: 'receiver.ts', version: [process.execPath, '--version'], run: [process.execPath, 'receiver.ts'] },
  python: { file: 'receiver.py', version: ['python3', '--version'], run: ['python3', 'receiver.py'] },
  go: { file: 'receiver.go', version: ['go', 'version'], build: ['go', 'build', 'receiver.go'], run: ['./receiver'] },
};

const running: ChildProcess[] = [];
afterAll(() => {
  for (const receiver of running) receiver.kill();
  rmSync(FOLDER, { recursive: true });
});

const call = ([command, ...args]: string[]) => spawnSync(command!, args, { cwd: FOLDER, env: ENV, encoding: 'utf8' });

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Returns the headers of a delivery that these secrets signed at a time. */
function headersOf(secrets: string[], now = new Date()): Record<string, string> {
  return signedHeaders(
    secrets.map((secret) => ({ secret, until: null })),
    ID,
    now,
    BODY,
  );
}

test.for(Object.keys(LANGUAGES) as (keyof typeof LANGUAGES)[])(
  'the receiver in %s takes what is signed with its secret, and refuses everything else',
  { timeout: 120_000 },
  async (language, { skip }) => {
    const { file, version, run, build } = { build: undefined, ...LANGUAGES[language] };
    skip(call(version).status !== 0, `${version[0]} is not on this machine`);
    const code = new RegExp(`\n\`\`\`${language}\n([^]+?)\`\`\``).exec(GUIDE)![1]!;
    writeFileSync(join(FOLDER, file), code);
    if (build) expect(call(build)).toMatchObject({ status: 0 });
    const port = await freePort();
    const receiver = spawn(run[0]!, run.slice(1), {
      cwd: FOLDER,
      env: { ...ENV, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    running.push(receiver);
    const printed: string[] = [];
    createInterface({ input: receiver.stdout }).on('line', (line) => printed.push(line));
    const deliver = async (headers: Record<string, string>, body = BODY) =>
      (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })).status;
    await expect.poll(() => deliver({}).catch(() => null), { timeout: 60_000 }).toBe(401);

    const now = Date.now();
    const refused = {
      'another secret': deliver(headersOf([OTHER_SECRET!])),
      'another body': deliver(headersOf([SECRET!]), BODY.replace('Grüße', 'Grusse')),
      'another id': deliver({ ...headersOf([SECRET!]), 'webhook-id': 'msg_2' }),
      'another time': deliver({ ...headersOf([SECRET!]), 'webhook-timestamp': String(Math.floor(now / 1_000) - 60) }),
      'ten minutes ago': deliver(headersOf([SECRET!], new Date(now - 600_000))),
      'in ten minutes': deliver(headersOf([SECRET!], new Date(now + 600_000))),
      'no signature': deliver({ ...headersOf([SECRET!]), 'webhook-signature': '' }),
    };
    for (const [what, status] of Object.entries(refused)) expect(await status, what).toBe(401);
    expect(printed).toEqual([]);
    expect(await deliver(headersOf([SECRET!]))).toBe(204);
    // After a rotation, two secrets sign.
    expect(await deliver(headersOf([OTHER_SECRET!, SECRET!]))).toBe(204);
    await expect.poll(() => printed.length).toBe(2);
    for (const line of printed) expect(line).toMatch(new RegExp(`^${ID} .*link.created.*Grüße`));
  },
);
