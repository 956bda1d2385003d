import { foldText } from '../text.ts';

export const HASHTAG_MAX_LENGTH = 50;
/** The maximum number of hashtags of a link. */
export const HASHTAGS_MAX = 20;
/** Composition joins at most four code points, of two UTF-16 units each, into one. The extra unit is a leading `#`. */
export const HASHTAG_SENT_MAX_LENGTH = 1 + HASHTAG_MAX_LENGTH * 4 * 2;
/**
 * What words of some languages have between two letters: Catalan (`·`, of which U+0387 is another spelling), Armenian
 * (U+058A), Hebrew (U+05F3, U+05F4), Tibetan (U+0F0B), Persian, Sinhala and Hindi (U+200C, U+200D), Japanese (U+30A0, U+30FB),
 * hyphens and apostrophes (U+2010, U+2019, U+2027). These are the optional medial characters of
 * https://www.unicode.org/reports/tr31/#Table_Optional_Medial, but for the punctuation of ASCII.
 */
const JOINERS = '\\u00b7\\u0387\\u058a\\u05f3\\u05f4\\u0f0b\\u200c\\u200d\\u2010\\u2019\\u2027\\u30a0\\u30fb';
/** Letters with their marks and digits of any script, `_`, `-`, and joiners between two letters. */
const CHARACTER = `(?:[\\p{L}\\p{M}\\p{N}_-]|(?<=[\\p{L}\\p{M}])[${JOINERS}](?=[\\p{L}\\p{M}]))`;
/** Marks alone are no hashtag. */
const HASHTAG = new RegExp(`^[#＃]?(?=.*[\\p{L}\\p{N}_-])${CHARACTER}+$`, 'u');
const OTHER_CHARACTERS = new RegExp(`(?:(?!${CHARACTER}).)+`, 'gsu');
/** The sign before a hashtag, which is not part of it. */
const HASH = /^[#＃]/;

/**
 * Returns true if a client may send this hashtag. Its length is counted in code points after folding, so that a stored
 * hashtag can be sent again. Long texts are rejected unfolded, because folding takes more than linear time.
 */
export function isHashtag(text: string): boolean {
  if (text.length > HASHTAG_SENT_MAX_LENGTH || !HASHTAG.test(text)) return false;
  return [...foldHashtag(text)].length <= HASHTAG_MAX_LENGTH;
}

/** Returns true if the text is a hashtag with its leading `#`. */
export function isMarkedHashtag(text: string): boolean {
  return HASH.test(text) && isHashtag(text);
}

/** Returns a hashtag as it is stored: folded, and without the leading `#`. */
export function foldHashtag(hashtag: string): string {
  return foldText(hashtag.replace(HASH, ''));
}

/**
 * Returns the tag of another service as a hashtag: what a hashtag cannot have, such as spaces, becomes `-`. It may be
 * too long. Returns null if nothing is left.
 */
export function hashtagOfTag(tag: string): string | null {
  const text = tag.trim();
  if (isHashtag(text)) return text;
  const hashtag = text.replace(HASH, '').replace(OTHER_CHARACTERS, '-');
  return /[^-]/.test(hashtag) ? hashtag : null;
}

/** Returns hashtags as they are stored: folded, without duplicates, in the order of first use. */
export function normalizeHashtags(hashtags: readonly string[]): string[] {
  return [...new Set(hashtags.map(foldHashtag))];
}
