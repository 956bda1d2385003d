import type { Job } from '@waymark/contract';
import { useId } from 'preact/hooks';
import { Button } from '../components/button.tsx';
import { Progress } from '../components/progress.tsx';
import { Words } from '../components/words.tsx';
import { mayEdit, useRole } from '../session/role.ts';
import { jobs as texts } from '../texts/jobs.ts';
import { minuteText } from '../texts/locale.ts';
import { actorText } from './actor-text.ts';
import { isOver, isUndoable } from './jobs.ts';
import { outcomeText } from './outcome.ts';
import { expectedOf } from './own-jobs.ts';
import { progressText } from './progress-text.ts';

interface JobCardProps {
  job: Job;
  onCancel: () => void;
  onUndo: () => void;
  onRefused: () => void;
}

/** A job on a line: what it does, for whom, how far it is or what it did, and what can be done with it. */
export function JobCard({ job, onCancel, onUndo, onRefused }: JobCardProps) {
  const id = useId();
  const canEdit = mayEdit(useRole());
  const over = isOver(job);
  const undoable = isUndoable(job);
  return (
    <article className="job" aria-labelledby={id} tabIndex={-1}>
      <div className="job-what">
        <h2 id={id} title={job.title} translate={false} dir="auto">
          {job.title}
        </h2>
        <p className="quiet">
          <Words text={texts.by(actorText(job))} verbatim={job.actor?.name ?? undefined} />
          <time dateTime={job.created_at}>{minuteText(job.created_at)}</time>
        </p>
      </div>
      <div className="job-outcome">
        {(job.state !== 'done' || job.dry_run) && (
          <span key={job.state} className={`badge job-${job.state}`}>
            {job.dry_run && over ? texts.dryRun : texts.states[job.state]}
          </span>
        )}
        {over ? (
          <Words text={outcomeText(job, expectedOf(job.id))} />
        ) : (
          <Progress label={job.title} value={job.done} max={job.matched} text={progressText(job)} />
        )}
        {undoable && (
          <p className="quiet">
            <Words text={texts.undoUntil(minuteText(job.undo_until!))} />
          </p>
        )}
        {job.unused_columns && job.unused_columns.length > 0 && (
          <p className="quiet">{texts.unusedColumns(job.unused_columns)}</p>
        )}
      </div>
      <div className="job-actions">
        {canEdit && !over && (
          <Button size="s" onClick={onCancel}>
            {texts.cancel}
          </Button>
        )}
        {job.refused > 0 && (
          <Button size="s" onClick={onRefused}>
            {texts.refused.show}
          </Button>
        )}
        {canEdit && undoable && (
          <Button size="s" onClick={onUndo}>
            {texts.undo}
          </Button>
        )}
      </div>
    </article>
  );
}
