import { inLabels } from '../api/api-error.ts';
import { Table } from '../components/table.tsx';
import { type Counts, countsText } from '../jobs/outcome.ts';
import { links } from '../texts/links.ts';
import type { SelectedLink } from './bulk-change.ts';

const { bulk: texts } = links;

/** What became of the links of a run. */
export interface Outcome {
  counts: Counts;
  edited: SelectedLink[];
  refused: { name: string; reason: string }[];
  /** Why it ended early. */
  error: string | null;
  /** True if nobody knows what became of the rest. */
  isUncertain: boolean;
}

/** Shows what was done of a run that was refused, stopped or done in part. */
export function BulkOutcome({ counts, refused, error, isUncertain }: Outcome) {
  const isSomething = Object.values(counts).some((count) => count > 0);
  return (
    <>
      {error !== null && (
        <p className="notice notice-danger" role="alert">
          {error}
        </p>
      )}
      {(isSomething || !isUncertain) && (
        <p role="status">
          <strong>{countsText(counts)}</strong>
        </p>
      )}
      {refused.length > 0 && (
        <Table
          caption={texts.refused}
          columns={[
            { key: 'link', head: texts.link, verbatim: true },
            { key: 'reason', head: texts.reason },
          ]}
          rows={refused.map(({ name, reason }) => ({ key: name, cells: [name, inLabels(reason)] }))}
        />
      )}
    </>
  );
}
