import { foldText } from '../text.ts';

export const HASHTAG_MAX_LENGTH = 50;
/** What composition makes one code point of is at most four, of two UTF-16 units each; and a leading `#`. */
const SENT_MAX_LENGTH = 1 + HASHTAG_MAX_LENGTH * 4 * 2;
/** Letters with their marks, digits, `_` and `-` of any script. */
const HASHTAG = /^#?[\p{L}\p{M}\p{N}_-]+$/u;

/**
 * Returns true for a hashtag as a client may send it. Its length is counted in code points after folding, so that a
 * hashtag that was stored can be sent again. The text is only folded if it is short: folding costs more than linear time.
 */
export function isHashtag(text: string): boolean {
  if (text.length > SENT_MAX_LENGTH || !HASHTAG.test(text)) return false;
  return [...foldHashtag(text)].length <= HASHTAG_MAX_LENGTH;
}

/** Returns a hashtag as it is stored: without the leading `#`, folded. */
export function foldHashtag(hashtag: string): string {
  return foldText(hashtag.replace(/^#/, ''));
}

/** Returns hashtags as they are stored: each folded and once, in the order of their first use. */
export function normalizeHashtags(hashtags: readonly string[]): string[] {
  return [...new Set(hashtags.map(foldHashtag))];
}
