import { type Logger, startPeriodicTask } from '@waymark/service-kit';
import type { SlugsStore } from './slugs.store.ts';

export interface SlugSweeperOptions {
  slugs: Pick<SlugsStore, 'releaseAbandoned'>;
  logger: Logger;
  /** The pause between two rounds. */
  everyMs?: number;
}

const CLAIMS_AT_A_TIME = 500;

/**
 * Releases abandoned claims in the background, a few of all claims in each round: a crash leaves a claim behind. It is
 * not urgent, because a claim that is wanted is checked when it is wanted. Any number of replicas may run it.
 */
export function startSlugSweeper({ slugs, logger, everyMs = 10_000 }: SlugSweeperOptions): { close(): Promise<void> } {
  let after = '';
  return startPeriodicTask({
    everyMs,
    work: async () => {
      after = (await slugs.releaseAbandoned(after, CLAIMS_AT_A_TIME)) ?? '';
    },
    onError: (err) => logger.warn({ err }, 'could not look for abandoned slugs; trying again'),
  });
}
