import { useQuery } from '@tanstack/preact-query';
import type { Job } from '@waymark/contract';
import { Download } from 'lucide';
import { inLabels } from '../api/api-error.ts';
import { Button } from '../components/button.tsx';
import { Dialog, DialogBody, DialogFooter } from '../components/dialog.tsx';
import { ErrorState } from '../components/error-state.tsx';
import { Icon } from '../components/icon.tsx';
import { Table } from '../components/table.tsx';
import { saveCsv } from '../save-file.ts';
import { jobs } from '../texts/jobs.ts';
import { shared } from '../texts/shared.ts';
import { readRefused } from './jobs.ts';
import { readRefusedRows } from './refused-rows.ts';

const { refused: texts } = jobs;
/** The most rows on the screen. The download has all of them. */
const SHOWN_MAX = 200;

/** Shows what a job refused and why, and saves it as CSV. */
export function RefusedDialog({ job, onClose }: { job: Job; onClose: () => void }) {
  const { data, error, isError, refetch } = useQuery({
    queryKey: ['refused', job.id],
    queryFn: async ({ signal }) => {
      const csv = await readRefused(job.id, signal);
      return { csv, rows: readRefusedRows(csv) };
    },
  });
  return (
    <Dialog title={texts.title} onClose={onClose}>
      <DialogBody>
        {isError ? (
          <ErrorState error={error} onRetry={() => void refetch()} />
        ) : data === undefined ? (
          <p role="status">{shared.loading}</p>
        ) : (
          <>
            <Table
              caption={texts.title}
              columns={[
                { key: 'id', head: job.kind === 'import' ? texts.row : texts.link, verbatim: true },
                { key: 'reason', head: texts.reason },
              ]}
              rows={data.rows
                .slice(0, SHOWN_MAX)
                .map(({ id, reason }, index) => ({ key: String(index), cells: [id, inLabels(reason)] }))}
            />
            {data.rows.length > SHOWN_MAX && <p className="quiet">{texts.more(data.rows.length - SHOWN_MAX)}</p>}
          </>
        )}
      </DialogBody>
      <DialogFooter>
        <Button onClick={onClose}>{shared.close}</Button>
        {data !== undefined && (
          <Button variant="primary" onClick={() => saveCsv(data.csv, 'refused.csv')}>
            <Icon of={Download} size={15} />
            {texts.download}
          </Button>
        )}
      </DialogFooter>
    </Dialog>
  );
}
