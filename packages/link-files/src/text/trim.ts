/** White space and characters without a glyph, such as the zero-width space. */
const INVISIBLE = /[\s\p{Cf}\p{Cc}]/u;

/** Returns the text without white space and invisible characters at its start and end. */
export function trimmed(text: string): string {
  let start = 0;
  let end = text.length;
  // Not one regular expression: that would be quadratic in the white space inside of the text.
  while (start < end && INVISIBLE.test(text[start]!)) start += 1;
  while (end > start && INVISIBLE.test(text[end - 1]!)) end -= 1;
  return text.slice(start, end);
}
