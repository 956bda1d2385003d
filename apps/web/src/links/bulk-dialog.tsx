import { useState } from 'preact/hooks';
import { api } from '../api/client.ts';
import { useIdempotentRequest } from '../api/idempotency-key.ts';
import { useLinksChanged } from '../api/links-changed.ts';
import { DialogForm } from '../components/dialog-form.tsx';
import { startJob } from '../jobs/jobs.ts';
import { isOverMax } from '../jobs/outcome.ts';
import { useJobActions } from '../jobs/use-job-actions.ts';
import { links } from '../texts/links.ts';
import { type BulkEdit, type BulkTarget, jobOf, NO_VALUES } from './bulk-change.ts';
import { BulkFields } from './bulk-fields.tsx';
import { useWidened } from './widened.ts';

const { bulk: texts } = links;
/** What the API calls the field of a bulk edit. */
const FIELDS = ['add_hashtags', 'remove_hashtags', 'visibility'] as const;

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
  const sendOnce = useIdempotentRequest();
  const changed = useLinksChanged();
  const { showStarted } = useJobActions();
  const widened = useWidened(target, values.visibility);

  const begin = async () => {
    const job = jobOf(edit, values, target.filter, count);
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
  };

  const named = texts.titles[edit];
  const isNamed = edit === 'archive' || edit === 'unarchive' || edit === 'delete';
  return (
    <DialogForm
      title={typeof named === 'string' ? named : named(count)}
      fields={FIELDS}
      action={isNamed ? texts[edit] : texts.apply}
      variant={edit === 'delete' ? 'danger' : 'primary'}
      isWaiting={widened.isCounting}
      onSubmit={begin}
      onClose={onClose}
    >
      {(errorAt) => (
        <BulkFields
          edit={edit}
          count={count}
          values={values}
          widened={widened.text}
          error={FIELDS.map(errorAt).find((error) => error !== null) ?? null}
          onChange={setValues}
        />
      )}
    </DialogForm>
  );
}
