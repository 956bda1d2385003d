import type { JobFilter } from '@waymark/contract';
import { useState } from 'preact/hooks';
import { ApiError, messageOf } from '../api/api-error.ts';
import { useIdempotentRequest } from '../api/idempotency-key.ts';
import { useLinksChanged } from '../api/links-changed.ts';
import { useBusy } from '../components/busy.ts';
import { Button } from '../components/button.tsx';
import { Dialog, DialogBody, DialogFooter } from '../components/dialog.tsx';
import { useSignal } from '../components/long-work.ts';
import { Progress } from '../components/progress.tsx';
import { useToast } from '../components/toast.tsx';
import { startJob } from '../jobs/jobs.ts';
import { countsText, NO_COUNTS } from '../jobs/outcome.ts';
import { useJobActions } from '../jobs/use-job-actions.ts';
import { linkName } from '../short-url.ts';
import { links } from '../texts/links.ts';
import { shared } from '../texts/shared.ts';
import { type BulkEdit, type BulkTarget, editLinks, jobOf, NO_VALUES, type SelectedLink } from './bulk-change.ts';
import { type BulkProgress, progressText } from './bulk-edit.ts';
import { BulkFields, countOf } from './bulk-fields.tsx';
import { BulkOutcome, type Outcome } from './bulk-outcome.tsx';
import { useUndoArchive } from './use-links.ts';
import { useWidened } from './widened.ts';

const { bulk: texts } = links;
/** What the API calls the field of a bulk edit. */
const FIELDS: ReadonlySet<string | null> = new Set(['add_hashtags', 'remove_hashtags', 'visibility']);

interface BulkDialogProps {
  edit: BulkEdit;
  target: BulkTarget;
  onClose: () => void;
  /** Called after each run, also one that was stopped or refused. */
  onRun: () => void;
}

type State =
  | { step: 'ask'; error: unknown }
  | { step: 'running'; progress: BulkProgress }
  | { step: 'done'; outcome: Outcome };

/**
 * Asks what it needs to know. Begins a job for the links that a filter finds. Edits those that were ticked itself, and
 * lists those that were refused.
 */
export function BulkDialog({ edit, target, onClose, onRun }: BulkDialogProps) {
  const [values, setValues] = useState(NO_VALUES);
  const [state, setState] = useState<State>({ step: 'ask', error: null });
  const running = useSignal();
  const { busy, run } = useBusy();
  const sendOnce = useIdempotentRequest();
  const toast = useToast();
  const changed = useLinksChanged();
  const undoArchive = useUndoArchive();
  const { showStarted } = useJobActions();
  const count = countOf(target);
  const widened = useWidened(target, values.visibility);

  const begin = async (filter: JobFilter) => {
    const job = jobOf(edit, values, filter);
    setState({ step: 'ask', error: null });
    try {
      const started = await sendOnce(JSON.stringify(job), (key) => startJob(job, key));
      onRun();
      onClose();
      await showStarted(started);
    } catch (error) {
      setState({ step: 'ask', error });
    }
  };

  const editTicked = async (selected: readonly SelectedLink[]) => {
    const signal = running.start();
    const outcome: Outcome = { counts: { ...NO_COUNTS }, edited: [], refused: [], error: null, isUncertain: false };
    setState({ step: 'running', progress: { done: 0, total: count, waitSeconds: null, stoppable: true } });
    try {
      await editLinks(edit, values, selected, {
        signal,
        onProgress: (progress) => setState({ step: 'running', progress }),
        onOutcome: (link, what, reason) => {
          outcome.counts[what] += 1;
          if (reason !== undefined) outcome.refused.push({ name: linkName(link), reason });
          else if (what !== 'unchanged') outcome.edited.push(link);
        },
      });
    } catch (error) {
      if (!signal.aborted || error instanceof ApiError) outcome.error = messageOf(error);
      outcome.isUncertain = error instanceof ApiError && error.isUncertain;
    }
    changed();
    onRun();
    if (outcome.edited.length + outcome.counts.unchanged < count) {
      if (signal.aborted) outcome.error ??= texts.stopped;
      setState({ step: 'done', outcome });
      return;
    }
    const undo = { text: links.undo, run: () => void undoArchive(outcome.edited) };
    const isUndoable = edit === 'archive' && outcome.edited.length > 0;
    toast({ text: countsText(outcome.counts), ...(isUndoable && { action: undo }) });
    onClose();
  };

  const submit = (event: Event) => {
    event.preventDefault();
    if (state.step === 'ask') void run(() => ('filter' in target ? begin(target.filter) : editTicked(target.links)));
  };
  /** Ends the edit after the request that is under way. */
  const stop = () => {
    running.stop();
    if (state.step === 'running') setState({ step: 'running', progress: { ...state.progress, stoppable: false } });
  };

  const named = texts.titles[edit];
  const title = typeof named === 'string' ? named : named(count);
  const error = state.step === 'ask' ? state.error : null;
  const isFieldError = error instanceof ApiError && FIELDS.has(error.field);
  const isStoppable = state.step === 'running' && state.progress.stoppable;
  const isNamed = edit === 'archive' || edit === 'unarchive' || edit === 'delete';
  return (
    <Dialog
      title={title}
      onClose={onClose}
      busy={busy && !isStoppable}
      leave={isStoppable ? { ...texts.leave, run: stop } : null}
    >
      <form onSubmit={submit}>
        <DialogBody>
          {state.step === 'ask' && (
            <>
              {error !== null && !isFieldError && (
                <p key={messageOf(error)} className="notice notice-danger" role="alert">
                  {messageOf(error)}
                </p>
              )}
              <BulkFields
                edit={edit}
                target={target}
                values={values}
                widened={widened.text}
                error={isFieldError ? messageOf(error) : null}
                onChange={setValues}
              />
            </>
          )}
          {state.step === 'running' && (
            <Progress
              label={title}
              value={state.progress.done}
              max={state.progress.total}
              text={progressText(state.progress)}
            />
          )}
          {state.step === 'done' && <BulkOutcome {...state.outcome} />}
        </DialogBody>
        <DialogFooter>
          {state.step === 'ask' && (
            <>
              <Button onClick={onClose}>{shared.cancel}</Button>
              <Button type="submit" variant={edit === 'delete' ? 'danger' : 'primary'} busy={widened.isCounting}>
                {isNamed ? texts[edit] : texts.apply}
              </Button>
            </>
          )}
          {state.step === 'running' && <Button onClick={stop}>{shared.stop}</Button>}
          {state.step === 'done' && (
            <>
              {edit === 'archive' && state.outcome.edited.length > 0 && (
                <Button
                  onClick={() => {
                    onClose();
                    void undoArchive(state.outcome.edited);
                  }}
                >
                  {links.undo}
                </Button>
              )}
              <Button onClick={onClose}>{shared.close}</Button>
            </>
          )}
        </DialogFooter>
      </form>
    </Dialog>
  );
}
