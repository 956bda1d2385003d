import { Download } from 'lucide-preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { messageOf } from '../api/api-error.ts';
import { Button } from '../components/button.tsx';
import { Dialog, DialogBody, DialogFooter } from '../components/dialog.tsx';
import { Field } from '../components/field.tsx';
import { useSignal } from '../components/long-work.ts';
import { Progress } from '../components/progress.tsx';
import { Table } from '../components/table.tsx';
import { saveFile } from '../save-file.ts';
import { links } from '../texts/links.ts';
import { shared } from '../texts/shared.ts';
import { type BulkProgress, progressText, runBulk } from './bulk-edit.ts';
import { COLUMNS } from './import-columns.ts';
import type { ImportFile, ImportRow } from './import-rows.ts';
import { useLinksChanged } from './use-links.ts';

const { importing: texts } = links;
/** The rows are in memory. Larger files are for the command line, which streams them. */
const FILE_MAX_MEGABYTES = 20;

type State =
  | { step: 'choose'; error?: string }
  | { step: 'ready'; name: string; file: ImportFile }
  | { step: 'running'; file: ImportFile; progress: BulkProgress }
  | { step: 'done'; file: ImportFile; created: number; refused: Refused[]; error?: string };

interface Refused extends ImportRow {
  reason: string;
}

/** Imports links from a CSV file: shows how far it is, and which rows were refused and why. */
export function ImportDialog({ onClose }: { onClose: () => void }) {
  const [state, setState] = useState<State>({ step: 'choose' });
  const [downloaded, setDownloaded] = useState(false);
  const running = useSignal();
  const changed = useLinksChanged();
  const importButton = useRef<HTMLButtonElement>(null);
  useEffect(() => importButton.current?.focus(), [state.step]);

  const choose = async (chosen: File | undefined) => {
    if (chosen === undefined) return;
    if (chosen.size > FILE_MAX_MEGABYTES * 1e6) {
      setState({ step: 'choose', error: texts.tooLarge(FILE_MAX_MEGABYTES) });
      return;
    }
    try {
      const text = await chosen.text().catch(() => {
        throw new Error(texts.unreadable);
      });
      const { readImport } = await import('./import-rows.ts');
      setState({ step: 'ready', name: chosen.name, file: readImport(text) });
    } catch (error) {
      setState({ step: 'choose', error: messageOf(error) });
    }
  };

  const run = async (file: ImportFile) => {
    const signal = running.start();
    setDownloaded(false);
    const readable = file.rows.flatMap((row) => ('link' in row.outcome ? [{ row, link: row.outcome.link }] : []));
    const refused = file.rows.flatMap((row) => ('error' in row.outcome ? [{ ...row, reason: row.outcome.error }] : []));
    let created = 0;
    const finish = async (error?: string) => {
      refused.sort((a, b) => a.row - b.row);
      await changed();
      setState({ step: 'done', file, created, refused, ...(error !== undefined && { error }) });
    };
    try {
      await runBulk(
        readable.map(({ link }) => ({ op: 'create', link })),
        {
          signal,
          onProgress: (progress) => setState({ step: 'running', file, progress }),
          onResult: (result, index) => {
            if (result.error === undefined) created += 1;
            else refused.push({ ...readable[index]!.row, reason: result.error });
          },
        },
      );
      await finish(signal.aborted ? texts.stopped : undefined);
    } catch (error) {
      await finish(messageOf(error));
    }
  };

  const leave =
    state.step === 'running'
      ? { ...texts.leave, run: running.stop }
      : state.step === 'done' && state.refused.length > 0 && !downloaded
        ? { ...texts.leaveRefused, run: onClose }
        : null;
  return (
    <Dialog title={texts.title} onClose={onClose} leave={leave}>
      <DialogBody>
        {state.step === 'choose' && (
          <>
            <p>
              {texts.intro} <code>{COLUMNS.join(', ')}</code>.
            </p>
            <Field label={texts.file} error={state.error}>
              {(control) => (
                <input
                  {...control}
                  className="control"
                  type="file"
                  accept=".csv,text/csv"
                  onChange={(event) => choose(event.currentTarget.files?.[0])}
                />
              )}
            </Field>
          </>
        )}
        {state.step === 'ready' && (
          <>
            <p role="status">{texts.found(state.file.rows.length, state.name)}</p>
            {state.file.ignored.length > 0 && <p className="quiet">{texts.ignored(state.file.ignored.join(', '))}</p>}
          </>
        )}
        {state.step === 'running' && (
          <Progress
            label={texts.progress}
            value={state.progress.done}
            max={state.progress.total}
            text={progressText(state.progress)}
          />
        )}
        {state.step === 'done' && (
          <>
            <p role="status">
              <strong>{texts.done(state.created, state.refused.length)}</strong>
            </p>
            {state.error && (
              <p className="notice notice-danger" role="alert">
                {state.error}
              </p>
            )}
            {state.refused.length > 0 && (
              <RefusedRows header={state.file.header} refused={state.refused} onDownload={() => setDownloaded(true)} />
            )}
          </>
        )}
      </DialogBody>
      <DialogFooter>
        {state.step === 'running' ? (
          <Button onClick={running.stop}>{shared.stop}</Button>
        ) : (
          <Button onClick={onClose}>{state.step === 'done' ? shared.close : shared.cancel}</Button>
        )}
        {state.step === 'ready' && (
          <Button variant="primary" ref={importButton} onClick={() => run(state.file)}>
            {texts.start(state.file.rows.length)}
          </Button>
        )}
        {state.step === 'done' && <Button onClick={() => setState({ step: 'choose' })}>{texts.another}</Button>}
      </DialogFooter>
    </Dialog>
  );
}

/** The most refused rows on the screen. The download has all of them. */
const SHOWN_MAX = 200;

interface RefusedRowsProps {
  header: string[];
  refused: Refused[];
  onDownload: () => void;
}

function RefusedRows({ header, refused, onDownload }: RefusedRowsProps) {
  const download = async () => {
    const { refusedCsv } = await import('./import-rows.ts');
    saveFile(new Blob([refusedCsv(header, refused)], { type: 'text/csv' }), 'refused-links.csv');
    onDownload();
  };
  return (
    <>
      <Table
        caption={texts.refused}
        columns={[
          { key: 'row', head: texts.row, number: true },
          { key: 'destination', head: texts.destination },
          { key: 'reason', head: links.bulk.reason },
        ]}
        rows={refused.slice(0, SHOWN_MAX).map(({ row, destination, reason }) => ({
          key: String(row),
          cells: [row, destination, reason],
        }))}
      />
      {refused.length > SHOWN_MAX && <p className="quiet">{texts.moreRefused(refused.length - SHOWN_MAX)}</p>}
      <div>
        <Button size="s" onClick={download}>
          <Download aria-hidden size={15} />
          {texts.downloadRefused}
        </Button>
      </div>
    </>
  );
}
