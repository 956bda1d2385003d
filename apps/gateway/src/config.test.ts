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

const OIDC = { OIDC_ISSUER: 'https://login.example/realms/a', OIDC_CLIENT_ID: 'waymark', OIDC_CLIENT_SECRET: 'secret' };

test('all settings of the OpenID provider are there, or none, and who may do what can be read', () => {
  const OIDC_ACCESS = 'marketing=acme:editor, *=acme:viewer';
  expect(loadConfig(configSchema, { ...ENV, ...OIDC, OIDC_ACCESS })).toMatchObject({
    ...OIDC,
    OIDC_ACCESS: ['marketing=acme:editor', '*=acme:viewer'],
    OIDC_GROUPS_CLAIM: 'groups',
    OIDC_PLAN: 'developer',
  });
  for (const name of Object.keys(OIDC))
    expect(() => loadConfig(configSchema, { ...ENV, ...OIDC, [name]: '' })).toThrow(
      new RegExp(`^${name}( \\(or ${name}_FILE\\))? is not set, but OIDC_\\w+ requires it\\.$`),
    );
  for (const wrong of ['marketing', 'marketing=acme:admin', `marketing=acme:editor,=acme:viewer`])
    expect(() => loadConfig(configSchema, { ...ENV, ...OIDC, OIDC_ACCESS: wrong })).toThrow(
      /^OIDC_ACCESS must be a comma-separated list, each GROUP=ACCOUNT:ROLE, .*owner\.$/,
    );
});
