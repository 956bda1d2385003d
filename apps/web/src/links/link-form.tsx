import { WaymarkError } from '@waymark/client';
import type { Link } from '@waymark/contract';
import { useRef, useState } from 'preact/hooks';
import { messageOf } from '../api/api-error.ts';
import { useIdempotentRequest } from '../api/idempotency-key.ts';
import { useLinksChanged } from '../api/links-changed.ts';
import { useBusy } from '../components/busy.ts';
import { Button } from '../components/button.tsx';
import { CancelButton, Dialog, DialogBody, DialogFooter } from '../components/dialog.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { SelectField, TextArea, TextField } from '../components/field.tsx';
import { Fold } from '../components/fold.tsx';
import { ListField } from '../components/list-field.tsx';
import { useToast } from '../components/toast.tsx';
import { Words } from '../components/words.tsx';
import { foldHashtag, mergeHashtags, splitHashtags } from '../hashtags/hashtag-text.ts';
import { useHashtags } from '../hashtags/hashtags.ts';
import { hostOfNewLink } from '../hosts/default-host.ts';
import { readableHost } from '../hosts/host-name.ts';
import { useHosts } from '../hosts/hosts.ts';
import { cleanUrl, isBrokenUrl } from '../pasted-url.ts';
import { DEFAULT_HOST, linkName, shortUrlStart } from '../short-url.ts';
import { linkForm, ruleTexts } from '../texts/link-form.ts';
import { fieldLabels, links, visibilities, visibilityHints } from '../texts/links.ts';
import { shared } from '../texts/shared.ts';
import { BrokenUrlDialog } from './broken-url-dialog.tsx';
import {
  cleanEdits,
  createInput,
  enteredUrls,
  isChanged,
  type LinkFormValues,
  updateInput,
  valuesOf,
} from './link-form-values.ts';
import { LinkPreview } from './link-preview.tsx';
import { RuleFields } from './rule-fields.tsx';
import { useAutoMeta } from './use-auto-meta.ts';
import { readLink } from './use-link.ts';
import { createLink, updateLink, useLinkChanged } from './use-links.ts';
import { withoutUtm } from './utm.ts';
import { UtmFields } from './utm-fields.tsx';
import './link-form.css';

const { form: texts } = links;

/** What a page says about itself. */
const META_NAMES = ['title', 'description'] as const;
const NOTHING = valuesOf(null);

interface LinkFormProps {
  /** The link to edit, or null for a new one. */
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
  const destination = edits.destination_url ?? before.destination_url;
  const page = cleanUrl(withoutUtm(destination));
  const isNewPage = page !== cleanUrl(withoutUtm(before.destination_url));
  const meta = useAutoMeta(isNewPage ? page : '');
  /** What was read from the page, for the fields that nobody filled in. */
  const read: Partial<LinkFormValues> = {};
  for (const name of META_NAMES) if (before[name] === '' && !(name in edits) && meta?.[name]) read[name] = meta[name];
  const values = { ...before, ...read, ...edits };
  const edit = (changes: Partial<LinkFormValues>) => setEdits((now) => ({ ...now, ...changes }));
  const [error, setError] = useState<unknown>(null);
  const [brokenUrl, setBrokenUrl] = useState<ReturnType<typeof enteredUrls>[number] | null>(null);
  /** URLs whose white space belongs to them. */
  const kept = useRef(new Set<string>());
  const [wantsHashtags, setWantsHashtags] = useState(false);
  const { busy, run } = useBusy();
  const sendOnce = useIdempotentRequest();
  const toast = useToast();
  const linksChanged = useLinksChanged();
  const linkChanged = useLinkChanged();

  const field = (name: Exclude<keyof LinkFormValues, 'rules'>) => ({
    name,
    label: fieldLabels[name]!,
    value: values[name],
    error: wrongField === name ? messageOf(error) : null,
    onInput: (event: { currentTarget: { value: string } }) => edit({ [name]: event.currentTarget.value }),
  });
  const isUncertain = error instanceof WaymarkError && error.isUncertain;
  const wrongRule = ruleErrorOf(error);
  const wrongField = wrongRule ? 'rules' : error instanceof WaymarkError && error.field !== null ? error.field : '';
  const shownAtField = wrongRule !== null || (wrongField in values && wrongField !== 'rules');
  /** A fold is open for what the link has, and opens for what is wrong. */
  const fold = (...fields: (keyof LinkFormValues)[]) => ({
    open: fields.some((name) => isChanged(name, shown, NOTHING)),
    isWrong: shownAtField && fields.some((name) => name === wrongField),
  });

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
    }
  };

  /** Saves, once the white space inside of each URL that was entered is removed or belongs there. */
  const check = (typed: Partial<LinkFormValues>) => {
    const clean = cleanEdits(typed, before);
    setEdits(clean);
    const entered = { ...values, ...clean };
    const broken = enteredUrls(entered, before).find(([url]) => isBrokenUrl(url) && !kept.current.has(url));
    setBrokenUrl(broken ?? null);
    if (broken === undefined) void run(() => save(entered));
  };

  const verified = (hosts.data?.hosts ?? []).filter(({ status }) => status === 'verified').map(({ host }) => host);
  // A link stays on a host that is lost.
  const choices = new Set([...verified, before.host].filter((host) => host !== ''));
  const isMoved = values.slug !== before.slug || values.host !== before.host;
  const edited = Object.keys(values).some((name) => isChanged(name as keyof LinkFormValues, values, before));
  const hashtags = useHashtags(wantsHashtags);
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
        onFocusOut={() => setEdits((now) => cleanEdits(now, before))}
        noValidate
      >
        <DialogBody>
          <ErrorNotice
            text={
              error === null || shownAtField
                ? null
                : `${messageOf(error)} ${link === null && isUncertain ? texts.createAgain : ''}`
            }
          />
          {link?.managed_by && (
            <p className="notice">
              <Words text={linkForm.managedBy(link.managed_by)} verbatim={link.managed_by} />
            </p>
          )}
          <TextField {...field('destination_url')} placeholder={texts.destinationExample} type="url" required />
          {hosts.isError && (
            <p className="notice" role="status">
              <Words text={texts.hostsMissing(messageOf(hosts.error))} />
            </p>
          )}
          {choices.size > 0 && (
            <SelectField {...field('host')} translate={false}>
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
            hint={link === null ? texts.slugHint : isMoved ? texts.slugChanges : undefined}
            optional={link === null}
            prefix={shortUrlStart(values.host || null)}
            autoCapitalize="none"
            autoComplete="off"
            spellcheck={false}
          />
          <TextField {...field('title')} optional />
          <p className="field-hint form-status" role="status">
            {isNewPage && meta !== null && (meta === undefined || Object.keys(read).length > 0) && (
              <Words text={meta === undefined ? linkForm.readingPage : linkForm.readFromPage} />
            )}
          </p>
          <ListField
            {...field('hashtags')}
            hint={texts.hashtagsHint}
            optional
            separator=" "
            fold={foldHashtag}
            choices={(hashtags.data?.hashtags ?? []).map(({ hashtag }) => ({ value: hashtag }))}
            onFocus={() => setWantsHashtags(true)}
            onValue={(value) => edit({ hashtags: value })}
          />
          <SelectField {...field('visibility')} hint={visibilityHints[values.visibility]}>
            {Object.entries(visibilities).map(([value, text]) => (
              <option key={value} value={value}>
                {text}
              </option>
            ))}
          </SelectField>
          {values.visibility === 'password-protected' && (
            <TextField
              {...field('password')}
              hint={link?.visibility === 'password-protected' ? texts.passwordKept : undefined}
              type="password"
              autoComplete="new-password"
            />
          )}
          <Fold
            title={texts.more}
            {...fold('description', 'note', 'expires_at', 'max_clicks', 'expired_url', 'redirect_code')}
          >
            <TextArea {...field('description')} optional />
            <TextArea {...field('note')} hint={texts.noteHint} optional />
            <TextField {...field('expires_at')} hint={texts.expiresHint} type="datetime-local" optional />
            <TextField {...field('max_clicks')} hint={linkForm.maxClicksHint} type="number" min="1" optional />
            <TextField {...field('expired_url')} type="url" optional />
            <SelectField {...field('redirect_code')}>
              {Object.entries(linkForm.redirectCodes).map(([code, text]) => (
                <option key={code} value={code}>
                  {text}
                </option>
              ))}
            </SelectField>
          </Fold>
          <Fold title={linkForm.utm.title} open={withoutUtm(shown.destination_url) !== shown.destination_url}>
            <UtmFields url={values.destination_url} onUrl={(url) => edit({ destination_url: url })} />
          </Fold>
          <Fold title={ruleTexts.title} {...fold('rules')}>
            <RuleFields rules={values.rules} error={wrongRule} onChange={(rules) => edit({ rules })} />
          </Fold>
          <Fold title={linkForm.card.title} {...fold('social_title', 'social_description', 'social_image_url')}>
            <p className="field-hint">{linkForm.card.hint}</p>
            <TextField {...field('social_title')} optional />
            <TextArea {...field('social_description')} optional />
            <TextField {...field('social_image_url')} type="url" optional />
          </Fold>
          <Fold title={linkForm.preview.title}>
            <LinkPreview values={values} page={meta} />
          </Fold>
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
          url={brokenUrl[0]}
          onChoose={(url) => {
            kept.current.add(url);
            check({ ...edits, ...brokenUrl[1](url) });
          }}
          onClose={() => setBrokenUrl(null)}
        />
      )}
    </Dialog>
  );
}

/** Returns which field of which rule is wrong, or null. What a rule lacks is shown where it goes. */
function ruleErrorOf(error: unknown): { at: number; name: string; message: string } | null {
  const found =
    error instanceof WaymarkError && error.status === 422 && /^"rules\[(\d+)\](?:\.(\w+))?[^"]*"/.exec(error.message);
  if (!found) return null;
  const at = Number(found[1]);
  const name = (found[2] ?? 'to') as keyof typeof ruleTexts.labels;
  const label = found[2] === undefined ? ruleTexts.rule(at + 1) : ruleTexts.labels[name];
  const rest = error.message.slice(found[0].length).replace('"to"', `“${ruleTexts.labels.to}”`);
  return { at, name, message: `“${label}”${rest}` };
}
