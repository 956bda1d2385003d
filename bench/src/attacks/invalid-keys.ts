import { randomBytes } from 'node:crypto';
import type { Attack } from './attack.ts';
import { flood } from './flood.ts';

const REQUESTS = 1_500;
const BOUNDS = { connections: REQUESTS, durationMs: 20_000, maxRequests: REQUESTS };

/** Concurrent requests with unknown keys, more than one address may make in a minute. */
export const invalidKeysAttack: Attack = {
  name: 'invalid-keys',
  about: `sends ${REQUESTS.toLocaleString('en')} requests with unknown keys at once, where 60 a minute are the limit`,
  service: 'gateway',
  measureMs: 10_000,
  isSudden: true,
  async prepare({ gateway, linksMetrics }) {
    const ask = () => ({
      path: '/api/v1/me',
      headers: { authorization: `Bearer key_live_${randomBytes(20).toString('hex')}` },
    });
    const lookups = async () => refusedLookups(await linksMetrics());
    return {
      async run() {
        const before = await lookups();
        const answers = await flood(gateway, BOUNDS, ask);
        return [`answers: ${answers}; lookups of unknown keys at links-svc: ${(await lookups()) - before}`];
      },
    };
  },
};

/** Counts the key lookups that links-svc answered with an error, from its metrics. */
function refusedLookups(metrics: string): number {
  return metrics
    .split('\n')
    .filter((line) => line.startsWith('grpc_server_call_duration_seconds_count') && /resolve_?key/i.test(line))
    .filter((line) => !/code="ok"/.test(line))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
}
