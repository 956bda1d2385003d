import type { CreateLinkInput, Link, RedirectCode, UpdateLinkInput } from '@waymark/contract';
import { splitHashtags } from '../hashtags/hashtag-text.ts';
import { cleanUrl, slugOf } from '../pasted-url.ts';
import { localMinute, moment } from './local-minute.ts';
import { type RuleValues, ruleOf, ruleValuesOf } from './rule-values.ts';

/** The texts of a link that may be empty. */
const TEXTS = [
  'title',
  'description',
  'note',
  'expired_url',
  'social_title',
  'social_description',
  'social_image_url',
] as const;
/** The fields that hold a URL. Those of the rules hold some, too. */
const URL_FIELDS = ['destination_url', 'expired_url', 'social_image_url'] as const;
const DEFAULT_REDIRECT_CODE = '302';

/** What the form holds: the text of each control. */
export interface LinkFormValues extends Record<(typeof TEXTS)[number], string> {
  destination_url: string;
  /** Empty for the default host. */
  host: string;
  slug: string;
  hashtags: string;
  visibility: Link['visibility'];
  password: string;
  /** As `<input type="datetime-local">` has it: in the zone of the browser, to the minute. */
  expires_at: string;
  max_clicks: string;
  redirect_code: string;
  rules: readonly RuleValues[];
}

export function valuesOf(link: Link | null): LinkFormValues {
  const texts = Object.fromEntries(TEXTS.map((name) => [name, link?.[name] ?? '']));
  return {
    ...(texts as Record<(typeof TEXTS)[number], string>),
    destination_url: link?.destination_url ?? '',
    host: link?.host ?? '',
    slug: link?.slug ?? '',
    hashtags: (link?.hashtags ?? []).join(' '),
    visibility: link?.visibility ?? 'public',
    password: '',
    expires_at: link?.expires_at ? localMinute(link.expires_at) : '',
    max_clicks: String(link?.max_clicks ?? ''),
    redirect_code: String(link?.redirect_code ?? DEFAULT_REDIRECT_CODE),
    rules: (link?.rules ?? []).map(ruleValuesOf),
  };
}

type Replaceable = [url: string, replace: (url: string) => Partial<LinkFormValues>];

/** Returns the URLs that were entered, each with the function that returns what another one in its place changes. */
export function enteredUrls(values: LinkFormValues, before: LinkFormValues): Replaceable[] {
  const known = new Set(urlsOf(before).map(([url]) => url));
  return urlsOf(values).filter(([url]) => !known.has(url));
}

function urlsOf(values: LinkFormValues): Replaceable[] {
  const { rules } = values;
  return [
    ...URL_FIELDS.map((name): Replaceable => [values[name], (url) => ({ [name]: url })]),
    ...rules.map((rule, at): Replaceable => [rule.to, (to) => ({ rules: rules.with(at, { ...rule, to }) })]),
  ];
}

/** Returns what was entered with cleaned URLs and slug. What is as it was before stays. */
export function cleanEdits(edits: Partial<LinkFormValues>, before: LinkFormValues): Partial<LinkFormValues> {
  const dirty = enteredUrls({ ...before, ...edits }, before).find(([url]) => cleanUrl(url) !== url);
  if (dirty !== undefined) return cleanEdits({ ...edits, ...dirty[1](cleanUrl(dirty[0])) }, before);
  const { slug } = edits;
  return slug === undefined || slug === before.slug ? edits : { ...edits, slug: slugOf(slug) };
}

/** Returns the body of a creation: the fields that are filled in. */
export function createInput(values: LinkFormValues): CreateLinkInput {
  return { ...sent(values, valuesOf(null)), destination_url: values.destination_url };
}

/** Returns the body of an update: the fields that differ from what the form began with. Emptied ones are null. */
export function updateInput(values: LinkFormValues, before: LinkFormValues): UpdateLinkInput {
  return sent(values, before);
}

/** Returns true if a field is not as it was before. */
export function isChanged(name: keyof LinkFormValues, values: LinkFormValues, before: LinkFormValues): boolean {
  return JSON.stringify(values[name]) !== JSON.stringify(before[name]);
}

function sent(values: LinkFormValues, before: LinkFormValues): UpdateLinkInput {
  const changed = (name: keyof LinkFormValues) => isChanged(name, values, before);
  const input: UpdateLinkInput = {};
  if (changed('destination_url')) input.destination_url = values.destination_url;
  if (changed('host')) input.host = values.host || null;
  if (changed('slug')) input.slug = values.slug;
  for (const name of TEXTS) if (changed(name)) input[name] = values[name].trim() || null;
  if (changed('hashtags')) input.hashtags = splitHashtags(values.hashtags);
  if (changed('visibility')) input.visibility = values.visibility;
  if (values.visibility === 'password-protected' && values.password !== '') input.password = values.password;
  if (changed('expires_at'))
    input.expires_at = values.expires_at === '' ? null : moment(values.expires_at, 'expires_at');
  if (changed('max_clicks')) input.max_clicks = values.max_clicks === '' ? null : Number(values.max_clicks);
  if (changed('redirect_code')) input.redirect_code = Number(values.redirect_code) as RedirectCode;
  if (changed('rules')) input.rules = values.rules.map(ruleOf);
  return input;
}
