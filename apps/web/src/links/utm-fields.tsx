import { TextField } from '../components/field.tsx';
import { linkForm } from '../texts/link-form.ts';
import { readUtm, UTM_NAMES, withUtm } from './utm.ts';

const { utm: texts } = linkForm;

/** Fields that build the parameters of a URL, and read them from it. */
export function UtmFields({ url, onUrl }: { url: string; onUrl: (url: string) => void }) {
  const isEmpty = url.trim() === '';
  return (
    <>
      <p key={String(isEmpty)} className="field-hint">
        {isEmpty ? texts.first : texts.hint}
      </p>
      <div className="form-columns">
        {UTM_NAMES.map((name) => (
          <TextField
            key={name}
            label={texts.labels[name]}
            value={readUtm(url, name)}
            disabled={isEmpty}
            onInput={(event) => onUrl(withUtm(url, name, event.currentTarget.value))}
            autoCapitalize="none"
            autoComplete="off"
            spellcheck={false}
          />
        ))}
      </div>
    </>
  );
}
