import { WaymarkError } from '@waymark/client';
import type { ImportPreview } from '@waymark/contract';
import { Upload } from 'lucide';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { messageOf } from '../api/api-error.ts';
import { useIdempotentRequest } from '../api/idempotency-key.ts';
import { Button } from '../components/button.tsx';
import { CancelButton, Dialog, DialogBody, DialogFooter } from '../components/dialog.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Field } from '../components/field.tsx';
import { Icon } from '../components/icon.tsx';
import { useSignal } from '../components/long-work.ts';
import { useJobActions } from '../jobs/use-job-actions.ts';
import { links } from '../texts/links.ts';
import { shared } from '../texts/shared.ts';
import { type FileColumn, readFileColumns } from './file-columns.ts';
import { ImportColumnFields } from './import-column-fields.tsx';
import { FILE_MAX_MEBIBYTES, type ImportColumns, isReadable, previewImport, startImport } from './import-file.ts';
import { ImportPreviewTables } from './import-preview.tsx';
import './import-dialog.css';

const { importing: texts } = links;

type Step =
  | { name: 'choose' | 'columns' }
  | { name: 'preview'; preview: ImportPreview }
  /** The import is being uploaded, or its first rows are being read. */
  | { name: 'busy'; uploads: boolean };

interface ImportDialogProps {
  /** The file that was dropped on the page last. */
  dropped: File | null;
  /** True while a file is dragged over the page. */
  isDragged: boolean;
  onClose: () => void;
}

/** Imports a file of links: shows its first rows as the API understands them, and then begins a job with it. */
export function ImportDialog({ dropped, isDragged, onClose }: ImportDialogProps) {
  const [file, setFile] = useState<File | null>(null);
  const [found, setFound] = useState<readonly FileColumn[]>([]);
  const [columns, setColumns] = useState<ImportColumns | null>(null);
  const [step, setStep] = useState<Step>({ name: 'choose' });
  const [error, setError] = useState<string | null>(null);
  const running = useSignal();
  const sendOnce = useIdempotentRequest();
  const { showStarted } = useJobActions();
  const form = useRef<HTMLFormElement>(null);
  // Moves the focus to what comes next: a field, or else the button that goes on, or else the first one.
  useLayoutEffect(() => {
    const next = form.current?.querySelector<HTMLElement>('input, select, [type=submit]');
    (next ?? form.current?.querySelector('button'))?.focus();
  }, [step.name]);

  interface Request {
    sent: File;
    uploads: boolean;
    run: (signal: AbortSignal) => Promise<void>;
    /** Returns the step after a failure. */
    back: (error: unknown) => Step;
  }
  /** Does a request with a file. If it fails, returns to a step with the message. */
  const send = async ({ sent, uploads, run, back }: Request) => {
    const signal = running.start();
    setError(null);
    setStep({ name: 'busy', uploads });
    try {
      // A browser reads no file that changed: its upload would look like one that got lost.
      if (await isReadable(sent)) await run(signal);
    } catch (thrown) {
      if (!signal.aborted) setError(messageOf(thrown));
      // The file may have been uploaded completely by then.
      else if (uploads) setError(texts.leave.text);
      setStep(back(thrown));
    }
    if (await isReadable(sent)) return;
    setError(texts.changedFile(sent.name));
    setStep({ name: 'choose' });
  };
  const read = (chosen: File, mapping: ImportColumns | null) => {
    let known: readonly FileColumn[] = found;
    setFile(chosen);
    setColumns(mapping);
    return send({
      sent: chosen,
      uploads: false,
      run: async (signal) => {
        if (mapping === null) known = await readFileColumns(chosen);
        setFound(known);
        setStep({ name: 'preview', preview: await previewImport({ file: chosen, columns: mapping, signal }) });
      },
      back: (thrown) => {
        const isNotUnderstood = thrown instanceof WaymarkError && thrown.status === 422 && known.length > 0;
        return { name: mapping !== null || isNotUnderstood ? 'columns' : 'choose' };
      },
    });
  };
  const choose = (chosen: File | undefined) => {
    if (chosen === undefined) return;
    if (chosen.size <= FILE_MAX_MEBIBYTES * 1024 ** 2) return void read(chosen, null);
    running.stop();
    setStep({ name: 'choose' });
    setError(texts.tooLarge(FILE_MAX_MEBIBYTES));
  };
  const uploads = step.name === 'busy' && step.uploads;
  useEffect(() => {
    if (dropped !== null && !uploads) choose(dropped);
  }, [dropped]);
  const upload = (back: Step) =>
    send({
      sent: file!,
      uploads: true,
      run: async (signal) => {
        const content = `${file!.name} ${file!.size} ${file!.lastModified} ${JSON.stringify(columns)}`;
        const job = await sendOnce(content, (key) => startImport({ file: file!, columns, signal }, key));
        onClose();
        await showStarted(job);
      },
      back: () => back,
    });
  const submit = (event: Event) => {
    event.preventDefault();
    if (step.name === 'preview') void upload(step);
    if (step.name === 'columns') void read(file!, filled(columns ?? {}));
  };
  const askColumns = (known: ImportColumns) => {
    setColumns(known);
    setStep({ name: 'columns' });
  };

  const current = { choose: 0, columns: 1, preview: 2, busy: uploads ? 2 : 1 }[step.name];
  return (
    <Dialog title={texts.title} onClose={onClose} leave={uploads ? { ...texts.leave, run: running.stop } : null}>
      <form ref={form} onSubmit={submit}>
        <DialogBody>
          <ol className="import-steps">
            {texts.steps.map((name, index) => (
              <li key={name} aria-current={index === current ? 'step' : undefined}>
                {name}
              </li>
            ))}
          </ol>
          <ErrorNotice text={step.name === 'choose' ? null : error} />
          {step.name === 'choose' && (
            <>
              <p>{texts.intro}</p>
              <Field label={texts.file} error={error}>
                {(control) => (
                  <div className={`drop-zone ${isDragged ? 'drop-zone-dragged' : ''}`}>
                    <Icon of={Upload} size={28} />
                    <strong>{texts.drop}</strong>
                    <span>{texts.kinds(FILE_MAX_MEBIBYTES)}</span>
                    <input
                      {...control}
                      type="file"
                      accept=".csv,.json,.ndjson,.jsonl,.txt,text/csv,application/json"
                      onChange={(event) => {
                        choose(event.currentTarget.files?.[0]);
                        // So that the same file can be chosen again.
                        event.currentTarget.value = '';
                      }}
                    />
                  </div>
                )}
              </Field>
            </>
          )}
          {step.name === 'busy' && <p role="status">{step.uploads ? texts.uploading : texts.reading}</p>}
          {step.name === 'preview' && <ImportPreviewTables name={file!.name} preview={step.preview} />}
          {step.name === 'columns' && (
            <ImportColumnFields found={found} columns={columns ?? {}} onChange={setColumns} />
          )}
        </DialogBody>
        <DialogFooter>
          {step.name === 'choose' && <CancelButton />}
          {step.name === 'busy' && <Button onClick={running.stop}>{shared.stop}</Button>}
          {(step.name === 'preview' || step.name === 'columns') && (
            <Button onClick={() => setStep({ name: 'choose' })}>{texts.back}</Button>
          )}
          {step.name === 'preview' && (
            <Button onClick={() => askColumns(step.preview.columns)}>{texts.changeColumns}</Button>
          )}
          {step.name === 'columns' && (
            <Button type="submit" variant="primary">
              {texts.preview}
            </Button>
          )}
          {step.name === 'preview' && step.preview.rows.length > 0 && (
            <Button type="submit" variant="primary">
              {texts.start}
            </Button>
          )}
        </DialogFooter>
      </form>
    </Dialog>
  );
}

/** Returns the columns that have a name. */
function filled(columns: ImportColumns): ImportColumns {
  return Object.fromEntries(Object.entries(columns).filter(([, column]) => column.trim() !== ''));
}
