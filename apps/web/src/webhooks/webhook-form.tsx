import type { Scope, Webhook } from '@waymark/contract';
import { useState } from 'preact/hooks';
import { useAboveViews } from '../components/above-views.tsx';
import { CheckGroup } from '../components/check-group.tsx';
import { DialogForm } from '../components/dialog-form.tsx';
import { SelectField, TextField } from '../components/field.tsx';
import { useToast } from '../components/toast.tsx';
import { cleanUrl } from '../pasted-url.ts';
import { eventNames, eventNouns } from '../texts/activity.ts';
import { CLICKS, webhooks as texts, typeNames } from '../texts/webhooks.ts';
import { NewSecretDialog } from './new-secret-dialog.tsx';
import { useWebhookActions } from './webhooks.ts';

const FIELDS = ['url', 'types', 'scope', 'hashtag'] as const;

interface Values {
  url: string;
  types: readonly string[];
  scope: Scope;
  hashtag: string;
}

/** The form of a webhook, new or not. The secret of a new one is shown then. */
export function WebhookForm({ webhook, onClose }: { webhook: Webhook | null; onClose: () => void }) {
  const [initial] = useState<Values>(() => ({
    url: webhook?.url ?? '',
    // The form has one name for clicks.
    types: webhook?.types.map((type) => (type === 'clicks.*' ? CLICKS : type)) ?? [],
    scope: webhook?.scope ?? 'public_links_only',
    hashtag: webhook?.hashtag ?? '',
  }));
  const [values, setValues] = useState(initial);
  const edit = (changes: Partial<Values>) => setValues((now) => ({ ...now, ...changes }));
  const { create, update } = useWebhookActions();
  const toast = useToast();
  const showAbove = useAboveViews();
  // Only who sees all links sees what is not about links.
  const nouns = values.scope === 'full_access' && values.hashtag.trim() === '' ? Object.keys(eventNouns) : ['link'];
  const save = async () => {
    const { url, types, scope, hashtag } = values;
    const body = {
      url: cleanUrl(url),
      types: types.filter((type) => isOffered(type, nouns)),
      scope,
      hashtag: hashtag.trim() === '' ? null : hashtag.trim(),
    };
    if (webhook === null) {
      const { secret } = await create(body);
      onClose();
      // Another view may be open by now.
      showAbove((close) => <NewSecretDialog secret={secret} onClose={close} />);
    } else {
      await update(webhook.id, body);
      toast({ text: texts.edit.saved });
    }
  };
  const input = (name: 'url' | 'hashtag') => ({
    name,
    value: values[name],
    onInput: (event: { currentTarget: { value: string } }) => edit({ [name]: event.currentTarget.value }),
    autoCapitalize: 'none' as const,
    autoComplete: 'off',
    spellcheck: false,
  });
  return (
    <DialogForm
      title={webhook === null ? texts.add : texts.edit.title}
      placement="side"
      fields={FIELDS}
      isEdited={values !== initial}
      action={webhook === null ? texts.form.action : texts.edit.save}
      onSubmit={save}
      uncertain={webhook === null ? texts.form.uncertain : undefined}
      onClose={onClose}
    >
      {(errorAt) => (
        <>
          <TextField
            {...input('url')}
            error={errorAt('url')}
            label={texts.form.url}
            hint={texts.form.urlHint}
            inputMode="url"
            onBlur={() => {
              const url = cleanUrl(values.url);
              if (url !== values.url) edit({ url });
            }}
          />
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
          <TextField
            {...input('hashtag')}
            error={errorAt('hashtag')}
            label={texts.form.hashtag}
            hint={texts.form.hashtagHint}
            optional
          />
          <TypeChoices
            nouns={nouns}
            chosen={values.types}
            error={errorAt('types')}
            onChange={(types) => edit({ types })}
          />
        </>
      )}
    </DialogForm>
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
    <CheckGroup legend={texts.form.types} error={error}>
      <div className="webhook-types">
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
        <div>
          {choice(CLICKS)}
          <p className="field-hint webhook-types-single">{texts.form.clicksHint}</p>
        </div>
      </div>
    </CheckGroup>
  );
}

function isOffered(type: string, nouns: readonly string[]): boolean {
  return type === CLICKS || nouns.some((noun) => belongsTo(type, `${noun}.*`));
}

function belongsTo(type: string, wildcard: string): boolean {
  return type.startsWith(wildcard.slice(0, -1));
}
