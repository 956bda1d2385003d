import type { Job } from '@waymark/contract';
import { useId } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { Progress } from '../components/progress.tsx';
import { jobs as texts } from '../texts/jobs.ts';
import { minuteText } from '../texts/locale.ts';
import { isOver, isUndoable } from './jobs.ts';
import { outcomeText } from './outcome.ts';
import { progressText } from './progress-text.ts';

interface JobCardProps {
  job: Job;
  onCancel: () => void;
  onUndo: () => void;
  onRefused: () => void;
}

/** A job: how far it is or what it did, and what can be done with it. */
export function JobCard({ job, onCancel, onUndo, onRefused }: JobCardProps) {
  const id = useId();
  const kind = texts.kinds[job.kind];
  const over = isOver(job);
  const undoable = isUndoable(job);
  return (
    <article className="card job" aria-labelledby={id} tabIndex={-1}>
      <header className="job-header">
        <h2 id={id}>{kind}</h2>
        <span key={job.state} className={`badge job-${job.state}`}>
          {texts.states[job.state]}
        </span>
        {job.dry_run && <span className="badge">{texts.dryRun}</span>}
        <time className="quiet" dateTime={job.created_at}>
          {minuteText(job.created_at)}
        </time>
      </header>
      {over ? (
        <p>{outcomeText(job)}</p>
      ) : (
        <Progress label={kind} value={job.done} max={job.matched} text={progressText(job)} />
      )}
      {(!over || undoable || job.refused > 0) && (
        <div className="job-actions">
          {!over && (
            <Button size="s" onClick={onCancel}>
              {texts.cancel}
            </Button>
          )}
          {job.refused > 0 && (
            <Button size="s" onClick={onRefused}>
              {texts.refused.show}
            </Button>
          )}
          {undoable && (
            <>
              <Button size="s" onClick={onUndo}>
                {texts.undo}
              </Button>
              <span className="quiet">{texts.undoUntil(minuteText(job.undo_until!))}</span>
            </>
          )}
        </div>
      )}
    </article>
  );
}
