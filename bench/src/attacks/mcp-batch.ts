import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Attack, SkippedAttack } from './attack.ts';
import { freePort } from './attacked-stack.ts';
import { flood } from './flood.ts';

/** As many elements as fit into 256 KiB. */
const BATCH = `[${Array.from({ length: 131_000 }, () => 1).join()}]`;
const BOUNDS = { connections: 2, durationMs: 15_000, maxRequests: 6 };

/** MCP batches far above the size limit, with rate limits counted in Redis. */
export const mcpBatchAttack: Attack = {
  name: 'mcp-batch',
  about: 'sends 6 MCP batches of 131,000 elements in 256 KiB, 2 at once, with REDIS_URL',
  service: 'gateway',
  measureMs: 10_000,
  environment: async (onClose) => ({ REDIS_URL: await startRedis(onClose) }),
  async prepare({ gateway, attacker }) {
    const headers = {
      authorization: `Bearer ${attacker.live}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-03-26',
    };
    const batch = () => ({ path: '/mcp', method: 'POST' as const, headers, body: BATCH });
    return { run: async () => [`batches: ${await flood(gateway, BOUNDS, batch)}`] };
  },
};

/** Starts a Redis without persistence and returns its URL. */
async function startRedis(onClose: (end: () => Promise<void>) => void): Promise<string> {
  const port = await freePort();
  const redis = spawn('redis-server', ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', '/tmp'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const spawned = once(redis, 'spawn').catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? new SkippedAttack('redis-server is not installed') : error;
  });
  await spawned;
  const exited = once(redis, 'exit');
  onClose(async () => {
    redis.kill();
    await exited;
  });
  let log = '';
  redis.stdout.on('data', (chunk: Buffer) => {
    log += chunk;
  });
  while (!log.includes('Ready to accept connections')) {
    if (redis.exitCode !== null) throw new Error(`redis-server ended: ${log}`);
    await sleep(20);
  }
  return `redis://127.0.0.1:${port}`;
}
