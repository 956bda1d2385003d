import type { Attack } from './attack.ts';
import type { AttackedStack } from './attacked-stack.ts';
import { flood } from './flood.ts';

const LINKS = 135;
/** More than are visited, because a password that was right before is checked without a hash. */
const OTHER_LINKS = 40;
const OTHER_EVERY_MS = 1_000;
const PASSWORD = 'correct horse';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const bodyOf = (password: string) => new URLSearchParams({ password }).toString();
const BOUNDS = { connections: LINKS, durationMs: 20_000, maxRequests: 50_000 };

/** Wrong passwords for many links of one account, from one address, in a loop. */
export const passwordsAttack: Attack = {
  name: 'passwords',
  about: `sends wrong passwords of ${LINKS} links of one account, over as many connections in a loop`,
  service: 'links-svc',
  measureMs: 10_000,
  async prepare({ gateway, attacker, createLink }) {
    const paths = await protect(createLink, attacker.live, LINKS);
    const enter = (_n: number, connection: number) => ({
      path: paths[connection]!,
      method: 'POST' as const,
      headers: FORM,
      body: bodyOf('wrong'),
    });
    return { run: async () => [`wrong passwords of the attacker: ${await flood(gateway, BOUNDS, enter)}`] };
  },
  others: async ({ gateway, other, createLink }) => [
    {
      name: 'right password',
      origin: gateway,
      method: 'POST',
      paths: await protect(createLink, other.live, OTHER_LINKS),
      headers: FORM,
      body: bodyOf(PASSWORD),
      expectedStatus: 303,
      everyMs: OTHER_EVERY_MS,
    },
  ],
};

/** Creates links with a password, and returns their paths. */
async function protect(createLink: AttackedStack['createLink'], key: string, count: number): Promise<string[]> {
  const paths: string[] = [];
  for (let n = 0; n < count; n++)
    paths.push(`/${await createLink(key, { destination_url: 'https://example.org/', password: PASSWORD })}`);
  return paths;
}
