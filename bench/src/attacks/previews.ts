import { gzipSync } from 'node:zlib';
import type { Attack } from './attack.ts';
import { flood } from './flood.ts';
import { serve } from './serve.ts';

/** Less than the number of links that one key may create in a minute. */
const BOUNDS = { connections: 8, durationMs: 15_000, maxRequests: 300 };

const ATTRIBUTES = Array.from({ length: 50_000 }, (_, n) => `a${n}=x`).join(' ');

/** Link creations with `auto_meta` and one public key, whose destination page is expensive to parse. */
export const previewAttacks: Attack[] = [
  preview('preview-depth', "'<b>' 180,000 times, 561 bytes gzipped", '<b>'.repeat(180_000)),
  preview('preview-divs', '100,000 nested <div>', `<html><body>${'<div>'.repeat(100_000)}`),
  preview('preview-attributes', 'one <meta> with 50,000 attributes', `<html><head><meta ${ATTRIBUTES}>`),
  preview('preview-title', 'an unclosed <title> of 512 KiB', `<html><head><title>${'x '.repeat(262_144)}`),
  preview('preview-entities', 'a <title> of 100,000 entities', `<title>${'&amp;'.repeat(100_000)}</title>`),
];

function preview(name: string, page: string, html: string): Attack {
  const body = gzipSync(html);
  return {
    name,
    about: `creates links with auto_meta, 8 at once with one public key, whose page is ${page}`,
    service: 'links-svc',
    measureMs: 10_000,
    environment: async () => ({ AUTO_META_ALLOW: '127.0.0.0/8' }),
    async prepare({ gateway, attacker, onClose }) {
      let fetched = 0;
      const port = await serve((_request, response) => {
        fetched++;
        response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-encoding': 'gzip' }).end(body);
      }, onClose);
      const headers = { authorization: `Bearer ${attacker.public}`, 'content-type': 'application/json' };
      const create = (n: number, connection: number) => ({
        path: '/api/v1/links',
        method: 'POST' as const,
        headers,
        body: JSON.stringify({ destination_url: `http://127.0.0.1:${port}/${connection}/${n}`, auto_meta: true }),
      });
      return {
        async run() {
          const answers = await flood(gateway, BOUNDS, create);
          return [`creations: ${answers}; pages fetched: ${fetched}`];
        },
      };
    },
  };
}
