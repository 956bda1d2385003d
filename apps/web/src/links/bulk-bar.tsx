import { X } from 'lucide-react';
import { type FormEvent, useRef, useState } from 'react';
import { messageOf } from '../api/api-error.ts';
import type { Link } from '../api/client.ts';
import { Button, IconButton } from '../components/button.tsx';
import { Dialog, DialogBody, DialogFooter } from '../components/dialog.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { Progress } from '../components/progress.tsx';
import { Table } from '../components/table.tsx';
import { useToast } from '../components/toast.tsx';
import { links, visibilities } from '../texts/links.ts';
import { shared } from '../texts/shared.ts';
import { type BulkOperation, type BulkProgress, progressText, runBulk } from './bulk-edit.ts';
import { splitHashtags } from './link-form-values.ts';
import { useLinksChanged } from './use-links.ts';
import './bulk-bar.css';

const { bulk: texts } = links;

/** What a bulk edit needs to know of a link. */
export type SelectedLink = Pick<Link, 'id' | 'slug' | 'hashtags'>;
type Edit = 'archive' | 'unarchive' | 'tag' | 'untag' | 'visibility' | 'delete';

interface BulkBarProps {
  selected: readonly SelectedLink[];
  /** How many links match the filters. */
  total: number;
  onSelectMatching: () => Promise<void>;
  onClear: () => void;
}

/** Appears while links are selected, and edits all of them. */
export function BulkBar({ selected, total, onSelectMatching, onClear }: BulkBarProps) {
  const [edit, setEdit] = useState<Edit | null>(null);
  const [selecting, setSelecting] = useState(false);
  const selectMatching = async () => {
    setSelecting(true);
    await onSelectMatching();
    setSelecting(false);
  };
  return (
    <section className="bulk-bar" aria-label={texts.label}>
      <strong role="status">{texts.selected(selected.length)}</strong>
      {selected.length < total && (
        <Button size="s" variant="ghost" busy={selecting} onClick={selectMatching}>
          {selecting ? texts.selecting : texts.selectMatching(total)}
        </Button>
      )}
      <div className="bulk-actions">
        {(['archive', 'unarchive', 'tag', 'untag', 'visibility', 'delete'] as const).map((name) => (
          <Button key={name} size="s" onClick={() => setEdit(name)}>
            {texts[name]}
          </Button>
        ))}
      </div>
      <IconButton size="s" label={texts.clear} onClick={onClear}>
        <X aria-hidden size={16} />
      </IconButton>
      {edit && <BulkDialog edit={edit} selected={selected} onClose={() => setEdit(null)} onDone={onClear} />}
    </section>
  );
}

interface BulkDialogProps {
  edit: Edit;
  selected: readonly SelectedLink[];
  onClose: () => void;
  /** Called when all of it is done and nothing was refused. */
  onDone: () => void;
}

interface Failure {
  slug: string;
  reason: string;
}

/** Asks what it needs to know, edits the links, and lists those that could not be edited. */
function BulkDialog({ edit, selected, onClose, onDone }: BulkDialogProps) {
  const [hashtags, setHashtags] = useState('');
  const [visibility, setVisibility] = useState<Link['visibility']>('public');
  const [password, setPassword] = useState('');
  const [progress, setProgress] = useState<BulkProgress | null>(null);
  const [failures, setFailures] = useState<Failure[] | null>(null);
  const [error, setError] = useState<string | null>(null);
  const stopping = useRef(new AbortController());
  const toast = useToast();
  const changed = useLinksChanged();
  const count = selected.length;

  const operationOf = ({ id, hashtags: present }: SelectedLink): BulkOperation => {
    const tags = splitHashtags(hashtags).map((tag) => tag.replace(/^#/, ''));
    switch (edit) {
      case 'archive':
      case 'unarchive':
        return { op: 'update', id, link: { archived: edit === 'archive' } };
      case 'tag':
        return { op: 'update', id, link: { hashtags: [...present, ...tags] } };
      case 'untag': {
        const removed = new Set(tags.map((tag) => tag.toLowerCase()));
        return { op: 'update', id, link: { hashtags: present.filter((tag) => !removed.has(tag.toLowerCase())) } };
      }
      case 'visibility':
        return { op: 'update', id, link: { visibility, ...(visibility === 'password-protected' && { password }) } };
      case 'delete':
        return { op: 'delete', id };
    }
  };

  const run = async (event: FormEvent) => {
    event.preventDefault();
    if (progress !== null) return;
    setError(null);
    const operations = selected.map(operationOf);
    stopping.current = new AbortController();
    const { signal } = stopping.current;
    const failed: Failure[] = [];
    const edited: SelectedLink[] = [];
    try {
      await runBulk(operations, {
        signal,
        onProgress: setProgress,
        onResult: (result, index) => {
          const link = selected[index]!;
          if (result.error === undefined) edited.push(link);
          else failed.push({ slug: link.slug, reason: result.error });
        },
      });
    } catch (thrown) {
      setError(messageOf(thrown));
      setProgress(null);
      await changed();
      return;
    }
    await changed();
    if (failed.length > 0) {
      setProgress(null);
      setFailures(failed);
      return;
    }
    toast(doneToast(edit, edited, changed, toast));
    onDone();
    onClose();
  };

  const close = () => {
    stopping.current.abort();
    onClose();
  };
  const title = texts.titles[edit];
  const asks = edit !== 'archive' && edit !== 'unarchive';
  return (
    <Dialog title={typeof title === 'string' ? title : title(count)} onClose={close}>
      <form onSubmit={run}>
        <DialogBody>
          {error && (
            <p className="notice notice-danger" role="alert">
              {error}
            </p>
          )}
          {failures !== null ? (
            <Failures failures={failures} done={count - failures.length} />
          ) : progress !== null ? (
            <Progress
              label={typeof title === 'string' ? title : title(count)}
              value={progress.done}
              max={progress.total}
              text={progressText(progress)}
            />
          ) : (
            <>
              {edit === 'delete' && <p>{texts.deleteText}</p>}
              {!asks && <p>{texts.selected(count)}</p>}
              {(edit === 'tag' || edit === 'untag') && (
                <TextField
                  label={links.form.hashtags}
                  hint={links.form.hashtagsHint}
                  value={hashtags}
                  onChange={(event) => setHashtags(event.target.value)}
                  required
                />
              )}
              {edit === 'visibility' && (
                <SelectField
                  label={links.form.visibility}
                  value={visibility}
                  onChange={(event) => setVisibility(event.target.value as Link['visibility'])}
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
                  onChange={(event) => setPassword(event.target.value)}
                  required
                />
              )}
            </>
          )}
        </DialogBody>
        <DialogFooter>
          {failures !== null ? (
            <Button onClick={onClose}>{shared.close}</Button>
          ) : progress !== null ? (
            <Button onClick={() => stopping.current.abort()}>{texts.stop}</Button>
          ) : (
            <>
              <Button onClick={onClose}>{shared.cancel}</Button>
              <Button type="submit" variant={edit === 'delete' ? 'danger' : 'primary'}>
                {asks && edit !== 'delete' ? texts.apply : texts[edit]}
              </Button>
            </>
          )}
        </DialogFooter>
      </form>
    </Dialog>
  );
}

function doneToast(
  edit: Edit,
  edited: readonly SelectedLink[],
  changed: () => Promise<void>,
  toast: (toast: { text: string; danger?: boolean }) => void,
) {
  const text =
    edit === 'archive'
      ? links.archived(edited.length)
      : edit === 'unarchive'
        ? links.unarchived(edited.length)
        : texts.done(edited.length);
  if (edit !== 'archive') return { text };
  const undo = async () => {
    let failed = 0;
    try {
      await runBulk(
        edited.map(({ id }) => ({ op: 'update', id, link: { archived: false } })),
        {
          signal: new AbortController().signal,
          onProgress: () => {},
          onResult: (result) => {
            if (result.error !== undefined) failed += 1;
          },
        },
      );
      await changed();
      if (failed > 0) toast({ text: texts.failed(failed, edited.length - failed), danger: true });
      else toast({ text: links.unarchived(edited.length) });
    } catch (error) {
      toast({ text: messageOf(error), danger: true });
    }
  };
  return { text, action: { text: links.undo, run: () => void undo() } };
}

function Failures({ failures, done }: { failures: readonly Failure[]; done: number }) {
  return (
    <>
      <p role="status">
        <strong>{texts.failed(failures.length, done)}</strong>
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
  );
}
