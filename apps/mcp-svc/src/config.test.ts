import { loadConfig } from '@waymark/service-kit';
import { expect, test } from 'vitest';
import { configSchema } from './config.ts';

const ENV = { SIGNING_KEY: 'x'.repeat(32), LINKS_GRPC: 'dns:///links:50051', ANALYTICS_GRPC: 'analytics:50051' };

test('what has no safe default must be set, and every name that is missing is told at once', () => {
  expect(() => loadConfig(configSchema, {})).toThrow(/ANALYTICS_GRPC[\s\S]*LINKS_GRPC[\s\S]*SIGNING_KEY/);
});

test('no other origin is allowed unless it is listed; a list is read from commas', () => {
  expect(loadConfig(configSchema, ENV).MCP_ALLOWED_ORIGINS).toEqual([]);
  const MCP_ALLOWED_ORIGINS = 'https://a.example, http://localhost:6274';
  expect(loadConfig(configSchema, { ...ENV, MCP_ALLOWED_ORIGINS }).MCP_ALLOWED_ORIGINS).toEqual([
    'https://a.example',
    'http://localhost:6274',
  ]);
  for (const wrong of ['*', 'a.example', 'https://a.example/path'])
    expect(() => loadConfig(configSchema, { ...ENV, MCP_ALLOWED_ORIGINS: wrong })).toThrow('MCP_ALLOWED_ORIGINS');
});
