/**
 * Characters without a form, which come with copied texts and are never part of a URL. Joiners (U+200C, U+200D) and
 * variation selectors are not among them: inside of words and of emoji they have a meaning.
 */
const INVISIBLE = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;
const BEFORE = /^[\s\p{Cc}\p{Default_Ignorable_Code_Point}]+/u;
const AFTER = /(?:[\s\p{Cc}<>"]|\u200c|\u200d)+$/u;

/** What may close a text after each opening character. No URL begins with one of them. */
const CLOSING: Record<string, string> = {
  '<': '>',
  '(': ')',
  '[': ']',
  '{': '}',
  '"': '"',
  "'": "'",
  '`': '`',
  '“': '”',
  '„': '“”',
  '‘': '’',
  '‚': '‘’',
  '«': '»',
  '»': '«',
  '‹': '›',
  '›': '‹',
  '「': '」',
};

/** A URL without its scheme: a host with a dot, then maybe a port, then its end or a path. */
const WITHOUT_SCHEME = /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}.-]*)\.\p{L}[\p{L}\p{M}\p{N}-]*\.?(?::\d+)?(?=[/?#]|$)/u;

/**
 * Returns a URL without what surely is not part of it and came with the copied text: white space, invisible characters,
 * brackets and quotes around it. Adds the scheme to one that lacks it. White space inside stays: see `isBrokenUrl`.
 */
export function cleanUrl(text: string): string {
  const url = unwrapped(text);
  if (url.startsWith('//')) return `https:${url}`;
  return WITHOUT_SCHEME.test(url) ? `https://${url}` : url;
}

/** Returns true for what would be a URL without the white space inside of it, for example of a line break. */
export function isBrokenUrl(text: string): boolean {
  return /\s/.test(text) && /^https?:\/\/[^/?#\s]/i.test(mendedUrl(text));
}

/** Returns a URL without the white space inside of it. */
export function mendedUrl(text: string): string {
  return cleanUrl(text.replace(/\s+/g, ''));
}

/** Returns the slug of a short URL, with or without its scheme. Any other text is returned without what surrounds it. */
export function slugOf(text: string): string {
  const slug = unwrapped(text);
  return /^(?:https?:\/\/)?[^\s/?#]+\/([\w-]+)\/?(?:[?#].*)?$/i.exec(slug)?.[1] ?? slug;
}

/** Returns the host of a URL, with or without its scheme. Any other text is returned without what surrounds it. */
export function hostOf(text: string): string {
  const host = unwrapped(text);
  return /^(?:(?:https?:)?\/\/)?([^\s/?#@:]+?)\.?(?:[/?#].*)?$/i.exec(host)?.[1] ?? host;
}

function unwrapped(text: string): string {
  const trimmed = text.replace(INVISIBLE, '').replace(BEFORE, '').replace(AFTER, '');
  const closing = CLOSING[trimmed.charAt(0)];
  if (closing === undefined) return trimmed;
  const opened = trimmed.slice(1);
  return unwrapped(opened !== '' && closing.includes(opened.at(-1)!) ? opened.slice(0, -1) : opened);
}
