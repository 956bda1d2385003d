import type { BulkResults, Rule } from '@waymark/contract';
import type { World } from '../world.ts';

const PER_REQUEST = 100;

/** Ten rules of all kinds, of which the last one fits every visitor. */
const RULES: Rule[] = [
  { to: 'https://example.com/phones', device: ['mobile', 'tablet'] },
  { to: 'https://example.com/apple', os: ['iOS', 'macOS'] },
  { to: 'https://example.com/safari', browser: ['Safari'] },
  { to: 'https://example.com/here', country: ['DE', 'FR', 'IN'] },
  { to: 'https://example.com/words', language: 'de' },
  { to: 'https://example.com/then', until: '2026-01-01T00:00:00Z' },
  { to: 'https://example.com/later', from: '2099-01-01T00:00:00Z' },
  { to: 'https://example.com/some', share: 0 },
  { to: 'https://example.com/both', device: ['desktop'], country: ['BR'] },
  { to: 'https://example.com/rest', share: 100 },
];

/** Adds links with ten rules to the account through the API. Returns their slugs. */
export async function createLinksWithRules({ gateway, keyHeaders }: World, count: number): Promise<string[]> {
  const slugs: string[] = [];
  while (slugs.length < count) {
    const operations = Array.from({ length: Math.min(PER_REQUEST, count - slugs.length) }, () => ({
      op: 'create',
      link: { destination_url: 'https://example.com/', rules: RULES },
    }));
    const request = { method: 'POST', path: '/api/v1/links/bulk', headers: keyHeaders, json: { operations } } as const;
    const { results } = JSON.parse(await gateway.send(request, 200)) as BulkResults;
    for (const result of results) {
      if (!('link' in result)) throw new Error(`a link with rules was refused: ${JSON.stringify(result)}`);
      slugs.push(result.link.slug!);
    }
  }
  return slugs;
}
