import { foldText } from '../text.ts';

export const HASHTAG_MAX_LENGTH = 50;
/** Composition joins at most four code points, of two UTF-16 units each, into one. The extra unit is a leading `#`. */
export const HASHTAG_SENT_MAX_LENGTH = 1 + HASHTAG_MAX_LENGTH * 4 * 2;
/** Letters with their marks and digits of any script, `_` and `-`. */
const HASHTAG = /^#?[\p{L}\p{M}\p{N}_-]+$/u;

/**
 * Returns true if a client may send this hashtag. Its length is counted in code points after folding, so that a stored
 * hashtag can be sent again. Long texts are rejected unfolded, because folding takes more than linear time.
 */
export function isHashtag(text: string): boolean {
  if (text.length > HASHTAG_SENT_MAX_LENGTH || !HASHTAG.test(text)) return false;
  return [...foldHashtag(text)].length <= HASHTAG_MAX_LENGTH;
}

/** Returns a hashtag as it is stored: folded, and without the leading `#`. */
export function foldHashtag(hashtag: string): string {
  return foldText(hashtag.replace(/^#/, ''));
}

/** Returns hashtags as they are stored: folded, without duplicates, in the order of first use. */
export function normalizeHashtags(hashtags: readonly string[]): string[] {
  return [...new Set(hashtags.map(foldHashtag))];
}
