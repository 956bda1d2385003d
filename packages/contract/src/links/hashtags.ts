/**
 * A hashtag as a client may send it: letters (with their marks), digits, `_` or `-` of any script. JSON Schema's
 * patterns are ECMA-262's, which have these classes; some languages' have not, but as ranges they would be some seven
 * hundred, and another list with every version of Unicode.
 */
export const HASHTAG_PATTERN = '^#?[\\p{L}\\p{M}\\p{N}_-]{1,50}$';

/** Hashtags as they are stored: without the leading `#`, case folded, each once, in the order of their first use. */
export function normalizeHashtags(hashtags: readonly string[]): string[] {
  return [...new Set(hashtags.map((tag) => tag.replace(/^#/, '').normalize('NFC').toLowerCase()))];
}
