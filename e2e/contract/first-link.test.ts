import type { Analytics } from '@waymark/contract';
import { expect, test } from 'vitest';
import { connectMcp } from '../support/mcp.ts';
import { api, createAccount, createLink, eventually, follow } from '../support/world.ts';

test('a link that is followed 100 times shows 100 clicks in the analytics, over MCP and in its counter', async () => {
  const account = await createAccount();
  const link = await createLink(account.live, { destination_url: 'https://example.com/landing', title: 'Landing' });
  const mcp = await connectMcp(account.live);

  for (let batch = 0; batch < 10; batch += 1) {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => follow(link.slug, { referer: 'https://www.google.com/search' })),
    );
    for (const answer of answers) {
      expect(answer.status).toBe(302);
      expect(answer.headers.get('location')).toBe('https://example.com/landing');
    }
  }

  const tookMs = await eventually(async () => {
    const { status, body } = await api(account.live).analytics();
    expect(status).toBe(200);
    expect(body.clicks).toBe(100);
    expect(body.clicks_by_day.at(-1)).toEqual({ date: body.to, clicks: 100 });
    expect(body.devices).toEqual([{ device: 'desktop', clicks: 100 }]);
    expect(body.sources).toEqual([{ source: 'google.com', clicks: 100 }]);
    expect(body.top_links).toEqual([
      {
        id: link.id,
        slug: link.slug,
        short_url: link.short_url,
        title: 'Landing',
        destination_url: link.destination_url,
        clicks: 100,
      },
    ]);
    expect((await mcp.call<Analytics>('get_analytics')).result).toEqual(body);
    expect((await api(account.live).get(link.id)).body.clicks).toBe(100);
  });
  console.log(`all figures said 100 after ${Math.round(tookMs)} ms`);
  await mcp.close();
});
