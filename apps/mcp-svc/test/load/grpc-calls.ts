/**
 * Makes the gRPC call of a tool and nothing else, and prints the CPU of this process for a call, in µs, round by round:
 * what a call costs mcp-svc anyway. `node test/load/grpc-calls.ts <tool> <calls of a round> <rounds>`
 */
import { createSigner } from '@waymark/auth';
import { createSisters } from '../../src/sisters.ts';
import { SIGNING_KEY } from '../sisters.ts';
import { ADA } from '../stack.ts';
import { inParallel } from './in-parallel.ts';
import { TOOL_CALLS } from './tool-calls.ts';

const [tool, calls, rounds] = process.argv.slice(2);
const sisters = createSisters({ LINKS_GRPC: process.env.LINKS_GRPC!, ANALYTICS_GRPC: process.env.ANALYTICS_GRPC! });
const signer = createSigner({ current: SIGNING_KEY });
const { viaGrpc } = TOOL_CALLS[tool!]!;
for (let round = 0; round < Number(rounds); round += 1) {
  const before = process.cpuUsage();
  await inParallel(Number(calls), async () => {
    await viaGrpc(sisters, { timeoutMs: 4_000, requestId: 'load', identity: await signer.mint(ADA) });
  });
  const { user, system } = process.cpuUsage(before);
  console.log((user + system) / Number(calls));
}
sisters.close();
