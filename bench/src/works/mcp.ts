import type { HttpTarget } from '../http-target.ts';
import type { Work } from '../work.ts';
import type { World } from '../world.ts';

const REVISION = '2025-11-25';
const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_me', arguments: {} } };

/** Prepares `tools/call get_me` over MCP through the gateway; the cost includes gateway, mcp-svc and links-svc. */
export async function mcpWork(world: World): Promise<Work> {
  const floor = await world.startFloor('mcp');
  const call = (target: HttpTarget) => async () => {
    const headers = {
      ...world.keyHeaders,
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': REVISION,
    };
    const answer = await target.send({ path: '/mcp', method: 'POST', headers, json: CALL });
    if (!answer.includes('"result"') || answer.includes('"isError":true')) throw new Error(`get_me: ${answer}`);
  };
  return {
    name: 'MCP tools/call get_me',
    requestsPerRound: 300,
    measure: 'cpu',
    endpoints: [
      {
        endpoint: 'gateway',
        limit: 2,
        send: call(world.gateway),
        pids: () => world.pidsOf('gateway', 'mcp-svc', 'links-svc'),
      },
    ],
    floor: { name: 'the SDK’s own server, an empty tool', send: call(floor.target), pids: () => [floor.pid] },
    databasePids: () => world.databasePids('mongodb'),
  };
}
