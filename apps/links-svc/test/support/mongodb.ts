import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** One for each worker, or one for all (`mongodb-url.ts`). */
    mongodbUrls: string[];
  }
}

/**
 * Provides the MongoDB at MONGODB_URL to the tests. Without it, starts one for each worker as a process: the embedded
 * server does one thing at a time, and a test that writes 100,000 links would keep the tests of the other worker waiting.
 */
export default async function setUp(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const given = process.env.MONGODB_URL;
  if (given) {
    project.provide('mongodbUrls', [given]);
    return undefined;
  }
  const workers = Number(project.config.maxWorkers);
  const servers = await Promise.all(Array.from({ length: workers }, startServer));
  project.provide(
    'mongodbUrls',
    servers.map(({ url }) => url),
  );
  return async () => {
    await Promise.all(servers.map((server) => server.end()));
  };
}

async function startServer(): Promise<{ url: string; end(): Promise<void> }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'waymark-mongodb-'));
  const main = join(import.meta.dirname, '../../node_modules/@waymark/embedded/src/mongodb/main.ts');
  const child = spawn(process.execPath, [main], {
    env: { ...process.env, DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const url = await firstLineOf(child);
  return {
    url,
    async end() {
      if (child.exitCode === null && child.kill()) await once(child, 'exit');
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function firstLineOf({ stdout }: ChildProcess): Promise<string> {
  let text = '';
  for await (const part of stdout!) {
    text += part;
    if (text.includes('\n')) return text.split('\n')[0]!;
  }
  throw new Error('the embedded MongoDB did not start');
}
