import { useState } from 'preact/hooks';
import { ApiError, messageOf } from '../api/api-error.ts';
import { api } from '../api/client.ts';
import { useIdempotentRequest } from '../api/idempotency-key.ts';
import { useLinksChanged } from '../api/links-changed.ts';
import { useBusy } from '../components/busy.ts';
import { Button } from '../components/button.tsx';
import { CancelButton, Dialog, DialogBody, DialogFooter } from '../components/dialog.tsx';
import { startJob } from '../jobs/jobs.ts';
import { isOverMax } from '../jobs/outcome.ts';
import { useJobActions } from '../jobs/use-job-actions.ts';
import { links } from '../texts/links.ts';
import { type BulkEdit, type BulkTarget, jobOf, NO_VALUES } from './bulk-change.ts';
import { BulkFields } from './bulk-fields.tsx';
import { useWidened } from './widened.ts';

const { bulk: texts } = links;
/** What the API calls the field of a bulk edit. */
const FIELDS: ReadonlySet<string | null> = new Set(['add_hashtags', 'remove_hashtags', 'visibility']);

interface BulkDialogProps {
  edit: BulkEdit;
  target: BulkTarget;
  onClose: () => void;
  /** Called when the job has begun. */
  onRun: () => void;
}

/** Asks what a bulk edit needs to know, and begins its job. Asks again if more links match by then. */
export function BulkDialog({ edit, target, onClose, onRun }: BulkDialogProps) {
  const [values, setValues] = useState(NO_VALUES);
  const [count, setCount] = useState(target.count);
  const [error, setError] = useState<unknown>(null);
  const { busy, run } = useBusy();
  const sendOnce = useIdempotentRequest();
  const changed = useLinksChanged();
  const { showStarted } = useJobActions();
  const widened = useWidened(target, values.visibility);

  const begin = async () => {
    const job = jobOf(edit, values, target.filter, count);
    setError(null);
    try {
      const started = await sendOnce(JSON.stringify(job), (key) => startJob(job, key));
      if (isOverMax(started, count)) {
        changed();
        const { total } = await api('GET /api/v1/links', { query: { ...target.filter, per: 1, fields: 'id' } });
        setCount(total);
        throw new Error(texts.grown(total, count));
      }
      onRun();
      onClose();
      await showStarted(started, count);
    } catch (thrown) {
      setError(thrown);
    }
  };

  const named = texts.titles[edit];
  const isFieldError = error instanceof ApiError && FIELDS.has(error.field);
  const isNamed = edit === 'archive' || edit === 'unarchive' || edit === 'delete';
  return (
    <Dialog title={typeof named === 'string' ? named : named(count)} onClose={onClose} busy={busy}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(begin);
        }}
      >
        <DialogBody>
          {error !== null && !isFieldError && (
            <p key={messageOf(error)} className="notice notice-danger" role="alert">
              {messageOf(error)}
            </p>
          )}
          <BulkFields
            edit={edit}
            count={count}
            values={values}
            widened={widened.text}
            error={isFieldError ? messageOf(error) : null}
            onChange={setValues}
          />
        </DialogBody>
        <DialogFooter>
          <CancelButton />
          <Button type="submit" variant={edit === 'delete' ? 'danger' : 'primary'} busy={widened.isCounting}>
            {isNamed ? texts[edit] : texts.apply}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}
