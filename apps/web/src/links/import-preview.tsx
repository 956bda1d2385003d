import type { ImportPreview } from '@waymark/contract';
import { inLabels } from '../api/api-error.ts';
import { Table } from '../components/table.tsx';
import { links } from '../texts/links.ts';

const { importing: texts } = links;

type PreviewedLink = NonNullable<ImportPreview['rows'][number]['link']>;

/** Shows the first rows of a file and its columns, as the API understands them, and what it guessed or does not use. */
export function ImportPreviewTables({ name, preview }: { name: string; preview: ImportPreview }) {
  const columns = Object.entries(preview.columns);
  return (
    <>
      {preview.encoding && <p className="notice">{texts.guessedEncoding(preview.encoding)}</p>}
      <p role="status">
        {preview.rows.length === 0 ? texts.noRows : texts.understood(name, texts.formats[preview.format])}
      </p>
      {preview.rows.length > 0 && (
        <Table
          caption={texts.rows}
          columns={[
            { key: 'row', head: texts.row },
            { key: 'understood', head: texts.understoodAs },
          ]}
          rows={preview.rows.map((row, index) => ({
            key: String(index),
            cells: [
              row.row,
              row.link ? (
                <UnderstoodLink link={row.link} />
              ) : (
                <span className="import-refused">{texts.refused(inLabels(row.error ?? ''))}</span>
              ),
            ],
          }))}
        />
      )}
      {columns.length > 0 && (
        <Table
          caption={texts.columns}
          columns={[
            { key: 'field', head: texts.field },
            { key: 'column', head: texts.column, verbatim: true },
          ]}
          rows={columns.map(([field, column]) => ({ key: field, cells: [texts.fields[field] ?? field, column] }))}
        />
      )}
      {preview.unused_columns && <p className="quiet">{texts.unusedColumns(preview.unused_columns)}</p>}
    </>
  );
}

/** The destination, and below it what else the row has. */
function UnderstoodLink({ link: { destination_url, ...others } }: { link: PreviewedLink }) {
  const facts = Object.entries(others)
    .filter(([, value]) => value !== null && !(Array.isArray(value) && value.length === 0))
    .map(([field, value]) => `${texts.fields[field] ?? field}: ${Array.isArray(value) ? value.join(', ') : value}`);
  return (
    <>
      <span translate={false}>{destination_url}</span>
      {facts.length > 0 && <div className="quiet">{facts.join(' · ')}</div>}
    </>
  );
}
