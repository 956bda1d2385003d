import type { Attack } from './attack.ts';
import { craftedUserAgent } from './crafted-user-agents.ts';
import { flood } from './flood.ts';

const BOUNDS = { connections: 16, durationMs: 15_000, maxRequests: 5_000 };

/** Redirects, which need no key, with distinct User-Agents that are expensive to parse. */
export const userAgentsAttack: Attack = {
  name: 'user-agents',
  about: 'follows a short link 5,000 times with unlike User-Agents of 500 characters that are expensive to parse',
  service: 'analytics-svc',
  measureMs: 25_000,
  async prepare({ gateway, attacker, createLink }) {
    const path = `/${await createLink(attacker.public, { destination_url: 'https://example.org/' })}`;
    let visits = 0;
    const visit = () => ({ path, headers: { 'user-agent': craftedUserAgent(visits++) } });
    return { run: async () => [`redirects: ${await flood(gateway, BOUNDS, visit)}`] };
  },
};
