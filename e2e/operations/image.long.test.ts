import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Link } from '@waymark/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { dropGivenDatabases } from '../support/given-databases.ts';
import { type OwnStack, startOwnStack } from '../support/own-stack.ts';
import { BROWSER, eventually, request, untilReady } from '../support/world.ts';

// Builds the contents of the images without Docker, with the script that the Dockerfile runs. Starts each service as
// its image does: only its own configuration in the environment, and databases given as URLs.

const SERVICES = ['links-svc', 'analytics-svc', 'mcp-svc', 'gateway'] as const;
type Service = (typeof SERVICES)[number];
const ROOT = join(import.meta.dirname, '../..');
const IMAGE_MAX_BYTES = 200_000_000;
/** Reserved for the base image: the C library and the certificates. */
const BASE_BYTES = 30_000_000;

let own: OwnStack;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'waymark-image-'));
  own = await startOwnStack();
  for (const name of SERVICES) {
    await promisify(execFile)(join(ROOT, 'scripts/image-folder.sh'), [name, join(folder, name)]);
  }
}, 600_000);
afterAll(async () => {
  await own?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Returns every file of a folder with its size and modification time. Does not follow symbolic links. */
async function filesOf(path: string): Promise<Map<string, { size: number; changed: number }>> {
  const files = new Map<string, { size: number; changed: number }>();
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) continue;
    const file = join(entry.parentPath, entry.name);
    const { size, mtimeMs } = await lstat(file);
    files.set(file.slice(path.length + 1), { size, changed: mtimeMs });
  }
  return files;
}

function start(name: Service, env: Record<string, string>): { child: ChildProcess; output: () => string } {
  const child = spawn(process.execPath, ['dist/main.js'], { cwd: join(folder, name), env });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (text += part));
  return { child, output: () => text };
}

/** Starts a service on free ports and waits until its log reports the addresses. */
async function started(name: Service, env: Record<string, string>) {
  const { child, output } = start(name, { HOST: '127.0.0.1', HTTP_PORT: '0', GRPC_PORT: '0', ...env });
  let origin = '';
  let grpc = '';
  await eventually(async () => {
    const text = output();
    origin = /Server listening at (http:\/\/127\.0\.0\.1:\d+)/.exec(text)?.[1] ?? '';
    expect(origin, text).not.toBe('');
    if (name === 'gateway' || name === 'mcp-svc') return;
    grpc = `127.0.0.1:${/"grpc_port":(\d+)/.exec(text)?.[1] ?? ''}`;
    expect(grpc, text).toMatch(/\d$/);
  });
  return { child, origin, grpc };
}

describe.each(SERVICES)('the image of %s', (name) => {
  test('contains only production dependencies, no chDB and no embedded databases, and is under 200 MB with Node', async () => {
    const files = await filesOf(join(folder, name));
    const foreign = [...files.keys()].filter((file) =>
      /chdb|@waymark[+/](embedded|stack)|(^|[/+])(vitest|typescript|turbo|mingo|preact|vite)[@/]/.test(file),
    );
    expect(foreign).toEqual([]);
    expect(existsSync(join(folder, name, 'src'))).toBe(false);
    const node = (await lstat(process.execPath)).size;
    const bytes = [...files.values()].reduce((sum, { size }) => sum + size, 0);
    console.log(`${name}: ${(bytes / 1e6).toFixed(1)} MB and Node's ${(node / 1e6).toFixed(1)} MB`);
    expect(bytes + node).toBeLessThan(IMAGE_MAX_BYTES - BASE_BYTES);
  });
});

test.each([
  ['links-svc', 'MONGODB_URL', { ANALYTICS_GRPC: '127.0.0.1:1' }],
  ['analytics-svc', 'CLICKHOUSE_URL', { LINKS_GRPC: '127.0.0.1:1' }],
] as const)(
  'README.md, In production: “an image never falls back to embedded”: %s without %s refuses with one line',
  async (name, variable, env) => {
    const { child, output } = start(name, { SIGNING_KEY: 's'.repeat(32), ...env });
    const [code] = await once(child, 'exit');
    expect(code).toBe(1);
    const lines = output().trimEnd().split('\n');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(new RegExp(`^${name}: ${variable}.* is not set; it must be a.* URL`));
  },
);

test.each(['links-svc', 'analytics-svc'] as const)(
  'the image of %s can migrate its database repeatedly and exits afterwards',
  async (name) => {
    const database = `migrated_${name.replace('-', '_')}`;
    const env = {
      SIGNING_KEY: own.stack.signingKey,
      MONGODB_URL: own.stack.mongodbUrl,
      MONGODB_DATABASE: database,
      CLICKHOUSE_URL: own.stack.clickhouseUrl,
      ...own.stack.clickhouseLogin,
      CLICKHOUSE_DATABASE: database,
      LINKS_GRPC: '127.0.0.1:1',
      ANALYTICS_GRPC: '127.0.0.1:1',
    };
    for (const _time of ['first', 'second']) {
      const { stdout } = await promisify(execFile)(process.execPath, ['dist/migrate.js'], {
        cwd: join(folder, name),
        env,
      });
      expect(stdout).toContain('"msg":"the database is ready"');
    }
    await dropGivenDatabases(database);
  },
);

test('the images run together on external databases, write nothing into their folders and stop in order on SIGTERM', async () => {
  const { stack, key, database } = own;
  const before = await Promise.all(SERVICES.map((name) => filesOf(join(folder, name))));
  const common = {
    SIGNING_KEY: stack.signingKey,
    PUBLIC_URL: 'http://localhost:8080',
    MONGODB_DATABASE: database,
    CLICKHOUSE_DATABASE: database,
  };
  const running: Awaited<ReturnType<typeof started>>[] = [];
  try {
    // The new links-svc has no address yet, so analytics-svc uses the stack's links-svc on the same database.
    const analytics = await started('analytics-svc', {
      ...common,
      CLICKHOUSE_URL: stack.clickhouseUrl,
      ...stack.clickhouseLogin,
      LINKS_GRPC: stack.urls.linksGrpc,
    });
    running.push(analytics);
    const links = await started('links-svc', {
      ...common,
      MONGODB_URL: stack.mongodbUrl,
      ANALYTICS_GRPC: analytics.grpc,
      SPOOL_DIR: join(folder, 'spool'),
    });
    running.push(links);
    const services = { LINKS_GRPC: links.grpc, ANALYTICS_GRPC: analytics.grpc };
    const mcp = await started('mcp-svc', { ...common, ...services });
    running.push(mcp);
    const gateway = await started('gateway', {
      ...common,
      GATEWAY_HOST: '127.0.0.1',
      GATEWAY_PORT: '0',
      LINKS_URL: links.origin,
      ANALYTICS_URL: analytics.origin,
      MCP_URL: mcp.origin,
      LINKS_GRPC: services.LINKS_GRPC,
    });
    running.push(gateway);
    const base = gateway.origin;
    await untilReady(base);

    const json = { destination_url: 'https://example.com/image', slug: 'from-an-image' };
    const created = await request<Link>('/api/v1/links', { method: 'POST', key, json, base });
    expect(created.status, JSON.stringify(created.body)).toBe(201);
    const visit = await request('/from-an-image?utm_source=image', { base, headers: { 'user-agent': BROWSER } });
    expect([visit.status, visit.headers.get('location')]).toEqual([302, 'https://example.com/image?utm_source=image']);
    await eventually(async () => {
      const { body } = await request<{ clicks: number }>('/api/v1/analytics?source=image', { key, base });
      expect(body.clicks).toBe(1);
    });
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_me', arguments: {} } };
    const headers = { accept: 'application/json, text/event-stream' };
    const tool = await request<{ result: { structuredContent: unknown } }>('/mcp', {
      method: 'POST',
      key,
      json: call,
      headers,
      base,
    });
    expect(tool.body.result.structuredContent).toEqual({
      username: 'owner',
      plan: 'developer',
      key_scope: 'full_access',
    });
    const dashboard = await request<string>('/app/', { base });
    const [, script] = /<script[^>]* src="([^"]+)"/.exec(dashboard.body)!;
    for (const path of ['/docs', '/docs/swagger-ui-bundle.js', script!])
      expect((await request(path, { base })).status, path).toBe(200);
  } finally {
    for (const { child } of running.reverse()) {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      const [code] = await exited;
      expect(code).toBe(0);
    }
  }
  expect(await Promise.all(SERVICES.map((name) => filesOf(join(folder, name))))).toEqual(before);
});
