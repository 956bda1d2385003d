import type { Static, TObject } from 'typebox';
import type { processConfig } from './base-config.ts';
import { ConfigError } from './config.ts';
import { createLifecycle, type Lifecycle } from './lifecycle.ts';
import { createLogger, type Logger } from './logger.ts';
import { createMetrics, type Metrics, startMetricsServer } from './metrics.ts';
import { startTracing } from './tracing.ts';

/** The configuration of every service. Its metrics are served on `HOST` too. */
export type ServiceConfig = Static<TObject<typeof processConfig>> & { HOST: string };

/** The arguments that a service is started with. */
export interface ServiceContext<Config> {
  config: Config;
  logger: Logger;
  metrics: Metrics;
  onShutdown: Lifecycle['onShutdown'];
}

/**
 * Runs a service as a process. Reads the configuration, sets up logging, tracing and metrics (served on `METRICS_PORT`
 * if it is not 0), runs `start`, and waits for SIGTERM or SIGINT.
 * - After the signal it shuts down in order and exits with 0, or with 1 if a step failed or took too long. A second
 *   signal exits at once with 1.
 * - If the configuration is wrong, it prints one line for each problem to standard error and exits with 1, before
 *   anything starts.
 * - An uncaught error is logged and ends the process with 1, because its state is unknown from then on.
 */
export async function runService<Config extends ServiceConfig>(
  name: string,
  readConfig: () => Config,
  start: (service: ServiceContext<Config>) => Promise<void>,
): Promise<void> {
  await begin(name, readConfig, async (config, logger) => {
    const lifecycle = createLifecycle({
      logger,
      shutdownDelayMs: config.SHUTDOWN_DELAY_MS,
      shutdownTimeoutMs: config.SHUTDOWN_TIMEOUT_MS,
    });
    endOnSignals(lifecycle);
    const tracing = await startTracing(name, config.OTEL_EXPORTER_OTLP_ENDPOINT, logger);
    lifecycle.onShutdown('databases', () => tracing.close());
    const metrics = createMetrics(name);
    if (config.METRICS_PORT > 0) {
      const server = await startMetricsServer(metrics.registry, { host: config.HOST, port: config.METRICS_PORT });
      lifecycle.onShutdown('clients', () => server.close());
    }
    await start({ config, logger, metrics, onShutdown: lifecycle.onShutdown });
  });
}

/**
 * Runs one task of a service as a process and exits: with 0, or with 1 if the configuration is wrong or the task fails.
 * Reports problems like {@link runService}.
 */
export async function runTask<Config extends Pick<ServiceConfig, 'LOG_LEVEL'>>(
  name: string,
  readConfig: () => Config,
  task: (context: Pick<ServiceContext<Config>, 'config' | 'logger'>) => Promise<void>,
): Promise<void> {
  await begin(name, readConfig, (config, logger) => task({ config, logger }));
  process.exit(0);
}

/** Reads the configuration and runs `work`. Any error, now or later, is reported and ends the process. */
async function begin<Config extends Pick<ServiceConfig, 'LOG_LEVEL'>>(
  name: string,
  readConfig: () => Config,
  work: (config: Config, logger: Logger) => Promise<void>,
): Promise<void> {
  const config = readOrExit(name, readConfig);
  const logger = createLogger({ service: name, level: config.LOG_LEVEL });
  const die = (err: unknown): never => {
    logger.fatal({ err }, 'uncaught error');
    process.exit(1);
  };
  process.on('uncaughtException', die);
  process.on('unhandledRejection', die);
  try {
    await work(config, logger);
  } catch (err) {
    if (err instanceof ConfigError) printAndExit(name, err);
    logger.fatal({ err }, 'the service could not start');
    process.stderr.write(`${name}: ${err instanceof Error ? err.message : String(err)}\n`);
    process.exit(1);
  }
}

function readOrExit<Config>(name: string, readConfig: () => Config): Config {
  try {
    return readConfig();
  } catch (error) {
    if (error instanceof ConfigError) printAndExit(name, error);
    throw error;
  }
}

function printAndExit(name: string, { problems }: ConfigError): never {
  for (const problem of problems) process.stderr.write(`${name}: ${problem}\n`);
  process.exit(1);
}

function endOnSignals(lifecycle: ReturnType<typeof createLifecycle>): void {
  let stopping = false;
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (stopping) process.exit(1);
    stopping = true;
    process.exit((await lifecycle.shutdown(signal)) ? 0 : 1);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
