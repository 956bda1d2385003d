import type { Job } from '@waymark/contract';
import { useEffect, useRef } from 'preact/hooks';
import { useCloseToast, useToast } from '../components/toast.tsx';
import { useLocation } from '../router.tsx';
import { jobs as texts } from '../texts/jobs.ts';
import { actorText } from './actor-text.ts';
import { isOver, useJobs } from './jobs.ts';
import { isOwnJob } from './own-jobs.ts';
import { progressText } from './progress-text.ts';
import { useJobActions } from './use-job-actions.ts';

const WORK = 'jobs';
const NONE: readonly Job[] = [];

/** Shows how far the running job is, in every view, and what it did when it ends. */
export function JobWatcher() {
  const { data } = useJobs();
  const [location] = useLocation();
  const { announce, cancel } = useJobActions();
  const toast = useToast();
  const closeToast = useCloseToast();
  const all = data?.jobs ?? NONE;

  const active = useRef<ReadonlySet<string>>(new Set());
  useEffect(() => {
    for (const job of all.filter(({ id }) => active.current.has(id)).reverse()) if (isOver(job)) announce(job);
    active.current = new Set(all.filter((job) => !isOver(job)).map(({ id }) => id));
  }, [all, announce]);

  const isListed = location === '/jobs';
  useEffect(() => {
    const unfinished = all.filter((job) => !isOver(job));
    const job = unfinished.find(({ state }) => state === 'running') ?? unfinished.at(-1);
    if (job === undefined || isListed) {
      closeToast(WORK);
      return;
    }
    const others = unfinished.length - 1;
    toast({
      text: isOwnJob(job.id) ? texts.running[job.kind] : texts.runningOther(job.title, actorText(job)),
      detail: [progressText(job), others > 0 && texts.waitingOthers(others)].filter(Boolean).join('. '),
      work: WORK,
      // Whoever wants to cancel somebody else's job sees it first.
      ...(isOwnJob(job.id) && { action: { text: texts.cancel, run: () => void cancel(job) } }),
    });
  }, [all, isListed, toast, closeToast, cancel]);
  useEffect(() => () => closeToast(WORK), [closeToast]);
  return null;
}
