import { useEffect, useRef, useState } from 'preact/hooks';
import { publicUrl } from '../api/addresses.ts';
import { ApiError, messageOf } from '../api/api-error.ts';
import type { Link } from '../api/client.ts';
import { useLinksChanged } from '../api/links-changed.ts';
import { Button } from '../components/button.tsx';
import { copyToClipboard } from '../components/copy-text.tsx';
import { Dialog, DialogBody, DialogFooter } from '../components/dialog.tsx';
import { SelectField, TextArea, TextField } from '../components/field.tsx';
import { useToast } from '../components/toast.tsx';
import { links, visibilities, visibilityHints } from '../texts/links.ts';
import { shared } from '../texts/shared.ts';
import { createInput, type LinkFormValues, updateInput, valuesOf } from './link-form-values.ts';
import { createLink, updateLink } from './use-links.ts';
import './link-form.css';

const IN_MORE: readonly string[] = ['description', 'note', 'expires_at', 'expired_url'];
const { form: texts } = links;

/** The form for a new link, or for the given one. The API's messages are shown at their fields. */
export function LinkForm({ link, onClose }: { link: Link | null; onClose: () => void }) {
  const [before] = useState(() => valuesOf(link));
  const [values, setValues] = useState(before);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const [moreOpen, setMoreOpen] = useState(IN_MORE.some((name) => before[name as keyof LinkFormValues] !== ''));
  const form = useRef<HTMLFormElement>(null);
  const toast = useToast();
  const changed = useLinksChanged();

  const field = <Name extends keyof LinkFormValues>(name: Name) => ({
    name,
    value: values[name] as string,
    error: error instanceof ApiError && error.field === name ? error.message : null,
    onInput: (event: { currentTarget: { value: string } }) =>
      setValues({ ...values, [name]: event.currentTarget.value }),
  });
  const shownAtField = error instanceof ApiError && error.field !== null && error.field in values;

  // Moves the focus to the field with the error, once it is shown.
  useEffect(() => {
    if (error !== null) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [error]);

  const submit = async (event: Event) => {
    event.preventDefault();
    if (busy) return;
    setBusy(true);
    setError(null);
    try {
      const saved = link
        ? await updateLink(link.id, updateInput(values, before))
        : await createLink(createInput(values));
      await changed();
      toast(
        link
          ? { text: texts.saved }
          : {
              text: texts.created(saved.short_url),
              action: { text: shared.copy, run: () => void copyToClipboard(saved.short_url, toast) },
            },
      );
      onClose();
    } catch (thrown) {
      setError(thrown);
      setBusy(false);
      const name = thrown instanceof ApiError ? thrown.field : null;
      if (name !== null && IN_MORE.includes(name)) setMoreOpen(true);
    }
  };

  const edited = Object.entries(values).some(([name, value]) => value !== before[name as keyof LinkFormValues]);
  return (
    <Dialog
      title={link ? texts.editTitle(link.slug) : texts.createTitle}
      placement="side"
      onClose={onClose}
      leave={edited ? { ...texts.leave, run: onClose } : null}
    >
      <form ref={form} onSubmit={submit} noValidate>
        <DialogBody>
          {error !== null && !shownAtField && (
            <p className="notice notice-danger" role="alert">
              {messageOf(error)}
            </p>
          )}
          <TextField
            {...field('destination_url')}
            label={texts.destination}
            placeholder={texts.destinationExample}
            type="url"
            required
          />
          <TextField
            {...field('slug')}
            label={texts.slug}
            hint={link === null ? texts.slugHint : values.slug === link.slug ? undefined : texts.slugChanges}
            optional={link === null}
            prefix={`${new URL(publicUrl).host}/`}
            autoCapitalize="none"
            autoComplete="off"
            spellcheck={false}
          />
          <TextField {...field('title')} label={texts.title} optional />
          <TextField
            {...field('hashtags')}
            label={texts.hashtags}
            hint={texts.hashtagsHint}
            optional
            autoCapitalize="none"
          />
          <SelectField {...field('visibility')} label={texts.visibility} hint={visibilityHints[values.visibility]}>
            {Object.entries(visibilities).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </SelectField>
          {values.visibility === 'password-protected' && (
            <TextField
              {...field('password')}
              label={texts.password}
              hint={link?.visibility === 'password-protected' ? texts.passwordKept : undefined}
              type="password"
              autoComplete="new-password"
            />
          )}
          {link === null && (
            <label className="check">
              <input
                type="checkbox"
                checked={values.auto_meta}
                onChange={(event) => setValues({ ...values, auto_meta: event.currentTarget.checked })}
              />
              {texts.autoMeta}
            </label>
          )}
          <details className="form-more" open={moreOpen} onToggle={(event) => setMoreOpen(event.currentTarget.open)}>
            <summary>{texts.more}</summary>
            <div className="form-more-fields">
              <TextArea {...field('description')} label={texts.description} optional />
              <TextArea {...field('note')} label={texts.note} hint={texts.noteHint} optional />
              <TextField
                {...field('expires_at')}
                label={texts.expiresAt}
                hint={texts.expiresHint}
                type="datetime-local"
                optional
              />
              <TextField {...field('expired_url')} label={texts.expiredUrl} type="url" optional />
            </div>
          </details>
        </DialogBody>
        <DialogFooter>
          <Button onClick={onClose}>{shared.cancel}</Button>
          <Button type="submit" variant="primary" busy={busy}>
            {link ? texts.save : texts.create}
          </Button>
        </DialogFooter>
      </form>
    </Dialog>
  );
}
