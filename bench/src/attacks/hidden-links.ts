import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Attack } from './attack.ts';
import { flood } from './flood.ts';

const LINKS = 190_000;
const BOUNDS = { connections: 4, durationMs: 20_000, maxRequests: 60 };

/** Analytics of an account that hides almost all of its links, by the key that does not see them. */
export const hiddenLinksAttack: Attack = {
  name: 'analytics: hidden',
  about: `asks for the analytics of an account with ${LINKS.toLocaleString('en')} hidden links, ${BOUNDS.connections} at once with the public key`,
  service: 'analytics-svc',
  measureMs: 10_000,
  async prepare({ gateway, attacker, importLinks }) {
    const folder = await mkdtemp(join(tmpdir(), 'waymark-attack-'));
    try {
      const file = join(folder, 'links.csv');
      await pipeline(Readable.from(csv()), createWriteStream(file));
      await importLinks('attacker', file);
    } finally {
      await rm(folder, { recursive: true });
    }
    const ask = (n: number, connection: number) => ({
      path: `/api/v1/analytics?days=${1 + ((n * BOUNDS.connections + connection) % 30)}`,
      headers: { authorization: `Bearer ${attacker.public}` },
    });
    return { run: async () => [`questions of the attacker: ${await flood(gateway, BOUNDS, ask)}`] };
  },
};

function* csv(): Generator<string> {
  yield 'slug,destination_url,visibility\n';
  for (let n = 0; n < LINKS; n++) yield `s${n},https://example.com/?item=${n},private\n`;
}
