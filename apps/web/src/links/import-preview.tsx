import type { ImportPreview } from '@waymark/contract';
import { inLabels } from '../api/api-error.ts';
import { Table } from '../components/table.tsx';
import { Words } from '../components/words.tsx';
import { links, visibilities } from '../texts/links.ts';
import { minuteText } from '../texts/locale.ts';

const { importing: texts } = links;

type PreviewedLink = NonNullable<ImportPreview['rows'][number]['link']>;

/** Shows what the API guessed about a file or does not use, its first rows as the API understands them, and its columns. */
export function ImportPreviewTables({ name, preview }: { name: string; preview: ImportPreview }) {
  const columns = Object.entries(preview.columns);
  return (
    <>
      {preview.encoding && <p className="notice">{texts.guessedEncoding(preview.encoding)}</p>}
      {preview.unused_columns && (
        <p className="notice">
          <span>
            {texts.unusedColumns}{' '}
            <strong translate={false} dir="auto">
              {preview.unused_columns.join(', ')}
            </strong>
          </span>
        </p>
      )}
      <p role="status">
        {preview.rows.length === 0 ? (
          texts.noRows
        ) : (
          <Words text={texts.understood(name, texts.formats[preview.format])} verbatim={name} />
        )}
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
    </>
  );
}

/** The destination, and below it what else the row has that is not so by default. */
function UnderstoodLink({ link: { destination_url, ...others } }: { link: PreviewedLink }) {
  const facts = Object.entries(others).flatMap(([field, value]) => {
    const text = factText(field, value);
    return text === '' ? [] : [{ field, text }];
  });
  return (
    <>
      <span translate={false}>{destination_url}</span>
      {facts.length > 0 && (
        <div className="import-facts">
          {facts.map(({ field, text }) => (
            <span key={field}>
              <span className="quiet">{texts.fields[field] ?? field}: </span>
              <bdi>{text}</bdi>
            </span>
          ))}
        </div>
      )}
    </>
  );
}

function factText(field: string, value: unknown): string {
  if (value === null || value === false || value === 'public') return '';
  if (value === true) return texts.yes;
  if (Array.isArray(value)) return value.join(', ');
  if (field === 'visibility') return visibilities[value as keyof typeof visibilities];
  return field.endsWith('_at') ? minuteText(String(value)) : String(value);
}
