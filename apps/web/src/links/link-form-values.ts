import type { CreateLinkInput, Link, UpdateLinkInput } from '@waymark/contract';
import { ApiError } from '../api/api-error.ts';
import { cleanUrl, slugOf } from '../pasted-url.ts';
import { links } from '../texts/links.ts';

/** What the form holds: the text of each control. */
export interface LinkFormValues {
  destination_url: string;
  /** Empty for the default host. */
  host: string;
  slug: string;
  title: string;
  hashtags: string;
  visibility: Link['visibility'];
  password: string;
  description: string;
  note: string;
  /** As `<input type="datetime-local">` has it: in the zone of the browser, to the minute. */
  expires_at: string;
  expired_url: string;
  auto_meta: boolean;
}

export function valuesOf(link: Link | null): LinkFormValues {
  return {
    destination_url: link?.destination_url ?? '',
    host: link?.host ?? '',
    slug: link?.slug ?? '',
    title: link?.title ?? '',
    hashtags: (link?.hashtags ?? []).join(' '),
    visibility: link?.visibility ?? 'public',
    password: '',
    description: link?.description ?? '',
    note: link?.note ?? '',
    expires_at: link?.expires_at ? localMinute(link.expires_at) : '',
    expired_url: link?.expired_url ?? '',
    auto_meta: false,
  };
}

/** The fields that hold a URL. */
export const URL_FIELDS = ['destination_url', 'expired_url'] as const;

/** Returns what was entered with cleaned URLs and slug. What is as it was before stays. */
export function cleanEdits(edits: Partial<LinkFormValues>, before: LinkFormValues): Partial<LinkFormValues> {
  const clean = { ...edits };
  const clear = (name: 'slug' | (typeof URL_FIELDS)[number], cleaned: (text: string) => string) => {
    const text = edits[name];
    if (text !== undefined && text !== before[name]) clean[name] = cleaned(text);
  };
  for (const name of URL_FIELDS) clear(name, cleanUrl);
  clear('slug', slugOf);
  return clean;
}

/** Returns the body of a creation: the fields that are filled in. */
export function createInput(values: LinkFormValues): CreateLinkInput {
  return {
    ...sent(values, valuesOf(null)),
    destination_url: values.destination_url,
    ...(values.auto_meta && { auto_meta: true }),
  };
}

/** Returns the body of an update: the fields that differ from what the form began with. Emptied ones are null. */
export function updateInput(values: LinkFormValues, before: LinkFormValues): UpdateLinkInput {
  return sent(values, before);
}

/**
 * Returns the hashtags of the form that began with `before`, for a link that has `now` by then: what somebody else added
 * or removed meanwhile stays so.
 */
export function mergeHashtags(entered: readonly string[], before: readonly string[], now: readonly string[]): string[] {
  const isNew = (hashtag: string) => !before.includes(hashtag);
  const kept = entered.map(foldHashtag).filter((hashtag) => isNew(hashtag) || now.includes(hashtag));
  return [...new Set([...kept, ...now.filter(isNew)])];
}

const TEXTS = ['title', 'description', 'note', 'expired_url'] as const;

function sent(values: LinkFormValues, before: LinkFormValues): UpdateLinkInput {
  const changed = (name: keyof LinkFormValues) => values[name] !== before[name];
  const input: UpdateLinkInput = {};
  if (changed('destination_url')) input.destination_url = values.destination_url;
  if (changed('host')) input.host = values.host || null;
  if (changed('slug')) input.slug = values.slug;
  for (const name of TEXTS) if (changed(name)) input[name] = values[name].trim() || null;
  if (changed('hashtags')) input.hashtags = splitHashtags(values.hashtags);
  if (changed('visibility')) input.visibility = values.visibility;
  if (values.visibility === 'password-protected' && values.password !== '') input.password = values.password;
  if (changed('expires_at')) input.expires_at = values.expires_at === '' ? null : moment(values.expires_at);
  return input;
}

/** Returns the hashtags of a text that separates them by spaces or commas. */
export function splitHashtags(text: string): string[] {
  return text.split(/[\s,]+/).filter((hashtag) => hashtag !== '');
}

/** The sign before a hashtag, which is not part of it. */
export const HASH = /^[#＃]/;

/** Returns a hashtag as the API shows it: folded, and without the leading `#`. */
export function foldHashtag(hashtag: string): string {
  return hashtag.replace(HASH, '').normalize('NFC').toLowerCase().normalize('NFC');
}

/**
 * Returns the moment of a local minute. Returns an invalid text as it is, so that the API's message says what is wrong.
 * @throws {ApiError} if the clocks skip that minute.
 */
function moment(minute: string): string {
  const time = Date.parse(minute);
  if (Number.isNaN(time)) return minute;
  const found = new Date(time).toISOString();
  if (localMinute(found) !== minute) throw new ApiError(422, links.form.skippedMinute);
  return found;
}

function localMinute(moment: string): string {
  const date = new Date(moment);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
