import { TextField } from '../components/field.tsx';
import { links } from '../texts/links.ts';
import { IMPORT_FIELDS, type ImportColumns } from './import-file.ts';

const { importing: texts } = links;

interface ImportColumnFieldsProps {
  columns: ImportColumns;
  onChange: (columns: ImportColumns) => void;
}

/** Asks for the column of each field. */
export function ImportColumnFields({ columns, onChange }: ImportColumnFieldsProps) {
  return (
    <>
      <p>{texts.columnsIntro}</p>
      <div className="import-columns">
        {IMPORT_FIELDS.map((name) => (
          <TextField
            key={name}
            label={texts.fields[name]!}
            value={columns[name] ?? ''}
            onInput={(event) => onChange({ ...columns, [name]: event.currentTarget.value })}
            required={name === 'destination_url'}
            optional={name !== 'destination_url'}
          />
        ))}
      </div>
    </>
  );
}
