import { WaymarkError } from '@waymark/client';
import { printError } from '@waymark/terminal';
import { type Command, CommanderError } from 'commander';
import { CliError, EXIT, exitCodeOf } from './cli-error.ts';
import { interrupted } from './interruption.ts';
import { createProgram } from './program.ts';

/** Read without Commander, because errors in the arguments must be JSON too. */
const json = process.argv.includes('--json');

// The reader of a pipe may stop, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit();
  throw error;
});

const program = createProgram();
prepare(program);
try {
  await program.parseAsync();
} catch (thrown) {
  const error: unknown = interrupted.aborted && !(thrown instanceof CliError) ? interrupted.reason : thrown;
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : EXIT.usage;
  } else {
    const known = error instanceof CliError || error instanceof WaymarkError || isOfSystem(error);
    printError(json, known ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exitCode = exitCodeOf(error);
  }
}

/** Lets Commander throw its errors, and print them as JSON with `--json`. */
function prepare(command: Command): void {
  command.exitOverride();
  if (json) command.configureOutput({ outputError: (text) => printError(true, text.replace(/^error: /, '').trim()) });
  for (const inner of command.commands) prepare(inner);
}

/** Returns true for what the operating system refused, such as to write a file. */
function isOfSystem(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error;
}
