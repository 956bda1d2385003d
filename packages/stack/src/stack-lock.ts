import { randomUUID } from 'node:crypto';
import { type AddressInfo, connect, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { readStackFile, type StackFile } from './data-dir.ts';
import { StackError } from './stack-error.ts';

const LOOPBACK = '127.0.0.1';
const PROBE_TIMEOUT_MS = 1000;
/** How long the processes of a stack may take to end after the process that started them was killed. */
const ORPHANS_END_MS = 12_000;

/** Proof that a stack runs, for as long as this process lives: a port that responds with an id. */
export interface StackLock {
  port: number;
  id: string;
  release(): Promise<void>;
}

/**
 * Locks the data folder for this process. A lock file would outlive a crash, and its process id could then belong to
 * another program. So a running stack responds on a port instead.
 * @throws {StackError} if another stack runs on the folder.
 */
export async function lockDataDir(dataDir: string): Promise<StackLock> {
  const last = readStackFile(dataDir);
  if (last !== null) {
    if (await isRunning(last)) {
      throw new StackError(
        `Another stack runs on ${dataDir} (${last.publicUrl}); stop it, or set DATA_DIR to another folder.`,
      );
    }
    await orphansEnd(last.pids);
  }
  const id = randomUUID();
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.end(id);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, LOOPBACK, resolve);
  });
  server.unref();
  return {
    port: (server.address() as AddressInfo).port,
    id,
    release: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** Returns true if the stack that wrote the file still runs. */
export function isRunning({ lock }: StackFile): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port: lock.port, host: LOOPBACK, timeout: PROBE_TIMEOUT_MS });
    let answer = '';
    socket.on('data', (data) => {
      answer += data;
    });
    socket.once('timeout', () => socket.destroy());
    socket.once('error', () => socket.destroy());
    socket.once('close', () => resolve(answer === lock.id));
  });
}

async function orphansEnd(pids: number[]): Promise<void> {
  const deadline = performance.now() + ORPHANS_END_MS;
  while (pids.some(exists) && performance.now() < deadline) await sleep(50);
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
