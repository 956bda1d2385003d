import { SelectField, TextField } from '../components/field.tsx';
import { TYPED_ABOVE, TypedCountField } from '../components/typed-count-field.tsx';
import { Words } from '../components/words.tsx';
import { links, visibilities } from '../texts/links.ts';
import type { BulkEdit, BulkValues } from './bulk-change.ts';

const { bulk: texts } = links;

/** A job sets no password. */
const CHOICES = Object.entries(visibilities).filter(([name]) => name !== 'password-protected');

interface BulkFieldsProps {
  edit: BulkEdit;
  count: number;
  values: BulkValues;
  /** Says which links more people can see with the chosen visibility. */
  widened: string | null;
  /** Why the value of the field is refused. */
  error: string | null;
  onChange: (values: BulkValues) => void;
}

/** What a bulk edit needs to know. */
export function BulkFields({ edit, count, values, widened, error, onChange }: BulkFieldsProps) {
  return (
    <>
      {edit === 'delete' && <p>{texts.deleteText}</p>}
      {edit === 'delete' && count > TYPED_ABOVE && <TypedCountField key={count} count={count} />}
      {(edit === 'archive' || edit === 'unarchive') && (
        <p>
          <Words text={texts.selected(count)} />. {edit === 'archive' && texts.stillRedirect}
        </p>
      )}
      {(edit === 'tag' || edit === 'untag') && (
        <TextField
          label={links.form.hashtags}
          hint={links.form.hashtagsHint}
          error={error}
          value={values.hashtags}
          onInput={(event) => onChange({ ...values, hashtags: event.currentTarget.value })}
          required
        />
      )}
      {edit === 'visibility' && (
        <SelectField
          label={links.form.visibility}
          hint={texts.noPassword}
          error={error}
          value={values.visibility}
          required
          onChange={(event) =>
            onChange({ ...values, visibility: event.currentTarget.value as BulkValues['visibility'] })
          }
        >
          <option value="">{texts.chooseVisibility}</option>
          {CHOICES.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </SelectField>
      )}
      {widened && (
        <p key={widened} className="notice" role="status">
          {widened}
        </p>
      )}
    </>
  );
}
