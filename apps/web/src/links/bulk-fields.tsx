import { SelectField, TextField } from '../components/field.tsx';
import { TYPED_ABOVE, TypedCountField } from '../components/typed-count-field.tsx';
import { links, visibilities } from '../texts/links.ts';
import type { BulkEdit, BulkTarget, BulkValues } from './bulk-change.ts';

const { bulk: texts } = links;

interface BulkFieldsProps {
  edit: BulkEdit;
  target: BulkTarget;
  values: BulkValues;
  /** Says which links more people can see with the chosen visibility. */
  widened: string | null;
  /** Why the value of the field is refused. */
  error: string | null;
  onChange: (values: BulkValues) => void;
}

/** What a bulk edit needs to know. */
export function BulkFields({ edit, target, values, widened, error, onChange }: BulkFieldsProps) {
  const count = countOf(target);
  // A job sets no password.
  const choices = Object.entries(visibilities).filter(([name]) => 'links' in target || name !== 'password-protected');
  return (
    <>
      {edit === 'delete' && <p>{texts.deleteText}</p>}
      {edit === 'delete' && count > TYPED_ABOVE && <TypedCountField count={count} />}
      {(edit === 'archive' || edit === 'unarchive') && <p>{texts.selected(count)}</p>}
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
          hint={'filter' in target && texts.noPassword}
          error={error}
          value={values.visibility}
          required
          onChange={(event) =>
            onChange({ ...values, visibility: event.currentTarget.value as BulkValues['visibility'] })
          }
        >
          <option value="">{texts.chooseVisibility}</option>
          {choices.map(([value, text]) => (
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
      {edit === 'visibility' && values.visibility === 'password-protected' && (
        <TextField
          label={links.form.password}
          hint={texts.passwordHint}
          type="password"
          autoComplete="new-password"
          value={values.password}
          onInput={(event) => onChange({ ...values, password: event.currentTarget.value })}
          required
        />
      )}
    </>
  );
}

/** Returns how many links a bulk edit has. The number of links that match a filter can change before it begins. */
export function countOf(target: BulkTarget): number {
  return 'links' in target ? target.links.length : target.count;
}
