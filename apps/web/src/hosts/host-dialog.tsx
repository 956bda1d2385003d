import { useState } from 'preact/hooks';
import { DialogForm, type DialogFormProps } from '../components/dialog-form.tsx';
import { TextField } from '../components/field.tsx';

interface HostDialogProps<Name extends string>
  extends Pick<DialogFormProps<Name>, 'title' | 'verbatim' | 'action' | 'onClose'> {
  /** The fields by the API's names, with what they hold at first. */
  fields: readonly { name: Name; label: string; hint: string; value: string }[];
  /** Returns what was meant by a text that was entered. */
  clean: (text: string) => string;
  onSave: (values: Record<Name, string>) => Promise<void>;
}

/** A form of a host. */
export function HostDialog<Name extends string>({ fields, clean, onSave, ...dialog }: HostDialogProps<Name>) {
  const [values, setValues] = useState(
    () => Object.fromEntries(fields.map(({ name, value }) => [name, value])) as Record<Name, string>,
  );
  const cleaned = () =>
    Object.fromEntries(
      fields.map(({ name, value }) => [name, values[name] === value ? value : clean(values[name])]),
    ) as Record<Name, string>;
  return (
    <DialogForm
      {...dialog}
      fields={fields.map(({ name }) => name)}
      isEdited={fields.some(({ name, value }) => values[name] !== value)}
      onSubmit={() => {
        const clean = cleaned();
        setValues(clean);
        return onSave(clean);
      }}
    >
      {(errorAt) =>
        fields.map(({ name, label, hint }) => (
          <TextField
            key={name}
            name={name}
            label={label}
            hint={hint}
            inputMode="url"
            error={errorAt(name)}
            value={values[name]}
            onInput={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
            onBlur={() => setValues(cleaned())}
            autoCapitalize="none"
            autoComplete="off"
            spellcheck={false}
          />
        ))
      }
    </DialogForm>
  );
}
