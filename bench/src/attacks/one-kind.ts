import type { Attack } from './attack.ts';
import { flood } from './flood.ts';

const PASSWORD = 'correct horse';
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const BODY = new URLSearchParams({ password: 'wrong' }).toString();
const BOUNDS = { connections: 400, durationMs: 15_000, maxRequests: 50_000 };
const LOCKED_LINKS = 100;

/** Floods of one kind of request through the gateway, which may not use up what other kinds need. */
export const oneKindAttacks: readonly Attack[] = [
  {
    name: 'one kind: passwords',
    about: `sends wrong passwords of ${LOCKED_LINKS} links over ${BOUNDS.connections} connections in a loop, without a key`,
    service: 'gateway',
    measureMs: 12_000,
    isSudden: true,
    async prepare({ gateway, attacker, createLink }) {
      const link = { destination_url: 'https://example.org/', password: PASSWORD };
      const slugs: string[] = [];
      for (let n = 0; n < LOCKED_LINKS; n++) slugs.push(await createLink(attacker.live, link));
      const enter = (_n: number, connection: number) => ({
        path: `/${slugs[connection % LOCKED_LINKS]}`,
        method: 'POST' as const,
        headers: FORM,
        body: BODY,
      });
      return { run: async () => [`passwords of the attacker: ${await flood(gateway, BOUNDS, enter)}`] };
    },
  },
];
