import { useState } from 'preact/hooks';
import { DialogForm } from '../components/dialog-form.tsx';
import { useBoundedJob } from '../jobs/use-bounded-job.ts';
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
  const begin = useBoundedJob(setCount, () => {
    onRun();
    onClose();
  });
  const widened = useWidened(target, values.visibility);

  const named = texts.titles[edit];
  const isNamed = edit === 'archive' || edit === 'unarchive' || edit === 'delete';
  return (
    <DialogForm
      title={typeof named === 'string' ? named : named(count)}
      fields={FIELDS}
      action={isNamed ? texts[edit] : texts.apply}
      variant={edit === 'delete' ? 'danger' : 'primary'}
      isWaiting={widened.isCounting}
      onSubmit={() => begin(jobOf(edit, values, target.filter, count))}
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
