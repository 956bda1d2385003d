/**
 * Makes only the gRPC calls of a tool and prints the CPU time of this process per call in µs. This is the part of a
 * tool call that mcp-svc cannot avoid. Each line of standard input starts one round.
 * `node test/load/grpc-calls.ts <tool> <calls per round>`
 */
import { createInterface } from 'node:readline';
import { createSigner } from '@waymark/auth';
import { createServiceClients } from '../../src/service-clients.ts';
import { SIGNING_KEY } from '../fake-services.ts';
import { ADA } from '../stack.ts';
import { inParallel } from './in-parallel.ts';
import { TOOL_CALLS } from './tool-calls.ts';

const [tool, calls] = process.argv.slice(2);
const services = createServiceClients({
  LINKS_GRPC: process.env.LINKS_GRPC!,
  ANALYTICS_GRPC: process.env.ANALYTICS_GRPC!,
});
const signer = createSigner({ current: SIGNING_KEY });
const { viaGrpc } = TOOL_CALLS[tool!]!;
for await (const _line of createInterface({ input: process.stdin })) {
  const before = process.cpuUsage();
  await inParallel(Number(calls), async () => {
    await viaGrpc(services, { timeoutMs: 4_000, requestId: 'load', identity: await signer.mint(ADA) });
  });
  const { user, system } = process.cpuUsage(before);
  console.log((user + system) / Number(calls));
}
services.close();
