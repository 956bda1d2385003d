import type { Attack, PreparedAttack } from './attack.ts';
import type { AttackedStack } from './attacked-stack.ts';
import { flood } from './flood.ts';

const LENGTH = 15_000;
/** Many short parameters, and names that have to be decoded. */
const QUERIES = ['%a&', '+&', '%3D=%&'].map((part) => part.repeat(LENGTH / part.length));
const BOUNDS = { connections: 32, durationMs: 10_000, maxRequests: 100_000 };

/** Redirects whose query is as expensive to read as possible, without a key. */
export const visitorQueryAttacks: readonly Attack[] = [
  visitorQuery('visitor-query: gateway', 'gateway', ({ gateway }) => gateway),
  visitorQuery('visitor-query: links-svc', 'links-svc', ({ linksHttp }) => linksHttp),
];

function visitorQuery(name: string, service: Attack['service'], originOf: (stack: AttackedStack) => string): Attack {
  return {
    name,
    about: `follows a link with queries of ${LENGTH.toLocaleString('en')} characters, ${BOUNDS.connections} at once without a key`,
    service,
    measureMs: BOUNDS.durationMs,
    async prepare(stack): Promise<PreparedAttack> {
      const slug = await stack.createLink(stack.attacker.live, { destination_url: 'https://example.org/?a=1' });
      const follow = (n: number) => ({ path: `/${slug}?${QUERIES[n % QUERIES.length]}` });
      return { run: async () => [`redirects of the attacker: ${await flood(originOf(stack), BOUNDS, follow)}`] };
    },
  };
}
