import { WaymarkError } from '@waymark/client';
import { printError, throwErrors } from '@waymark/terminal';
import { CommanderError } from 'commander';
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
throwErrors(program, json);
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

/** Returns true for what the operating system refused, such as to write a file. */
function isOfSystem(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error;
}
