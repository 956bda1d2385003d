import { api } from '../api/client.ts';
import { useIdempotentRequest } from '../api/idempotency-key.ts';
import { useLinksChanged } from '../api/links-changed.ts';
import { links } from '../texts/links.ts';
import { type NewJob, startJob } from './jobs.ts';
import { isOverMax } from './outcome.ts';
import { useJobActions } from './use-job-actions.ts';

/** A job on at most so many links. */
export type BoundedJob = NewJob & { matched_max: number };

/**
 * Returns the function that begins a job on the links that its user was shown, and shows it. If more links match by then,
 * it does nothing, calls `onGrown` with how many do, and throws what to say. `onBegun` is called when the job has begun.
 */
export function useBoundedJob(
  onGrown: (count: number) => void,
  onBegun: () => void,
): (job: BoundedJob) => Promise<void> {
  const sendOnce = useIdempotentRequest();
  const changed = useLinksChanged();
  const { showStarted } = useJobActions();
  return async (job) => {
    const { filter, matched_max: max } = job;
    const started = await sendOnce(JSON.stringify(job), (key) => startJob(job, key));
    if (isOverMax(started, max)) {
      changed();
      const { total } = await api('GET /api/v1/links', { query: { ...filter, per: 1, fields: 'id' } });
      onGrown(total);
      throw new Error(links.bulk.grown(total, max));
    }
    onBegun();
    await showStarted(started, max);
  };
}
