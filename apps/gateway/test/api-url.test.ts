import { openApiDocument } from '@waymark/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readConfig } from '../src/config.ts';
import { startGateway, type TestGateway } from './gateway.ts';

// docs/operations.md, Addresses: the API on another host than short links.

const API_URL = 'https://api.example';
const PUBLIC_URL = 'https://go.example';

let gateway: TestGateway;
let key: string;
beforeAll(async () => {
  gateway = await startGateway({ API_URL, PUBLIC_URL });
  key = gateway.accounts.addKey({ username: 'ada' });
});
afterAll(() => gateway.close());

test('/openapi.json has the API at API_URL and short URLs at PUBLIC_URL', async () => {
  expect(await (await gateway.get('/openapi.json')).json()).toEqual(openApiDocument(API_URL, PUBLIC_URL));
});

test('pages of API_URL may call /mcp, those of PUBLIC_URL may not', async () => {
  const status = async (origin: string) =>
    (
      await fetch(`${gateway.url}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, origin },
        body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
      })
    ).status;
  expect([await status(API_URL), await status(PUBLIC_URL)]).toEqual([200, 403]);
});

test('the page of the dashboard has both addresses, at every path and compressed or not', async () => {
  for (const encoding of ['identity', 'gzip', 'br']) {
    const headers = { accept: 'text/html', 'accept-encoding': encoding };
    for (const path of ['/app/', '/app/links']) {
      const page = await (await gateway.get(path, undefined, headers)).text();
      expect(page).toContain(`<meta name="api-url" content="${API_URL}" />`);
      expect(page).toContain(`<meta name="public-url" content="${PUBLIC_URL}" />`);
    }
  }
});

test('API_URL is an origin', () => {
  const env = { LINKS_URL: 'http://l', ANALYTICS_URL: 'http://a', MCP_URL: 'http://m', LINKS_GRPC: 'l:1' };
  const read = (value: string) => readConfig({ ...env, SIGNING_KEY: 's'.repeat(32), API_URL: value }).API_URL;
  expect(read(' HTTPS://Api.Example/ ')).toBe(API_URL);
  expect(read('')).toBeUndefined();
  for (const wrong of ['api.example', `${API_URL}/path`, `${API_URL}/?x=1`, 'https://ada:secret@api.example'])
    expect(() => read(wrong)).toThrow('API_URL must be an http or https URL without user, path, query and fragment.');
});
