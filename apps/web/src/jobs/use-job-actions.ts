import { useQueryClient } from '@tanstack/preact-query';
import type { Job, JobList } from '@waymark/contract';
import { useMemo } from 'preact/hooks';
import { messageOf } from '../api/api-error.ts';
import { useIdempotentRequest } from '../api/idempotency-key.ts';
import { useLinksChanged } from '../api/links-changed.ts';
import { type Toast, useToast } from '../components/toast.tsx';
import { useLocation } from '../router.tsx';
import { jobs } from '../texts/jobs.ts';
import { actorText } from './actor-text.ts';
import { cancelJob, isOver, isUndoable, JOBS_KEY, undoJob } from './jobs.ts';
import { outcomeText } from './outcome.ts';
import { expectedOf, isOwnJob, rememberJob } from './own-jobs.ts';

export interface JobActions {
  /** Shows a job that this tab just began, or what it did if it is over. `expected` is the number of links that its user saw. */
  showStarted: (job: Job, expected?: number) => Promise<void>;
  /** Says what a job did that is over. */
  announce: (job: Job) => void;
  cancel: (job: Job) => Promise<void>;
  undo: (job: Job) => Promise<void>;
}

/** Returns what can be done with jobs. Errors are shown. */
export function useJobActions(): JobActions {
  const queryClient = useQueryClient();
  const toast = useToast();
  const changed = useLinksChanged();
  const sendOnce = useIdempotentRequest();
  const [, navigate] = useLocation();
  return useMemo(() => {
    /** Puts the newest state of a job into the list that is shown. */
    const put = async (job: Job) => {
      // A response that is on its way is older.
      await queryClient.cancelQueries({ queryKey: JOBS_KEY });
      queryClient.setQueryData<JobList>(JOBS_KEY, (list) => {
        const before = list?.jobs ?? [];
        return {
          jobs: before.some(({ id }) => id === job.id)
            ? before.map((other) => (other.id === job.id ? job : other))
            : [job, ...before],
        };
      });
    };
    const announce = (job: Job) => {
      changed();
      if (!isOwnJob(job.id)) {
        const text = jobs.others(job.title, actorText(job), outcomeText(job));
        toast({ text, about: job.id, action: details });
        return;
      }
      const action = actionOf(job);
      const text = outcomeText(job, expectedOf(job.id));
      toast({ text, detail: job.title, about: job.id, danger: job.state === 'failed', ...(action && { action }) });
    };
    const details = { text: jobs.details, run: () => navigate('/jobs') };
    const actionOf = (job: Job): Toast['action'] => {
      if (job.kind === 'edit' && job.refused === 0 && job.changed > 0 && isUndoable(job))
        return { text: jobs.undo, run: () => void undo(job) };
      if (job.kind === 'import' || job.refused > 0) return details;
      return undefined;
    };
    const showStarted = async (job: Job, expected?: number) => {
      rememberJob(job.id, expected ?? null);
      await put(job);
      if (!isOver(job)) return;
      announce(job);
      void queryClient.invalidateQueries({ queryKey: JOBS_KEY });
    };
    const orShow = async (work: () => Promise<void>) => {
      try {
        await work();
      } catch (error) {
        toast({ text: messageOf(error), danger: true });
        void queryClient.invalidateQueries({ queryKey: JOBS_KEY });
      }
    };
    const undo = (job: Job) =>
      orShow(async () => {
        const started = await sendOnce(job.id, (key) => undoJob(job.id, key));
        await put({ ...job, undo_until: null });
        await showStarted(started);
      });
    const cancel = (job: Job) => orShow(async () => put(await cancelJob(job.id)));
    return { showStarted, announce, cancel, undo };
  }, [queryClient, toast, changed, sendOnce, navigate]);
}
