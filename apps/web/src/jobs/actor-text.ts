import type { Job } from '@waymark/contract';
import { jobs } from '../texts/jobs.ts';
import { isOwnJob } from './own-jobs.ts';

const { actors, you } = jobs;

/** Says who began a job: `you` for this tab. */
export function actorText({ id, actor }: Job): string {
  if (isOwnJob(id)) return you;
  if (actor === null) return actors.system;
  return actor.kind === 'key' ? actors.key(actor.name ?? actor.hint ?? '') : actors[actor.kind];
}
