import { CliError, EXIT } from './cli-error.ts';

const interruption = new AbortController();

/** Is aborted by the first Ctrl-C. The second one ends the process at once. */
export const interrupted = interruption.signal;

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => interruption.abort(new CliError('Interrupted.', EXIT.interrupted)));
