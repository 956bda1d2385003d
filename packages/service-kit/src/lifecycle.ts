import type { Logger } from 'pino';

/**
 * The order of a shutdown: say that the process is not ready, go on serving while load balancers notice, stop
 * accepting and finish what runs, flush what is buffered, close the clients, close the databases.
 */
export const SHUTDOWN_STAGES = ['not-ready', 'servers', 'flush', 'clients', 'databases'] as const;
export type ShutdownStage = (typeof SHUTDOWN_STAGES)[number];

export interface LifecycleSettings {
  logger: Logger;
  /** How long to go on serving after the stage `not-ready`. */
  shutdownDelayMs: number;
  /** How long the stages after that may take in all. */
  shutdownTimeoutMs: number;
}

/** What a service's start registers for its end. */
export interface Lifecycle {
  /** Tells the shutdown its logger and times; called once the configuration is read. */
  configure(settings: LifecycleSettings): void;
  /**
   * Adds a step of the shutdown. Stages run one after another in the order of {@link SHUTDOWN_STAGES}, the steps of one
   * stage at once; `deadlineMs` is what is left of the shutdown's time. A step that fails is logged, and the rest goes on.
   */
  onShutdown(stage: ShutdownStage, step: (deadlineMs: number) => Promise<void> | void): void;
}

/** A lifecycle and its end: `shutdown` runs all steps once and says whether every one succeeded in time. */
export function createLifecycle(): Lifecycle & { shutdown(reason: string): Promise<boolean>; logger(): Logger | null } {
  const steps: { stage: ShutdownStage; step: (deadlineMs: number) => Promise<void> | void }[] = [];
  let settings: LifecycleSettings | undefined;
  let running: Promise<boolean> | undefined;

  async function runStage(stage: ShutdownStage, deadlineAt: number): Promise<boolean> {
    const logger = settings?.logger;
    const left = Math.max(0, deadlineAt - performance.now());
    const results = await Promise.all(
      steps
        .filter((one) => one.stage === stage)
        .map(async ({ step }) => {
          try {
            await step(left);
            return true;
          } catch (err) {
            logger?.error({ err, stage }, 'a step of the shutdown failed');
            return false;
          }
        }),
    );
    return results.every((ok) => ok);
  }

  async function runAll(reason: string): Promise<boolean> {
    const { logger, shutdownDelayMs = 0, shutdownTimeoutMs = 20_000 } = settings ?? {};
    const startedAt = performance.now();
    logger?.info({ reason, delay_ms: shutdownDelayMs }, 'shutting down');
    let ok = await runStage('not-ready', startedAt + shutdownTimeoutMs);
    if (shutdownDelayMs > 0) await new Promise((resolve) => setTimeout(resolve, shutdownDelayMs));
    const deadlineAt = performance.now() + shutdownTimeoutMs;
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<'timeout'>((resolve) => {
      timer = setTimeout(resolve, shutdownTimeoutMs, 'timeout');
    });
    for (const stage of SHUTDOWN_STAGES.slice(1)) {
      const result = await Promise.race([runStage(stage, deadlineAt), timeout]);
      if (result === 'timeout') {
        logger?.error({ stage }, 'the shutdown took too long');
        ok = false;
        break;
      }
      ok = result && ok;
    }
    clearTimeout(timer);
    logger?.info({ duration_ms: Math.round(performance.now() - startedAt) }, 'shut down');
    return ok;
  }

  return {
    configure(given) {
      settings = given;
    },
    onShutdown(stage, step) {
      steps.push({ stage, step });
    },
    shutdown(reason) {
      running ??= runAll(reason);
      return running;
    },
    logger: () => settings?.logger ?? null,
  };
}
