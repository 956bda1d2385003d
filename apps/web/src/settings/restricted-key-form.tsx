import type { Action, CreateRestrictedKeyInput, Scope } from '@waymark/contract';
import { useId, useState } from 'preact/hooks';
import { ApiError, messageOf } from '../api/api-error.ts';
import { useAboveViews } from '../components/above-views.tsx';
import { useBusy } from '../components/busy.ts';
import { Button } from '../components/button.tsx';
import { CancelButton, Dialog, DialogBody, DialogFooter } from '../components/dialog.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { useLeft } from '../components/left.ts';
import { useToast } from '../components/toast.tsx';
import { addDays, beginningOf, isIsoDate } from '../dates.ts';
import { links } from '../texts/links.ts';
import { ACTIONS, settings } from '../texts/settings.ts';
import { SCOPES, useKeyActions, useKeys } from './keys.ts';
import { NewKeyDialog } from './new-key-dialog.tsx';

const { form: texts } = settings.restricted;

/** What the form holds. It begins with nothing that the key may do, and with the links of the lesser key. */
const EMPTY = {
  name: '',
  scope: 'public_links_only' as Scope,
  actions: [] as readonly Action[],
  hashtag: '',
  /** The last day of the key. */
  expires_at: '',
};
type Values = typeof EMPTY;

/** The form for a new restricted key, which is then shown. The API's messages are shown at their fields. */
export function RestrictedKeyForm({ onClose }: { onClose: () => void }) {
  const [values, setValues] = useState(EMPTY);
  const edit = (changes: Partial<Values>) => setValues((now) => ({ ...now, ...changes }));
  const [error, setError] = useState<unknown>(null);
  const { data } = useKeys();
  const { createRestricted } = useKeyActions();
  const { busy, run } = useBusy();
  const left = useLeft();
  const toast = useToast();
  const showAbove = useAboveViews();

  const { scope } = values;
  const isKeyMissing = data?.keys.every((key) => key.scope !== scope) ?? false;
  const noKey = texts.noKey(settings.keys[scope].name);
  const errorAt = (name: keyof Values) => (error instanceof ApiError && error.field === name ? messageOf(error) : null);
  const isAtField = error instanceof ApiError && error.field !== null && error.field in values;
  const textOf = (thrown: unknown) =>
    thrown instanceof ApiError && thrown.isUncertain ? `${messageOf(thrown)} ${texts.uncertain}` : messageOf(thrown);
  const field = (name: 'name' | 'hashtag' | 'expires_at') => ({
    name,
    value: values[name],
    error: errorAt(name),
    onInput: (event: { currentTarget: { value: string } }) => edit({ [name]: event.currentTarget.value }),
    autoComplete: 'off',
  });
  const save = async () => {
    setError(null);
    try {
      if (isKeyMissing) throw new ApiError(422, noKey);
      const made = await createRestricted(inputOf(values));
      onClose();
      // Another view may be open by now.
      showAbove((close) => <NewKeyDialog name={made.name} apiKey={made.key} onClose={close} />);
    } catch (thrown) {
      setError(thrown);
      if (left.current) toast({ text: textOf(thrown), danger: true });
    }
  };
  return (
    <Dialog
      title={texts.title}
      placement="side"
      onClose={onClose}
      busy={busy}
      leave={values === EMPTY ? null : { ...links.form.leave, run: onClose }}
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
            <p key={textOf(error)} className="notice notice-danger" role="alert">
              {textOf(error)}
            </p>
          )}
          <TextField {...field('name')} label={texts.name} hint={texts.nameHint} required />
          <SelectField
            label={texts.scope}
            hint={texts.scopeHints[scope]}
            error={isKeyMissing ? noKey : null}
            value={scope}
            onChange={(event) => edit({ scope: event.currentTarget.value as Scope })}
          >
            {SCOPES.map((one) => (
              <option key={one} value={one}>
                {settings.keys[one].name}
              </option>
            ))}
          </SelectField>
          <ActionChoices chosen={values.actions} error={errorAt('actions')} onChange={(actions) => edit({ actions })} />
          <TextField
            {...field('hashtag')}
            label={texts.hashtag}
            hint={texts.hashtagHint}
            optional
            autoCapitalize="none"
          />
          <TextField {...field('expires_at')} label={texts.expiresAt} hint={texts.expiresHint} type="date" optional />
        </DialogBody>
        <DialogFooter>
          <CancelButton />
          <Button type="submit" variant="primary">
            {texts.action}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}

interface ActionChoicesProps {
  chosen: readonly Action[];
  error: string | null;
  onChange: (chosen: readonly Action[]) => void;
}

function ActionChoices({ chosen, error, onChange }: ActionChoicesProps) {
  const id = useId();
  return (
    <fieldset className="field" aria-describedby={error === null ? undefined : id}>
      <legend>{texts.actions}</legend>
      {(Object.keys(ACTIONS) as Action[]).map((action) => (
        <label key={action} className="check">
          <input
            type="checkbox"
            checked={chosen.includes(action)}
            aria-invalid={error === null ? undefined : true}
            onChange={({ currentTarget: { checked } }) =>
              onChange(checked ? [...chosen, action] : chosen.filter((one) => one !== action))
            }
          />
          {ACTIONS[action]}
        </label>
      ))}
      {error !== null && (
        <p key={error} className="field-error" id={id}>
          {error}
        </p>
      )}
    </fieldset>
  );
}

function inputOf({ name, scope, actions, hashtag, expires_at }: Values): CreateRestrictedKeyInput {
  return {
    name,
    scope,
    actions: [...actions],
    hashtag: hashtag.trim() === '' ? null : hashtag.trim(),
    expires_at: expires_at === '' ? null : endOf(expires_at),
  };
}

/** Returns the moment at which a day ends. Returns an invalid text as it is, so that the API says what is wrong. */
function endOf(date: string): string {
  return isIsoDate(date) ? beginningOf(addDays(date, 1)) : date;
}
