import { ConfigError } from './config.ts';
import { createLifecycle, type Lifecycle } from './lifecycle.ts';

/**
 * The process of a service. Runs `start` and keeps running until SIGTERM or SIGINT, then shuts down in order and exits
 * with 0, or 1 where a step failed or took too long; a second signal exits at once. A wrong configuration is one line
 * for each problem on standard error and exit 1; an error that nobody caught is logged and ends the process with 1,
 * since its state is unknown from then on.
 */
export async function runService(name: string, start: (lifecycle: Lifecycle) => Promise<void>): Promise<void> {
  const lifecycle = createLifecycle();
  let stopping = false;
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (stopping) process.exit(1);
    stopping = true;
    process.exit((await lifecycle.shutdown(signal)) ? 0 : 1);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  const die = (err: unknown): never => {
    const logger = lifecycle.logger();
    if (logger === null) process.stderr.write(`${name}: ${err instanceof Error ? err.stack : String(err)}\n`);
    else logger.fatal({ err }, 'uncaught error');
    process.exit(1);
  };
  process.on('uncaughtException', die);
  process.on('unhandledRejection', die);
  try {
    await start(lifecycle);
  } catch (err) {
    if (err instanceof ConfigError) {
      for (const problem of err.problems) process.stderr.write(`${name}: ${problem}\n`);
      process.exit(1);
    }
    lifecycle.logger()?.fatal({ err }, 'the service could not start');
    process.stderr.write(`${name}: ${err instanceof Error ? err.message : String(err)}\n`);
    process.exit(1);
  }
}
