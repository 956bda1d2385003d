/**
 * Measures the built mcp-svc under load, its sisters in this process: CPU of its process for a call, and its memory.
 * `node --conditions=@waymark/source test/load/run.ts [calls] [name]`, after a build; a name leaves out the other messages.
 * Linux only: it reads /proc. The figures mean little on a machine that does something else.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request as sendRequest } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createSigner } from '@waymark/auth';
import { IDENTITY_HEADER } from '@waymark/proto';
import { modern, request } from '../messages.ts';
import { LINK, SIGNING_KEY, startSisters } from '../sisters.ts';
import { ADA } from '../stack.ts';

const calls = Number(process.argv[2] ?? 20_000);
const only = process.argv[3];
const ROUNDS = 5;
const CONCURRENCY = 10;
/** Linux counts CPU time in hundredths of a second. */
const TICK_MS = 10;

const args = { id: LINK.id, title: 'x' };
const MESSAGES: Record<string, { body: unknown; headers: Record<string, string> }> = {
  'ping, no gRPC': { body: request('ping'), headers: {} },
  '2025, refused before gRPC': { body: request('tools/call', { name: 'update_link', arguments: {} }), headers: {} },
  '2026, refused before gRPC': modern('tools/call', { name: 'update_link', arguments: {} }),
  '2025, update_link': { body: request('tools/call', { name: 'update_link', arguments: args }), headers: {} },
  '2026, update_link': modern('tools/call', { name: 'update_link', arguments: args }),
};

/** Gives the same identity until it is near its end. */
const signer = createSigner({ current: SIGNING_KEY });
const sisters = await startSisters();
const child = spawn(process.execPath, [fileURLToPath(new URL('../../dist/main.js', import.meta.url))], {
  env: {
    HOST: '127.0.0.1',
    HTTP_PORT: '0',
    SIGNING_KEY,
    LINKS_GRPC: `127.0.0.1:${sisters.ports.links}`,
    ANALYTICS_GRPC: `127.0.0.1:${sisters.ports.analytics}`,
  },
  stdio: ['ignore', 'pipe', 'inherit'],
});
const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY });
try {
  const port = await listeningPort();
  for (const [name, { body, headers }] of Object.entries(MESSAGES)) {
    if (only !== undefined && only !== name) continue;
    const text = JSON.stringify(body);
    for (let round = 0; round < ROUNDS; round += 1) {
      const before = cpuMs();
      let left = calls / ROUNDS;
      await Promise.all(
        Array.from({ length: CONCURRENCY }, async () => {
          while (left-- > 0) await post(port, text, { ...headers, [IDENTITY_HEADER]: await signer.mint(ADA) });
        }),
      );
      sisters.seen.length = 0;
      const after = cpuMs();
      const perCallUs = (kind: 'user' | 'system') =>
        (((after[kind] - before[kind]) * 1_000) / (calls / ROUNDS)).toFixed(0);
      console.log(
        `${name}: ${perCallUs('user')} µs of CPU a call and ${perCallUs('system')} µs in the kernel, ${memoryMb().toFixed(0)} MB resident`,
      );
    }
  }
} finally {
  child.kill('SIGTERM');
  await once(child, 'exit');
  agent.destroy();
  await sisters.close();
}

async function listeningPort(): Promise<number> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const port = /listening at http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1];
    if (port !== undefined) {
      child.stdout!.resume();
      return Number(port);
    }
  }
  throw new Error('mcp-svc ended before it listened');
}

async function post(port: number, body: string, headers: Record<string, string>): Promise<void> {
  const sent = sendRequest({
    host: '127.0.0.1',
    port,
    path: '/mcp',
    method: 'POST',
    agent,
    headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers },
  });
  sent.end(body);
  const [response] = await once(sent, 'response');
  response.resume();
  await once(response, 'end');
  if (response.statusCode !== 200) throw new Error(`answered with ${response.statusCode}`);
}

function cpuMs(): { user: number; system: number } {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return { user: Number(fields[11]) * TICK_MS, system: Number(fields[12]) * TICK_MS };
}

function memoryMb(): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1_024;
}
