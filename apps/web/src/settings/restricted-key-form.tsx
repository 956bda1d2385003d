import type { Action, CreateRestrictedKeyInput, Scope } from '@waymark/contract';
import { useState } from 'preact/hooks';
import { useAboveViews } from '../components/above-views.tsx';
import { CheckGroup } from '../components/check-group.tsx';
import { DialogForm } from '../components/dialog-form.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { addDays, beginningOf, isIsoDate } from '../dates.ts';
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
const FIELDS = Object.keys(EMPTY) as (keyof Values)[];

/** The form for a new restricted key, which is then shown. */
export function RestrictedKeyForm({ onClose }: { onClose: () => void }) {
  const [values, setValues] = useState(EMPTY);
  const edit = (changes: Partial<Values>) => setValues((now) => ({ ...now, ...changes }));
  const { data } = useKeys();
  const { createRestricted } = useKeyActions();
  const showAbove = useAboveViews();

  const { scope, actions } = values;
  const isKeyMissing = data?.keys.every((key) => key.scope !== scope) ?? false;
  const noKey = texts.noKey(settings.keys[scope].name);
  const field = (name: 'name' | 'hashtag' | 'expires_at') => ({
    name,
    value: values[name],
    onInput: (event: { currentTarget: { value: string } }) => edit({ [name]: event.currentTarget.value }),
    autoComplete: 'off',
  });
  const create = async () => {
    if (isKeyMissing) throw new Error(noKey);
    const made = await createRestricted(inputOf(values));
    onClose();
    // Another view may be open by now.
    showAbove((close) => <NewKeyDialog name={made.name} apiKey={made.key} onClose={close} />);
  };
  return (
    <DialogForm
      title={texts.title}
      placement="side"
      fields={FIELDS}
      isEdited={values !== EMPTY}
      action={texts.action}
      onSubmit={create}
      uncertain={texts.uncertain}
      onClose={onClose}
    >
      {(errorAt) => (
        <>
          <TextField {...field('name')} error={errorAt('name')} label={texts.name} hint={texts.nameHint} />
          <SelectField
            label={texts.scope}
            hint={texts.scopeHints[scope]}
            error={isKeyMissing ? noKey : errorAt('scope')}
            value={scope}
            onChange={(event) => edit({ scope: event.currentTarget.value as Scope })}
          >
            {SCOPES.map((one) => (
              <option key={one} value={one}>
                {settings.keys[one].name}
              </option>
            ))}
          </SelectField>
          <CheckGroup legend={texts.actions} error={errorAt('actions')}>
            {(Object.keys(ACTIONS) as Action[]).map((action) => (
              <label key={action} className="check">
                <input
                  type="checkbox"
                  checked={actions.includes(action)}
                  aria-invalid={errorAt('actions') === null ? undefined : true}
                  onChange={({ currentTarget: { checked } }) =>
                    edit({ actions: checked ? [...actions, action] : actions.filter((one) => one !== action) })
                  }
                />
                {ACTIONS[action]}
              </label>
            ))}
          </CheckGroup>
          <TextField
            {...field('hashtag')}
            error={errorAt('hashtag')}
            label={texts.hashtag}
            hint={texts.hashtagHint}
            optional
            autoCapitalize="none"
          />
          <TextField
            {...field('expires_at')}
            error={errorAt('expires_at')}
            label={texts.expiresAt}
            hint={texts.expiresHint}
            type="date"
            optional
          />
        </>
      )}
    </DialogForm>
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
