import { Command } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { addAccountCommands } from './account-commands.ts';
import { addAnalyticsCommand } from './analytics-command.ts';
import { addApplyCommand } from './apply-command.ts';
import { addCompletionCommand } from './completion-command.ts';
import { addEventsCommand } from './events-command.ts';
import { addHostCommands } from './host-commands.ts';
import { addLinkCommands } from './links/link-commands.ts';
import { addMcpCommand } from './mcp-command.ts';
import { addOpenCommand } from './open-command.ts';
import { addWebhookCommands } from './webhook-commands.ts';

/** Returns the command `waymark`. */
export function createProgram(): Command {
  const program = new Command('waymark')
    .description('Manages the links of a Waymark account.')
    .version(manifest.version)
    .addHelpText('after', '\nThe address and the key are those of "waymark login", or WAYMARK_URL and\nWAYMARK_KEY.');
  addAccountCommands(program);
  addLinkCommands(program);
  addAnalyticsCommand(program);
  addEventsCommand(program);
  addHostCommands(program);
  addWebhookCommands(program);
  addApplyCommand(program);
  addMcpCommand(program);
  addOpenCommand(program);
  addCompletionCommand(program);
  return program;
}
