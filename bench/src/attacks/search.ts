import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from './attack.ts';
import { flood } from './flood.ts';

const LINKS = 100_000;
const CONNECTIONS = 16;
/** Less than what the two keys of the attacker may send in a minute. */
const BOUNDS = { connections: CONNECTIONS, durationMs: 20_000, maxRequests: 1_100 };
const NOTE = 'alpha bravo summer winter price report shop video ticket release guide offer music garden river '.repeat(
  6,
);
const OTHER_EVERY_MS = 800;

const CRAFTED_LINKS = 200;
/** V8 looks for the higher byte of a character first, and here finds it everywhere. */
const CRAFTED_CHARACTER = '\u9e05';
/** At the end of each text, so that each term has to be searched for in all of it. */
const CRAFTED_END = '\u9e06\u9e07\u9e08\u9e09\u9e0a\u9e0b\u9e0c\u9e0d\u9e0e';
/** In no text. */
const MISSING = 0x9e10;
const MISSING_COUNT = 0xe0;
const CRAFTED_BOUNDS = { connections: 4, durationMs: 15_000, maxRequests: 700 };

export const searchAttacks: Attack[] = [
  /** Searches of an account with 100,000 links, each for other terms, with both keys. */
  searches('search-imported', 'right after their import', 0),
  searches('search-settled', 'half a minute after their import', 30_000),
  {
    name: 'search-crafted',
    about: `searches ${CRAFTED_LINKS} links full of one character for ten others of its block, ${CRAFTED_BOUNDS.connections} at once with both keys`,
    service: 'links-svc',
    measureMs: 15_000,
    async prepare({ gateway, attacker, createLink }) {
      const link = {
        destination_url: 'https://example.org/',
        note: CRAFTED_CHARACTER.repeat(5_000 - CRAFTED_END.length) + CRAFTED_END,
        description: CRAFTED_CHARACTER.repeat(1_000),
      };
      for (let n = 0; n < CRAFTED_LINKS; n++) await createLink(attacker.live, link);
      const keys = [attacker.live, attacker.public];
      const search = (n: number, connection: number) => {
        const terms = [...CRAFTED_END, String.fromCharCode(MISSING + (n % MISSING_COUNT))];
        return {
          path: `/api/v1/links?q=${encodeURIComponent(terms.join(' '))}`,
          headers: { authorization: `Bearer ${keys[connection % keys.length]}` },
        };
      };
      return { run: async () => [`searches: ${await flood(gateway, CRAFTED_BOUNDS, search)}`] };
    },
  },
];

function searches(name: string, when: string, settleMs: number): Attack {
  return {
    name,
    about: `searches ${LINKS.toLocaleString('en')} links for different terms, ${CONNECTIONS} at once with both keys, ${when}`,
    service: 'links-svc',
    measureMs: 20_000,
    async prepare({ gateway, attacker, importLinks }) {
      const folder = await mkdtemp(join(tmpdir(), 'waymark-attack-'));
      try {
        const file = join(folder, 'links.csv');
        await pipeline(Readable.from(csv()), createWriteStream(file));
        await importLinks('attacker', file);
        await sleep(settleMs);
      } finally {
        await rm(folder, { recursive: true });
      }
      const keys = [attacker.live, attacker.public];
      const search = (n: number, connection: number) => ({
        path: `/api/v1/links?q=${encodeURIComponent(`r item ${n * CONNECTIONS + connection}`)}`,
        headers: { authorization: `Bearer ${keys[connection % keys.length]}` },
      });
      return { run: async () => [`searches: ${await flood(gateway, BOUNDS, search)}`] };
    },
    async others({ gateway, other, createLink }) {
      await createLink(other.live, { destination_url: 'https://example.org/', title: 'found' });
      return [
        {
          name: 'search',
          origin: gateway,
          method: 'GET',
          paths: ['/api/v1/links?q=found'],
          headers: { authorization: `Bearer ${other.live}` },
          expectedStatus: 200,
          everyMs: OTHER_EVERY_MS,
        },
      ];
    },
  };
}

function* csv(): Generator<string> {
  yield 'slug,destination_url,title,note\n';
  for (let n = 0; n < LINKS; n++) yield `s${n},https://example.com/?item=${n},item ${n},${NOTE}\n`;
}
