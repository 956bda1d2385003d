import type { Job } from '@waymark/contract';
import { ListChecks } from 'lucide';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { ConfirmDialog } from '../components/confirm-dialog.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { ErrorState } from '../components/error-state.tsx';
import { Icon } from '../components/icon.tsx';
import { PageHeader } from '../components/page-header.tsx';
import { PageLoading } from '../components/page-loading.tsx';
import { TYPED_ABOVE, TypedCountField } from '../components/typed-count-field.tsx';
import { jobs as texts } from '../texts/jobs.ts';
import { actorText } from './actor-text.ts';
import { JobCard } from './job-card.tsx';
import { useJobs } from './jobs.ts';
import { isOwnJob } from './own-jobs.ts';
import { RefusedDialog } from './refused-dialog.tsx';
import { useJobActions } from './use-job-actions.ts';
import './jobs-page.css';

/** What is open above the list. */
type Open = { what: 'refused' | 'undo'; job: Job };

/** The view at `/app/jobs`: the jobs of the last 30 days. */
export function JobsPage() {
  const { data, error, isPending, refetch } = useJobs();
  const { cancel, undo } = useJobActions();
  const [open, setOpen] = useState<Open | null>(null);
  const acted = useRef<HTMLElement>(null);
  const close = () => setOpen(null);
  useLayoutEffect(() => {
    // The button may be gone, and the focus with it.
    if (open !== null || document.activeElement !== document.body) return;
    acted.current?.focus({ preventScroll: true });
    acted.current = null;
  });
  return (
    <>
      <PageHeader title={texts.title} />
      {isPending ? (
        <PageLoading />
      ) : data === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : data.jobs.length === 0 ? (
        <div className="card">
          <EmptyState icon={<Icon of={ListChecks} size={36} />} title={texts.empty.title} text={texts.empty.text} />
        </div>
      ) : (
        <>
          <p className="quiet">{texts.intro}</p>
          <div
            className="card jobs"
            onClickCapture={({ target }) => {
              acted.current = (target as Element).closest('article');
            }}
          >
            {data.jobs.map((job) => (
              <JobCard
                key={job.id}
                job={job}
                onCancel={() => cancel(job)}
                onUndo={job.created === 0 && isOwnJob(job.id) ? () => undo(job) : () => setOpen({ what: 'undo', job })}
                onRefused={() => setOpen({ what: 'refused', job })}
              />
            ))}
          </div>
        </>
      )}
      {open?.what === 'refused' && <RefusedDialog job={open.job} onClose={close} />}
      {open?.what === 'undo' && open.job.created === 0 && (
        <ConfirmDialog
          title={texts.undoOther.title(actorText(open.job))}
          action={texts.undoOther.action}
          onConfirm={() => undo(open.job)}
          onClose={close}
        >
          <p translate={false} dir="auto">
            <strong>{open.job.title}</strong>
          </p>
          <p>{texts.undoOther.text}</p>
        </ConfirmDialog>
      )}
      {open?.what === 'undo' && open.job.created > 0 && (
        <ConfirmDialog
          title={texts.undoImport.title}
          action={texts.undoImport.action}
          onConfirm={() => undo(open.job)}
          onClose={close}
        >
          <p>{texts.undoImport.text(open.job.created)}</p>
          {open.job.created > TYPED_ABOVE && <TypedCountField count={open.job.created} />}
        </ConfirmDialog>
      )}
    </>
  );
}
