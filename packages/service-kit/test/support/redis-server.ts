import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePorts } from '../../../stack/src/ports.ts';

const COMMAND = 'redis-server';
const START_TIMEOUT_MS = 10_000;

export const hasRedisServer = spawnSync(COMMAND, ['--version']).status === 0;
/** Why a test is skipped that needs Redis. */
export const NO_REDIS_SERVER = 'there is no redis-server on this machine';

/** A real Redis server for a test, without persistence. */
export interface RedisServer {
  url: string;
  /** Starts it again, empty, at the same address. */
  start(): Promise<void>;
  /** Kills it like a crash, freezes it, or resumes it. */
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): Promise<void>;
  /** Sends one command and returns the raw reply in Redis' protocol. */
  send(command: string): Promise<string>;
  close(): Promise<void>;
}

/** Starts a Redis on a free port of this machine and waits until it responds. */
export async function startRedisServer(): Promise<RedisServer> {
  const directory = await mkdtemp(join(tmpdir(), 'waymark-redis-'));
  const [port] = (await findFreePorts(1, '127.0.0.1')) as [number];
  let child: ChildProcess | undefined;

  const server: RedisServer = {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      const settings = { port, bind: '127.0.0.1', dir: directory, save: '', appendonly: 'no' };
      const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)]);
      child = spawn(COMMAND, args, { stdio: 'ignore' });
      const endsAt = performance.now() + START_TIMEOUT_MS;
      while (!(await server.send('PING').catch(() => '')).startsWith('+PONG')) {
        if (performance.now() > endsAt || child.exitCode !== null) throw new Error(`${COMMAND} did not start`);
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
    async signal(signal) {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      if (signal === 'SIGKILL') await once(child, 'exit');
    },
    async send(command) {
      const socket = connect(port, '127.0.0.1');
      let answer = '';
      socket.on('connect', () => socket.write(`${command}\r\nQUIT\r\n`));
      socket.on('data', (chunk) => {
        answer += chunk.toString();
      });
      await once(socket, 'close');
      return answer.replace(/\+OK\r\n$/, '');
    },
    async close() {
      await server.signal('SIGKILL');
      await rm(directory, { recursive: true, force: true });
    },
  };
  await server.start();
  return server;
}
