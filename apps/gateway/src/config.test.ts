import { loadConfig } from '@waymark/service-kit';
import { expect, test } from 'vitest';
import { configSchema } from './config.ts';

const ENV = {
  SIGNING_KEY: 'x'.repeat(32),
  LINKS_GRPC: 'links:50051',
  LINKS_URL: 'http://links:3000',
  ANALYTICS_URL: 'http://analytics:3000',
  MCP_URL: 'http://mcp-1:3000, http://mcp-2:3000',
};

test('only listed origins may call /mcp, and the list is comma-separated', () => {
  expect(loadConfig(configSchema, ENV).MCP_ALLOWED_ORIGINS).toEqual([]);
  const MCP_ALLOWED_ORIGINS = 'https://a.example, http://localhost:6274';
  expect(loadConfig(configSchema, { ...ENV, MCP_ALLOWED_ORIGINS }).MCP_ALLOWED_ORIGINS).toEqual([
    'https://a.example',
    'http://localhost:6274',
  ]);
  for (const wrong of ['*', 'a.example', 'https://a.example/path'])
    expect(() => loadConfig(configSchema, { ...ENV, MCP_ALLOWED_ORIGINS: wrong })).toThrow('MCP_ALLOWED_ORIGINS');
});
