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
/** What a test says that is skipped for want of it. */
export const NO_REDIS_SERVER = 'there is no redis-server on this machine';

/** A real Redis for one test, that keeps nothing. */
export interface RedisServer {
  url: string;
  /** Starts it again, empty, at the same address. */
  start(): Promise<void>;
  /** Stops it as a crash would, or freezes it, or lets it go on. */
  signal(signal: 'SIGKILL' | 'SIGSTOP' | 'SIGCONT'): Promise<void>;
  /** The answer to one command, in Redis' own protocol. */
  send(command: string): Promise<string>;
  close(): Promise<void>;
}

/** A Redis on a free port of this machine, that has answered. */
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
