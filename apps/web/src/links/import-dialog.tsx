import type { ImportPreview } from '@waymark/contract';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { messageOf } from '../api/api-error.ts';
import { useIdempotentRequest } from '../api/idempotency-key.ts';
import { Button } from '../components/button.tsx';
import { Dialog, DialogBody, DialogFooter } from '../components/dialog.tsx';
import { Field } from '../components/field.tsx';
import { useSignal } from '../components/long-work.ts';
import { useJobActions } from '../jobs/use-job-actions.ts';
import { links } from '../texts/links.ts';
import { shared } from '../texts/shared.ts';
import { ImportColumnFields } from './import-column-fields.tsx';
import { FILE_MAX_MEBIBYTES, type ImportColumns, previewImport, startImport } from './import-file.ts';
import { ImportPreviewTables } from './import-preview.tsx';
import './import-dialog.css';

const { importing: texts } = links;

type Step =
  | { name: 'choose' | 'columns' }
  | { name: 'preview'; preview: ImportPreview }
  /** The import is being uploaded, or its first rows are being read. */
  | { name: 'busy'; uploads: boolean };

/** Imports a file of links: shows its first rows as the API understands them, and then begins a job with it. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const [file, setFile] = useState<File | null>(null);
  const [columns, setColumns] = useState<ImportColumns | null>(null);
  const [step, setStep] = useState<Step>({ name: 'choose' });
  const [error, setError] = useState<string | null>(null);
  const running = useSignal();
  const sendOnce = useIdempotentRequest();
  const { showStarted } = useJobActions();
  const form = useRef<HTMLFormElement>(null);
  // Moves the focus to what comes next: a field, or else the button that goes on, or else the first one.
  useLayoutEffect(() => {
    const next = form.current?.querySelector<HTMLElement>('input, [type=submit]');
    (next ?? form.current?.querySelector('button'))?.focus();
  }, [step.name]);

  /** Does a request, and returns to a step with the message if it fails. */
  const send = async (uploads: boolean, request: (signal: AbortSignal) => Promise<void>, back: Step) => {
    const signal = running.start();
    setError(null);
    setStep({ name: 'busy', uploads });
    try {
      await request(signal);
    } catch (thrown) {
      if (!signal.aborted) setError(messageOf(thrown));
      // The file may have been uploaded completely by then.
      else if (uploads) setError(texts.leave.text);
      setStep(back);
    }
  };
  const read = (chosen: File, mapping: ImportColumns | null, back: Step) => {
    setFile(chosen);
    setColumns(mapping);
    return send(
      false,
      async (signal) =>
        setStep({ name: 'preview', preview: await previewImport({ file: chosen, columns: mapping, signal }) }),
      back,
    );
  };
  const choose = (chosen: File | undefined) => {
    if (chosen === undefined) return;
    if (chosen.size > FILE_MAX_MEBIBYTES * 1024 ** 2) setError(texts.tooLarge(FILE_MAX_MEBIBYTES));
    else void read(chosen, null, { name: 'choose' });
  };
  const upload = (back: Step) =>
    send(
      true,
      async (signal) => {
        const content = `${file!.name} ${file!.size} ${file!.lastModified} ${JSON.stringify(columns)}`;
        const job = await sendOnce(content, (key) => startImport({ file: file!, columns, signal }, key));
        onClose();
        await showStarted(job);
      },
      back,
    );
  const submit = (event: Event) => {
    event.preventDefault();
    if (step.name === 'preview') void upload(step);
    if (step.name === 'columns') void read(file!, filled(columns ?? {}), step);
  };
  const askColumns = (known: ImportColumns) => {
    setColumns(known);
    setStep({ name: 'columns' });
  };

  const uploads = step.name === 'busy' && step.uploads;
  return (
    <Dialog title={texts.title} onClose={onClose} leave={uploads ? { ...texts.leave, run: running.stop } : null}>
      <form ref={form} onSubmit={submit}>
        <DialogBody>
          {error !== null && step.name !== 'choose' && (
            <p key={error} className="notice notice-danger" role="alert">
              {error}
            </p>
          )}
          {step.name === 'choose' && (
            <>
              <p>{texts.intro}</p>
              <Field label={texts.file} error={error}>
                {(control) => (
                  <input
                    {...control}
                    className="control"
                    type="file"
                    accept=".csv,.json,.ndjson,.jsonl,.txt,text/csv,application/json"
                    onChange={(event) => choose(event.currentTarget.files?.[0])}
                  />
                )}
              </Field>
            </>
          )}
          {step.name === 'busy' && <p role="status">{step.uploads ? texts.uploading : texts.reading}</p>}
          {step.name === 'preview' && <ImportPreviewTables name={file!.name} preview={step.preview} />}
          {step.name === 'columns' && <ImportColumnFields columns={columns ?? {}} onChange={setColumns} />}
        </DialogBody>
        <DialogFooter>
          {step.name === 'choose' && <Button onClick={onClose}>{shared.cancel}</Button>}
          {step.name === 'choose' && error !== null && file !== null && (
            <Button onClick={() => askColumns({})}>{texts.changeColumns}</Button>
          )}
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
