import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export const PROCESS_SIGNING_KEY = 'a-signing-key-for-tests-of-48-characters-or-more';

/** Starts an entry of links-svc, such as `main.ts`, as a process of its own, with a new spool. */
export async function startLinksProcess(
  entry: string,
  mongodbUrl: string,
  more: Record<string, string> = {},
): Promise<{ child: ChildProcess; end(): Promise<void> }> {
  const spool = await mkdtemp(join(tmpdir(), 'waymark-links-'));
  const path = join(import.meta.dirname, '../../src', entry);
  const child = spawn(process.execPath, ['--conditions=@waymark/source', path], {
    env: {
      ...process.env,
      MONGODB_URL: mongodbUrl,
      SIGNING_KEY: PROCESS_SIGNING_KEY,
      HOST: '127.0.0.1',
      HTTP_PORT: '0',
      GRPC_PORT: '0',
      ANALYTICS_GRPC: '127.0.0.1:9',
      SPOOL_DIR: spool,
      ...more,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return {
    child,
    async end() {
      if (child.exitCode === null && child.kill('SIGKILL')) await once(child, 'exit');
      await rm(spool, { recursive: true });
    },
  };
}
