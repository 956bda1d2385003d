import type { Static, TObject } from 'typebox';
import type { processConfig } from '../config/base-config.ts';
import { ConfigError, type Environment } from '../config/config.ts';
import { createLogger, type Logger } from '../logging/logger.ts';
import { createMetrics, type Metrics, startMetricsServer } from '../metrics/metrics.ts';
import { startTracing } from '../tracing/tracing.ts';
import { createLifecycle, type Lifecycle } from './lifecycle.ts';
import { type Addresses, usableHost } from './listen.ts';

/** The configuration of every service. Its metrics are served on `HOST` too. */
export type ServiceConfig = Static<TObject<typeof processConfig>> & Addresses;

/** The arguments that a service is started with. */
export interface ServiceContext<Config> {
  config: Config;
  logger: Logger;
  metrics: Metrics;
  onShutdown: Lifecycle['onShutdown'];
}

/** A service: how its configuration is read, and how it starts. */
export interface Service {
  name: string;
  /** @throws {ConfigError} names every variable that is missing or wrong. Nothing has started then. */
  configure(env: Environment): ConfiguredService;
}

interface ConfiguredService {
  config: ServiceConfig;
  logger: Logger;
  lifecycle: ReturnType<typeof createLifecycle>;
  start(): Promise<void>;
}

/** Defines a service. `start` gets its configuration, logger and metrics, and registers the steps of its shutdown. */
export function defineService<Config extends ServiceConfig>(
  name: string,
  readConfig: (env: Environment) => Config,
  start: (service: ServiceContext<Config>) => Promise<void>,
): Service {
  return {
    name,
    configure(env) {
      const config = readConfig(env);
      const logger = createLogger({ service: name, level: config.LOG_LEVEL });
      const lifecycle = createLifecycle({
        logger,
        shutdownDelayMs: config.SHUTDOWN_DELAY_MS,
        shutdownTimeoutMs: config.SHUTDOWN_TIMEOUT_MS,
      });
      return {
        config,
        logger,
        lifecycle,
        async start() {
          const host = await usableHost(config);
          const metrics = createMetrics(name);
          if (config.METRICS_PORT > 0) {
            const server = await startMetricsServer(metrics.registry, { host, port: config.METRICS_PORT });
            lifecycle.onShutdown('clients', () => server.close());
          }
          await start({ config: { ...config, HOST: host }, logger, metrics, onShutdown: lifecycle.onShutdown });
        },
      };
    },
  };
}

/** Runs a service as a process of its own, configured by the environment. {@link runServices} says how. */
export async function runService(service: Service): Promise<void> {
  await runServices(service.name, [{ service, env: process.env }]);
}

/**
 * Runs services as one process, each with its own environment variables. Reads the configuration, sets up logging,
 * tracing and metrics (served on `METRICS_PORT` if it is not 0), starts the services in order, and waits for SIGTERM or
 * SIGINT.
 * - After the signal it shuts them down in reverse order, one after the other, and exits with 0, or with 1 if a step
 *   failed or took too long. A second signal exits at once with 1.
 * - If the configuration is wrong, it prints one line for each problem to standard error and exits with 1, before
 *   anything starts.
 * - An uncaught error is logged and ends the process with 1, because its state is unknown from then on.
 *
 * @param name the name of the process in traces, and in the log of an uncaught error
 */
export async function runServices(
  name: string,
  members: readonly { service: Service; env: Environment }[],
): Promise<void> {
  const services = members.map(({ service, env }) => ({
    name: service.name,
    ...orExit(service.name, () => service.configure(env)),
  }));
  const first = services[0]!;
  const logger = createLogger({ service: name, level: first.config.LOG_LEVEL });
  exitOnErrors(logger);
  endOnSignals(services.map(({ lifecycle }) => lifecycle).toReversed());
  const tracing = await startTracing(name, first.config.OTEL_EXPORTER_OTLP_ENDPOINT, logger);
  first.lifecycle.onShutdown('databases', () => tracing.close());
  for (const service of services) await orFail(service.name, service.logger, () => service.start());
}

/**
 * Runs one task of a service as a process and exits: with 0, or with 1 if the configuration is wrong or the task fails.
 * Reports problems like {@link runServices}.
 */
export async function runTask<Config extends Pick<ServiceConfig, 'LOG_LEVEL'>>(
  name: string,
  readConfig: () => Config,
  task: (context: Pick<ServiceContext<Config>, 'config' | 'logger'>) => Promise<void>,
): Promise<void> {
  const config = orExit(name, readConfig);
  const logger = createLogger({ service: name, level: config.LOG_LEVEL });
  exitOnErrors(logger);
  await orFail(name, logger, () => task({ config, logger }));
  process.exit(0);
}

function exitOnErrors(logger: Logger): void {
  const die = (err: unknown): never => {
    logger.fatal({ err }, 'uncaught error');
    process.exit(1);
  };
  process.on('uncaughtException', die);
  process.on('unhandledRejection', die);
}

/** Runs the start of a service, or a task. Reports any error and ends the process. */
async function orFail(name: string, logger: Logger, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (err) {
    if (err instanceof ConfigError) printAndExit(name, err);
    logger.fatal({ err }, 'the service could not start');
    process.stderr.write(`${name}: ${err instanceof Error ? err.message : String(err)}\n`);
    process.exit(1);
  }
}

/** Returns what `read` returns. If the configuration is wrong, prints why and ends the process. */
function orExit<Value>(name: string, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof ConfigError) printAndExit(name, error);
    throw error;
  }
}

function printAndExit(name: string, { problems }: ConfigError): never {
  for (const problem of problems) process.stderr.write(`${name}: ${problem}\n`);
  process.exit(1);
}

/** Shuts the lifecycles down one after the other when the process receives a signal, and exits. */
function endOnSignals(lifecycles: readonly ReturnType<typeof createLifecycle>[]): void {
  let stopping = false;
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    if (stopping) process.exit(1);
    stopping = true;
    let ok = true;
    for (const lifecycle of lifecycles) ok = (await lifecycle.shutdown(signal)) && ok;
    process.exit(ok ? 0 : 1);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}
