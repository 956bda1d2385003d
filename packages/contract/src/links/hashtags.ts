/**
 * A hashtag as a client may send it: letters (with their marks), digits, `_` or `-` of any script. Schemas have it as the
 * format `hashtag`, in words: as a pattern, only some languages could read its Unicode classes.
 */
const HASHTAG = /^#?[\p{L}\p{M}\p{N}_-]{1,50}$/u;

/** True for a hashtag as a client may send it. */
export function isHashtag(text: string): boolean {
  return HASHTAG.test(text);
}

/** Hashtags as they are stored: without the leading `#`, case folded, each once, in the order of their first use. */
export function normalizeHashtags(hashtags: readonly string[]): string[] {
  return [...new Set(hashtags.map((tag) => tag.replace(/^#/, '').normalize('NFC').toLowerCase()))];
}
