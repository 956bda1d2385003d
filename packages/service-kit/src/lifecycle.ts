import type { Logger } from 'pino';
import { withTimeout } from './with-timeout.ts';

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
  /**
   * Adds a step of the shutdown. Stages run one after another in the order of {@link SHUTDOWN_STAGES}, the steps of one
   * stage at once. A stage may take half of the time that is left (the last one all of it), which its steps are told as
   * `deadlineMs`; one that fails or takes longer is logged, and the rest goes on.
   */
  onShutdown(stage: ShutdownStage, step: (deadlineMs: number) => Promise<void> | void): void;
}

/** A lifecycle and its end: `shutdown` runs all steps once and says whether every one succeeded in time. */
export function createLifecycle({
  logger,
  shutdownDelayMs,
  shutdownTimeoutMs,
}: LifecycleSettings): Lifecycle & { shutdown(reason: string): Promise<boolean> } {
  const steps: { stage: ShutdownStage; step: (deadlineMs: number) => Promise<void> | void }[] = [];
  let running: Promise<boolean> | undefined;

  /** Runs the steps of one stage; true where all of them succeeded within the limit. */
  async function runStage(stage: ShutdownStage, limitMs: number): Promise<boolean> {
    const results = steps
      .filter((one) => one.stage === stage)
      .map(async ({ step }) => {
        try {
          await step(limitMs);
          return true;
        } catch (err) {
          logger.error({ err, stage }, 'a step of the shutdown failed');
          return false;
        }
      });
    try {
      const all = await withTimeout(Promise.all(results), limitMs, 'a stage of the shutdown');
      return all.every((ok) => ok);
    } catch {
      logger.error({ stage, limit_ms: limitMs }, 'a stage of the shutdown took too long');
      return false;
    }
  }

  async function runAll(reason: string): Promise<boolean> {
    const startedAt = performance.now();
    logger.info({ reason, delay_ms: shutdownDelayMs }, 'shutting down');
    let ok = await runStage('not-ready', shutdownTimeoutMs);
    if (shutdownDelayMs > 0) await new Promise((resolve) => setTimeout(resolve, shutdownDelayMs));
    const deadlineAt = performance.now() + shutdownTimeoutMs;
    for (const stage of SHUTDOWN_STAGES.slice(1)) {
      const leftMs = Math.max(0, deadlineAt - performance.now());
      // What hangs in one stage must not take the time of those after it: buffered clicks are flushed all the same.
      const limitMs = stage === SHUTDOWN_STAGES.at(-1) ? leftMs : leftMs / 2;
      ok = (await runStage(stage, limitMs)) && ok;
    }
    logger.info({ duration_ms: Math.round(performance.now() - startedAt) }, 'shut down');
    return ok;
  }

  return {
    onShutdown(stage, step) {
      steps.push({ stage, step });
    },
    shutdown(reason) {
      running ??= runAll(reason);
      return running;
    },
  };
}
