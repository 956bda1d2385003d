import { readFileSync } from 'node:fs';
import { type AccountIdentity, mayDo } from '@waymark/auth';
import { MCP_INSTRUCTIONS, needOf, TOOLS, type Tool } from '@waymark/contract';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string;
};

/** The server's name and version, the same in every revision of the protocol. */
export const SERVER_INFO = { name: 'waymark', title: 'Waymark', version };

/** The server's capabilities and its instructions to models. The tools of a key never change. */
export const SERVER_OPTIONS = { capabilities: { tools: {} }, instructions: MCP_INSTRUCTIONS };

/** Returns the tools that the caller's key may use. */
export function toolsFor(identity: AccountIdentity): Tool[] {
  return TOOLS.filter(({ name }) => mayDo(identity, needOf(name)));
}
