/**
 * Measures the built mcp-svc under load: its CPU time per tool call, the part of it beyond the tool's gRPC call, and
 * its memory over 100,000 calls. Stand-ins for the other services run in this process.
 * `node --conditions=@waymark/source test/load/run.ts`, after a build. Linux only: it reads /proc. Rounds of all kinds
 * are interleaved. The cheapest round of each kind counts, since other processes disturbed it least.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request as sendRequest } from 'node:http';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createSigner } from '@waymark/auth';
import { IDENTITY_HEADER, linkListToMessage } from '@waymark/proto';
import { LINK, SIGNING_KEY, startFakeServices } from '../fake-services.ts';
import { modern, request } from '../messages.ts';
import { ADA } from '../stack.ts';
import { inParallel } from './in-parallel.ts';
import { TOOL_CALLS } from './tool-calls.ts';

const CALLS_OF_A_ROUND = 2_000;
/** Excluded from the results, since code is still being compiled in them. */
const WARM_UP_ROUNDS = 6;
const ROUNDS = WARM_UP_ROUNDS + 8;
const MEMORY_CALLS = 100_000;
/** The unit of CPU time in /proc: a hundredth of a second. */
const TICK_US = 10_000;

const links = Array.from({ length: 25 }, (_, number) => ({ ...LINK, id: `l${number}`, slug: `summer-${number}` }));
const services = await startFakeServices({
  links: {
    listLinks: async () => linkListToMessage({ links, page: 1, per: 25, total: 25, total_pages: 1 }),
  },
});
const addresses = {
  LINKS_GRPC: `127.0.0.1:${services.ports.links}`,
  ANALYTICS_GRPC: `127.0.0.1:${services.ports.analytics}`,
};
const child = spawn(process.execPath, [fileURLToPath(new URL('../../dist/main.js', import.meta.url))], {
  env: { HOST: '127.0.0.1', HTTP_PORT: '0', SIGNING_KEY, ...addresses },
  stdio: ['ignore', 'pipe', 'inherit'],
});
/** Reuses a token until half of its life is over, so signing costs little here. */
const signer = createSigner({ current: SIGNING_KEY });
const agent = new Agent({ keepAlive: true });
try {
  const port = await listeningPort();
  for (const [name, tool] of Object.entries(TOOL_CALLS)) {
    const params = { name, arguments: tool.arguments };
    const messages = {
      2025: { body: request('tools/call', params), headers: {} },
      2026: modern('tools/call', params),
    };
    const grpc = spawnGrpcCalls(name);
    const cheapestUs = { grpc: Infinity, 2025: Infinity, 2026: Infinity };
    for (let round = 0; round < ROUNDS; round += 1) {
      const us = {
        grpc: await grpc.round(),
        2025: await viaMcp(port, messages[2025]),
        2026: await viaMcp(port, messages[2026]),
      };
      if (round < WARM_UP_ROUNDS) continue;
      for (const kind of ['grpc', 2025, 2026] as const) cheapestUs[kind] = Math.min(cheapestUs[kind], us[kind]);
    }
    grpc.end();
    console.log(`${name}: ${cheapestUs.grpc.toFixed(0)} µs of CPU for its gRPC call alone`);
    for (const era of [2025, 2026] as const)
      console.log(
        `  ${era}: ${cheapestUs[era].toFixed(0)} µs for a call, ${(cheapestUs[era] - cheapestUs.grpc).toFixed(0)} µs beyond it`,
      );
  }
  const message = modern('tools/call', { name: 'update_link', arguments: TOOL_CALLS.update_link!.arguments });
  for (let call = 0; call <= MEMORY_CALLS; call += MEMORY_CALLS / 10) {
    console.log(`after ${call} more calls: ${residentMb().toFixed(0)} MB resident`);
    await callMany(port, message, MEMORY_CALLS / 10);
  }
} finally {
  child.kill('SIGTERM');
  await once(child, 'exit');
  agent.destroy();
  await services.close();
}

interface Message {
  body: unknown;
  headers: Record<string, string>;
}

/** Runs one round over MCP and returns the CPU time of mcp-svc per call in µs. */
async function viaMcp(port: number, message: Message): Promise<number> {
  const beforeUs = cpuUs();
  await callMany(port, message, CALLS_OF_A_ROUND);
  return (cpuUs() - beforeUs) / CALLS_OF_A_ROUND;
}

/** Starts a process that measures the tool's gRPC call alone. */
function spawnGrpcCalls(tool: string) {
  const script = fileURLToPath(new URL('./grpc-calls.ts', import.meta.url));
  const calls = spawn(process.execPath, ['--conditions=@waymark/source', script, tool, String(CALLS_OF_A_ROUND)], {
    env: { ...process.env, ...addresses },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: calls.stdout })[Symbol.asyncIterator]();
  return {
    async round(): Promise<number> {
      calls.stdin.write('\n');
      return Number((await lines.next()).value);
    },
    end: () => calls.stdin.end(),
  };
}

async function callMany(port: number, { body, headers }: Message, calls: number): Promise<void> {
  const text = JSON.stringify(body);
  await inParallel(calls, async () => {
    await post(port, text, { ...headers, [IDENTITY_HEADER]: await signer.mint(ADA) });
    // The stand-ins record every call, which would grow without limit.
    services.seen.length = 0;
  });
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

/** Returns the user and kernel time of mcp-svc so far in µs. */
function cpuUs(): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_US;
}

function residentMb(): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))?.[1]) / 1_024;
}
