import type { Job } from '@waymark/contract';
import { jobs } from '../texts/jobs.ts';

/** Says how far a job is that is not over. */
export function progressText({ state, done, matched }: Job): string {
  if (state === 'waiting') return jobs.waiting;
  return matched === 0 ? jobs.finding : jobs.progress(done, matched);
}
