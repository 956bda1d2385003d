import type { Link } from '@waymark/contract';
import { useRef, useState } from 'preact/hooks';
import { ApiError, messageOf } from '../api/api-error.ts';
import { useIdempotentRequest } from '../api/idempotency-key.ts';
import { useLinksChanged } from '../api/links-changed.ts';
import { useBusy } from '../components/busy.ts';
import { Button } from '../components/button.tsx';
import { CancelButton, Dialog, DialogBody, DialogFooter } from '../components/dialog.tsx';
import { SelectField, TextArea, TextField } from '../components/field.tsx';
import { useToast } from '../components/toast.tsx';
import { Words } from '../components/words.tsx';
import { hostOfNewLink } from '../hosts/default-host.ts';
import { readableHost } from '../hosts/host-name.ts';
import { useHosts } from '../hosts/hosts.ts';
import { isBrokenUrl } from '../pasted-url.ts';
import { DEFAULT_HOST, linkName, shortUrlStart } from '../short-url.ts';
import { links, visibilities, visibilityHints } from '../texts/links.ts';
import { shared } from '../texts/shared.ts';
import { BrokenUrlDialog } from './broken-url-dialog.tsx';
import {
  cleanEdits,
  createInput,
  type LinkFormValues,
  mergeHashtags,
  splitHashtags,
  URL_FIELDS,
  updateInput,
  valuesOf,
} from './link-form-values.ts';
import { readLink } from './use-link.ts';
import { createLink, updateLink, useLinkChanged } from './use-links.ts';
import './link-form.css';

const IN_MORE: readonly string[] = ['description', 'note', 'expires_at', 'expired_url'];
const { form: texts } = links;

interface LinkFormProps {
  link: Link | null;
  onCreated?: (link: Link) => void;
  onClose: () => void;
}

/** The form for a new link, or for the given one. The API's messages are shown at their fields. */
export function LinkForm({ link, onCreated, onClose }: LinkFormProps) {
  const hosts = useHosts();
  const [shown] = useState(() => valuesOf(link));
  const before = link === null ? { ...shown, host: hostOfNewLink(hosts.data?.hosts) ?? '' } : shown;
  /** What the user entered. */
  const [edits, setEdits] = useState<Partial<LinkFormValues>>({});
  const values = { ...before, ...edits };
  const edit = (changes: Partial<LinkFormValues>) => setEdits((now) => ({ ...now, ...changes }));
  const [error, setError] = useState<unknown>(null);
  const [brokenUrl, setBrokenUrl] = useState<(typeof URL_FIELDS)[number] | null>(null);
  /** URLs whose white space belongs to them. */
  const kept = useRef(new Set<string>());
  const [moreOpen, setMoreOpen] = useState(IN_MORE.some((name) => before[name as keyof LinkFormValues] !== ''));
  const { busy, run } = useBusy();
  const sendOnce = useIdempotentRequest();
  const toast = useToast();
  const linksChanged = useLinksChanged();
  const linkChanged = useLinkChanged();

  const field = <Name extends keyof LinkFormValues>(name: Name) => ({
    name,
    value: values[name] as string,
    error: error instanceof ApiError && error.field === name ? messageOf(error) : null,
    onInput: (event: { currentTarget: { value: string } }) => edit({ [name]: event.currentTarget.value }),
    onBlur: () => setEdits((now) => cleanEdits(now, before)),
  });
  const isUncertain = error instanceof ApiError && error.isUncertain;
  const shownAtField = error instanceof ApiError && error.field !== null && error.field in values;

  const save = async (entered: LinkFormValues) => {
    setError(null);
    try {
      if (link) {
        const input = updateInput(entered, before);
        if (input.hashtags) {
          const { hashtags } = await readLink(link.id);
          input.hashtags = mergeHashtags(input.hashtags, splitHashtags(before.hashtags), hashtags);
        }
        linkChanged(link.id, await updateLink(link.id, input));
        toast({ text: texts.saved });
      } else {
        const input = createInput(entered);
        const created = await sendOnce(JSON.stringify(input), (key) => createLink(input, key));
        linksChanged();
        onCreated?.(created);
      }
      onClose();
    } catch (thrown) {
      setError(thrown);
      const name = thrown instanceof ApiError ? thrown.field : null;
      if (name !== null && IN_MORE.includes(name)) setMoreOpen(true);
    }
  };

  /** Saves, once the white space inside of each URL that was entered is removed or belongs there. */
  const check = (typed: Partial<LinkFormValues>) => {
    const clean = cleanEdits(typed, before);
    setEdits(clean);
    const entered = { ...before, ...clean };
    const broken = URL_FIELDS.find((name) => {
      const url = entered[name];
      return url !== before[name] && isBrokenUrl(url) && !kept.current.has(url);
    });
    setBrokenUrl(broken ?? null);
    if (broken === undefined) void run(() => save(entered));
  };

  const verified = (hosts.data?.hosts ?? []).filter(({ status }) => status === 'verified').map(({ host }) => host);
  // A link stays on a host that is lost.
  const choices = new Set([...verified, before.host].filter((host) => host !== ''));
  const isMoved = values.slug !== before.slug || values.host !== before.host;
  const edited = Object.entries(values).some(([name, value]) => value !== before[name as keyof LinkFormValues]);
  return (
    <Dialog
      title={link ? texts.editTitle(linkName(link)) : texts.createTitle}
      verbatim={link ? linkName(link) : undefined}
      placement="side"
      onClose={onClose}
      busy={busy}
      leave={edited ? { ...texts.leave, ...(isUncertain && { text: shared.uncertain }), run: onClose } : null}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          check(edits);
        }}
        noValidate
      >
        <DialogBody>
          {error !== null && !shownAtField && (
            <p key={messageOf(error)} className="notice notice-danger" role="alert">
              {messageOf(error)} {link === null && isUncertain && texts.createAgain}
            </p>
          )}
          <TextField
            {...field('destination_url')}
            label={texts.destination}
            placeholder={texts.destinationExample}
            type="url"
            required
          />
          {hosts.isError && (
            <p className="notice" role="status">
              <Words text={texts.hostsMissing(messageOf(hosts.error))} />
            </p>
          )}
          {choices.size > 0 && (
            <SelectField {...field('host')} label={texts.host} translate={false}>
              <option value="">{DEFAULT_HOST}</option>
              {[...choices].map((host) => (
                <option key={host} value={host}>
                  {readableHost(host)}
                </option>
              ))}
            </SelectField>
          )}
          <TextField
            {...field('slug')}
            label={texts.slug}
            hint={link === null ? texts.slugHint : isMoved ? texts.slugChanges : undefined}
            optional={link === null}
            prefix={shortUrlStart(values.host || null)}
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
                onChange={(event) => edit({ auto_meta: event.currentTarget.checked })}
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
          <CancelButton />
          <Button type="submit" variant="primary">
            {link ? texts.save : texts.create}
          </Button>
        </DialogFooter>
      </form>
      {brokenUrl !== null && (
        <BrokenUrlDialog
          url={values[brokenUrl]}
          onChoose={(url) => {
            kept.current.add(url);
            check({ ...edits, [brokenUrl]: url });
          }}
          onClose={() => setBrokenUrl(null)}
        />
      )}
    </Dialog>
  );
}
