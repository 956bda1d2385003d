import { readFileSync } from 'node:fs';
import { ConfigError } from '@waymark/service-kit';
import { printError, throwErrors } from '@waymark/terminal';
import { Command, CommanderError } from 'commander';
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

/**
 * Runs the command line with these arguments, on the environment, the standard streams and the exit code of the process.
 */
export async function runProgram(args: readonly string[]): Promise<void> {
  /** Read without Commander, because errors in the arguments must be JSON too. */
  const json = args.includes('--json');
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
  throwErrors(program, json);
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode;
      return;
    }
    const known = error instanceof AdminError || error instanceof ConfigError;
    printError(json, known ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exitCode = 1;
  }
}
