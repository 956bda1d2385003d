import type { Logger } from 'pino';
import { withTimeout } from '../concurrency/with-timeout.ts';

/**
 * The stages of a shutdown, in order: report not ready (and keep serving while load balancers notice), stop accepting
 * and finish running requests, flush buffers, close clients, close databases.
 */
export const SHUTDOWN_STAGES = ['not-ready', 'servers', 'flush', 'clients', 'databases'] as const;
export type ShutdownStage = (typeof SHUTDOWN_STAGES)[number];

export interface LifecycleSettings {
  logger: Logger;
  /** How long to keep serving after the stage `not-ready`. */
  shutdownDelayMs: number;
  /** How long the stages after the delay may take together. The stage `not-ready` has the same limit of its own. */
  shutdownTimeoutMs: number;
}

/** The steps of a service's shutdown, registered while it starts. */
export interface Lifecycle {
  /**
   * Adds a step of the shutdown. Stages run in the order of {@link SHUTDOWN_STAGES}, the steps of one stage
   * concurrently. After `not-ready`, each stage may take half of the remaining time, and the last one all of it. Steps
   * receive this limit as `deadlineMs`. A failed step or a late stage is logged, and the shutdown continues.
   */
  onShutdown(stage: ShutdownStage, step: (deadlineMs: number) => Promise<void> | void): void;
}

/** Creates a lifecycle. `shutdown` runs all steps once and resolves to true if each one succeeded in time. */
export function createLifecycle({
  logger,
  shutdownDelayMs,
  shutdownTimeoutMs,
}: LifecycleSettings): Lifecycle & { shutdown(reason: string): Promise<boolean> } {
  const steps: { stage: ShutdownStage; step: (deadlineMs: number) => Promise<void> | void }[] = [];
  let running: Promise<boolean> | undefined;

  /** Runs the steps of one stage. Resolves to true if all of them succeeded within the limit. */
  async function runStage(stage: ShutdownStage, limitMs: number): Promise<boolean> {
    const results = steps
      .filter((one) => one.stage === stage)
      .map(async ({ step }) => {
        try {
          await step(limitMs);
          return true;
        } catch (err) {
          logger.error({ err, stage }, 'a shutdown step failed');
          return false;
        }
      });
    try {
      const all = await withTimeout(Promise.all(results), limitMs, 'a shutdown stage');
      return all.every((ok) => ok);
    } catch {
      logger.error({ stage, limit_ms: limitMs }, 'a shutdown stage took too long');
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
      // A stage that hangs must leave time for the later ones: buffered clicks must still be flushed.
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
