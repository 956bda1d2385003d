import { type Caller, requireAccount } from '@waymark/auth';
import { checkJobInput } from '@waymark/contract';
import { type Implementation, jobInput, type jobsV1, jobToMessage } from '@waymark/proto';
import type { JobsService } from './jobs.service.ts';

type JobMethods = Pick<Implementation<typeof jobsV1.JobsService, Caller>, 'startJob' | 'getJob' | 'undoJob'>;

/** Implements the jobs of `jobs.v1.JobsService` for the other services, with the rules of the REST API. */
export function jobsRpc(service: JobsService): JobMethods {
  return {
    startJob: async (request, { caller }) => {
      const job = await service.start(requireAccount(caller.identity), checkJobInput(jobInput(request)));
      return { job: jobToMessage(job) };
    },
    getJob: async ({ id }, { caller }) => ({
      job: jobToMessage(await service.get(requireAccount(caller.identity), id)),
    }),
    undoJob: async ({ id }, { caller }) => ({
      job: jobToMessage(await service.undo(requireAccount(caller.identity), id)),
    }),
  };
}
