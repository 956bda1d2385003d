import { SelectField } from '../components/field.tsx';
import { links } from '../texts/links.ts';
import type { FileColumn } from './file-columns.ts';
import { IMPORT_FIELDS, type ImportColumns } from './import-file.ts';

const { importing: texts } = links;

interface ImportColumnFieldsProps {
  /** Those of the file. */
  found: readonly FileColumn[];
  columns: ImportColumns;
  onChange: (columns: ImportColumns) => void;
}

/** Asks for the column of each field. */
export function ImportColumnFields({ found, columns, onChange }: ImportColumnFieldsProps) {
  return (
    <>
      <p>{texts.columnsIntro}</p>
      <div className="import-columns">
        {IMPORT_FIELDS.map((name) => (
          <SelectField
            key={name}
            label={texts.fields[name]!}
            value={columns[name] ?? ''}
            onChange={(event) => onChange({ ...columns, [name]: event.currentTarget.value })}
            required={name === 'destination_url'}
            optional={name !== 'destination_url'}
          >
            <option value="">{name === 'destination_url' ? texts.chooseColumn : texts.noColumn}</option>
            {found.map((column) => (
              <option key={column.name} value={column.name} translate={false} dir="auto">
                {texts.columnWithSample(column.name, column.sample)}
              </option>
            ))}
          </SelectField>
        ))}
      </div>
    </>
  );
}
