import { useState } from 'preact/hooks';
import { messageOf } from '../api/api-error.ts';
import type { Link } from '../api/client.ts';
import { Button } from '../components/button.tsx';
import { Dialog, DialogBody, DialogFooter } from '../components/dialog.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { useSignal } from '../components/long-work.ts';
import { Progress } from '../components/progress.tsx';
import { Table } from '../components/table.tsx';
import { useToast } from '../components/toast.tsx';
import { links, visibilities } from '../texts/links.ts';
import { shared } from '../texts/shared.ts';
import { type BulkOperation, type BulkProgress, progressText, runBulk } from './bulk-edit.ts';
import { foldHashtag, splitHashtags } from './link-form-values.ts';
import { readHashtags } from './matching-links.ts';
import { useLinksChanged, useUndoArchive } from './use-links.ts';

const { bulk: texts } = links;

export const BULK_EDITS = ['archive', 'unarchive', 'tag', 'untag', 'visibility', 'delete'] as const;
export type BulkEdit = (typeof BULK_EDITS)[number];
/** What a bulk edit needs to know of a link before it begins. */
export type SelectedLink = Pick<Link, 'id' | 'slug'>;

interface BulkDialogProps {
  edit: BulkEdit;
  selected: readonly SelectedLink[];
  onClose: () => void;
  /** Called after each run, also one that was stopped or refused. */
  onRun: () => void;
}

interface Failure {
  slug: string;
  reason: string;
}

type State =
  | { step: 'ask' }
  | { step: 'running'; progress: BulkProgress }
  | { step: 'done'; edited: SelectedLink[]; failures: Failure[]; error: string | null };

/** Asks what it needs to know, edits the links, and lists those that could not be edited. */
export function BulkDialog({ edit, selected, onClose, onRun }: BulkDialogProps) {
  const [hashtags, setHashtags] = useState('');
  const [visibility, setVisibility] = useState<Link['visibility']>('public');
  const [password, setPassword] = useState('');
  const [state, setState] = useState<State>({ step: 'ask' });
  const running = useSignal();
  const toast = useToast();
  const changed = useLinksChanged();
  const undoArchive = useUndoArchive();
  const count = selected.length;

  /** Returns what to do. Reads hashtags again: they may have changed since the selection. */
  const operations = async (signal: AbortSignal): Promise<BulkOperation[]> => {
    const tags = splitHashtags(hashtags).map(foldHashtag);
    const removed = new Set(tags);
    const ids = selected.map(({ id }) => id);
    const now = edit === 'tag' || edit === 'untag' ? await readHashtags(ids, signal) : null;
    return ids.map((id): BulkOperation => {
      const present = now?.get(id) ?? [];
      if (edit === 'delete') return { op: 'delete', id };
      if (edit === 'tag') return { op: 'update', id, link: { hashtags: [...present, ...tags] } };
      if (edit === 'untag') return { op: 'update', id, link: { hashtags: present.filter((tag) => !removed.has(tag)) } };
      if (edit === 'visibility')
        return { op: 'update', id, link: { visibility, ...(visibility === 'password-protected' && { password }) } };
      return { op: 'update', id, link: { archived: edit === 'archive' } };
    });
  };

  const run = async (event: Event) => {
    event.preventDefault();
    if (state.step !== 'ask') return;
    const signal = running.start();
    const failures: Failure[] = [];
    const edited: SelectedLink[] = [];
    let error: string | null = null;
    setState({ step: 'running', progress: { done: 0, total: count, waitSeconds: null } });
    try {
      await runBulk(await operations(signal), {
        signal,
        onProgress: (progress) => setState({ step: 'running', progress }),
        onResult: (result, index) => {
          const link = selected[index]!;
          if (result.error === undefined) edited.push(link);
          else failures.push({ slug: link.slug, reason: result.error });
        },
      });
    } catch (thrown) {
      if (!signal.aborted) error = messageOf(thrown);
    }
    await changed();
    onRun();
    if (edited.length < count) {
      if (error === null && signal.aborted) error = texts.stopped;
      setState({ step: 'done', edited, failures, error });
      return;
    }
    toast({
      text:
        edit === 'archive' ? links.archived(count) : edit === 'unarchive' ? links.unarchived(count) : texts.done(count),
      ...(edit === 'archive' && { action: { text: links.undo, run: () => void undoArchive(edited) } }),
    });
    onClose();
  };

  const named = texts.titles[edit];
  const title = typeof named === 'string' ? named : named(count);
  const asks = edit !== 'archive' && edit !== 'unarchive';
  return (
    <Dialog
      title={title}
      onClose={onClose}
      leave={state.step === 'running' ? { ...texts.leave, run: running.stop } : null}
    >
      <form onSubmit={run}>
        <DialogBody>
          {state.step === 'ask' && (
            <>
              {edit === 'delete' && <p>{texts.deleteText}</p>}
              {!asks && <p>{texts.selected(count)}</p>}
              {(edit === 'tag' || edit === 'untag') && (
                <TextField
                  label={links.form.hashtags}
                  hint={links.form.hashtagsHint}
                  value={hashtags}
                  onInput={(event) => setHashtags(event.currentTarget.value)}
                  required
                />
              )}
              {edit === 'visibility' && (
                <SelectField
                  label={links.form.visibility}
                  value={visibility}
                  onChange={(event) => setVisibility(event.currentTarget.value as Link['visibility'])}
                >
                  {Object.entries(visibilities).map(([value, text]) => (
                    <option key={value} value={value}>
                      {text}
                    </option>
                  ))}
                </SelectField>
              )}
              {edit === 'visibility' && visibility === 'password-protected' && (
                <TextField
                  label={links.form.password}
                  hint={texts.passwordHint}
                  type="password"
                  autoComplete="new-password"
                  value={password}
                  onInput={(event) => setPassword(event.currentTarget.value)}
                  required
                />
              )}
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
          {state.step === 'done' && <Outcome {...state} count={count} />}
        </DialogBody>
        <DialogFooter>
          {state.step === 'ask' && (
            <>
              <Button onClick={onClose}>{shared.cancel}</Button>
              <Button type="submit" variant={edit === 'delete' ? 'danger' : 'primary'}>
                {asks && edit !== 'delete' ? texts.apply : texts[edit]}
              </Button>
            </>
          )}
          {state.step === 'running' && <Button onClick={running.stop}>{shared.stop}</Button>}
          {state.step === 'done' && (
            <>
              {edit === 'archive' && state.edited.length > 0 && (
                <Button
                  onClick={() => {
                    onClose();
                    void undoArchive(state.edited);
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

interface OutcomeProps {
  edited: readonly SelectedLink[];
  failures: readonly Failure[];
  error: string | null;
  count: number;
}

/** Shows what was done of a run that was refused, stopped or done in part. */
function Outcome({ edited, failures, error, count }: OutcomeProps) {
  return (
    <>
      {error !== null && (
        <p className="notice notice-danger" role="alert">
          {error}
        </p>
      )}
      {failures.length > 0 ? (
        <>
          <p role="status">
            <strong>{texts.failed(failures.length, edited.length)}</strong>
          </p>
          <Table
            caption={texts.failures}
            columns={[
              { key: 'link', head: texts.link },
              { key: 'reason', head: texts.reason },
            ]}
            rows={failures.map(({ slug, reason }) => ({ key: slug, cells: [slug, reason] }))}
          />
        </>
      ) : (
        <p>{texts.someChanged(edited.length, count)}</p>
      )}
    </>
  );
}
