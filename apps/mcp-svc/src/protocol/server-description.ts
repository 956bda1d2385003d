import { readFileSync } from 'node:fs';
import { MCP_INSTRUCTIONS } from '@waymark/contract';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** The server's name and version, the same in every revision of the protocol. */
export const SERVER_INFO = { name: 'waymark', title: 'Waymark', version };

/** The server's capabilities and its instructions to models. The list of tools never changes at run time. */
export const SERVER_OPTIONS = { capabilities: { tools: {} }, instructions: MCP_INSTRUCTIONS };
