import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { settings } from '../texts/settings.ts';
import { MCP_CLIENTS } from './mcp-clients.ts';

const GUIDE = readFileSync(new URL('../../../../docs/mcp.md', import.meta.url), 'utf8');

/** Returns a text without white space: the guide writes short objects in one line. */
const squeezed = (text: string) => text.replace(/\s/g, '');

test.each(MCP_CLIENTS.filter(({ name }) => name !== settings.mcp.otherClient))(
  'docs/mcp.md has the same for $name',
  (client) => {
    expect(squeezed(GUIDE)).toContain(squeezed(client.configuration('http://localhost:8080/mcp', 'key_pub_…')));
  },
);
