import { ConfigError } from '@waymark/service-kit';
import { Command } from 'commander';
import { accountCommand } from './account-commands.ts';
import { AdminError } from './admin-error.ts';
import { keyCommand } from './key-commands.ts';

const program = new Command('admin')
  .description('Accounts and keys of a running Waymark: the one of DATA_DIR, or of LINKS_GRPC and SIGNING_KEY.')
  .addCommand(accountCommand())
  .addCommand(keyCommand());

try {
  await program.parseAsync();
} catch (error) {
  const known = error instanceof AdminError || error instanceof ConfigError;
  process.stderr.write(`${known ? error.message : error instanceof Error ? error.stack : String(error)}\n`);
  process.exitCode = 1;
}
