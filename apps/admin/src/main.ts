import { readFileSync } from 'node:fs';
import { ConfigError } from '@waymark/service-kit';
import { printError } from '@waymark/terminal';
import { Command } from 'commander';
import { accountCommand } from './account-commands.ts';
import { AdminError } from './admin-error.ts';
import { eventsCommand } from './events-command.ts';
import { hostCommand } from './host-commands.ts';
import { keyCommand } from './key-commands.ts';
import { linksCommand } from './link-commands.ts';
import { spoolCommand } from './spool-commands.ts';

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
  version: string;
};
/** Read without Commander, because errors in the arguments must be JSON too. */
const json = process.argv.includes('--json');

const program = new Command('admin')
  .description(
    'Manages the accounts, keys, links, short hosts and events of a running Waymark, found through DATA_DIR, or through LINKS_GRPC and SIGNING_KEY.',
  )
  .version(version)
  .addCommand(accountCommand())
  .addCommand(keyCommand())
  .addCommand(linksCommand())
  .addCommand(hostCommand())
  .addCommand(eventsCommand())
  .addCommand(spoolCommand());
if (json) printParseErrorsAsJson(program);

try {
  await program.parseAsync();
} catch (error) {
  const known = error instanceof AdminError || error instanceof ConfigError;
  printError(json, known ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error));
  process.exitCode = 1;
}

/** Makes Commander print errors in the arguments as JSON. It prints them itself instead of throwing them. */
function printParseErrorsAsJson(command: Command): void {
  command.configureOutput({ outputError: (text) => printError(true, text.replace(/^error: /, '').trim()) });
  for (const inner of command.commands) printParseErrorsAsJson(inner);
}
