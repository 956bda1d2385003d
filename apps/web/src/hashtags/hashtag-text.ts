/** The sign before a hashtag, which is not part of it. */
export const HASH = /^[#＃]/;

/** Returns the hashtags of a text that separates them by spaces or commas. */
export function splitHashtags(text: string): string[] {
  return text.split(/[\s,]+/).filter((hashtag) => hashtag !== '');
}

/** Returns a hashtag as the API shows it: folded, and without the leading `#`. */
export function foldHashtag(hashtag: string): string {
  return hashtag.replace(HASH, '').normalize('NFC').toLowerCase().normalize('NFC');
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
