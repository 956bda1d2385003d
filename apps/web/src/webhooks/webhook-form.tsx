import type { Scope, Webhook } from '@waymark/contract';
import { useId, useState } from 'preact/hooks';
import { ApiError, messageOf } from '../api/api-error.ts';
import { useAboveViews } from '../components/above-views.tsx';
import { useBusy } from '../components/busy.ts';
import { Button } from '../components/button.tsx';
import { CancelButton, Dialog, DialogBody, DialogFooter } from '../components/dialog.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { useLeft } from '../components/left.ts';
import { useToast } from '../components/toast.tsx';
import { cleanUrl } from '../pasted-url.ts';
import { eventNames, eventNouns } from '../texts/activity.ts';
import { links } from '../texts/links.ts';
import { webhooks as texts, typeNames } from '../texts/webhooks.ts';
import { NewSecretDialog } from './new-secret-dialog.tsx';
import { useWebhookActions } from './webhooks.ts';

interface Values {
  url: string;
  types: readonly string[];
  scope: Scope;
  hashtag: string;
}

/** The form of a webhook, new or not. The API's messages are shown at their fields. The secret of a new one is shown then. */
export function WebhookForm({ webhook, onClose }: { webhook: Webhook | null; onClose: () => void }) {
  const [initial] = useState<Values>(() => ({
    url: webhook?.url ?? '',
    types: webhook?.types ?? [],
    scope: webhook?.scope ?? 'public_links_only',
    hashtag: webhook?.hashtag ?? '',
  }));
  const [values, setValues] = useState(initial);
  const edit = (changes: Partial<Values>) => setValues((now) => ({ ...now, ...changes }));
  const [error, setError] = useState<unknown>(null);
  const { create, update } = useWebhookActions();
  const { busy, run } = useBusy();
  const left = useLeft();
  const toast = useToast();
  const showAbove = useAboveViews();
  // Only who sees all links sees what is not about links.
  const nouns = values.scope === 'full_access' && values.hashtag.trim() === '' ? Object.keys(eventNouns) : ['link'];
  const errorAt = (name: keyof Values) => (error instanceof ApiError && error.field === name ? messageOf(error) : null);
  const isAtField = error instanceof ApiError && error.field !== null && error.field in values;
  const textOf = (thrown: unknown) =>
    thrown instanceof ApiError && thrown.isUncertain && webhook === null
      ? `${messageOf(thrown)} ${texts.form.uncertain}`
      : messageOf(thrown);
  const save = async () => {
    setError(null);
    const { url, types, scope, hashtag } = values;
    const body = {
      url: cleanUrl(url),
      types: types.filter((type) => isOffered(type, nouns)),
      scope,
      hashtag: hashtag.trim() === '' ? null : hashtag.trim(),
    };
    try {
      if (webhook === null) {
        const { secret } = await create(body);
        onClose();
        // Another view may be open by now.
        showAbove((close) => <NewSecretDialog secret={secret} onClose={close} />);
      } else {
        await update(webhook.id, body);
        onClose();
        toast({ text: texts.edit.saved });
      }
    } catch (thrown) {
      setError(thrown);
      if (left.current) toast({ text: textOf(thrown), danger: true });
    }
  };
  const input = (name: 'url' | 'hashtag') => ({
    name,
    value: values[name],
    error: errorAt(name),
    onInput: (event: { currentTarget: { value: string } }) => edit({ [name]: event.currentTarget.value }),
    autoCapitalize: 'none' as const,
    autoComplete: 'off',
    spellcheck: false,
  });
  return (
    <Dialog
      title={webhook === null ? texts.add : texts.edit.title}
      placement="side"
      onClose={onClose}
      busy={busy}
      leave={values === initial ? null : { ...links.form.leave, run: onClose }}
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
          <TextField {...input('url')} label={texts.form.url} hint={texts.form.urlHint} inputMode="url" />
          <SelectField
            label={texts.form.scope}
            hint={texts.form.scopeHints[values.scope]}
            error={errorAt('scope')}
            value={values.scope}
            onChange={(event) => edit({ scope: event.currentTarget.value as Scope })}
          >
            {Object.entries(texts.form.scopes).map(([scope, text]) => (
              <option key={scope} value={scope}>
                {text}
              </option>
            ))}
          </SelectField>
          <TextField {...input('hashtag')} label={texts.form.hashtag} hint={texts.form.hashtagHint} optional />
          <TypeChoices
            nouns={nouns}
            chosen={values.types}
            error={errorAt('types')}
            onChange={(types) => edit({ types })}
          />
        </DialogBody>
        <DialogFooter>
          <CancelButton />
          <Button type="submit" variant="primary">
            {webhook === null ? texts.form.action : texts.edit.save}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}

interface TypeChoicesProps {
  /** What the events to choose from are about. */
  nouns: readonly string[];
  chosen: readonly string[];
  error: string | null;
  onChange: (chosen: readonly string[]) => void;
}

/** The events to send. A wildcard stands for the single ones below it. */
function TypeChoices({ nouns, chosen, error, onChange }: TypeChoicesProps) {
  const id = useId();
  const choice = (type: string, wildcard?: string) => {
    const isImplied = wildcard !== undefined && chosen.includes(wildcard);
    return (
      <label key={type} className="check">
        <input
          type="checkbox"
          checked={isImplied || chosen.includes(type)}
          disabled={isImplied}
          aria-invalid={error === null ? undefined : true}
          onChange={({ currentTarget: { checked } }) => {
            const others = chosen.filter((one) => one !== type && (!type.endsWith('*') || !belongsTo(one, type)));
            onChange(checked ? [...others, type] : others);
          }}
        />
        {typeNames[type]}
      </label>
    );
  };
  return (
    <fieldset className="field webhook-types" aria-describedby={error === null ? undefined : id}>
      <legend>{texts.form.types}</legend>
      {error !== null && (
        <p key={error} className="field-error" id={id}>
          {error}
        </p>
      )}
      {nouns.map((noun) => {
        const wildcard = `${noun}.*`;
        return (
          <div key={noun}>
            {choice(wildcard)}
            <div className="webhook-types-single">
              {Object.keys(eventNames)
                .filter((type) => belongsTo(type, wildcard))
                .map((type) => choice(type, wildcard))}
            </div>
          </div>
        );
      })}
    </fieldset>
  );
}

function isOffered(type: string, nouns: readonly string[]): boolean {
  return nouns.some((noun) => belongsTo(type, `${noun}.*`));
}

function belongsTo(type: string, wildcard: string): boolean {
  return type.startsWith(wildcard.slice(0, -1));
}
