import { type AccountIdentity, type Caller, requireAccount } from '@waymark/auth';
import { checkJobInput, SHOWN_REFUSALS } from '@waymark/contract';
import { type Implementation, jobInput, type jobsV1, jobToMessage } from '@waymark/proto';
import type { Refusal } from '../database/documents/job.ts';
import type { JobsService } from './jobs.service.ts';

type JobMethods = Pick<Implementation<typeof jobsV1.JobsService, Caller>, 'startJob' | 'getJob' | 'undoJob'>;

/** Implements the jobs of `jobs.v1.JobsService` for the other services, with the rules of the REST API. */
export function jobsRpc(service: JobsService): JobMethods {
  return {
    startJob: async (request, { caller }) => {
      const job = await service.start(requireAccount(caller.identity), checkJobInput(jobInput(request)));
      return { job: jobToMessage(job) };
    },
    getJob: async ({ id }, { caller }) => {
      const identity = requireAccount(caller.identity);
      const job = await service.get(identity, id);
      return { job: jobToMessage(job), refusals: job.refused === 0 ? [] : await firstRefusals(service, identity, id) };
    },
    undoJob: async ({ id }, { caller }) => ({
      job: jobToMessage(await service.undo(requireAccount(caller.identity), id)),
    }),
  };
}

async function firstRefusals(service: JobsService, identity: AccountIdentity, id: string) {
  const first: Refusal[] = [];
  for await (const rows of (await service.refused(identity, id)).rows) {
    first.push(...rows.slice(0, SHOWN_REFUSALS - first.length));
    if (first.length === SHOWN_REFUSALS) break;
  }
  return first.map((refusal) => ({ id: refusal.id, reason: refusal.reason }));
}
