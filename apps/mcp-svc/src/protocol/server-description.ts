import { readFileSync } from 'node:fs';
import { MCP_INSTRUCTIONS } from '@waymark/contract';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** What the server calls itself in every revision of the protocol. */
export const SERVER_INFO = { name: 'waymark', title: 'Waymark', version };

/** What the server can do, and what it tells a model: the list of tools never changes while it runs. */
export const SERVER_OPTIONS = { capabilities: { tools: {} }, instructions: MCP_INSTRUCTIONS };
