import { useState } from 'preact/hooks';
import { ApiError, messageOf } from '../api/api-error.ts';
import { useBusy } from '../components/busy.ts';
import { Button } from '../components/button.tsx';
import { CancelButton, Dialog, DialogBody, DialogFooter } from '../components/dialog.tsx';
import { TextField } from '../components/field.tsx';
import { links } from '../texts/links.ts';

interface HostDialogProps<Name extends string> {
  title: string;
  verbatim?: string;
  /** The fields by the API's names, with what they hold at first. */
  fields: readonly { name: Name; label: string; hint: string; value: string }[];
  action: string;
  /** Saves the values. If it throws, the dialog stays open and shows the message. */
  onSave: (values: Record<Name, string>) => Promise<void>;
  onClose: () => void;
}

/** A form of a host. The API's messages are shown at their fields. */
export function HostDialog<Name extends string>(props: HostDialogProps<Name>) {
  const { title, verbatim, fields, action, onSave, onClose } = props;
  const [values, setValues] = useState(
    () => Object.fromEntries(fields.map(({ name, value }) => [name, value])) as Record<Name, string>,
  );
  const [error, setError] = useState<unknown>(null);
  const { busy, run } = useBusy();
  const field = error instanceof ApiError ? error.field : null;
  const isAtField = fields.some(({ name }) => name === field);
  const isEdited = fields.some(({ name, value }) => values[name] !== value);
  const save = async () => {
    setError(null);
    try {
      await onSave(values);
      onClose();
    } catch (thrown) {
      setError(thrown);
    }
  };
  return (
    <Dialog
      title={title}
      verbatim={verbatim}
      onClose={onClose}
      busy={busy}
      leave={isEdited ? { ...links.form.leave, run: onClose } : null}
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void run(save);
        }}
      >
        <DialogBody>
          {error !== null && !isAtField && (
            <p key={messageOf(error)} className="notice notice-danger" role="alert">
              {messageOf(error)}
            </p>
          )}
          {fields.map(({ name, label, hint }) => (
            <TextField
              key={name}
              name={name}
              label={label}
              hint={hint}
              inputMode="url"
              error={field === name ? messageOf(error) : null}
              value={values[name]}
              onInput={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
              autoCapitalize="none"
              autoComplete="off"
              spellcheck={false}
            />
          ))}
        </DialogBody>
        <DialogFooter>
          <CancelButton />
          <Button type="submit" variant="primary">
            {action}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}
